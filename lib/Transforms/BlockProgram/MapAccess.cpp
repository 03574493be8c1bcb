//===- MapAccess.cpp - coordinates through a map ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapAccess.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

static Value applyResult(OpBuilder &builder, Location loc, AffineMap map,
                         unsigned result, ArrayRef<Value> operands) {
  return affine::AffineApplyOp::create(builder, loc, map.getSubMap({result}),
                                       operands);
}

Value egg::emitIsInside(OpBuilder &builder, Location loc,
                        ValueRange coordinates, Value tensor) {
  Value inside = arith::ConstantIntOp::create(builder, loc, 1, 1);
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    Value extent = tensor::DimOp::create(builder, loc, tensor, d);
    // Negative coordinates are large as unsigned numbers.
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        coordinate, extent);
    inside = arith::AndIOp::create(builder, loc, inside, below);
  }
  return inside;
}

SmallVector<Value> egg::emitCoordinates(OpBuilder &builder, Location loc,
                                        const MapAccess &access,
                                        ValueRange position, bool checkBounds) {
  SmallVector<Value> operands(position);
  operands.append(access.offsets);
  for (auto [tensor, by] : llvm::zip(access.indices, access.by)) {
    SmallVector<Value> at;
    SmallVector<Value> dims(position);
    for (unsigned r = 0; r < by.getNumResults(); ++r)
      at.push_back(applyResult(builder, loc, by, r, dims));
    if (checkBounds)
      cf::AssertOp::create(builder, loc, emitIsInside(builder, loc, at, tensor),
                           "an index tensor is read outside its shape");
    Value index = tensor::ExtractOp::create(builder, loc, tensor, at);
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         index);
    operands.push_back(index);
  }
  SmallVector<Value> coordinates;
  for (unsigned r = 0; r < access.map.getNumResults(); ++r)
    coordinates.push_back(applyResult(builder, loc, access.map, r, operands));
  return coordinates;
}

SmallVector<Value> egg::emitExtents(OpBuilder &builder, Location loc,
                                    Value tensor) {
  SmallVector<Value> extents;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d)
    extents.push_back(tensor::DimOp::create(builder, loc, tensor, d));
  return extents;
}

SmallVector<Value> egg::emitLoops(
    OpBuilder &builder, Location loc, ArrayRef<Value> extents, ValueRange inits,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)>
        body) {
  if (extents.empty())
    return body(builder, {}, inits);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> lower(extents.size(), zero), step(extents.size(), one);
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, extents, step, inits,
      [&](OpBuilder &b, Location, ValueRange position, ValueRange carried) {
        return body(b, position, carried);
      });
  return SmallVector<Value>(nest.results);
}
