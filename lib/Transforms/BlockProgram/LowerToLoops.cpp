//===- LowerToLoops.cpp - block programs as plain tensor code ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Transforms/BlockProgram/LowerToLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "egg/Transforms/BlockProgram/Passes.h"

namespace egg {
#define GEN_PASS_DEF_LOWEROPSTOLOOPSPASS
#include "egg/Transforms/BlockProgram/Passes.h.inc"
} // namespace egg

using namespace mlir;
using namespace egg;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static Type dropLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa_and_nonnull<ir::LayoutAttr>(tensor.getEncoding()))
    return type;
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

void egg::dropLayouts(Operation *root) {
  root->walk([](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Type plain = dropLayout(constant.getType());
      if (plain != constant.getType())
        if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
          constant.setValueAttr(dense.reshape(cast<ShapedType>(plain)));
    }
    for (Value result : op->getResults())
      result.setType(dropLayout(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(dropLayout(argument.getType()));
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      auto strip = [](ArrayRef<Type> types) {
        return llvm::map_to_vector(types, dropLayout);
      };
      if (auto type = dyn_cast<FunctionType>(function.getFunctionType()))
        function.setFunctionTypeAttr(TypeAttr::get(
            FunctionType::get(op->getContext(), strip(type.getInputs()),
                              strip(type.getResults()))));
    }
  });
}

//===----------------------------------------------------------------------===//
// Grid loops
//===----------------------------------------------------------------------===//

/// NaN, or a pattern that no kernel computes by chance.
static TypedAttr poisonOf(Builder &builder, Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()));
  if (isa<IntegerType, IndexType>(element)) {
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    return IntegerAttr::get(element, APInt::getSplat(width, APInt(8, 0xA5)));
  }
  return {};
}

/// Where the loop is in the permutation that `order` stands for, after `step`
/// iterations of `total`.
static Value permute(OpBuilder &b, Location loc, GridRunOrder order, Value step,
                     Value total) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  switch (order) {
  case GridRunOrder::forward:
    return step;
  case GridRunOrder::reversed: {
    Value last = arith::SubIOp::create(b, loc, total, constant(1));
    return arith::SubIOp::create(b, loc, last, step);
  }
  case GridRunOrder::shuffled: {
    // step -> factor * step + shift modulo total is a permutation when factor
    // and total have no common divisor: true of a prime that does not divide
    // total, and of total - 1, which stands in when both primes do.
    Value zero = constant(0);
    auto divides = [&](int64_t prime) -> Value {
      Value rest = arith::RemUIOp::create(b, loc, total, constant(prime));
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                   zero);
    };
    Value last = arith::SubIOp::create(b, loc, total, constant(1));
    Value second = arith::SelectOp::create(b, loc, divides(104729), last,
                                           constant(104729));
    Value factor =
        arith::SelectOp::create(b, loc, divides(7919), second, constant(7919));
    Value product = arith::MulIOp::create(b, loc, step, factor);
    Value moved = arith::AddIOp::create(b, loc, product, constant(31));
    return arith::RemUIOp::create(b, loc, moved, total);
  }
  }
  return step;
}

