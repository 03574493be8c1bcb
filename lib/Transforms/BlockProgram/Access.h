//===- Access.h - which elements a slice names ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes of a grid's iteration in one form: a coordinate per
// dimension of the big tensor, as an affine expression of grid variables, tile
// positions and values that the iteration does not change.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_TRANSFORMS_BLOCKPROGRAM_ACCESS_H
#define EGG_LIB_TRANSFORMS_BLOCKPROGRAM_ACCESS_H

#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace egg {

/// A variable of an access: `start + step * k` for k in [0, trips).
struct AccessVariable {
  enum Kind { grid, tile, invariant, unknown } kind;
  /// The value; null for a tile position.
  mlir::Value value;
  /// For grid: its number in the loop. For tile: the dimension.
  unsigned number = 0;
  int64_t start = 0, step = 1;
  /// None if not known.
  std::optional<int64_t> trips;
};

/// The coordinates that an iteration touches.
struct Access {
  llvm::SmallVector<mlir::AffineExpr> coordinates;
  /// Dimension d{i} of the expressions is variables[i].
  llvm::SmallVector<AccessVariable> variables;
};

/// An access by slices of stride 1 or constant strides.
Access getSliceAccess(mlir::OffsetSizeAndStrideOpInterface slice,
                      mlir::scf::ForallOp loop);
/// An access by egg.read or egg.write without index tensors.
Access getMapAccess(mlir::AffineMap map, mlir::ValueRange offsets,
                    mlir::Value tile, mlir::scf::ForallOp loop);

/// The grid variables of `loop` that have more than one trip, by number.
llvm::SmallVector<unsigned> getGridVariables(mlir::scf::ForallOp loop);

/// The least constant that `extent` never exceeds, if one is found.
std::optional<int64_t> getUpperBound(mlir::OpFoldResult extent);

/// The same of dimension `d` of a tensor, through the ops that made it.
std::optional<int64_t> getExtentBound(mlir::Value tensor, unsigned d);

/// Do two different combinations of variables always give different
/// coordinates? On failure `missing` lists the variables of more than one trip
/// that no coordinate tells apart (grid and tile).
bool isInjective(const Access &access, llvm::ArrayRef<unsigned> gridVariables,
                 llvm::SmallVectorImpl<unsigned> &missingGrid,
                 llvm::SmallVectorImpl<unsigned> &missingTile);

/// One coordinate as `scale * (grid variable - start) + [base, base + size)`.
struct CoordinateTile {
  /// -1: the whole coordinate does not depend on the grid.
  int gridVariable = -1;
  int64_t scale = 0, base = 0;
  std::optional<int64_t> size;
};
/// None for a coordinate of another form.
std::optional<CoordinateTile> getCoordinateTile(const Access &access,
                                                unsigned coordinate);

} // namespace egg

#endif // EGG_LIB_TRANSFORMS_BLOCKPROGRAM_ACCESS_H
