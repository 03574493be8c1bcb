//===- Contraction.h - contractions and their layouts -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_BLOCKLOWERING_CONTRACTION_H
#define EGG_LIB_BLOCKLOWERING_CONTRACTION_H

#include "egg/Dialect/Egg/LinearLayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace egg {

/// Whether the op multiplies and accumulates over reduction dimensions,
/// whatever its name; linalg.reduce and reductions of one input are none.
bool isContraction(mlir::linalg::LinalgOp op);

/// The layout of a contraction's accumulator, of these extents: for FMA,
/// patches of 4 x 4 a thread over the last two dimensions, 4 x 8 lanes, then
/// warps, the rest in registers; earlier dimensions go to registers. Fails with
/// an error at the op for an instruction that the lowering does not know.
mlir::FailureOr<LinearLayout>
getAccumulatorLayout(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> shape,
                     unsigned warpBits);

/// The layout of an operand from that of the iteration space: dimensions that
/// \p map does not have are forgotten, constants become extents of one, and
/// registers that would hold copies are dropped. Every result of the map is a
/// dimension or a constant.
LinearLayout toOperand(const LinearLayout &iterations, mlir::AffineMap map);

} // namespace egg

#endif // EGG_LIB_BLOCKLOWERING_CONTRACTION_H
