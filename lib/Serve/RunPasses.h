//===- RunPasses.h - passes whose failure is an Error -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SERVE_RUNPASSES_H
#define EGG_LIB_SERVE_RUNPASSES_H

#include "egg/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace egg {

/// Runs what `add` adds on the module. A failure is an error of `kind` with the
/// diagnostics' text, or of the kind that the text begins with (after the
/// place), which is how a pass says `host-control-flow`.
Status runPasses(mlir::ModuleOp module, ErrorKind kind, llvm::StringRef step,
                 llvm::function_ref<void(mlir::OpPassManager &)> add);

} // namespace egg

#endif // EGG_LIB_SERVE_RUNPASSES_H
