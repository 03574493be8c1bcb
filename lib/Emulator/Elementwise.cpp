//===- Elementwise.cpp - arith and math, element by element -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "egg/Support/Float16.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace egg;
using namespace egg::emulator;

//===----------------------------------------------------------------------===//
// Values of one lane
//===----------------------------------------------------------------------===//

static double doubleOf(uint64_t bits) { return llvm::bit_cast<double>(bits); }

/// A 16- or 32-bit float, exactly.
static float readFloat(uint64_t bits, ScalarType::Kind kind) {
  if (kind == ScalarType::F16)
    return halfToFloat(uint16_t(bits));
  if (kind == ScalarType::BF16)
    return bfloatToFloat(uint16_t(bits));
  return floatOf(uint32_t(bits));
}

static double readDouble(uint64_t bits, ScalarType::Kind kind) {
  return kind == ScalarType::F64 ? doubleOf(bits) : readFloat(bits, kind);
}

static uint64_t writeFloat(float value, ScalarType::Kind kind) {
  if (kind == ScalarType::F16)
    return floatToHalf(value);
  if (kind == ScalarType::BF16)
    return floatToBfloat(value);
  return bitsOf(value);
}

/// Rounds once, to any float type.
static uint64_t writeDouble(double value, ScalarType::Kind kind) {
  switch (kind) {
  case ScalarType::F64:
    return llvm::bit_cast<uint64_t>(value);
  case ScalarType::F16:
    return doubleToHalf(value);
  case ScalarType::BF16:
    return doubleToBfloat(value);
  default:
    return bitsOf(float(value));
  }
}

//===----------------------------------------------------------------------===//
// Handlers. Narrow floats compute in f32 and round: for + - * / and sqrt of
// 16-bit values one rounding more does no harm, 24 >= 2 * 11 + 2 bits
// (Figueroa, "When is double rounding innocuous?", 1995). A fused multiply-add
// goes through f64.
//===----------------------------------------------------------------------===//

using FloatCompute32 = float (*)(const float *);
using FloatCompute64 = double (*)(const double *);
struct FloatPair {
  FloatCompute32 f32;
  FloatCompute64 f64;
};
using IntegerCompute = uint64_t (*)(const uint64_t *, unsigned bits);

static void runFloat(Machine &, Warp &warp, const Instruction &at) {
  const auto &pair = *static_cast<const FloatPair *>(at.function);
  unsigned arity = at.operands.size();
  for (int32_t c = 0; c < at.components; ++c) {
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      if (at.type.kind == ScalarType::F64) {
        double values[3];
        for (unsigned i = 0; i < arity; ++i)
          values[i] = doubleOf(warp.reg(at.operands[i] + c)[lane]);
        result[lane] = llvm::bit_cast<uint64_t>(pair.f64(values));
        return;
      }
      if (at.type.kind != ScalarType::F32 && arity == 3) {
        double values[3];
        for (unsigned i = 0; i < arity; ++i)
          values[i] =
              readDouble(warp.reg(at.operands[i] + c)[lane], at.type.kind);
        result[lane] = writeDouble(pair.f64(values), at.type.kind);
        return;
      }
      float values[3];
      for (unsigned i = 0; i < arity; ++i)
        values[i] = readFloat(warp.reg(at.operands[i] + c)[lane], at.type.kind);
      result[lane] = writeFloat(pair.f32(values), at.type.kind);
    });
  }
}

static void runInteger(Machine &, Warp &warp, const Instruction &at) {
  auto compute = reinterpret_cast<IntegerCompute>(at.function);
  unsigned arity = at.operands.size();
  for (int32_t c = 0; c < at.components; ++c) {
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      uint64_t values[3];
      for (unsigned i = 0; i < arity; ++i)
        values[i] = warp.reg(at.operands[i] + c)[lane];
      result[lane] =
          truncateBits(compute(values, at.type.bits), at.resultType.bits);
    });
  }
}