LogicalResult egg::lowerForall(RewriterBase &rewriter, scf::ForallOp op,
                               const LowerToLoopsOptions &options) {
  Location loc = op.getLoc();
  for (Operation &inner : op.getTerminator().getYieldingOps())
    if (!isa<ir::WriteOp, tensor::ParallelInsertSliceOp>(inner))
      return inner.emitOpError() << "cannot be run in sequence; a grid loop "
                                    "ends with egg.write and "
                                    "tensor.parallel_insert_slice";
  rewriter.setInsertionPoint(op);
  SmallVector<Value> lower = op.getLowerBound(rewriter);
  SmallVector<Value> upper = op.getUpperBound(rewriter);
  SmallVector<Value> step = op.getStep(rewriter);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value total = one;
  SmallVector<Value> trips;
  for (auto [lb, ub, by] : llvm::zip(lower, upper, step)) {
    Value span = arith::SubIOp::create(rewriter, loc, ub, lb);
    Value trip = arith::CeilDivSIOp::create(rewriter, loc, span, by);
    trip = arith::MaxSIOp::create(rewriter, loc, trip, zero);
    trips.push_back(trip);
    total = arith::MulIOp::create(rewriter, loc, total, trip);
  }

  SmallVector<Value> inits(op.getOutputs());
  if (options.poison)
    for (Value &init : inits) {
      auto type = cast<RankedTensorType>(init.getType());
      TypedAttr poison = poisonOf(rewriter, type.getElementType());
      if (!init.getDefiningOp<tensor::EmptyOp>() || !poison)
        continue;
      Value value = arith::ConstantOp::create(rewriter, loc, poison);
      init = linalg::FillOp::create(rewriter, loc, value, init).getResult(0);
    }

  auto loop = scf::ForOp::create(
      rewriter, loc, zero, total, one, inits,
      [&](OpBuilder &b, Location, Value number, ValueRange carried) {
        IRMapping mapping;
        Value rest = permute(b, loc, options.order, number, total);
        SmallVector<Value> ivs(trips.size());
        for (unsigned d = trips.size(); d-- > 0;) {
          Value index = rest;
          if (d > 0) {
            index = arith::RemUIOp::create(b, loc, rest, trips[d]);
            rest = arith::DivUIOp::create(b, loc, rest, trips[d]);
          }
          Value scaled = arith::MulIOp::create(b, loc, index, step[d]);
          ivs[d] = arith::AddIOp::create(b, loc, lower[d], scaled);
        }
        mapping.map(op.getInductionVars(), ivs);
        mapping.map(op.getRegionIterArgs(), carried);
        for (Operation &inner : op.getBody()->without_terminator())
          b.clone(inner, mapping);
        SmallVector<Value> current(carried);
        for (Operation &inner : op.getTerminator().getYieldingOps()) {
          auto slot = [&](Value dest) -> Value & {
            return current[cast<BlockArgument>(dest).getArgNumber() -
                           op.getRank()];
          };
          if (auto write = dyn_cast<ir::WriteOp>(inner)) {
            Value &dest = slot(write.getDest());
            dest = emitWrite(b, write, dest, mapping, options.checkBounds);
            continue;
          }
          auto insert = cast<tensor::ParallelInsertSliceOp>(inner);
          Value &dest = slot(insert.getDest());
          auto mapped = [&](ArrayRef<OpFoldResult> values) {
            SmallVector<OpFoldResult> result;
            for (OpFoldResult value : values)
              result.push_back(isa<Value>(value)
                                   ? OpFoldResult(mapping.lookupOrDefault(
                                         cast<Value>(value)))
                                   : value);
            return result;
          };
          dest = tensor::InsertSliceOp::create(
              b, loc, mapping.lookupOrDefault(insert.getSource()), dest,
              mapped(insert.getMixedOffsets()), mapped(insert.getMixedSizes()),
              mapped(insert.getMixedStrides()));
        }
        scf::YieldOp::create(b, loc, current);
      });
  rewriter.replaceOp(op, loop.getResults());
  return success();
}

LogicalResult egg::lowerOpsToLoops(Operation *root,
                                   const LowerToLoopsOptions &options) {
  dropLayouts(root);
  IRRewriter rewriter(root->getContext());
  SmallVector<Operation *> ops;
  // Inner grids before outer ones: a loop is cloned when it is lowered.
  root->walk([&](Operation *op) {
    if (isa<ir::PlaceOp, ir::ReadOp, ir::ScanOp>(op))
      ops.push_back(op);
    else if (auto forall = dyn_cast<scf::ForallOp>(op);
             forall && forall.getNumResults() > 0)
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto place = dyn_cast<ir::PlaceOp>(op))
      rewriter.replaceOp(place, place.getSource());
    else if (auto read = dyn_cast<ir::ReadOp>(op))
      lowerRead(rewriter, read, options.checkBounds);
    else if (auto scan = dyn_cast<ir::ScanOp>(op))
      lowerScan(rewriter, scan);
    else if (failed(lowerForall(rewriter, cast<scf::ForallOp>(op), options)))
      return failure();
  }
  // What is left says how to meet a device: grids, chains, roles, contractions.
  root->walk([](Operation *op) {
    if (isa<FunctionOpInterface>(op))
      return;
    for (NamedAttribute attribute :
         llvm::make_early_inc_range(op->getDiscardableAttrs()))
      if (attribute.getName().strref().starts_with("egg."))
        op->removeDiscardableAttr(attribute.getName());
  });
  return success();
}

namespace {
struct LowerOpsToLoopsPass
    : public egg::impl::LowerOpsToLoopsPassBase<LowerOpsToLoopsPass> {
  using LowerOpsToLoopsPassBase::LowerOpsToLoopsPassBase;

  void runOnOperation() override {
    LowerToLoopsOptions options;
    options.order = order;
    options.poison = poison;
    options.checkBounds = checkBounds;
    if (failed(lowerOpsToLoops(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
