//===- Normalize.cpp - the normal form of block programs --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Transforms/BlockProgram/Normalize.h"
#include "egg/Transforms/BlockProgram/GridDiscipline.h"
#include "egg/Transforms/BlockProgram/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace egg {
#define GEN_PASS_DEF_NORMALIZEBLOCKPROGRAMPASS
#include "egg/Transforms/BlockProgram/Passes.h.inc"
} // namespace egg

using namespace mlir;
using namespace egg;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The map of a slice from the dimensions of its small side to coordinates of
/// its large one; dynamic offsets become symbols, listed in `symbols`.
static FailureOr<AffineMap> getSliceMap(OffsetSizeAndStrideOpInterface slice,
                                        const llvm::SmallBitVector &dropped,
                                        SmallVectorImpl<Value> &symbols) {
  MLIRContext *context = slice->getContext();
  SmallVector<AffineExpr> results;
  unsigned next = 0;
  for (auto [d, entry] : llvm::enumerate(
           llvm::zip(slice.getMixedOffsets(), slice.getMixedStrides()))) {
    auto [offset, stride] = entry;
    std::optional<int64_t> by = getConstantIntValue(stride);
    if (!by)
      return failure();
    AffineExpr result;
    if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
      result = getAffineConstantExpr(*constant, context);
    } else {
      result = getAffineSymbolExpr(symbols.size(), context);
      symbols.push_back(cast<Value>(offset));
    }
    if (!dropped[d])
      result = result + getAffineDimExpr(next++, context) * *by;
    results.push_back(result);
  }
  return AffineMap::get(next, symbols.size(), results, context);
}

FailureOr<ir::ReadOp> egg::convertSliceToRead(RewriterBase &rewriter,
                                              tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> symbols, sizes;
  FailureOr<AffineMap> map = getSliceMap(op, dropped, symbols);
  if (failed(map))
    return failure();
  rewriter.setInsertionPoint(op);
  unsigned next = 0;
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes())) {
    if (dropped[d])
      continue;
    if (op.getType().isDynamicDim(next++))
      sizes.push_back(
          getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
  }
  auto read = ir::ReadOp::create(rewriter, op.getLoc(), op.getType(),
                                 op.getSource(), symbols, ValueRange{}, sizes,
                                 Value(), *map, ArrayAttr());
  rewriter.replaceOp(op, read);
  return read;
}

FailureOr<ir::WriteOp>
egg::convertInsertToWrite(RewriterBase &rewriter,
                          tensor::ParallelInsertSliceOp op) {
  SmallVector<Value> symbols;
  FailureOr<AffineMap> map = getSliceMap(op, op.getDroppedDims(), symbols);
  if (failed(map))
    return failure();
  rewriter.setInsertionPoint(op);
  auto write =
      ir::WriteOp::create(rewriter, op.getLoc(), op.getSource(), op.getDest(),
                          symbols, ValueRange{}, *map, ArrayAttr());
  rewriter.eraseOp(op);
  return write;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A body that combines: which ops make it up and which values go in.
struct CombinerParts {
  /// In order; they depend on the accumulators.
  SmallVector<Operation *> ops;
  /// One a result: what is combined into it.
  SmallVector<Value> inputs;
};

static FailureOr<CombinerParts> getCombiner(linalg::GenericOp op) {
  Block *body = op.getBody();
  unsigned outputs = op.getNumDpsInits();
  auto accumulators = body->getArguments().take_back(outputs);
  llvm::SmallDenseSet<Value> dependent(accumulators.begin(),
                                       accumulators.end());
  CombinerParts parts;
  llvm::SetVector<Value> inputs;
  for (Operation &inner : body->without_terminator()) {
    if (inner.getNumRegions() != 0)
      return failure();
    if (llvm::none_of(inner.getOperands(),
                      [&](Value v) { return dependent.contains(v); }))
      continue;
    parts.ops.push_back(&inner);
    dependent.insert(inner.result_begin(), inner.result_end());
  }
  for (Operation *inner : parts.ops)
    for (Value operand : inner->getOperands()) {
      if (dependent.contains(operand))
        continue;
      // Constants and values from outside stay where they are used.
      if (Operation *def = operand.getDefiningOp();
          def &&
          (def->getBlock() != body || def->hasTrait<OpTrait::ConstantLike>()))
        continue;
      inputs.insert(operand);
    }
  if (inputs.size() != outputs)
    return failure();
  // The partner of each accumulator: the input that an op takes beside it.
  for (auto [i, yielded] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    Operation *def = yielded.getDefiningOp();
    if (!def || !llvm::is_contained(parts.ops, def))
      return failure();
    Value partner;
    for (Value operand : def->getOperands())
      if (inputs.contains(operand) &&
          operand.getType() == accumulators[i].getType() && !partner)
        partner = operand;
    bool meets = llvm::is_contained(def->getOperands(), accumulators[i]);
    if (!partner || !meets || llvm::is_contained(parts.inputs, partner))
      return failure();
    parts.inputs.push_back(partner);
  }
  return parts;
}

FailureOr<linalg::ReduceOp> egg::splitReduction(RewriterBase &rewriter,
                                                linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics() ||
      linalg::isaContractionOpInterface(op))
    return failure();
  SmallVector<int64_t> reduced;
  SmallVector<AffineExpr> kept;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::parallel)
      kept.push_back(rewriter.getAffineDimExpr(d));
    else
      reduced.push_back(d);
  }
  AffineMap output = AffineMap::get(loops, 0, kept, rewriter.getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) ? map != output : !map.isProjectedPermutation())
      return failure();
  }
  FailureOr<CombinerParts> parts = getCombiner(op);
  if (failed(parts))
    return failure();

  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Block *body = op.getBody();
  AffineMap identity = rewriter.getMultiDimIdentityMap(loops);

  // Inputs that are whole operands go in as they are; the rest is computed by
  // an elementwise op over all of the loops.
  SmallVector<Value> values(parts->inputs.size());
  SmallVector<unsigned> computed;
  for (auto [i, input] : llvm::enumerate(parts->inputs)) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (argument && op.getMatchingIndexingMap(
                        &op->getOpOperand(argument.getArgNumber())) == identity)
      values[i] = op->getOperand(argument.getArgNumber());
    else
      computed.push_back(i);
  }
  if (!computed.empty()) {
    SmallVector<OpFoldResult> extents;
    for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                           .createLoopRanges(rewriter, loc))
      extents.push_back(range.size);
    SmallVector<Value> inits;
    SmallVector<Type> types;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands())
      maps.push_back(op.getMatchingIndexingMap(input));
    for (unsigned i : computed) {
      inits.push_back(tensor::EmptyOp::create(rewriter, loc, extents,
                                              parts->inputs[i].getType()));
      types.push_back(inits.back().getType());
      maps.push_back(identity);
    }
    auto elementwise = linalg::GenericOp::create(
        rewriter, loc, types, op.getInputs(), inits, maps,
        SmallVector<utils::IteratorType>(loops, utils::IteratorType::parallel),
        [&](OpBuilder &b, Location, ValueRange arguments) {
          IRMapping mapping;
          mapping.map(body->getArguments().take_front(op.getNumDpsInputs()),
                      arguments.take_front(op.getNumDpsInputs()));
          for (Operation &inner : body->without_terminator())
            if (!llvm::is_contained(parts->ops, &inner))
              b.clone(inner, mapping);
          SmallVector<Value> results;
          for (unsigned i : computed)
            results.push_back(mapping.lookup(parts->inputs[i]));
          linalg::YieldOp::create(b, loc, results);
        });
    for (auto [k, i] : llvm::enumerate(computed))
      values[i] = elementwise.getResult(k);
  }
  auto reduce = linalg::ReduceOp::create(
      rewriter, loc, values, op.getOutputs(), reduced,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping mapping;
        size_t n = parts->inputs.size();
        mapping.map(parts->inputs, arguments.take_front(n));
        mapping.map(body->getArguments().take_back(n), arguments.drop_front(n));
        for (Operation &inner : body->without_terminator())
          if (inner.hasTrait<OpTrait::ConstantLike>() ||
              llvm::is_contained(parts->ops, &inner))
            b.clone(inner, mapping);
        SmallVector<Value> results;
        for (Value value : body->getTerminator()->getOperands())
          results.push_back(mapping.lookup(value));
        linalg::YieldOp::create(b, loc, results);
      });
  rewriter.replaceOp(op, reduce);
  return reduce;
}

