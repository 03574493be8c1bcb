//===- NormalizeControlFlow.cpp - branches and loops of tensors -*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

bool egg::computesScalars(Operation *op) {
  if (op->getNumRegions() == 0)
    return false;
  WalkResult walk = op->walk([](Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (isa<TensorType>(type))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

static Value zeroIndex(OpBuilder &b, Location loc) {
  return arith::ConstantIndexOp::create(b, loc, 0);
}

/// Makes code safe to run although its branch is not taken: reads are moved
/// into their tensors (defineArithmetic guards all divisions). Values that a
/// taken branch computes are unchanged.
static void makeSpeculatable(Block &block) {
  SmallVector<tensor::ExtractOp> reads;
  block.walk([&](tensor::ExtractOp op) { reads.push_back(op); });
  for (tensor::ExtractOp extract : reads) {
    OpBuilder b(extract);
    Location loc = extract.getLoc();
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    if (type.getNumElements() == 0) {
      Value zero = arith::ConstantOp::create(
          b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
      extract.replaceAllUsesWith(zero);
      extract.erase();
      continue;
    }
    for (auto [d, index] : llvm::enumerate(extract.getIndicesMutable())) {
      Value last =
          arith::ConstantIndexOp::create(b, loc, type.getDimSize(d) - 1);
      Value low =
          arith::MaxSIOp::create(b, loc, index.get(), zeroIndex(b, loc));
      index.set(arith::MinSIOp::create(b, loc, low, last));
    }
  }
}

/// Both branches run, then the condition selects.
static void selectBranches(scf::IfOp op) {
  OpBuilder b(op);
  SmallVector<Value> values[2];
  for (int side = 0; side < 2; ++side) {
    Region &region = side == 0 ? op.getThenRegion() : op.getElseRegion();
    if (region.empty())
      continue;
    Block &block = region.front();
    makeSpeculatable(block);
    Operation *yield = block.getTerminator();
    values[side] = llvm::to_vector(yield->getOperands());
    yield->erase();
    op->getBlock()->getOperations().splice(Block::iterator(op),
                                           block.getOperations());
  }
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value a = values[0][i], c = values[1][i];
    Value selected;
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      selected =
          egg::buildElements(
              b, op.getLoc(), type, "main_select",
              [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
                Value x = tensor::ExtractOp::create(b, loc, a, at);
                Value y = tensor::ExtractOp::create(b, loc, c, at);
                return arith::SelectOp::create(b, loc, op.getCondition(), x, y);
              })
              ->getResult(0);
    else
      selected =
          arith::SelectOp::create(b, op.getLoc(), op.getCondition(), a, c);
    result.replaceAllUsesWith(selected);
  }
  op.erase();
}

static Value wrapScalar(OpBuilder &b, Location loc, Value scalar) {
  return egg::buildElements(
             b, loc, RankedTensorType::get({}, scalar.getType()), "main_scalar",
             [&](OpBuilder &, Location, ValueRange) { return scalar; })
      ->getResult(0);
}

/// Counts in index, with constant bounds, and carries tensors only.
static LogicalResult normalizeLoop(scf::ForOp op) {
  std::optional<int64_t> low = getConstantIntValue(op.getLowerBound());
  std::optional<int64_t> high = getConstantIntValue(op.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(op.getStep());
  if (!low || !high || !step)
    return op.emitError(
        "host-control-flow: the number of trips of this loop over tensors "
        "depends on data or on another loop; give it constant bounds");
  Type counter = op.getInductionVar().getType();
  // An unsigned counter reads its constants so; index has room for 32 bits.
  if (op.getUnsignedCmp()) {
    unsigned width = counter.isIndex() ? 64 : counter.getIntOrFloatBitWidth();
    for (std::optional<int64_t> *bound : {&low, &high, &step}) {
      if (width < 64)
        **bound &= (int64_t(1) << width) - 1;
      if (**bound < 0)
        return op.emitError("a loop that counts beyond 2^63 - 1 is too long");
    }
  }
  if (*step <= 0)
    return op.emitError("a loop with the step ")
           << *step << " never ends; steps are at least 1";
  Location loc = op.getLoc();
  OpBuilder b(op);
  SmallVector<Value> inits;
  for (Value init : op.getInitArgs())
    inits.push_back(isa<TensorType>(init.getType()) ? init
                                                    : wrapScalar(b, loc, init));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(b, loc, constant(*low), constant(*high),
                                 constant(*step), inits);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  b.setInsertionPointToStart(loop.getBody());
  Value iv = loop.getInductionVar();
  if (!counter.isIndex())
    iv = arith::IndexCastOp::create(b, loc, counter, iv);
  SmallVector<Value> arguments{iv};
  for (auto [before, after] :
       llvm::zip_equal(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    arguments.push_back(
        isa<TensorType>(before.getType())
            ? Value(after)
            : Value(tensor::ExtractOp::create(b, loc, after, ValueRange{})));
  for (auto [before, after] :
       llvm::zip_equal(op.getBody()->getArguments(), arguments))
    before.replaceAllUsesWith(after);
  loop.getBody()->getOperations().splice(loop.getBody()->end(),
                                         op.getBody()->getOperations());
  Operation *yield = loop.getBody()->getTerminator();
  b.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    if (!isa<TensorType>(operand.get().getType()))
      operand.set(wrapScalar(b, loc, operand.get()));
  b.setInsertionPointAfter(loop);
  for (auto [before, after] :
       llvm::zip_equal(op.getResults(), loop.getResults()))
    before.replaceAllUsesWith(
        isa<TensorType>(before.getType())
            ? Value(after)
            : Value(tensor::ExtractOp::create(b, loc, after, ValueRange{})));
  op.erase();
  return success();
}

/// The cases in order, the default last.
static void expandSwitch(scf::IndexSwitchOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> results;
  auto moveInto = [&](Region &from, Block *to) {
    if (!to->empty())
      to->back().erase();
    to->getOperations().splice(to->end(), from.front().getOperations());
  };
  // From the last case inwards: each if is the else of the one before it.
  OpBuilder here = b;
  scf::IfOp outer;
  ArrayRef<int64_t> cases = op.getCases();
  for (auto [k, value] : llvm::enumerate(cases)) {
    Value is =
        arith::CmpIOp::create(here, loc, arith::CmpIPredicate::eq, op.getArg(),
                              arith::ConstantIndexOp::create(here, loc, value));
    auto branch = scf::IfOp::create(here, loc, op.getResultTypes(), is,
                                    /*withElseRegion=*/true);
    moveInto(op.getCaseRegions()[k], branch.thenBlock());
    if (outer && op.getNumResults())
      scf::YieldOp::create(here, loc, branch.getResults());
    if (!outer)
      results = llvm::to_vector_of<Value>(branch.getResults());
    outer = branch;
    here = branch.getElseBodyBuilder();
    if (!branch.elseBlock()->empty())
      here.setInsertionPointToStart(branch.elseBlock());
  }
  if (outer) {
    moveInto(op.getDefaultRegion(), outer.elseBlock());
  } else {
    Block &block = op.getDefaultRegion().front();
    Operation *yield = block.getTerminator();
    results = llvm::to_vector(yield->getOperands());
    yield->erase();
    op->getBlock()->getOperations().splice(Block::iterator(op),
                                           block.getOperations());
  }
  op->replaceAllUsesWith(results);
  op.erase();
}

/// scf.forall over tensors as a nest of loops, in the order of its iterations.
static LogicalResult expandForall(scf::ForallOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> ivs;
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> carried = llvm::to_vector(op.getOutputs());
  SmallVector<Value> lows = op.getLowerBound(b), highs = op.getUpperBound(b),
                     steps = op.getStep(b);
  for (auto [low, high, step] : llvm::zip_equal(lows, highs, steps)) {
    auto loop = scf::ForOp::create(b, loc, low, high, step, carried);
    if (!loop.getBody()->empty())
      loop.getBody()->back().erase();
    ivs.push_back(loop.getInductionVar());
    carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    b.setInsertionPointToEnd(loop.getBody());
    loops.push_back(loop);
  }
  if (loops.empty())
    return op.emitOpError("without dimensions has no plain lowering");
  for (auto [before, after] : llvm::zip_equal(op.getInductionVars(), ivs))
    before.replaceAllUsesWith(after);
  for (auto [before, after] : llvm::zip_equal(op.getRegionIterArgs(), carried))
    before.replaceAllUsesWith(after);
  scf::InParallelOp end = op.getTerminator();
  SmallVector<Operation *> inserts;
  for (Operation &insert : end.getYieldingOps())
    inserts.push_back(&insert);
  Block *inner = loops.back().getBody();
  inner->getOperations().splice(inner->end(), op.getBody()->getOperations());
  b.setInsertionPoint(end);
  SmallVector<Value> values = carried;
  for (Operation *insert : inserts) {
    auto parallel = dyn_cast<tensor::ParallelInsertSliceOp>(insert);
    if (!parallel)
      return insert->emitOpError("has no plain lowering");
    Value *target = llvm::find(carried, parallel.getDest());
    if (target == carried.end())
      return insert->emitOpError("writes a tensor that the loop does not own");
    Value &value = values[target - carried.begin()];
    value = tensor::InsertSliceOp::create(
        b, loc, parallel.getSource(), value, parallel.getMixedOffsets(),
        parallel.getMixedSizes(), parallel.getMixedStrides());
  }
  end.erase();
  for (scf::ForOp loop : llvm::reverse(loops)) {
    OpBuilder at = OpBuilder::atBlockEnd(loop.getBody());
    scf::YieldOp::create(at, loc, values);
    values = llvm::to_vector_of<Value>(loop.getResults());
  }
  op->replaceAllUsesWith(values);
  op.erase();
  return success();
}

LogicalResult egg::expandLoops(ModuleOp module) {
  LogicalResult result = success();
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<scf::ForallOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto forall = dyn_cast<scf::ForallOp>(op)) {
      if (failed(expandForall(forall)))
        return failure();
    } else if (auto select = dyn_cast<scf::IndexSwitchOp>(op)) {
      expandSwitch(select);
    } else {
      Block &block = op->getRegion(0).front();
      Operation *yield = block.getTerminator();
      SmallVector<Value> values = llvm::to_vector(yield->getOperands());
      yield->erase();
      op->getBlock()->getOperations().splice(Block::iterator(op),
                                             block.getOperations());
      op->replaceAllUsesWith(values);
      op->erase();
    }
  }
  return result;
}

LogicalResult egg::normalizeControlFlow(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getDialect() && isa<scf::SCFDialect>(op->getDialect()) &&
        op->getNumRegions() && !op->getParentOfType<linalg::LinalgOp>())
      ops.push_back(op);
  });
  // Inner ones first: a branch inside a loop becomes a select in its body.
  for (Operation *op : ops) {
    if (computesScalars(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(normalizeLoop(loop)))
        return failure();
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      selectBranches(branch);
    } else if (isa<scf::WhileOp>(op)) {
      return op->emitError("host-control-flow: the number of trips of this "
                           "loop over tensors depends on data; use scf.for "
                           "with constant bounds");
    } else {
      return op->emitOpError("over tensors has no plain lowering; use scf.for");
    }
  }
  return success();
}
