//===- ScalarMath.cpp - one float function on scalars -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace egg {

/// The libdevice function for an op, without the trailing `f` of its f32 form;
/// empty where the op is expanded otherwise.
static StringRef libdeviceBase(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("math.acos", "__nv_acos")
      .Case("math.acosh", "__nv_acosh")
      .Case("math.asin", "__nv_asin")
      .Case("math.asinh", "__nv_asinh")
      .Case("math.atan", "__nv_atan")
      .Case("math.atan2", "__nv_atan2")
      .Case("math.atanh", "__nv_atanh")
      .Case("math.cbrt", "__nv_cbrt")
      .Case("math.cos", "__nv_cos")
      .Case("math.cosh", "__nv_cosh")
      .Case("math.erf", "__nv_erf")
      .Case("math.erfc", "__nv_erfc")
      .Case("math.exp", "__nv_exp")
      .Case("math.exp2", "__nv_exp2")
      .Case("math.expm1", "__nv_expm1")
      .Case("math.log", "__nv_log")
      .Case("math.log10", "__nv_log10")
      .Case("math.log1p", "__nv_log1p")
      .Case("math.log2", "__nv_log2")
      .Case("math.powf", "__nv_pow")
      .Case("math.round", "__nv_round")
      .Case("math.sin", "__nv_sin")
      .Case("math.sinh", "__nv_sinh")
      .Case("math.tan", "__nv_tan")
      .Case("math.tanh", "__nv_tanh")
      // The back end's frem is x - trunc(x/y)*y, which is wrong as soon as x/y
      // is rounded; fmod is exact.
      .Case("arith.remf", "__nv_fmod")
      .Default("");
}

bool ScalarMath::handles(Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()))
    // An fma has a vector form: LegalizeMath.cpp keeps it whole.
    return !isa<math::FmaOp>(op);
  if (isa<arith::RemFOp>(op))
    return true;
  // Before sm_90 the back end goes from integers to bf16 through a rounded f32.
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
  return false;
}

Value ScalarMath::floatConstant(Location loc, Type type, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, number));
}

Value ScalarMath::intConstant(Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

/// Calls the libdevice function `base`, or `base`f on f32; all operands and the
/// result are f32, or all are f64.
Value ScalarMath::libdevice(Location loc, StringRef base, ValueRange operands) {
  Type type = operands.front().getType();
  std::string name = base.str() + (type.isF32() ? "f" : "");
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> inputs(operands.getTypes());
    callee =
        LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                                 LLVM::LLVMFunctionType::get(type, inputs));
  }
  return LLVM::CallOp::create(builder, loc, callee, operands).getResult();
}

/// Runs `compute` on f16 or bf16 operands widened to f32 and rounds its result
/// to their type; f32 and f64 go through as they are.
Value ScalarMath::inWiderFloat(Location loc, ValueRange operands,
                               function_ref<Value(ValueRange)> compute) {
  Type type = operands.front().getType();
  if (type.getIntOrFloatBitWidth() >= 32)
    return compute(operands);
  Type f32 = builder.getF32Type();
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(arith::ExtFOp::create(builder, loc, f32, operand));
  return arith::TruncFOp::create(builder, loc, type, compute(wide));
}

Value ScalarMath::bits(Location loc, Value x) {
  Type type = builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
  return arith::BitcastOp::create(builder, loc, type, x);
}

Value ScalarMath::absf(Location loc, Value x) {
  return LLVM::FAbsOp::create(builder, loc, x);
}

/// On the bits: the back end's route for f16 goes through a conversion that
/// loses the sign of a NaN.
Value ScalarMath::copysign(Location loc, Value x, Value sign) {
  Value magnitudeBits = bits(loc, x), signBits = bits(loc, sign);
  Type type = signBits.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value signMask = arith::ConstantOp::create(
      builder, loc, IntegerAttr::get(type, APInt::getSignMask(width)));
  Value restMask = arith::ConstantOp::create(
      builder, loc, IntegerAttr::get(type, APInt::getSignedMaxValue(width)));
  Value merged = arith::OrIOp::create(
      builder, loc,
      arith::AndIOp::create(builder, loc, magnitudeBits, restMask),
      arith::AndIOp::create(builder, loc, signBits, signMask));
  return arith::BitcastOp::create(builder, loc, x.getType(), merged);
}

