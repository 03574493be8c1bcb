//===- TileShape.cpp - extents of tiles -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileShape.h"

#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

SmallVector<OpFoldResult> egg::getTileExtents(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Builder builder(tile.getContext());
  if (type.hasStaticShape()) {
    SmallVector<OpFoldResult> extents;
    for (int64_t extent : type.getShape())
      extents.push_back(builder.getIndexAttr(extent));
    return extents;
  }
  auto withSizes = [&](ValueRange sizes) {
    SmallVector<OpFoldResult> extents;
    for (int64_t extent : type.getShape()) {
      if (!ShapedType::isDynamic(extent)) {
        extents.push_back(builder.getIndexAttr(extent));
        continue;
      }
      extents.push_back(sizes.front());
      sizes = sizes.drop_front();
    }
    return extents;
  };
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      return getTileExtents(loop.getTiedLoopInit(argument)->get());
    return {};
  }
  Operation *op = tile.getDefiningOp();
  if (auto read = dyn_cast<ir::ReadOp>(op))
    return withSizes(read.getSizes());
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return withSizes(empty.getDynamicSizes());
  if (auto place = dyn_cast<ir::PlaceOp>(op))
    return getTileExtents(place.getSource());
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return getTileExtents(style.getTiedOpOperand(cast<OpResult>(tile))->get());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return getTileExtents(
        loop.getInitArgs()[cast<OpResult>(tile).getResultNumber()]);
  return {};
}

FailureOr<SmallVector<int64_t>> egg::getTileBounds(Value tile) {
  SmallVector<OpFoldResult> extents = getTileExtents(tile);
  if (extents.size() !=
      size_t(cast<RankedTensorType>(tile.getType()).getRank()))
    return failure();
  SmallVector<int64_t> bounds;
  for (OpFoldResult extent : extents) {
    if (std::optional<int64_t> constant = getConstantIntValue(extent)) {
      bounds.push_back(*constant);
      continue;
    }
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, cast<Value>(extent),
        /*stopCondition=*/nullptr, /*closedUB=*/true);
    if (failed(bound))
      return failure();
    bounds.push_back(*bound);
  }
  return bounds;
}

bool egg::isRegisterTile(Value value, scf::ForallOp stage) {
  if (!isa<RankedTensorType>(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != stage.getBody() &&
           isa<scf::ForOp>(argument.getOwner()->getParentOp()) &&
           stage->isProperAncestor(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (!stage->isProperAncestor(op))
    return false;
  auto place = dyn_cast<ir::PlaceOp>(op);
  return !place || place.getSpace() == ir::Space::registers;
}

LogicalResult
egg::forEachRegisterTile(scf::ForallOp stage,
                         llvm::function_ref<LogicalResult(Value)> body) {
  auto visit = [&](ValueRange values) {
    for (Value value : values)
      if (isRegisterTile(value, stage) && failed(body(value)))
        return failure();
    return success();
  };
  WalkResult result = stage.getBody()->walk([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (failed(visit(op->getResults())) ||
        (loop && failed(visit(loop.getRegionIterArgs()))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

unsigned egg::getThreads(scf::ForallOp stage, unsigned defaultThreads) {
  auto grid = stage->getAttrOfType<ir::GridAttr>("egg.grid");
  return grid && grid.getThreads() ? grid.getThreads() : defaultThreads;
}
