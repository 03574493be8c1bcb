//===- egg-opt.cpp - the optimiser driver of egg ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/InitAll/InitAll.h"
#include "egg/Serve/Serve.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include <string_view>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  egg::registerAllDialects(registry);

  // The child of egg-run and egg-tune. It parses no options: everything it is
  // to do stands in the requests.
  if (argc >= 2 && std::string_view(argv[1]) == "--egg-serve") {
    if (argc > 2) {
      llvm::errs() << "egg-opt: --egg-serve takes no further argument, but '"
                   << argv[2] << "' was given\n";
      return 1;
    }
    return egg::serve(registry);
  }

  egg::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "egg's optimiser driver\n\n"
      "With --egg-serve as its only option it answers the compiler protocol of "
      "egg-run and egg-tune on standard input and output.\n",
      registry));
}