Value ScalarMath::classify(Operation *op, Value x) {
  Location loc = op->getLoc();
  using Predicate = arith::CmpFPredicate;
  if (isa<math::IsNaNOp>(op))
    return arith::CmpFOp::create(builder, loc, Predicate::UNO, x, x);
  Value magnitude = absf(loc, x);
  Value infinity = floatConstant(loc, x.getType(), INFINITY);
  if (isa<math::IsInfOp>(op))
    return arith::CmpFOp::create(builder, loc, Predicate::OEQ, magnitude,
                                 infinity);
  Value finite =
      arith::CmpFOp::create(builder, loc, Predicate::OLT, magnitude, infinity);
  if (isa<math::IsFiniteOp>(op))
    return finite;
  auto type = cast<FloatType>(x.getType());
  Value smallest = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(type, llvm::APFloat::getSmallestNormalized(
                                     type.getFloatSemantics())));
  Value large =
      arith::CmpFOp::create(builder, loc, Predicate::OGE, magnitude, smallest);
  return arith::AndIOp::create(builder, loc, finite, large);
}

Value ScalarMath::countBits(Operation *op, Value x) {
  Location loc = op->getLoc();
  Type type = x.getType();
  if (type.isIndex())
    x = arith::IndexCastOp::create(builder, loc,
                                   builder.getIntegerType(indexBits), x);
  Value count;
  if (isa<math::CtPopOp>(op))
    count = LLVM::CtPopOp::create(builder, loc, x);
  else if (isa<math::CountLeadingZerosOp>(op))
    count = LLVM::CountLeadingZerosOp::create(builder, loc, x.getType(), x,
                                              /*is_zero_poison=*/false);
  else
    count = LLVM::CountTrailingZerosOp::create(builder, loc, x.getType(), x,
                                               /*is_zero_poison=*/false);
  if (type.isIndex())
    count = arith::IndexCastUIOp::create(builder, loc, type, count);
  return count;
}

/// x to the power n, an integer. Small constant powers are products. Else it is
/// pow in f64 on |x|, whose relative error is far below that of repeated
/// products in f32; the sign comes from n's parity, because n may be rounded on
/// its way to f64.
Value ScalarMath::fpowi(Operation *op, Value x, Value n) {
  Location loc = op->getLoc();
  Type type = x.getType();
  APInt constant;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 64) {
    int64_t power = constant.getSExtValue();
    if (power == 0)
      return floatConstant(loc, type, 1.0);
    if (power == 1)
      return x;
    if (power == 2)
      return arith::MulFOp::create(builder, loc, x, x);
    if (power == 3)
      return inWiderFloat(loc, x, [&](ValueRange wide) -> Value {
        Value square = arith::MulFOp::create(builder, loc, wide[0], wide[0]);
        return arith::MulFOp::create(builder, loc, square, wide[0]);
      });
    if (power == -1)
      return arith::DivFOp::create(builder, loc, floatConstant(loc, type, 1.0),
                                   x);
  }
  Type f64 = builder.getF64Type();
  Value wide = type.isF64() ? x : arith::ExtFOp::create(builder, loc, f64, x);
  Value exponent = arith::SIToFPOp::create(builder, loc, f64, n);
  Value magnitude = libdevice(loc, "__nv_pow", {absf(loc, wide), exponent});
  Value one = intConstant(loc, n.getType(), 1);
  Value odd =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(builder, loc, n, one), one);
  Value result = arith::SelectOp::create(
      builder, loc, odd, copysign(loc, magnitude, wide), magnitude);
  if (!type.isF64())
    result = arith::TruncFOp::create(builder, loc, type, result);
  return result;
}

