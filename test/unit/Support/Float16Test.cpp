//===- Float16Test.cpp - tests of the 16-bit conversions --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Float16.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace egg;

namespace {

/// Rounds by search among all finite values of a type: shares nothing with the
/// code under test but the exact widening, itself checked below.
template <typename Widen>
uint16_t nearestBySearch(double value, Widen widen, uint16_t infinity) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  uint32_t low = 0, high = infinity; // widen is monotonic on [0, infinity]
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    (double(widen(middle)) <= magnitude ? low : high) = middle;
  }
  double below = widen(low);
  // The value after the largest finite one, as if the exponent went on.
  double above =
      high == infinity ? below + (below - widen(low - 1)) : double(widen(high));
  double toBelow = magnitude - below, toAbove = above - magnitude;
  bool up = toAbove < toBelow || (toAbove == toBelow && (low & 1));
  return sign | uint16_t(up ? high : low);
}

TEST(Float16, HalfWidensByItsDefinition) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    int exponent = bits >> 10, mantissa = bits & 0x3ff;
    double expected = exponent == 0
                          ? std::ldexp(mantissa, -24)
                          : std::ldexp(1024 + mantissa, exponent - 25);
    EXPECT_EQ(double(halfToFloat(bits)), expected);
    EXPECT_EQ(double(halfToFloat(bits | 0x8000)), -expected);
  }
  EXPECT_TRUE(std::isinf(halfToFloat(0x7c00)));
  EXPECT_TRUE(std::isnan(halfToFloat(0x7c01)));
}

TEST(Float16, EveryHalfAndBfloatComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = halfToFloat(bits), bfloat = bfloatToFloat(bits);
    if (std::isnan(half))
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(half))));
    else
      EXPECT_EQ(floatToHalf(half), bits);
    if (std::isnan(bfloat))
      EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(bfloat))));
    else
      EXPECT_EQ(floatToBfloat(bfloat), bits);
  }
}

TEST(Float16, RoundsToNearestEven) {
  std::mt19937_64 random(7);
  auto check = [](double value) {
    if (double(float(value)) == value) {
      EXPECT_EQ(floatToHalf(float(value)),
                nearestBySearch(value, halfToFloat, 0x7c00));
      EXPECT_EQ(floatToBfloat(float(value)),
                nearestBySearch(value, bfloatToFloat, 0x7f80));
    }
    EXPECT_EQ(doubleToHalf(value), nearestBySearch(value, halfToFloat, 0x7c00));
    EXPECT_EQ(doubleToBfloat(value),
              nearestBySearch(value, bfloatToFloat, 0x7f80));
  };
  for (int i = 0; i < 20000; ++i) {
    double mantissa = 1.0 + double(random() >> 12) * 0x1p-52;
    int exponent = int(random() % 300) - 170;
    double value = std::ldexp(mantissa, exponent);
    check(random() & 1 ? value : -value);
    check(double(float(value)));
  }
  // Around every half-way point, where a second rounding would show.
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    double middle =
        (double(halfToFloat(bits)) + double(halfToFloat(bits + 1))) / 2;
    check(middle);
    check(std::nextafter(middle, 1e9));
    check(std::nextafter(middle, 0.0));
  }
  check(65519.999999);
  check(65520.0);
  check(1e300);
  check(-1e300);
  check(0.0);
  check(-0.0);
  check(0x1p-1074);
}

} // namespace