/// Division by zero is undefined in arith; a kernel must not do it.
static void runDivision(Machine &machine, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *divisor = warp.reg(at.operands[1] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      if (divisor[lane] == 0)
        machine.fail(warp, at, lane, "divides an integer by zero");
    });
  }
  if (!machine.hasFailed())
    runInteger(machine, warp, at);
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("every predicate is handled");
}

static bool compareIntegers(arith::CmpIPredicate predicate, uint64_t a,
                            uint64_t b, unsigned bits) {
  int64_t x = signExtend(a, bits), y = signExtend(b, bits);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("every predicate is handled");
}

static void runCompare(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *a = warp.reg(at.operands[0] + c);
    const uint64_t *b = warp.reg(at.operands[1] + c);
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      result[lane] =
          at.type.kind == ScalarType::Integer
              ? compareIntegers(arith::CmpIPredicate(at.constants[0]), a[lane],
                                b[lane], at.type.bits)
              : compareFloats(arith::CmpFPredicate(at.constants[0]),
                              readDouble(a[lane], at.type.kind),
                              readDouble(b[lane], at.type.kind));
    });
  }
}

/// constants[0]: whether the condition is one value for all components.
static void runSelect(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *condition =
        warp.reg(at.operands[0] + (at.constants[0] ? 0 : c));
    const uint64_t *a = warp.reg(at.operands[1] + c);
    const uint64_t *b = warp.reg(at.operands[2] + c);
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      result[lane] = condition[lane] & 1 ? a[lane] : b[lane];
    });
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

using Convert = uint64_t (*)(uint64_t, ScalarType from, ScalarType to);

static void runConvert(Machine &, Warp &warp, const Instruction &at) {
  auto convert = reinterpret_cast<Convert>(at.function);
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *from = warp.reg(at.operands[0] + c);
    uint64_t *to = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      to[lane] = convert(from[lane], at.type, at.resultType);
    });
  }
}

static uint64_t convertFloat(uint64_t v, ScalarType from, ScalarType to) {
  return writeDouble(readDouble(v, from.kind), to.kind);
}
static uint64_t extendUnsigned(uint64_t v, ScalarType, ScalarType) { return v; }
static uint64_t extendSigned(uint64_t v, ScalarType from, ScalarType to) {
  return truncateBits(signExtend(v, from.bits), to.bits);
}
static uint64_t truncateInteger(uint64_t v, ScalarType, ScalarType to) {
  return truncateBits(v, to.bits);
}
/// An integer to a float, rounded once: 64-bit integers do not fit a double, so
/// bits below the double's last one are kept sticky.
static uint64_t magnitudeToFloat(bool negative, uint64_t magnitude,
                                 ScalarType to) {
  if (to.kind == ScalarType::F64)
    return writeDouble(negative ? -double(magnitude) : double(magnitude),
                       to.kind);
  if (magnitude >> 53) {
    unsigned drop = 11 - llvm::countl_zero(magnitude);
    uint64_t lost = magnitude & ((uint64_t(1) << drop) - 1);
    magnitude = (magnitude & ~((uint64_t(1) << drop) - 1)) |
                (lost ? uint64_t(1) << drop : 0);
  }
  double value = double(magnitude);
  return writeDouble(negative ? -value : value, to.kind);
}
static uint64_t signedToFloat(uint64_t v, ScalarType from, ScalarType to) {
  int64_t value = signExtend(v, from.bits);
  return magnitudeToFloat(value < 0, value < 0 ? 0 - uint64_t(value) : value,
                          to);
}
static uint64_t unsignedToFloat(uint64_t v, ScalarType, ScalarType to) {
  return magnitudeToFloat(false, v, to);
}
/// Out of range is poison in arith; saturated here, as cvt.rzi does.
static uint64_t floatToSigned(uint64_t v, ScalarType from, ScalarType to) {
  double value = std::trunc(readDouble(v, from.kind));
  double limit = std::ldexp(1.0, to.bits - 1);
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return (uint64_t(1) << (to.bits - 1)) - 1;
  if (value < -limit)
    return uint64_t(1) << (to.bits - 1);
  return truncateBits(int64_t(value), to.bits);
}
static uint64_t floatToUnsigned(uint64_t v, ScalarType from, ScalarType to) {
  double value = std::trunc(readDouble(v, from.kind));
  if (std::isnan(value) || value <= 0)
    return 0;
  if (value >= std::ldexp(1.0, to.bits))
    return truncateBits(~uint64_t(0), to.bits);
  return uint64_t(value);
}
static uint64_t keepBits(uint64_t v, ScalarType, ScalarType) { return v; }

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