/// x to the power n in wrapping integer arithmetic; a negative n gives the
/// truncated reciprocal: 1 or -1 for those bases, else 0.
Value ScalarMath::ipowi(Location loc, Value x, Value n) {
  Type type = x.getType();
  unsigned width = type.isIndex() ? indexBits : type.getIntOrFloatBitWidth();
  using Predicate = arith::CmpIPredicate;
  Value zero = intConstant(loc, type, 0), one = intConstant(loc, type, 1);
  Value minusOne = intConstant(loc, type, -1);
  Value negative = arith::CmpIOp::create(builder, loc, Predicate::slt, n, zero);
  Type index = builder.getIndexType();
  auto loop = scf::ForOp::create(
      builder, loc, intConstant(loc, index, 0), intConstant(loc, index, width),
      intConstant(loc, index, 1), ValueRange{one, x, n},
      [&](OpBuilder &b, Location loc, Value, ValueRange state) {
        Value bit = arith::AndIOp::create(b, loc, state[2], one);
        Value isSet = arith::CmpIOp::create(b, loc, Predicate::eq, bit, one);
        Value product = arith::MulIOp::create(b, loc, state[0], state[1]);
        Value result =
            arith::SelectOp::create(b, loc, isSet, product, state[0]);
        Value square = arith::MulIOp::create(b, loc, state[1], state[1]);
        Value rest = arith::ShRUIOp::create(b, loc, state[2], one);
        scf::YieldOp::create(b, loc, ValueRange{result, square, rest});
      });
  Value power = loop.getResult(0);
  if (width == 1)
    return power;
  Value odd =
      arith::CmpIOp::create(builder, loc, Predicate::eq,
                            arith::AndIOp::create(builder, loc, n, one), one);
  Value isOne = arith::CmpIOp::create(builder, loc, Predicate::eq, x, one);
  Value isMinusOne =
      arith::CmpIOp::create(builder, loc, Predicate::eq, x, minusOne);
  Value ofMinusOne = arith::SelectOp::create(builder, loc, odd, minusOne, one);
  Value reciprocal = arith::SelectOp::create(
      builder, loc, isOne, one,
      arith::SelectOp::create(builder, loc, isMinusOne, ofMinusOne, zero));
  return arith::SelectOp::create(builder, loc, negative, reciprocal, power);
}

/// An integer to bf16 with one rounding. Up to 16 bits f32 holds it exactly, up
/// to 53 bits f64. Above, the low 11 bits are folded into a sticky bit: bf16
/// rounds at bit 12 or higher there, so the result is the same, and f64 holds
/// what is left. Then the same is done to the f64's low 29 bits, for LLVM turns
/// an exact conversion and the rounding behind it into one conversion, which
/// goes through a rounded f32 before sm_90.
Value ScalarMath::toBF16(Location loc, Value x, bool isSigned) {
  Type bf16 = builder.getBF16Type(), f64 = builder.getF64Type();
  unsigned width = x.getType().getIntOrFloatBitWidth();
  auto toFloat = [&](Type type, Value value) -> Value {
    if (isSigned)
      return arith::SIToFPOp::create(builder, loc, type, value);
    return arith::UIToFPOp::create(builder, loc, type, value);
  };
  if (width <= 16)
    return arith::TruncFOp::create(builder, loc, bf16,
                                   toFloat(builder.getF32Type(), x));
  if (width > 53) {
    Type type = x.getType();
    Value low =
        arith::AndIOp::create(builder, loc, x, intConstant(loc, type, 0x7ff));
    Value zero = intConstant(loc, type, 0);
    Value inexact = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::ne, low, zero);
    Value sticky = arith::SelectOp::create(builder, loc, inexact,
                                           intConstant(loc, type, 0x800), zero);
    Value folded = arith::OrIOp::create(
        builder, loc,
        arith::AndIOp::create(builder, loc, x,
                              intConstant(loc, type, ~int64_t(0x7ff))),
        sticky);
    // |x| < 2^53 tells by x + 2^53 < 2^54 in unsigned arithmetic; for unsigned
    // x by x < 2^53.
    int64_t limit = int64_t(1) << 53;
    Value shifted = isSigned
                        ? arith::AddIOp::create(builder, loc, x,
                                                intConstant(loc, type, limit))
                        : x;
    Value exact = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, shifted,
        intConstant(loc, type, isSigned ? 2 * limit : limit));
    x = arith::SelectOp::create(builder, loc, exact, x, folded);
  }
  Value wide = bits(loc, toFloat(f64, x));
  Type type = wide.getType();
  int64_t lowMask = (int64_t(1) << 29) - 1;
  Value low = arith::AndIOp::create(builder, loc, wide,
                                    intConstant(loc, type, lowMask));
  Value zero = intConstant(loc, type, 0);
  Value inexact =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, low, zero);
  Value sticky = arith::SelectOp::create(
      builder, loc, inexact, intConstant(loc, type, lowMask + 1), zero);
  Value high = arith::AndIOp::create(builder, loc, wide,
                                     intConstant(loc, type, ~lowMask));
  Value odd = arith::BitcastOp::create(
      builder, loc, f64, arith::OrIOp::create(builder, loc, high, sticky));
  return arith::TruncFOp::create(builder, loc, bf16, odd);
}

