//===- ResultClass.cpp - how the gate compares a result ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/ResultClass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using egg::ResultClass;

StringRef egg::name(ResultClass value) {
  switch (value) {
  case ResultClass::Exact:
    return "exact";
  case ResultClass::Elementwise:
    return "elementwise";
  case ResultClass::Accumulation:
    return "accumulation";
  }
  llvm_unreachable("a ResultClass");
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// Whether an op rounds: makes a float that is none of its operands.
static bool rounds(Operation *op) {
  if (op->getNumResults() != 1 || !isFloat(op->getResult(0).getType()) ||
      op->getNumRegions() || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return false;
  return !isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
              arith::MinNumFOp, arith::SelectOp, arith::NegFOp, arith::ExtFOp,
              arith::BitcastOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
              math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
      op);
}

namespace {
class Classifier {
public:
  ResultClass of(Value value) {
    return isFloat(value.getType()) ? classes.lookup(value)
                                    : ResultClass::Exact;
  }
  void run(Block &block);

private:
  void set(Value value, ResultClass to) { classes[value] = to; }
  ResultClass ofGeneric(linalg::GenericOp op);
  DenseMap<Value, ResultClass> classes;
};
} // namespace

ResultClass Classifier::ofGeneric(linalg::GenericOp op) {
  ResultClass result = ResultClass::Exact;
  for (Value operand : op->getOperands())
    result = std::max(result, of(operand));
  bool carries = op.getNumReductionLoops() > 0;
  op.getBody()->walk([&](Operation *inner) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      result = std::max(result, of(extract.getTensor()));
    if (!rounds(inner))
      return;
    bool inLoop =
        isa_and_nonnull<scf::ForOp, scf::WhileOp>(inner->getParentOp());
    bool accumulates = inLoop;
    if (carries)
      for (Value operand : inner->getOperands())
        accumulates |= llvm::is_contained(op.getRegionOutputArgs(), operand) ||
                       inner->getBlock() != op.getBody();
    result = std::max(result, accumulates ? ResultClass::Accumulation
                                          : ResultClass::Elementwise);
  });
  // What a chain between accumulator and yield computes is carried as well.
  if (carries && result == ResultClass::Elementwise) {
    llvm::SmallPtrSet<Operation *, 8> reached;
    SmallVector<Value> work(op.getRegionOutputArgs().begin(),
                            op.getRegionOutputArgs().end());
    while (!work.empty()) {
      Value value = work.pop_back_val();
      for (Operation *user : value.getUsers()) {
        if (!reached.insert(user).second)
          continue;
        if (rounds(user))
          return ResultClass::Accumulation;
        llvm::append_range(work, user->getResults());
      }
    }
  }
  return result;
}

void Classifier::run(Block &block) {
  for (Operation &op : block) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      ResultClass value = ofGeneric(generic);
      for (Value result : op.getResults())
        set(result, value);
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs()))
        set(argument, of(init));
      // The lattice has three levels, so that three rounds reach the fixpoint;
      // a class that grows from one iteration to the next has accumulated.
      for (int round = 0; round < 3; ++round) {
        run(*loop.getBody());
        for (auto [argument, yielded] :
             llvm::zip_equal(loop.getRegionIterArgs(),
                             loop.getBody()->getTerminator()->getOperands()))
          if (of(yielded) > of(argument))
            set(argument, ResultClass::Accumulation);
      }
      for (auto [argument, result] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
        set(result, of(argument));
      continue;
    }
    ResultClass value = ResultClass::Exact;
    for (Value operand : op.getOperands())
      value = std::max(value, of(operand));
    for (Value result : op.getResults())
      set(result, value);
  }
}

SmallVector<ResultClass> egg::classifyResults(func::FuncOp payload) {
  Classifier classifier;
  Block &body = payload.getBody().front();
  classifier.run(body);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return classifier.of(value); });
}
