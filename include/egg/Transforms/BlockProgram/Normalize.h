//===- Normalize.h - the normal form of block programs ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TRANSFORMS_BLOCKPROGRAM_NORMALIZE_H
#define EGG_TRANSFORMS_BLOCKPROGRAM_NORMALIZE_H

#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace egg {

/// Each gives the normal form of one op and keeps what it computes. They fail,
/// without a message and without a change, where the form does not apply.

/// A slice with constant strides becomes an egg.read without a fill.
mlir::FailureOr<ir::ReadOp> convertSliceToRead(mlir::RewriterBase &rewriter,
                                               mlir::tensor::ExtractSliceOp op);
/// Likewise a parallel_insert_slice, an egg.write.
mlir::FailureOr<ir::WriteOp>
convertInsertToWrite(mlir::RewriterBase &rewriter,
                     mlir::tensor::ParallelInsertSliceOp op);
/// A linalg.generic that reduces over whole dimensions, and is no contraction,
/// becomes an elementwise linalg.generic (if there is such a part) and a
/// linalg.reduce. Its inputs must be indexed by projected permutations, its
/// outputs by the parallel dimensions in order, and each output must be
/// combined with one value.
mlir::FailureOr<mlir::linalg::ReduceOp>
splitReduction(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

/// The normal form of a grid loop's body: memory is read by egg.read and
/// written by egg.write, reductions are linalg.reduce, elementwise chains over
/// one iteration space whose values are used nowhere else are one
/// linalg.generic, and slices that do nothing are gone. Slices of shared_outs
/// stay.
void normalizeGrid(mlir::RewriterBase &rewriter, mlir::scf::ForallOp loop);

} // namespace egg

#endif // EGG_TRANSFORMS_BLOCKPROGRAM_NORMALIZE_H