template <typename T> static T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> static T minimum(T a, T b) {
  return -maximum(T(-a), T(-b));
}
template <typename T> static T power(T base, int64_t exponent) {
  bool invert = exponent < 0;
  uint64_t left = invert ? 0 - uint64_t(exponent) : exponent;
  T result = 1;
  for (; left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return invert ? 1 / result : result;
}

#define FLOAT_OP(NAME, EXPRESSION)                                             \
  {                                                                            \
    NAME, {                                                                    \
      [](const float *v) -> float {                                            \
        using T = float;                                                       \
        T a = v[0], b = v[1], c = v[2];                                        \
        (void)sizeof(T), (void)a, (void)b, (void)c;                            \
        return EXPRESSION;                                                     \
      },                                                                       \
          [](const double *v) -> double {                                      \
            using T = double;                                                  \
            T a = v[0], b = v[1], c = v[2];                                    \
            (void)sizeof(T), (void)a, (void)b, (void)c;                        \
            return EXPRESSION;                                                 \
          }                                                                    \
    }                                                                          \
  }

static const llvm::StringMap<FloatPair> &getFloatOps() {
  static const llvm::StringMap<FloatPair> ops = {
      FLOAT_OP("arith.addf", a + b),
      FLOAT_OP("arith.subf", a - b),
      FLOAT_OP("arith.mulf", a * b),
      FLOAT_OP("arith.divf", a / b),
      FLOAT_OP("arith.remf", std::fmod(a, b)),
      FLOAT_OP("arith.negf", -a),
      FLOAT_OP("arith.maximumf", maximum(a, b)),
      FLOAT_OP("arith.minimumf", minimum(a, b)),
      FLOAT_OP("arith.maxnumf", std::fmax(a, b)),
      FLOAT_OP("arith.minnumf", std::fmin(a, b)),
      FLOAT_OP("math.absf", std::fabs(a)),
      FLOAT_OP("math.acos", std::acos(a)),
      FLOAT_OP("math.acosh", std::acosh(a)),
      FLOAT_OP("math.asin", std::asin(a)),
      FLOAT_OP("math.asinh", std::asinh(a)),
      FLOAT_OP("math.atan", std::atan(a)),
      FLOAT_OP("math.atan2", std::atan2(a, b)),
      FLOAT_OP("math.atanh", std::atanh(a)),
      FLOAT_OP("math.cbrt", std::cbrt(a)),
      FLOAT_OP("math.ceil", std::ceil(a)),
      FLOAT_OP("math.clampf", maximum(minimum(a, c), b)),
      FLOAT_OP("math.copysign", std::copysign(a, b)),
      FLOAT_OP("math.cos", std::cos(a)),
      FLOAT_OP("math.cosh", std::cosh(a)),
      FLOAT_OP("math.erf", std::erf(a)),
      FLOAT_OP("math.erfc", std::erfc(a)),
      FLOAT_OP("math.exp", std::exp(a)),
      FLOAT_OP("math.exp2", std::exp2(a)),
      FLOAT_OP("math.expm1", std::expm1(a)),
      FLOAT_OP("math.floor", std::floor(a)),
      FLOAT_OP("math.fma", std::fma(a, b, c)),
      FLOAT_OP("vector.fma", std::fma(a, b, c)),
      FLOAT_OP("math.log", std::log(a)),
      FLOAT_OP("math.log10", std::log10(a)),
      FLOAT_OP("math.log1p", std::log1p(a)),
      FLOAT_OP("math.log2", std::log2(a)),
      FLOAT_OP("math.powf", std::pow(a, b)),
      FLOAT_OP("math.round", std::round(a)),
      FLOAT_OP("math.roundeven", std::nearbyint(a)),
      FLOAT_OP("math.rsqrt", T(1) / std::sqrt(a)),
      FLOAT_OP("math.sin", std::sin(a)),
      FLOAT_OP("math.sinh", std::sinh(a)),
      FLOAT_OP("math.sqrt", std::sqrt(a)),
      FLOAT_OP("math.tan", std::tan(a)),
      FLOAT_OP("math.tanh", std::tanh(a)),
      FLOAT_OP("math.trunc", std::trunc(a)),
  };
  return ops;
}
#undef FLOAT_OP

#define INTEGER_OP(NAME, EXPRESSION)                                           \
  {NAME, [](const uint64_t *v, unsigned bits) -> uint64_t {                    \
     uint64_t a = v[0], b = v[1];                                              \
     (void)a, (void)b, (void)bits;                                             \
     return EXPRESSION;                                                        \
   }}
#define SIGNED(V) signExtend(V, bits)

/// Signed division without the overflow of the smallest value by -1.
static uint64_t divideSigned(int64_t a, int64_t b) {
  return b == -1 ? 0 - uint64_t(a) : uint64_t(a / b);
}
static uint64_t remainderSigned(int64_t a, int64_t b) {
  return b == -1 ? 0 : uint64_t(a % b);
}

/// Modulo 2^64. A negative power is the quotient 1 / base^-exponent, cut to an
/// integer; that of zero is undefined and zero here.
static uint64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == -1)
      return exponent % 2 ? uint64_t(-1) : 1;
    return base == 1;
  }
  uint64_t result = 1, square = base;
  for (uint64_t left = exponent; left; left >>= 1, square *= square)
    if (left & 1)
      result *= square;
  return result;
}

