//===- Float16.h - conversions of the 16-bit float types --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_FLOAT16_H
#define EGG_SUPPORT_FLOAT16_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace egg {

/// The bits of a binary32 value, and back.
inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The value of binary16 bits; exact.
inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f)
    return floatOf(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0)
    return floatOf(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = float(mantissa) * 0x1p-24f; // subnormal or zero: exact
  return floatOf(sign | bitsOf(magnitude));
}

/// The value of bfloat16 bits; exact.
inline float bfloatToFloat(uint16_t bfloat) {
  return floatOf(uint32_t(bfloat) << 16);
}

/// The nearest binary16 of \p value, ties to even; overflow gives infinity, a
/// NaN stays a quiet NaN with its sign and leading payload bits.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  // 65520 is halfway between the largest finite value and the next power of 2.
  if (magnitude >= bitsOf(65520.0f))
    return sign | 0x7c00;
  if (magnitude < bitsOf(0x1p-14f)) // subnormal: the spacing is 2^-24
    return sign | uint16_t(std::nearbyintf(std::fabs(value) * 0x1p24f));
  magnitude += 0xfff + ((magnitude >> 13) & 1);
  return sign | uint16_t((magnitude >> 13) - (112u << 10));
}

/// The nearest bfloat16 of \p value, ties to even; overflow gives infinity, a
/// NaN stays a quiet NaN with its sign and leading payload bits.
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16) | 0x0040;
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// \p value as a binary32 whose last bit is sticky ("round to odd"): rounding
/// the result again to a type of at most 22 bits of precision gives what
/// rounding \p value once would have given (Boldo and Melquiond, "Emulation of
/// FMA and correctly rounded sums", 2008).
inline float roundToOdd(double value) {
  float nearest = float(value);
  if (std::isnan(value) || double(nearest) == value)
    return nearest;
  if (std::isinf(nearest))
    return std::copysign(std::numeric_limits<float>::max(), nearest);
  uint32_t bits = bitsOf(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value))
    bits -= 1; // towards zero
  return floatOf(bits | 1);
}

/// The nearest binary16 of a double, rounded once.
inline uint16_t doubleToHalf(double value) {
  return floatToHalf(roundToOdd(value));
}

/// The nearest bfloat16 of a double, rounded once.
inline uint16_t doubleToBfloat(double value) {
  return floatToBfloat(roundToOdd(value));
}

} // namespace egg

#endif // EGG_SUPPORT_FLOAT16_H
