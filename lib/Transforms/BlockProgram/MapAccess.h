//===- MapAccess.h - coordinates through a map ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_TRANSFORMS_BLOCKPROGRAM_MAPACCESS_H
#define EGG_LIB_TRANSFORMS_BLOCKPROGRAM_MAPACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace egg {

/// What egg.read and egg.write say about where element d lies.
struct MapAccess {
  mlir::AffineMap map;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<mlir::AffineMap> by;
};

/// The coordinates of the element at `position` (one index a dimension of the
/// tile). With `checkBounds`, asserts that index tensors are read inside.
llvm::SmallVector<mlir::Value> emitCoordinates(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               const MapAccess &access,
                                               mlir::ValueRange position,
                                               bool checkBounds);

/// An i1: do all coordinates lie inside `tensor`?
mlir::Value emitIsInside(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ValueRange coordinates, mlir::Value tensor);

/// Nested scf.for over all elements of `tile`, carrying `inits`; `body` gets
/// the position and the carried values and returns the next ones.
llvm::SmallVector<mlir::Value> emitLoops(
    mlir::OpBuilder &builder, mlir::Location loc,
    llvm::ArrayRef<mlir::Value> extents, mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        mlir::OpBuilder &, mlir::ValueRange position, mlir::ValueRange carried)>
        body);

/// The extents of a tensor as index values.
llvm::SmallVector<mlir::Value>
emitExtents(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

} // namespace egg

#endif // EGG_LIB_TRANSFORMS_BLOCKPROGRAM_MAPACCESS_H
