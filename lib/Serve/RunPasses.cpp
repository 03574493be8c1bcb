//===- RunPasses.cpp - passes whose failure is an Error ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPasses.h"

#include "egg/Serve/Payload.h"

using namespace egg;
using namespace mlir;

Status egg::runPasses(ModuleOp module, ErrorKind kind, StringRef step,
                      llvm::function_ref<void(OpPassManager &)> add) {
  DiagnosticCollector diagnostics(module.getContext());
  PassManager passes(module.getContext());
  add(passes);
  if (succeeded(passes.run(module)))
    return Status();
  Error error =
      diagnostics.error(kind, step.str() + " failed without a message");
  std::string tag = std::string(toString(ErrorKind::HostControlFlow)) + ": ";
  if (size_t at = error.message.find(tag); at != std::string::npos) {
    error.kind = ErrorKind::HostControlFlow;
    error.message.erase(at, tag.size());
  }
  return error;
}
