//===- Contraction.cpp - contractions and their layouts ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "egg/Dialect/Egg/EggDialect.h"

using namespace mlir;
using namespace egg;

bool egg::isContraction(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() >= 2 &&
         !isa<linalg::ReduceOp>(op.getOperation());
}

FailureOr<LinearLayout> egg::getAccumulatorLayout(linalg::LinalgOp op,
                                                  ArrayRef<int64_t> shape,
                                                  unsigned warpBits) {
  if (auto contract = op->getAttrOfType<ir::ContractAttr>("egg.contract");
      contract && contract.getInstruction() != ir::Instruction::fma)
    return op.emitError("asks for ")
           << contract << "; this lowering knows fma alone";
  LayoutBuilder builder(shape);
  unsigned rank = shape.size();
  unsigned lanes = 0, warps = 0;
  if (rank > 0) {
    unsigned n = rank - 1;
    builder.takeUpTo(kRegister, n, 2);
    if (rank > 1)
      builder.takeUpTo(kRegister, n - 1, 2);
    builder.takeUpTo(kLane, n, 3, &lanes);
    if (rank > 1)
      builder.takeUpTo(kLane, n - 1, 5 - lanes, &lanes);
    builder.takeUpTo(kLane, n, 5 - lanes, &lanes);
    // Warps over rows first: they share the columns of the right operand.
    if (rank > 1)
      builder.takeUpTo(kWarp, n - 1, (warpBits + 1) / 2, &warps);
    builder.takeUpTo(kWarp, n, warpBits - warps, &warps);
    if (rank > 1)
      builder.takeUpTo(kWarp, n - 1, warpBits - warps, &warps);
  }
  builder.copies(kLane, 5 - lanes).copies(kWarp, warpBits - warps);
  SmallVector<unsigned> order;
  for (unsigned d = rank; d-- > 0;)
    order.push_back(d);
  return builder.restToRegisters(order).build();
}
