//===- TileShape.h - extents of tiles ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_BLOCKLOWERING_TILESHAPE_H
#define EGG_LIB_BLOCKLOWERING_TILESHAPE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace egg {

/// The extents of a tile value, static or as an index value where the stage's
/// code has one: the size operand of the read or tensor.empty that it comes
/// from.
llvm::SmallVector<mlir::OpFoldResult> getTileExtents(mlir::Value tile);

/// The extents with dynamic ones replaced by their constant upper bound; fails
/// if one has none.
mlir::FailureOr<llvm::SmallVector<int64_t>> getTileBounds(mlir::Value tile);

/// Whether a value is a tile of the stage: a tensor made inside its body that
/// lives in registers. Not the stage's own shared_outs, nor what is placed in
/// shared memory.
bool isRegisterTile(mlir::Value value, mlir::scf::ForallOp stage);

/// Calls \p body for every register tile of the stage: what its ops give, in
/// order, and what its loops carry. Stops at the first failure.
mlir::LogicalResult
forEachRegisterTile(mlir::scf::ForallOp stage,
                    llvm::function_ref<mlir::LogicalResult(mlir::Value)> body);

/// Threads of a block: the grid attribute's, or the default.
unsigned getThreads(mlir::scf::ForallOp stage, unsigned defaultThreads);

} // namespace egg

#endif // EGG_LIB_BLOCKLOWERING_TILESHAPE_H