static const llvm::StringMap<IntegerCompute> &getIntegerOps() {
  static const llvm::StringMap<IntegerCompute> ops = {
      INTEGER_OP("arith.addi", a + b),
      INTEGER_OP("arith.subi", a - b),
      INTEGER_OP("arith.muli", a * b),
      INTEGER_OP("arith.andi", a & b),
      INTEGER_OP("arith.ori", a | b),
      INTEGER_OP("arith.xori", a ^ b),
      // A shift by the width or more is poison in arith; zero here.
      INTEGER_OP("arith.shli", b >= bits ? 0 : a << b),
      INTEGER_OP("arith.shrui", b >= bits ? 0 : a >> b),
      INTEGER_OP("arith.shrsi", uint64_t(SIGNED(a) >> (b >= bits ? 63 : b))),
      INTEGER_OP("arith.maxsi", SIGNED(a) > SIGNED(b) ? a : b),
      INTEGER_OP("arith.minsi", SIGNED(a) < SIGNED(b) ? a : b),
      INTEGER_OP("arith.maxui", a > b ? a : b),
      INTEGER_OP("arith.minui", a < b ? a : b),
      INTEGER_OP("math.absi", SIGNED(a) < 0 ? 0 - a : a),
      INTEGER_OP("math.ipowi", integerPower(SIGNED(a), SIGNED(b))),
      INTEGER_OP("math.ctpop", uint64_t(llvm::popcount(a))),
      INTEGER_OP("math.ctlz", uint64_t(llvm::countl_zero(a)) - (64 - bits)),
      INTEGER_OP("math.cttz",
                 a ? uint64_t(llvm::countr_zero(a)) : uint64_t(bits)),
  };
  return ops;
}