LogicalResult ScalarMath::emit(Operation *op, ValueRange operands,
                               SmallVectorImpl<Value> &results) {
  Location loc = op->getLoc();
  Value x = operands.front();
  if (StringRef base = libdeviceBase(op); !base.empty()) {
    results.push_back(inWiderFloat(loc, operands, [&](ValueRange wide) {
      return libdevice(loc, base, wide);
    }));
    return success();
  }
  auto unary = [&](auto create) {
    results.push_back(
        inWiderFloat(loc, x, [&](ValueRange wide) { return create(wide[0]); }));
    return success();
  };
  auto one = [&](Value value) {
    results.push_back(value);
    return success();
  };
  if (isa<math::SqrtOp>(op))
    return unary([&](Value v) -> Value {
      return LLVM::SqrtOp::create(builder, loc, v);
    });
  if (isa<math::RsqrtOp>(op))
    return unary([&](Value v) -> Value {
      Value root = LLVM::SqrtOp::create(builder, loc, v);
      return arith::DivFOp::create(builder, loc,
                                   floatConstant(loc, v.getType(), 1.0), root);
    });
  if (isa<math::FloorOp>(op))
    return unary([&](Value v) -> Value {
      return LLVM::FFloorOp::create(builder, loc, v);
    });
  if (isa<math::CeilOp>(op))
    return unary([&](Value v) -> Value {
      return LLVM::FCeilOp::create(builder, loc, v);
    });
  if (isa<math::TruncOp>(op))
    return unary([&](Value v) -> Value {
      return LLVM::FTruncOp::create(builder, loc, v);
    });
  if (isa<math::RoundEvenOp>(op))
    return unary([&](Value v) -> Value {
      return LLVM::RoundEvenOp::create(builder, loc, v);
    });
  if (isa<math::SincosOp>(op)) {
    for (StringRef base : {"__nv_sin", "__nv_cos"})
      results.push_back(inWiderFloat(
          loc, x, [&](ValueRange wide) { return libdevice(loc, base, wide); }));
    return success();
  }
  if (isa<math::AbsFOp>(op))
    return one(absf(loc, x));
  if (isa<math::CopySignOp>(op))
    return one(copysign(loc, x, operands[1]));
  if (isa<math::ClampFOp>(op)) {
    Value low = arith::MinimumFOp::create(builder, loc, x, operands[2]);
    return one(arith::MaximumFOp::create(builder, loc, low, operands[1]));
  }
  if (isa<math::AbsIOp>(op)) {
    Value zero = intConstant(loc, x.getType(), 0);
    Value negative =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, zero);
    Value opposite = arith::SubIOp::create(builder, loc, zero, x);
    return one(arith::SelectOp::create(builder, loc, negative, opposite, x));
  }
  if (isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(op))
    return one(classify(op, x));
  if (isa<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(
          op))
    return one(countBits(op, x));
  if (isa<math::FPowIOp>(op))
    return one(fpowi(op, x, operands[1]));
  if (isa<math::IPowIOp>(op))
    return one(ipowi(loc, x, operands[1]));
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return one(toBF16(loc, x, isa<arith::SIToFPOp>(op)));
  return op->emitOpError(
      "has no lowering for the device; use other ops of the math dialect");
}

} // namespace egg
