//===- ResultClass.h - how the gate compares a result -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_RESULTCLASS_H
#define EGG_PIPELINES_RESULTCLASS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace egg {

/// The classes of docs/formats.md, from the strictest on.
enum class ResultClass { Exact, Elementwise, Accumulation };

/// `exact`, `elementwise` or `accumulation`.
llvm::StringRef name(ResultClass value);

/// The class of each result of the @main of a normalized payload. Integers are
/// exact. A float is as inexact as what it is computed from: moves, selections,
/// comparisons, maxima, minima, signs and widenings keep the class, other float
/// arithmetic makes it elementwise, and arithmetic that is carried from one
/// iteration to the next, of a linalg op or a loop, accumulation.
llvm::SmallVector<ResultClass> classifyResults(mlir::func::FuncOp payload);

} // namespace egg

#endif // EGG_PIPELINES_RESULTCLASS_H