static const llvm::StringMap<IntegerCompute> &getDivisionOps() {
  static const llvm::StringMap<IntegerCompute> ops = {
      INTEGER_OP("arith.divui", a / b),
      INTEGER_OP("arith.remui", a % b),
      INTEGER_OP("arith.divsi", divideSigned(SIGNED(a), SIGNED(b))),
      INTEGER_OP("arith.remsi", remainderSigned(SIGNED(a), SIGNED(b))),
      INTEGER_OP("arith.ceildivui", a / b + (a % b != 0)),
      INTEGER_OP("arith.ceildivsi",
                 divideSigned(SIGNED(a), SIGNED(b)) +
                     (remainderSigned(SIGNED(a), SIGNED(b)) != 0 &&
                      (SIGNED(a) < 0) == (SIGNED(b) < 0))),
      INTEGER_OP("arith.floordivsi",
                 divideSigned(SIGNED(a), SIGNED(b)) -
                     (remainderSigned(SIGNED(a), SIGNED(b)) != 0 &&
                      (SIGNED(a) < 0) != (SIGNED(b) < 0))),
  };
  return ops;
}
#undef SIGNED
#undef INTEGER_OP

static const llvm::StringMap<Convert> &getConversions() {
  static const llvm::StringMap<Convert> ops = {
      {"arith.extf", convertFloat},
      {"arith.truncf", convertFloat},
      {"arith.extui", extendUnsigned},
      {"arith.extsi", extendSigned},
      {"arith.trunci", truncateInteger},
      {"arith.sitofp", signedToFloat},
      {"arith.uitofp", unsignedToFloat},
      {"arith.fptosi", floatToSigned},
      {"arith.fptoui", floatToUnsigned},
      {"arith.index_cast", extendSigned},
      {"arith.index_castui", truncateInteger},
      {"arith.bitcast", keepBits},
  };
  return ops;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Binds operands, results, types and the number of components.
static Instruction &emitElementwise(Compiler &compiler, Operation *op,
                                    Handler handler, const void *function) {
  Instruction &at = compiler.emitBound(handler, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  at.type = *getScalarType(getElementTypeOrSelf(op->getOperand(0).getType()));
  at.resultType =
      *getScalarType(getElementTypeOrSelf(op->getResult(0).getType()));
  at.function = function;
  return at;
}

static LogicalResult compileFloat(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runFloat,
                  &getFloatOps().find(op->getName().getStringRef())->second);
  return success();
}
static LogicalResult compileInteger(Compiler &compiler, Operation *op) {
  emitElementwise(
      compiler, op, runInteger,
      reinterpret_cast<const void *>(
          getIntegerOps().find(op->getName().getStringRef())->second));
  return success();
}
static LogicalResult compileDivision(Compiler &compiler, Operation *op) {
  emitElementwise(
      compiler, op, runDivision,
      reinterpret_cast<const void *>(
          getDivisionOps().find(op->getName().getStringRef())->second));
  return success();
}
static LogicalResult compileConvert(Compiler &compiler, Operation *op) {
  emitElementwise(
      compiler, op, runConvert,
      reinterpret_cast<const void *>(
          getConversions().find(op->getName().getStringRef())->second));
  return success();
}

template <typename CmpOp>
static LogicalResult compileCompare(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runCompare, nullptr).constants = {
      int64_t(cast<CmpOp>(op).getPredicate())};
  return success();
}

static LogicalResult compileSelect(Compiler &compiler, Operation *op) {
  auto select = cast<arith::SelectOp>(op);
  if (isa<MemRefType>(select.getType()))
    return op->emitError(
        "selects between memrefs, which the emulator does not");
  emitElementwise(compiler, op, runSelect, nullptr).constants = {
      !isa<VectorType>(select.getCondition().getType())};
  return success();
}

