//===- Divisors.h - what index values are multiples of ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_BLOCKLOWERING_DIVISORS_H
#define EGG_LIB_BLOCKLOWERING_DIVISORS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

namespace egg {

/// The greatest number that is known to divide an index value in every run; 0
/// for the constant 0, which everything divides; 1 if nothing is known. Sees
/// through constants, affine ops, sums, products and the induction variables of
/// scf.for and scf.forall.
int64_t knownDivisor(mlir::Value value);

/// The same for an expression over dimensions and symbols with these divisors.
int64_t knownDivisor(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dims,
                     llvm::ArrayRef<int64_t> symbols);

/// The row-major position in a tensor of this static shape of the point that
/// \p map gives: sum(map_s * stride_s), simplified.
mlir::AffineExpr flatten(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);

/// By how much \p expr grows when dimension \p dim grows by one, if that is a
/// constant.
std::optional<int64_t> stepOf(mlir::AffineExpr expr, unsigned dim,
                              unsigned numDims, unsigned numSymbols);

} // namespace egg

#endif // EGG_LIB_BLOCKLOWERING_DIVISORS_H
