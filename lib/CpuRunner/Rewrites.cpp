//===- Rewrites.cpp - egg's own steps of the CPU lowering -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace egg;

/// x ** n for an integer n: as a product it would round at each step.
static void rewriteFPowI(IRRewriter &rewriter, math::FPowIOp op) {
  Location loc = op.getLoc();
  Type wide = rewriter.getF64Type();
  Type type = op.getType();
  Value base = op.getLhs();
  if (type != wide)
    base = arith::ExtFOp::create(rewriter, loc, wide, base);
  Value exponent = arith::SIToFPOp::create(rewriter, loc, wide, op.getRhs());
  Value power = math::PowFOp::create(rewriter, loc, base, exponent);
  if (type != wide)
    power = arith::TruncFOp::create(rewriter, loc, type, power);
  rewriter.replaceOp(op, power);
}

/// max(min(x, high), low); upstream's expansion takes the minimum with the low
/// end first, which gives the high end for every value.
static void rewriteClamp(IRRewriter &rewriter, math::ClampFOp op) {
  Value low = arith::MinimumFOp::create(rewriter, op.getLoc(), op.getValue(),
                                        op.getMax());
  rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, low, op.getMin());
}

/// isinf, isfinite and isnormal by comparisons of the absolute value.
static void rewriteClassify(IRRewriter &rewriter, Operation *op) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto type = cast<FloatType>(x.getType());
  const llvm::fltSemantics &format = type.getFloatSemantics();
  Value magnitude = math::AbsFOp::create(rewriter, loc, x);
  auto compare = [&](arith::CmpFPredicate predicate, const APFloat &bound) {
    Value constant = arith::ConstantOp::create(
        rewriter, loc, rewriter.getFloatAttr(type, bound));
    return Value(
        arith::CmpFOp::create(rewriter, loc, predicate, magnitude, constant));
  };
  APFloat infinity = APFloat::getInf(format);
  if (isa<math::IsInfOp>(op)) {
    rewriter.replaceOp(op, compare(arith::CmpFPredicate::OEQ, infinity));
    return;
  }
  Value finite = compare(arith::CmpFPredicate::OLT, infinity);
  if (isa<math::IsNormalOp>(op)) {
    Value large = compare(arith::CmpFPredicate::OGE,
                          APFloat::getSmallestNormalized(format));
    finite = arith::AndIOp::create(rewriter, loc, finite, large);
  }
  rewriter.replaceOp(op, finite);
}

/// tensor.bitcast, which does not bufferize, element by element.
static void rewriteBitcast(IRRewriter &rewriter, tensor::BitcastOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, TypeRange{type}, ValueRange{op.getSource()}, ValueRange{empty},
      ArrayRef<AffineMap>{map, map}, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value bits = arith::BitcastOp::create(
            builder, loc, type.getElementType(), arguments[0]);
        linalg::YieldOp::create(builder, loc, bits);
      });
}

LogicalResult egg::normalizeForCpu(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<Operation *> work;
  module.walk([&](Operation *op) {
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(),
                                                arith::FastMathFlags::none));
    if (auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
      op->setAttr(overflow.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(
                      op->getContext(), arith::IntegerOverflowFlags::none));
    if (isa<linalg::AggregatedOpInterface, linalg::PackOp, linalg::UnPackOp,
            math::FPowIOp, math::ClampFOp, math::IsInfOp, math::IsFiniteOp,
            math::IsNormalOp, tensor::BitcastOp>(op))
      work.push_back(op);
  });
  for (Operation *op : work) {
    rewriter.setInsertionPoint(op);
    if (auto aggregated = dyn_cast<linalg::AggregatedOpInterface>(op)) {
      FailureOr<SmallVector<Value>> values =
          aggregated.decomposeOperation(rewriter);
      if (failed(values))
        return op->emitError("does not decompose into linalg ops");
      rewriter.replaceOp(op, *values);
    } else if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      if (failed(linalg::lowerPack(rewriter, pack)))
        return failure();
    } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      if (failed(linalg::lowerUnPack(rewriter, unpack)))
        return failure();
    } else if (auto bitcast = dyn_cast<tensor::BitcastOp>(op)) {
      auto type = dyn_cast<RankedTensorType>(bitcast.getType());
      if (type && type.hasStaticShape())
        rewriteBitcast(rewriter, bitcast);
    } else if (isa<math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(op)) {
      if (isa<FloatType>(op->getOperand(0).getType()))
        rewriteClassify(rewriter, op);
    } else if (auto clamp = dyn_cast<math::ClampFOp>(op)) {
      rewriteClamp(rewriter, clamp);
    } else if (auto power = dyn_cast<math::FPowIOp>(op)) {
      if (isa<FloatType>(power.getType()))
        rewriteFPowI(rewriter, power);
    }
  }
  return success();
}

static func::FuncOp declareShuffle(ModuleOp module) {
  if (auto known = module.lookupSymbol<func::FuncOp>(kShuffleSymbol))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type i64 = builder.getI64Type();
  auto function =
      func::FuncOp::create(builder, module.getLoc(), kShuffleSymbol,
                           builder.getFunctionType({i64, i64, i64}, {i64}));
  function.setPrivate();
  return function;
}