template <bool (*test)(double)>
static void runClassify(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *a = warp.reg(at.operands[0] + c);
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      result[lane] = test(readDouble(a[lane], at.type.kind));
    });
  }
}
static bool isNan(double v) { return std::isnan(v); }
static bool isInf(double v) { return std::isinf(v); }
static bool isFinite(double v) { return std::isfinite(v); }
template <bool (*test)(double)>
static LogicalResult compileClassify(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runClassify<test>, nullptr);
  return success();
}

static void runIsNormal(Machine &, Warp &warp, const Instruction &at) {
  // A narrow subnormal is normal as a double.
  static constexpr int least[] = {0, -14, -126, -126, -1022};
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *a = warp.reg(at.operands[0] + c);
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      double value = std::fabs(readDouble(a[lane], at.type.kind));
      result[lane] =
          std::isfinite(value) && value >= std::ldexp(1.0, least[at.type.kind]);
    });
  }
}
static LogicalResult compileIsNormal(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runIsNormal, nullptr);
  return success();
}

static void runSinCos(Machine &, Warp &warp, const Instruction &at) {
  ScalarType::Kind kind = at.type.kind;
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *a = warp.reg(at.operands[0] + c);
    uint64_t *sine = warp.reg(at.results[0] + c);
    uint64_t *cosine = warp.reg(at.results[1] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      double x = readDouble(a[lane], kind);
      sine[lane] = writeDouble(std::sin(x), kind);
      cosine[lane] = writeDouble(std::cos(x), kind);
    });
  }
}
static LogicalResult compileSinCos(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runSinCos, nullptr);
  return success();
}

/// addui_extended, mului_extended and mulsi_extended: the low half and the
/// carry or high half.
template <typename ExtendedOp>
static void runExtended(Machine &, Warp &warp, const Instruction &at) {
  unsigned bits = at.type.bits;
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *a = warp.reg(at.operands[0] + c);
    const uint64_t *b = warp.reg(at.operands[1] + c);
    uint64_t *low = warp.reg(at.results[0] + c);
    uint64_t *high = warp.reg(at.results[1] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      unsigned __int128 wide;
      if constexpr (std::is_same_v<ExtendedOp, arith::AddUIExtendedOp>)
        wide = (unsigned __int128)a[lane] + b[lane];
      else if constexpr (std::is_same_v<ExtendedOp, arith::MulUIExtendedOp>)
        wide = (unsigned __int128)a[lane] * b[lane];
      else
        wide = (unsigned __int128)((__int128)signExtend(a[lane], bits) *
                                   signExtend(b[lane], bits));
      low[lane] = truncateBits(uint64_t(wide), bits);
      high[lane] = truncateBits(uint64_t(wide >> bits), bits);
    });
  }
}
template <typename ExtendedOp>
static LogicalResult compileExtended(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runExtended<ExtendedOp>, nullptr);
  return success();
}

/// fpowi: a float to an integer power. The exponent's width is in constants.
static void runPower(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *base = warp.reg(at.operands[0] + c);
    const uint64_t *exponent = warp.reg(at.operands[1] + c);
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) {
      int64_t e = signExtend(exponent[lane], at.constants[0]);
      result[lane] =
          at.type.kind == ScalarType::F64
              ? writeDouble(power(doubleOf(base[lane]), e), at.type.kind)
              : writeFloat(power(readFloat(base[lane], at.type.kind), e),
                           at.type.kind);
    });
  }
}
static LogicalResult compilePower(Compiler &compiler, Operation *op) {
  emitElementwise(compiler, op, runPower, nullptr).constants = {
      getElementTypeOrSelf(op->getOperand(1).getType())
          .getIntOrFloatBitWidth()};
  return success();
}

static void runConstant(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    uint64_t value = at.constants[at.constants.size() == 1 ? 0 : c];
    uint64_t *result = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) { result[lane] = value; });
  }
}

