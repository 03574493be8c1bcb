//===- DefineArithmetic.cpp - no undefined scalar arithmetic ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A payload may divide by zero and then not select the quotient. To LLVM that
// division says that the divisor is not zero, and the selection goes. The CPU
// runner gives such a division a value; kernels must have the same one.
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op) &&
         op->getResult(0).getType().isIntOrIndex();
}

/// x / 0 = -1, x % 0 = x, x / -1 = -x and x % -1 = 0, the least x included.
static void guardDivision(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value left = op->getOperand(0), right = op->getOperand(1);
  Type type = left.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto equals = [&](Value a, Value c) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, a, c);
  };
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                      arith::FloorDivSIOp>(op);
  Value one = constant(1), minusOne = constant(-1);
  Value byZero = equals(right, constant(0));
  Value divisor = arith::SelectOp::create(b, loc, byZero, one, right);
  Value byMinusOne;
  if (isSigned) {
    byMinusOne = equals(right, minusOne);
    divisor = arith::SelectOp::create(b, loc, byMinusOne, one, divisor);
  }
  Operation *safe = b.clone(*op);
  safe->setOperand(1, divisor);
  Value result = safe->getResult(0);
  if (isSigned && !isRemainder) {
    Value negated = arith::SubIOp::create(b, loc, constant(0), left);
    result = arith::SelectOp::create(b, loc, byMinusOne, negated, result);
  }
  result = arith::SelectOp::create(b, loc, byZero,
                                   isRemainder ? left : minusOne, result);
  op->replaceAllUsesWith(ValueRange(result));
  op->erase();
}

void egg::defineArithmetic(ModuleOp module) {
  SmallVector<Operation *> divisions;
  module.walk([&](Operation *op) {
    if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(flags.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(),
                                                arith::FastMathFlags::none));
    if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
      op->setAttr(flags.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(
                      op->getContext(), arith::IntegerOverflowFlags::none));
    if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
      if (op->getInherentAttr("isExact").value_or(nullptr))
        op->removeAttr("isExact");
    if (!isDivision(op))
      return;
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    if (!divisor || *divisor == 0 || *divisor == -1)
      divisions.push_back(op);
  });
  for (Operation *op : divisions)
    guardDivision(op);
}