/// The iteration, 0 to `count` - 1, that runs at step `step`.
static Value orderIteration(OpBuilder &builder, Location loc, ModuleOp module,
                            Value step, Value count,
                            const CpuRunOptions &options) {
  if (options.order == ForallOrder::Forward)
    return step;
  if (options.order == ForallOrder::Reversed) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, count, one);
    return arith::SubIOp::create(builder, loc, last, step);
  }
  Type i64 = builder.getI64Type();
  Value seed = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(int64_t(options.seed)));
  Value shuffled =
      func::CallOp::create(
          builder, loc, declareShuffle(module),
          ValueRange{arith::IndexCastOp::create(builder, loc, i64, step),
                     arith::IndexCastOp::create(builder, loc, i64, count),
                     seed})
          .getResult(0);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    shuffled);
}

static LogicalResult lowerForall(IRRewriter &rewriter, ModuleOp module,
                                 scf::ForallOp forall,
                                 const CpuRunOptions &options) {
  if (forall.getNumResults() != 0)
    return forall.emitError("still has tensor results after bufferization");
  Location loc = forall.getLoc();
  rewriter.setInsertionPoint(forall);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> lows = forall.getLowerBound(rewriter);
  SmallVector<Value> highs = forall.getUpperBound(rewriter);
  SmallVector<Value> steps = forall.getStep(rewriter);
  SmallVector<Value> counts;
  Value total = one;
  for (auto [low, high, step] : llvm::zip_equal(lows, highs, steps)) {
    Value range = arith::SubIOp::create(rewriter, loc, high, low);
    Value count = arith::CeilDivSIOp::create(rewriter, loc, range, step);
    count = arith::MaxSIOp::create(rewriter, loc, count, zero);
    counts.push_back(count);
    total = arith::MulIOp::create(rewriter, loc, total, count);
  }
  auto loop = scf::ForOp::create(rewriter, loc, zero, total, one);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value rest = orderIteration(rewriter, loc, module, loop.getInductionVar(),
                              total, options);
  SmallVector<Value> indices(counts.size());
  for (int64_t d = int64_t(counts.size()) - 1; d >= 0; --d) {
    Value position = arith::RemUIOp::create(rewriter, loc, rest, counts[d]);
    rest = arith::DivUIOp::create(rewriter, loc, rest, counts[d]);
    Value offset = arith::MulIOp::create(rewriter, loc, position, steps[d]);
    indices[d] = arith::AddIOp::create(rewriter, loc, lows[d], offset);
  }
  Operation *terminator = forall.getBody()->getTerminator();
  if (!terminator->getRegion(0).front().empty())
    return forall.emitError("still writes tensors after bufferization");
  rewriter.eraseOp(terminator);
  rewriter.inlineBlockBefore(forall.getBody(), loop.getBody()->getTerminator(),
                             indices);
  rewriter.eraseOp(forall);
  return success();
}

LogicalResult egg::lowerForalls(ModuleOp module, const CpuRunOptions &options) {
  IRRewriter rewriter(module.getContext());
  SmallVector<scf::ForallOp> foralls;
  module.walk([&](scf::ForallOp op) { foralls.push_back(op); });
  for (scf::ForallOp forall : foralls)
    if (failed(lowerForall(rewriter, module, forall, options)))
      return failure();
  return success();
}

LogicalResult egg::lowerCopies(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp copy : copies) {
    auto source = dyn_cast<MemRefType>(copy.getSource().getType());
    auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
    if (!source || !target)
      return copy.emitError("copies a buffer of unknown rank");
    // Contiguous buffers are copied by memcpy.
    if (source.getLayout().isIdentity() && target.getLayout().isIdentity())
      continue;
    rewriter.setInsertionPoint(copy);
    linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    rewriter.eraseOp(copy);
  }
  return success();
}

/// x / 0 = -1 and x % 0 = x, as most GPUs have it; least / -1 = least and
/// least % -1 = 0.
static void guardDivision(IRRewriter &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value left = op->getOperand(0), right = op->getOperand(1);
  Type type = left.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(rewriter, loc, type,
                                     rewriter.getIntegerAttr(type, value));
  };
  auto equals = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, a, b);
  };
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  Value one = constant(1), minusOne = constant(-1);
  Value byZero = equals(right, constant(0));
  Value divisor = arith::SelectOp::create(rewriter, loc, byZero, one, right);
  Value byMinusOne;
  if (isSigned) {
    byMinusOne = equals(right, minusOne);
    divisor = arith::SelectOp::create(rewriter, loc, byMinusOne, one, divisor);
  }
  Operation *safe = rewriter.clone(*op);
  safe->setOperand(1, divisor);
  if (safe->hasAttr("isExact"))
    safe->removeAttr("isExact");
  Value result = safe->getResult(0);
  if (isSigned && !isRemainder) {
    Value negated = arith::SubIOp::create(rewriter, loc, constant(0), left);
    result =
        arith::SelectOp::create(rewriter, loc, byMinusOne, negated, result);
  }
  result = arith::SelectOp::create(rewriter, loc, byZero,
                                   isRemainder ? left : minusOne, result);
  rewriter.replaceOp(op, result);
}

LogicalResult egg::guardDivisions(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<Operation *> divisions;
  module.walk([&](Operation *op) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
            op) ||
        !op->getResult(0).getType().isIntOrIndex())
      return;
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    if (!divisor || *divisor == 0 || *divisor == -1)
      divisions.push_back(op);
  });
  for (Operation *op : divisions)
    guardDivision(rewriter, op);
  return success();
}
