//===- Numbers.h - element types, bit by bit --------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Conversions and distances between the payload's types and f64 from integer
// operations and IEEE + - * / alone, so that host and device agree to the bit.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_KERNELS_NUMBERS_H
#define EGG_EVAL_KERNELS_NUMBERS_H

#include "KernelParams.h"

namespace egg::eval::kernels {

inline U64 bitsOf(double x) { return __builtin_bit_cast(U64, x); }
inline U32 bitsOf(float x) { return __builtin_bit_cast(U32, x); }
inline double doubleOf(U64 bits) { return __builtin_bit_cast(double, bits); }
inline float floatOf(U32 bits) { return __builtin_bit_cast(float, bits); }
inline double absolute(double x) {
  return doubleOf(bitsOf(x) & 0x7fffffffffffffffull);
}
inline bool isFinite(double x) {
  return (bitsOf(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}

/// 2^e for e in [-1074, 1023].
inline double powerOfTwo(int e) {
  return e >= -1022 ? doubleOf(U64(e + 1023) << 52)
                    : doubleOf(U64(1) << (e + 1074));
}

inline bool isFloat(U32 type) { return type <= BF16; }
inline U32 bytesOf(U32 type) {
  return type == F64 || type == I64T   ? 8
         : type == F32 || type == I32T ? 4
         : type == I8T || type == I1T  ? 1
                                       : 2;
}
/// Bits of mantissa after the point.
inline int mantissaBits(U32 type) {
  return type == F64 ? 52 : type == F32 ? 23 : type == F16 ? 10 : 7;
}
inline int maxExponent(U32 type) {
  return type == F64 ? 1023 : type == F16 ? 15 : 127;
}
inline int minExponent(U32 type) { return 1 - maxExponent(type); }

/// A double rounded to nearest even in a 16-bit type of `mantissa` bits and
/// exponents up to `top`; NaN becomes the quiet NaN of its sign.
inline U16 narrow16(double x, int mantissa, int top) {
  U64 bits = bitsOf(x);
  U32 sign = U32(bits >> 63) << 15;
  U32 infinity = U32(2 * top + 1) << mantissa;
  U64 fraction = bits & 0xfffffffffffffull;
  int exponent = int(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff)
    return U16(sign | infinity | (fraction ? 1u << (mantissa - 1) : 0));
  exponent -= 1023;
  if (exponent > top)
    return U16(sign | infinity);
  int shift = 52 - mantissa;
  U64 whole = fraction | 1ull << 52;
  if (exponent < 1 - top) {
    // Subnormal: the hidden bit moves into the fraction. Below half of the
    // least one everything rounds to zero (a double's own subnormals too).
    int more = 1 - top - exponent;
    if (more > mantissa + 1)
      return U16(sign);
    shift += more;
    exponent = 0;
  } else {
    exponent += top;
  }
  U64 kept = whole >> shift;
  U64 rest = whole & ((1ull << shift) - 1);
  U64 half = 1ull << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // The hidden bit, where there is one, adds one to the exponent field; a
  // carry out of the fraction does so too, up to infinity.
  U32 field = exponent ? U32(exponent - 1) << mantissa : 0;
  return U16(sign | (field + U32(kept)));
}

/// A 16-bit float to a double, exact.
inline double widen16(U16 bits, int mantissa, int top) {
  U64 sign = U64(bits >> 15) << 63;
  U32 field = bits >> mantissa & (2 * top + 1);
  U64 fraction = bits & ((1u << mantissa) - 1);
  if (field == U32(2 * top + 1))
    return doubleOf(sign | 0x7ff0000000000000ull | fraction << (52 - mantissa));
  if (field == 0) {
    double value = double(U32(fraction)) * powerOfTwo(1 - top - mantissa);
    return doubleOf(bitsOf(value) | sign);
  }
  return doubleOf(sign | U64(int(field) - top + 1023) << 52 |
                  fraction << (52 - mantissa));
}

/// The bits of one element, zero-extended.
inline U64 loadBits(const void *data, U32 type, U64 i) {
  switch (bytesOf(type)) {
  case 8:
    return static_cast<const U64 *>(data)[i];
  case 4:
    return static_cast<const U32 *>(data)[i];
  case 2:
    return static_cast<const U16 *>(data)[i];
  default:
    return static_cast<const U8 *>(data)[i];
  }
}

inline void storeBits(void *data, U32 type, U64 i, U64 bits) {
  switch (bytesOf(type)) {
  case 8:
    static_cast<U64 *>(data)[i] = bits;
    return;
  case 4:
    static_cast<U32 *>(data)[i] = U32(bits);
    return;
  case 2:
    static_cast<U16 *>(data)[i] = U16(bits);
    return;
  default:
    static_cast<U8 *>(data)[i] = U8(bits);
  }
}

/// A float element's value. Exact; a subnormal float is widened by hand, so
/// that no flush-to-zero mode of the host changes it.
inline double widen(U64 bits, U32 type) {
  switch (type) {
  case F64:
    return doubleOf(bits);
  case F32: {
    U32 b = U32(bits);
    if ((b & 0x7f800000u) == 0) {
      double value = double(b & 0x7fffffu) * powerOfTwo(-149);
      return doubleOf(bitsOf(value) | U64(b >> 31) << 63);
    }
    return double(floatOf(b));
  }
  case F16:
    return widen16(U16(bits), 10, 15);
  default:
    return widen16(U16(bits), 7, 127);
  }
}

/// The bits of a double rounded to a float type; every NaN becomes one NaN.
inline U64 narrow(double x, U32 type) {
  switch (type) {
  case F64:
    return x != x ? 0x7ff8000000000000ull : bitsOf(x);
  case F32:
    return x != x ? 0x7fc00000u : bitsOf(float(x));
  case F16:
    return x != x ? 0x7e00u : narrow16(x, 10, 15);
  default:
    return x != x ? 0x7fc0u : narrow16(x, 7, 127);
  }
}

/// 0 finite, 1 NaN, 2 infinity, 3 minus infinity.
inline int classOf(double x) {
  return x != x ? 1 : isFinite(x) ? 0 : x > 0 ? 2 : 3;
}

/// |candidate - golden| in units of the type's spacing at the golden;
/// subnormals have the least spacing, values past the largest the largest.
inline double ulpDistance(double candidate, double golden, U32 type) {
  double error = absolute(candidate - golden);
  int field = int(bitsOf(golden) >> 52 & 0x7ff);
  int exponent = field - 1023;
  if (exponent < minExponent(type))
    exponent = minExponent(type);
  if (exponent > maxExponent(type))
    exponent = maxExponent(type);
  int down = mantissaBits(type) - exponent;
  // 2^1074 is not a double: in two steps.
  int half = down / 2;
  return error * powerOfTwo(half) * powerOfTwo(down - half);
}

} // namespace egg::eval::kernels

#endif // EGG_EVAL_KERNELS_NUMBERS_H