uint64_t egg::emulator::getBits(Attribute element) {
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return integer.getValue().getZExtValue();
  return cast<FloatAttr>(element).getValue().bitcastToAPInt().getZExtValue();
}

static LogicalResult compileConstant(Compiler &compiler, Operation *op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  Instruction &at = compiler.emitBound(runConstant, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      at.constants.push_back(getBits(dense.getSplatValue<Attribute>()));
    else
      for (Attribute element : dense.getValues<Attribute>())
        at.constants.push_back(getBits(element));
    return success();
  }
  if (!isa<IntegerAttr, FloatAttr>(value))
    return op->emitError("is a constant that the emulator does not hold");
  at.constants.push_back(getBits(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                        ArrayRef<int64_t> symbols) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue();
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluate(binary.getLHS(), dims, symbols);
  int64_t b = evaluate(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return b > 0 ? llvm::mod(a, b) : 0;
  case AffineExprKind::FloorDiv:
    return b > 0 ? llvm::divideFloorSigned(a, b) : 0;
  default:
    return b > 0 ? llvm::divideCeilSigned(a, b) : 0;
  }
}

/// affine.apply, .min and .max: constants[0] is -1, 0 or 1 for min, apply, max.
static void runAffine(Machine &, Warp &warp, const Instruction &at) {
  auto map = AffineMap::getFromOpaquePointer(at.function);
  uint64_t *result = warp.reg(at.results[0]);
  forActiveLanes(warp, [&](unsigned lane) {
    llvm::SmallVector<int64_t> operands;
    for (int32_t reg : at.operands)
      operands.push_back(warp.reg(reg)[lane]);
    ArrayRef<int64_t> all(operands);
    int64_t value = 0;
    for (auto [index, expr] : llvm::enumerate(map.getResults())) {
      int64_t next = evaluate(expr, all.take_front(map.getNumDims()),
                              all.drop_front(map.getNumDims()));
      value = index == 0            ? next
              : at.constants[0] < 0 ? std::min(value, next)
                                    : std::max(value, next);
    }
    result[lane] = value;
  });
}

template <typename AffineOp, int kind>
static LogicalResult compileAffine(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runAffine, op);
  at.function = cast<AffineOp>(op).getAffineMap().getAsOpaquePointer();
  at.constants = {kind};
  return success();
}

void egg::emulator::addElementwiseOps(OpTable &table) {
  for (const auto &entry : getFloatOps())
    table[entry.getKey()] = compileFloat;
  for (const auto &entry : getIntegerOps())
    table[entry.getKey()] = compileInteger;
  for (const auto &entry : getDivisionOps())
    table[entry.getKey()] = compileDivision;
  for (const auto &entry : getConversions())
    table[entry.getKey()] = compileConvert;
  table["arith.cmpi"] = compileCompare<arith::CmpIOp>;
  table["arith.cmpf"] = compileCompare<arith::CmpFOp>;
  table["arith.select"] = compileSelect;
  table["arith.constant"] = compileConstant;
  table["math.isnan"] = compileClassify<isNan>;
  table["math.isinf"] = compileClassify<isInf>;
  table["math.isfinite"] = compileClassify<isFinite>;
  table["math.isnormal"] = compileIsNormal;
  table["math.sincos"] = compileSinCos;
  table["arith.addui_extended"] = compileExtended<arith::AddUIExtendedOp>;
  table["arith.mului_extended"] = compileExtended<arith::MulUIExtendedOp>;
  table["arith.mulsi_extended"] = compileExtended<arith::MulSIExtendedOp>;
  table["math.fpowi"] = compilePower;
  table["affine.apply"] = compileAffine<affine::AffineApplyOp, 0>;
  table["affine.min"] = compileAffine<affine::AffineMinOp, -1>;
  table["affine.max"] = compileAffine<affine::AffineMaxOp, 1>;
}
