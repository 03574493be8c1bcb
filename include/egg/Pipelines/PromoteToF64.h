//===- PromoteToF64.h - the golden of a payload -----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_PROMOTETOF64_H
#define EGG_PIPELINES_PROMOTETOF64_H

#include "mlir/IR/BuiltinOps.h"

namespace egg {

/// Computes every float value of a payload in f64. The entry function's
/// arguments keep their types and are widened on entry, its float results are
/// f64; integers and indices are unchanged. Constants are converted value by
/// value, infinities and NaNs included; extf, truncf and scaling-free casts
/// between floats become the identity, fast-math flags are dropped. Fails with
/// a diagnostic at a bitcast between floats and integers.
llvm::LogicalResult promoteToF64(mlir::ModuleOp module);

} // namespace egg

#endif // EGG_PIPELINES_PROMOTETOF64_H