//===----------------------------------------------------------------------===//
// A grid's body
//===----------------------------------------------------------------------===//

static bool hasAnchor(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute a) {
    return a.getName().strref().starts_with("egg.");
  });
}

/// Fuse a producer into its only user when both run over the same elements in
/// the same number of loops: nothing is computed twice.
static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer || hasAnchor(producer) || hasAnchor(consumer))
    return false;
  if (producer->getBlock() != consumer->getBlock() ||
      consumer.getNumReductionLoops() != 0)
    return false;
  for (Value result : producer->getResults())
    for (Operation *user : result.getUsers())
      if (user != consumer)
        return false;
  return producer.getNumLoops() == consumer.getNumLoops() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

void egg::normalizeGrid(RewriterBase &rewriter, scf::ForallOp loop) {
  SmallVector<Operation *> ops;
  loop.getBody()->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (!loop->isAncestor(slice.getSource().getParentBlock()->getParentOp()))
        (void)convertSliceToRead(rewriter, slice);
    } else if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op)) {
      (void)convertInsertToWrite(rewriter, insert);
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (!hasAnchor(generic))
        (void)splitReduction(rewriter, generic);
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      bool moves = isa<linalg::FillOp, linalg::TransposeOp, linalg::CopyOp,
                       linalg::BroadcastOp>(op);
      if (!moves && !hasAnchor(op) && linalgOp.hasPureTensorSemantics() &&
          linalgOp.getNumLoops() == linalgOp.getNumParallelLoops()) {
        rewriter.setInsertionPoint(op);
        (void)linalg::generalizeNamedOp(rewriter, linalgOp);
      }
    }
  }

  RewritePatternSet patterns(rewriter.getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                      rewriter.getContext());
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns,
                                                     rewriter.getContext());
  // Ops with an anchor are not listed, so no pattern makes them anew without
  // it.
  ops.clear();
  loop.getBody()->walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, tensor::ExtractSliceOp, tensor::InsertSliceOp>(
            op) &&
        !hasAnchor(op))
      ops.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setScope(&loop.getRegion());
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

namespace {
struct NormalizeBlockProgramPass
    : public egg::impl::NormalizeBlockProgramPassBase<
          NormalizeBlockProgramPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (isGridLoop(loop))
        loops.push_back(loop);
    });
    for (scf::ForallOp loop : loops)
      normalizeGrid(rewriter, loop);
  }
};
} // namespace
