//===- ReductionTree.cpp - known combiners and how they split ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionTree.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

static TypedAttr neutralOf(Operation *op) {
  Type type = op->getResult(0).getType();
  Builder b(op->getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    std::optional<APFloat> value;
    if (isa<arith::AddFOp>(op)) // -0, as (-0) + (+0) is +0
      value = APFloat::getZero(semantics, /*Negative=*/true);
    else if (isa<arith::MulFOp>(op))
      value = APFloat::getOne(semantics);
    else if (isa<arith::MaximumFOp>(op))
      value = APFloat::getInf(semantics, /*Negative=*/true);
    else if (isa<arith::MinimumFOp>(op))
      value = APFloat::getInf(semantics);
    else if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      value = APFloat::getQNaN(semantics);
    return value ? TypedAttr(FloatAttr::get(floatType, *value)) : TypedAttr();
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  std::optional<APInt> value;
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    value = APInt::getZero(width);
  else if (isa<arith::MulIOp>(op))
    value = APInt(width, 1);
  else if (isa<arith::AndIOp, arith::MinUIOp>(op))
    value = APInt::getAllOnes(width);
  else if (isa<arith::MaxSIOp>(op))
    value = APInt::getSignedMinValue(width);
  else if (isa<arith::MinSIOp>(op))
    value = APInt::getSignedMaxValue(width);
  return value ? TypedAttr(IntegerAttr::get(integer, *value)) : TypedAttr();
}

std::optional<egg::Combiner> egg::matchCombiner(linalg::GenericOp op,
                                                unsigned index) {
  Block *body = op.getBody();
  BlockArgument accumulator = op.getRegionOutputArgs()[index];
  Operation *yield = body->getTerminator();
  Operation *combiner = yield->getOperand(index).getDefiningOp();
  if (!combiner || combiner->getBlock() != body ||
      combiner->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combiner ||
      !combiner->getResult(0).hasOneUse())
    return std::nullopt;
  TypedAttr neutral = neutralOf(combiner);
  if (!neutral)
    return std::nullopt;
  unsigned position = combiner->getOperand(0) == accumulator ? 0 : 1;
  return Combiner{combiner, position, neutral};
}

egg::TreeSplit egg::splitTree(ArrayRef<int64_t> trips, int64_t limit,
                              int64_t chunk) {
  TreeSplit split;
  int64_t size = 1;
  int loop = static_cast<int>(trips.size()) - 1;
  for (; loop >= 0 && trips[loop] <= limit / size; --loop) {
    size *= trips[loop];
    split.leaf.insert(split.leaf.begin(), trips[loop]);
  }
  split.outer.assign(trips.begin(), trips.begin() + loop + 1);
  int64_t piece = std::min(chunk / size, trips[loop]);
  // A cut of a loop in pieces of one iteration would not make progress when
  // the leaf holds nothing else; any other one is not worth its arithmetic.
  if (size == 1)
    piece = std::max<int64_t>(piece, 2);
  if (piece >= 2) {
    split.stripped = loop;
    split.chunk = piece;
    split.outer.back() = llvm::divideCeil(trips[loop], piece);
    split.leaf.insert(split.leaf.begin(), piece);
  }
  return split;
}
