//===- SinkScalars.cpp - scalars of the host into kernels -------*- C++ -*-===//
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
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

/// Up to this many ops a chain is repeated in each body that uses it.
static constexpr size_t kSinkOps = 16;

/// Scalar operands of a generic (of linalg.fill's, say) as captured values.
static void captureScalarInputs(linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector erased(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (isa<TensorType>(input->get().getType())) {
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      continue;
    }
    BlockArgument argument = op.getMatchingBlockArgument(input);
    argument.replaceAllUsesWith(input->get());
    erased.set(argument.getArgNumber());
  }
  if (erased.none())
    return;
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  op.getBody()->eraseArguments(erased);
  op.getInputsMutable().assign(inputs);
  op.setIndexingMapsAttr(
      OpBuilder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// A scalar of the host that a body may use as it is.
static bool isAvailable(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->hasTrait<OpTrait::ConstantLike>();
  return isa<scf::ForOp>(value.getParentBlock()->getParentOp()) &&
         cast<BlockArgument>(value).getArgNumber() == 0;
}

/// The scalars from outside that `op` and what is inside it use.
static llvm::SetVector<Value> capturedScalars(Operation *op) {
  llvm::SetVector<Value> captured;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!isa<TensorType>(operand.getType()) &&
          !op->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !isAvailable(operand))
        captured.insert(operand);
  });
  return captured;
}

namespace {
class ScalarSinker {
public:
  LogicalResult sink(linalg::GenericOp op);
  /// Computes the results of a scalar op in a generic of rank 0.
  LogicalResult materialize(Operation *op);

private:
  Value asTensor(Value scalar);
  DenseMap<Value, Value> tensors;
};
} // namespace

Value ScalarSinker::asTensor(Value scalar) {
  Value &tensor = tensors[scalar];
  if (tensor)
    return tensor;
  OpBuilder b(scalar.getContext());
  b.setInsertionPointAfterValue(scalar);
  linalg::GenericOp generic = egg::buildElements(
      b, scalar.getLoc(), RankedTensorType::get({}, scalar.getType()),
      "main_scalar", [&](OpBuilder &, Location, ValueRange) { return scalar; });
  return tensor = generic->getResult(0);
}

LogicalResult ScalarSinker::sink(linalg::GenericOp op) {
  captureScalarInputs(op);
  Block *body = op.getBody();
  llvm::SetVector<Value> captured = capturedScalars(op);
  while (!captured.empty()) {
    // The chain behind the captured values, operands before users at the end.
    llvm::SetVector<Operation *> chain;
    for (Value value : captured) {
      if (!value.getDefiningOp())
        return op.emitOpError("uses a scalar of type ")
               << value.getType() << " that no op of the host computes";
      chain.insert(value.getDefiningOp());
    }
    bool isLong = false;
    for (size_t i = 0; i < chain.size() && !isLong; ++i) {
      isLong = chain.size() > kSinkOps;
      for (Value operand : chain[i]->getOperands())
        if (!isa<TensorType>(operand.getType()) && !isAvailable(operand) &&
            operand.getDefiningOp())
          chain.insert(operand.getDefiningOp());
    }
    // A generic of rank 0 that only forwards a value computes it itself.
    bool forwards = body->getOperations().size() == 1 && captured.size() == 1 &&
                    op.getNumLoops() == 0;
    OpBuilder b = OpBuilder::atBlockBegin(body);
    if (isLong && !forwards) {
      for (Value value : captured) {
        Value tensor = asTensor(value);
        if (failed(sink(tensor.getDefiningOp<linalg::GenericOp>())))
          return failure();
        Value read =
            tensor::ExtractOp::create(b, value.getLoc(), tensor, ValueRange{});
        value.replaceUsesWithIf(read, [&](OpOperand &use) {
          return op->isProperAncestor(use.getOwner()) &&
                 use.getOwner() != read.getDefiningOp();
        });
      }
    } else {
      // Of a long chain, the part nearest to its end; the rest is captured.
      SmallVector<Operation *> order(
          chain.begin(),
          chain.begin() + std::min<size_t>(chain.size(), kSinkOps));
      // All stand in blocks around `op`; dominance orders them.
      llvm::sort(order, [](Operation *x, Operation *y) {
        if (x->getBlock() == y->getBlock())
          return x->isBeforeInBlock(y);
        return x->getBlock()->getParentOp()->isProperAncestor(
            y->getBlock()->getParentOp());
      });
      IRMapping map;
      for (Operation *scalar : order)
        b.clone(*scalar, map);
      for (Value value : captured)
        value.replaceUsesWithIf(map.lookup(value), [&](OpOperand &use) {
          return op->isProperAncestor(use.getOwner());
        });
    }
    captured = capturedScalars(op);
  }
  return success();
}

LogicalResult ScalarSinker::materialize(Operation *op) {
  if (op->getNumResults() == 0) {
    op->erase();
    return success();
  }
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> empties;
  for (Type type : op->getResultTypes())
    empties.push_back(
        tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{}, type));
  SmallVector<AffineMap> maps(empties.size(), b.getMultiDimIdentityMap(0));
  auto generic = linalg::GenericOp::create(
      b, loc, ValueRange(empties).getTypes(), ValueRange{}, empties, maps,
      ArrayRef<utils::IteratorType>{},
      [&](OpBuilder &b, Location loc, ValueRange) {
        linalg::YieldOp::create(b, loc, b.clone(*op)->getResults());
      });
  generic->setAttr("egg.name", b.getStringAttr("main_scalar"));
  SmallVector<Value> reads;
  for (Value tensor : generic->getResults())
    reads.push_back(tensor::ExtractOp::create(b, loc, tensor, ValueRange{}));
  op->replaceAllUsesWith(reads);
  op->erase();
  return sink(generic);
}

LogicalResult egg::sinkScalars(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::GenericOp>(op) ||
        (isa<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() &&
         computesScalars(op))) {
      ops.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  ScalarSinker sinker;
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (failed(generic ? sinker.sink(generic) : sinker.materialize(op)))
      return failure();
  }
  // What the host computed is dead now, users first.
  SmallVector<Operation *> all;
  module.walk([&](Operation *op) {
    if (!op->getParentOfType<linalg::LinalgOp>())
      all.push_back(op);
  });
  for (Operation *op : llvm::reverse(all))
    if (isOpTriviallyDead(op))
      op->erase();
  return success();
}
