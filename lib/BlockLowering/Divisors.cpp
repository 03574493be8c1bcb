//===- Divisors.cpp - what index values are multiples of --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Divisors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

static int64_t gcd(int64_t a, int64_t b) {
  return std::gcd(std::abs(a), std::abs(b));
}

/// A product that stays a divisor when it overflows.
static int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::max(a, b) : result;
}

int64_t egg::knownDivisor(AffineExpr expr, ArrayRef<int64_t> dims,
                          ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t left = knownDivisor(binary.getLHS(), dims, symbols);
  int64_t right = knownDivisor(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return gcd(left, right);
  case AffineExprKind::Mul:
    return product(left, right);
  case AffineExprKind::Mod:
    // a mod b = a - b * k
    return gcd(left, right);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    if (auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
        by && by.getValue() > 0 && left % by.getValue() == 0)
      return left / by.getValue();
    return 1;
  default:
    return 1;
  }
}

static int64_t divisorOfMap(AffineMap map, ValueRange operands) {
  SmallVector<int64_t> divisors;
  for (Value operand : operands)
    divisors.push_back(egg::knownDivisor(operand));
  ArrayRef<int64_t> all(divisors);
  int64_t result = 0;
  for (AffineExpr expr : map.getResults())
    result =
        gcd(result, egg::knownDivisor(expr, all.take_front(map.getNumDims()),
                                      all.drop_front(map.getNumDims())));
  return result;
}

int64_t egg::knownDivisor(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent);
        loop && argument == loop.getInductionVar())
      return gcd(knownDivisor(loop.getLowerBound()),
                 knownDivisor(loop.getStep()));
    if (auto loop = dyn_cast<scf::ForallOp>(parent);
        loop && argument.getArgNumber() < loop.getRank()) {
      auto divisorOf = [](OpFoldResult bound) {
        if (std::optional<int64_t> constant = getConstantIntValue(bound))
          return std::abs(*constant);
        return knownDivisor(cast<Value>(bound));
      };
      unsigned d = argument.getArgNumber();
      return gcd(divisorOf(loop.getMixedLowerBound()[d]),
                 divisorOf(loop.getMixedStep()[d]));
    }
    return 1;
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return divisorOfMap(apply.getAffineMap(), apply.getMapOperands());
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return divisorOfMap(min.getAffineMap(), min.getMapOperands());
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return divisorOfMap(max.getAffineMap(), max.getMapOperands());
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return gcd(knownDivisor(op->getOperand(0)),
               knownDivisor(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return product(knownDivisor(op->getOperand(0)),
                   knownDivisor(op->getOperand(1)));
  return 1;
}

AffineExpr egg::flatten(AffineMap map, ArrayRef<int64_t> shape) {
  MLIRContext *context = map.getContext();
  AffineExpr flat = getAffineConstantExpr(0, context);
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), shape))
    flat = flat * extent + expr;
  return simplifyAffineExpr(flat, map.getNumDims(), map.getNumSymbols());
}

std::optional<int64_t> egg::stepOf(AffineExpr expr, unsigned dim,
                                   unsigned numDims, unsigned numSymbols) {
  AffineExpr d = getAffineDimExpr(dim, expr.getContext());
  AffineExpr step =
      simplifyAffineExpr(expr.replace(d, d + 1) - expr, numDims, numSymbols);
  if (auto constant = dyn_cast<AffineConstantExpr>(step))
    return constant.getValue();
  return std::nullopt;
}
