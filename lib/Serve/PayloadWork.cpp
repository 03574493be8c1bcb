//===- PayloadWork.cpp - what a payload has to do at least ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadWork.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace egg;
using namespace mlir;

/// Whether an operation of `block` itself reads every element of `value`.
static bool isReadWhole(Value value, Block *block) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block || user->use_empty())
      continue;
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user)) {
      if (isReadWhole(user->getResult(0), block))
        return true;
      continue;
    }
    auto structured = dyn_cast<linalg::LinalgOp>(user);
    if (structured && structured.isDpsInput(&use) &&
        structured.payloadUsesValueFromOperand(&use) &&
        structured.getMatchingIndexingMap(&use).isProjectedPermutation())
      return true;
  }
  return false;
}

std::vector<int64_t> egg::wholeArguments(func::FuncOp function) {
  std::vector<int64_t> whole;
  Block *body = &function.getBody().front();
  for (BlockArgument argument : body->getArguments())
    if (isReadWhole(argument, body))
      whole.push_back(argument.getArgNumber());
  return whole;
}

std::optional<std::vector<ContractionWork>>
egg::contractionWork(func::FuncOp function) {
  std::vector<ContractionWork> work;
  SmallVector<linalg::LinalgOp> counted;
  Block *body = &function.getBody().front();
  auto isCounted = [&](linalg::LinalgOp op) {
    for (linalg::LinalgOp other : counted)
      if (other->getName() == op->getName() &&
          llvm::equal(other.getDpsInputs(), op.getDpsInputs()) &&
          other.getIndexingMaps() == op.getIndexingMaps())
        return true;
    return false;
  };
  auto visit = [&](linalg::LinalgOp op) {
    bool contraction = linalg::isaContractionOpInterface(op);
    if (!contraction && !linalg::isaConvolutionOpInterface(op))
      return WalkResult::advance();
    if (!contraction || op->getBlock() != body)
      return WalkResult::interrupt();
    if (op->use_empty() || isCounted(op))
      return WalkResult::advance();
    counted.push_back(op);
    ContractionWork done;
    done.flops = 2;
    for (int64_t range : op.getStaticLoopRanges())
      done.flops *= double(range);
    Type narrow;
    for (Value input : op.getDpsInputs()) {
      Type type = getElementTypeOrSelf(input.getType());
      if (!narrow ||
          type.getIntOrFloatBitWidth() < narrow.getIntOrFloatBitWidth())
        narrow = type;
    }
    llvm::raw_string_ostream(done.type) << narrow;
    work.push_back(std::move(done));
    return WalkResult::advance();
  };
  Operation *module = function->getParentOp();
  if (module->walk(visit).wasInterrupted())
    return std::nullopt;
  return work;
}
