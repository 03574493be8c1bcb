//===- KernelsTest.cpp - the worker's kernels, on the host ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Random.h"

#include "egg/Eval/HostKernels.h"
#include "egg/Support/Float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace egg::eval;
using namespace egg::eval::kernels;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

template <typename Params>
void runKernel(const char *name, const Params &params, uint64_t threads) {
  const HostKernel *kernel = findHostKernel(name);
  ASSERT_NE(kernel, nullptr) << name;
  ASSERT_EQ(kernel->parameterBytes, sizeof(Params));
  for (uint64_t t = 0; t < threads; ++t)
    kernel->run(&params, t, threads);
}

std::vector<double> fill(uint64_t count, U32 type, U32 distribution,
                         uint64_t seed = 1, bool absolute = false) {
  std::vector<uint8_t> data(count * bytesOf(type));
  FillParams p = {};
  p.out = data.data();
  p.count = count;
  p.seed = seed;
  p.type = type;
  p.distribution = distribution;
  p.absolute = absolute;
  runKernel("egg_eval_fill", p, 7);
  std::vector<double> values(count);
  for (uint64_t i = 0; i < count; ++i)
    values[i] = widen(loadBits(data.data(), type, i), type);
  return values;
}

/// Compares float outputs with f64 goldens; NaN pads are the caller's.
Stats compare(const std::vector<float> &candidate,
              const std::vector<double> &golden,
              const std::vector<float> &reference = {},
              const std::vector<double> &scale = {}, U32 poison = 0,
              bool checkPoison = false) {
  std::vector<Stats> partials(5), merged(1);
  CompareParams p = {};
  p.candidate = candidate.data();
  p.golden = golden.data();
  p.reference = reference.empty() ? nullptr : reference.data();
  p.scale = scale.empty() ? nullptr : scale.data();
  p.partials = partials.data();
  p.count = candidate.size();
  p.unit = 1;
  p.type = F32;
  p.poison = poison;
  p.checkPoison = checkPoison;
  runKernel("egg_eval_compare", p, 5);
  MergeParams m = {partials.data(), merged.data(), 5};
  runKernel("egg_eval_merge", m, 1);
  return merged[0];
}

TEST(Numbers, SixteenBitTypesWidenAsSupportDoes) {
  for (uint32_t b = 0; b < 65536; ++b) {
    double half = widen(b, F16), bfloat = widen(b, BF16);
    double wantHalf = egg::halfToFloat(uint16_t(b));
    double wantBfloat = egg::bfloatToFloat(uint16_t(b));
    if (std::isnan(wantHalf))
      EXPECT_TRUE(std::isnan(half)) << b;
    else
      EXPECT_EQ(kernels::bitsOf(half), kernels::bitsOf(wantHalf)) << b;
    if (std::isnan(wantBfloat))
      EXPECT_TRUE(std::isnan(bfloat)) << b;
    else
      EXPECT_EQ(kernels::bitsOf(bfloat), kernels::bitsOf(wantBfloat)) << b;
  }
}

TEST(Numbers, SixteenBitTypesNarrowAsSupportDoes) {
  std::mt19937_64 random(7);
  auto check = [](double x) {
    ASSERT_EQ(narrow(x, F16), egg::doubleToHalf(x)) << x;
    ASSERT_EQ(narrow(x, BF16), egg::doubleToBfloat(x)) << x;
  };
  // Every value of each type, the middle to the next, and just beside it.
  for (uint32_t b = 0; b < 0x7c00; ++b) {
    double x = widen(b, F16), y = widen(b + 1, F16);
    double middle = std::isfinite(y) ? (x + y) / 2 : 65520;
    for (double v : {x, middle, std::nextafter(middle, 0),
                     std::nextafter(middle, inf), -middle})
      check(v);
  }
  for (uint32_t b = 0; b < 0x7f7f; ++b) {
    double middle = (widen(b, BF16) + widen(b + 1, BF16)) / 2;
    for (double v : {middle, std::nextafter(middle, 0),
                     std::nextafter(middle, inf), -middle})
      check(v);
  }
  for (int i = 0; i < 200000; ++i) {
    double x = kernels::doubleOf(random());
    if (!std::isnan(x))
      check(x);
  }
  for (double x : {0.0, -0.0, inf, -inf, 5e-324, 65519.99, 65520.0, 3.4e38})
    check(x);
  EXPECT_EQ(narrow(nan, F16), 0x7e00u);
  EXPECT_EQ(narrow(nan, BF16), 0x7fc0u);
}

TEST(Numbers, UlpDistanceCountsSpacings) {
  for (U32 type : {F32, F16, BF16}) {
    // One step up from any positive value is one ulp of that value.
    U64 infinity = type == F32 ? 0x7f800000u : type == F16 ? 0x7c00u : 0x7f80u;
    U64 step = type == F32 ? 65521 : 1;
    for (U64 b = 0; b + 1 < infinity; b += step)
      ASSERT_EQ(ulpDistance(widen(b + 1, type), widen(b, type), type), 1.0)
          << type << " " << b;
  }
  EXPECT_EQ(ulpDistance(5e-324, 0, F64), 1.0);
  EXPECT_EQ(ulpDistance(1 + 0x1p-52, 1, F64), 1.0);
  EXPECT_EQ(ulpDistance(0x1p-1022, 0, F64), 0x1p52);
  // Half a spacing counts as half, and past the largest value the last holds.
  EXPECT_EQ(ulpDistance(1, 1 + 0x1p-24, F32), 0.5);
  EXPECT_EQ(ulpDistance(65504, 65520, F16), 0.5);
}

TEST(Random, PhiloxMatchesThePublishedVectors) {
  // Known answers of Random123: kat_vectors, philox4x32 10.
  Block zero = philox(0, 0, 0);
  EXPECT_EQ(zero.word[0], 0x6627e8d5u);
  EXPECT_EQ(zero.word[1], 0xe169c58du);
  EXPECT_EQ(zero.word[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.word[3], 0x9b00dbd8u);
  Block ones = philox(~0ull, ~0ull, ~0ull);
  EXPECT_EQ(ones.word[0], 0x408f276du);
  EXPECT_EQ(ones.word[1], 0x41c83b0eu);
  EXPECT_EQ(ones.word[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.word[3], 0x6d5451fdu);
}

TEST(Random, LogarithmAgreesWithTheLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.37)
    EXPECT_NEAR(naturalLog(x), std::log(x),
                4e-16 * std::fabs(std::log(x)) + 1e-16);
}

TEST(Random, InverseNormalInvertsTheCumulativeFunction) {
  for (double p = 1e-15; p < 0.5; p *= 1.1) {
    double x = inverseNormal(p);
    EXPECT_NEAR(std::erfc(-x / std::sqrt(2.0)) / 2, p, 1e-13 * p);
    EXPECT_NEAR(inverseNormal(1 - p), -x, 1e-9 + 1e-15 / p);
  }
  EXPECT_EQ(inverseNormal(0.5), 0);
}

TEST(Random, NormalHasTheMomentsOfANormal) {
  std::vector<double> x = fill(200000, F64, Normal);
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (double v : x)
    m1 += v, m2 += v * v, m3 += v * v * v, m4 += v * v * v * v;
  double n = double(x.size());
  EXPECT_NEAR(m1 / n, 0, 0.01);
  EXPECT_NEAR(m2 / n, 1, 0.015);
  EXPECT_NEAR(m3 / n, 0, 0.04);
  EXPECT_NEAR(m4 / n, 3, 0.1);
}

TEST(Random, EachDistributionIsWhatItsNameSays) {
  for (U32 type : {F64, F32, F16, BF16}) {
    for (double v : fill(5000, type, Uniform)) {
      EXPECT_GT(v, 0);
      EXPECT_LE(v, 1);
    }
    size_t zeros = 0, negativeZeros = 0;
    for (double v : fill(5000, type, Zeros)) {
      zeros += v == 0;
      negativeZeros += v == 0 && std::signbit(v);
    }
    EXPECT_NEAR(double(zeros), 1250, 150);
    EXPECT_NEAR(double(negativeZeros), 625, 100);
    size_t subnormals = 0;
    for (double v : fill(5000, type, Subnormal))
      subnormals += v != 0 && std::fabs(v) < std::ldexp(1, minExponent(type));
    EXPECT_GT(subnormals, 2000u);
    std::set<double> equal;
    for (double v : fill(100, type, Equal))
      equal.insert(v);
    EXPECT_EQ(equal.size(), 1u);
    size_t nans = 0, infinities = 0;
    for (double v : fill(40960, type, Special)) {
      nans += std::isnan(v);
      infinities += std::isinf(v);
    }
    EXPECT_NEAR(double(nans), 10, 9);
    EXPECT_NEAR(double(infinities), 20, 15);
    double largest = 0;
    for (double v : fill(5000, type, Large)) {
      EXPECT_TRUE(std::isfinite(v));
      largest = std::max(largest, std::fabs(v));
    }
    EXPECT_GT(largest, std::ldexp(1, maxExponent(type) / 2 - 3));
    double least = 1, most = 0;
    for (double v : fill(5000, type, Wide)) {
      least = std::min(least, std::fabs(v));
      most = std::max(most, std::fabs(v));
    }
    EXPECT_LT(least, 0x1p-12);
    EXPECT_GT(most, 0x1p12);
    for (double v : fill(1000, type, Zeros, 1, true))
      EXPECT_FALSE(std::signbit(v));
  }
}

TEST(Random, ElementsDependOnSeedArgumentAndIndexAlone) {
  EXPECT_EQ(fill(100, F32, Normal, 5), fill(100, F32, Normal, 5));
  EXPECT_NE(fill(100, F32, Normal, 5), fill(100, F32, Normal, 6));
  std::vector<double> some = fill(50, F32, Normal, 5);
  std::vector<double> more = fill(100, F32, Normal, 5);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin()));
  std::set<double> distinct(more.begin(), more.end());
  EXPECT_EQ(distinct.size(), more.size());
}

TEST(Random, IntegersKeepTheirRange) {
  for (U32 type : {I64T, I32T, I16T, I8T}) {
    FillParams p = {};
    std::vector<int64_t> raw(1000);
    p.out = raw.data();
    p.count = 1000;
    p.type = type;
    p.ranged = 1;
    p.low = -3;
    p.high = 4;
    runKernel("egg_eval_fill", p, 3);
    std::set<int64_t> seen;
    for (uint64_t i = 0; i < 1000; ++i) {
      int shift = 64 - 8 * int(bytesOf(type));
      seen.insert(int64_t(loadBits(raw.data(), type, i) << shift) >> shift);
    }
    EXPECT_EQ(seen.size(), 8u);
    EXPECT_EQ(*seen.begin(), -3);
    EXPECT_EQ(*seen.rbegin(), 4);
  }
  std::vector<uint8_t> bits(1000);
  FillParams p = {};
  p.out = bits.data();
  p.count = 1000;
  p.type = I1T;
  runKernel("egg_eval_fill", p, 1);
  size_t ones = 0;
  for (uint8_t b : bits) {
    EXPECT_LE(b, 1);
    ones += b;
  }
  EXPECT_NEAR(double(ones), 500, 80);
}

TEST(Pattern, FillsAndChecksEveryByteAtAnyAlignment) {
  for (uint64_t offset : {0, 1, 2, 3})
    for (uint64_t bytes : {0, 1, 2, 3, 4, 5, 7, 8, 64, 67}) {
      alignas(8) uint8_t data[128];
      std::memset(data, 0x11, sizeof data);
      PatternParams p = {data + offset, bytes, 0xfffefffe, 0};
      runKernel("egg_eval_pattern", p, 3);
      for (uint64_t i = 0; i < sizeof data; ++i) {
        bool inside = i >= offset && i < offset + bytes;
        ASSERT_EQ(data[i], inside ? (i & 1 ? 0xff : 0xfe) : 0x11) << i;
      }
      U64 result[2] = {0, ~0ull};
      CheckPatternParams c = {data + offset, bytes, result, 0xfffefffe, 0};
      runKernel("egg_eval_check_pattern", c, 3);
      EXPECT_EQ(result[0], 0u);
      for (uint64_t wrong = 0; wrong < bytes; ++wrong) {
        uint8_t old = data[offset + wrong];
        data[offset + wrong] = 0;
        U64 found[2] = {0, ~0ull};
        c.result = found;
        runKernel("egg_eval_check_pattern", c, 3);
        ASSERT_EQ(found[0], 1u);
        ASSERT_EQ(found[1], wrong);
        data[offset + wrong] = old;
      }
    }
}

TEST(Checksum, SeesOneBitAndOneSwap) {
  std::vector<uint32_t> data(1000);
  for (uint32_t i = 0; i < 1000; ++i)
    data[i] = i * 7;
  auto sum = [&](uint64_t bytes, uint64_t threads) {
    U64 result = 0;
    ChecksumParams p = {data.data(), bytes, &result};
    runKernel("egg_eval_checksum", p, threads);
    return result;
  };
  U64 before = sum(4000, 5);
  EXPECT_EQ(before, sum(4000, 64));
  EXPECT_NE(before, sum(3999, 5));
  data[500] ^= 1;
  EXPECT_NE(before, sum(4000, 5));
  data[500] ^= 1;
  std::swap(data[1], data[2]);
  EXPECT_NE(before, sum(4000, 5));
}

TEST(Differ, TellsUnwrittenFromUnstable) {
  std::vector<uint16_t> a(8, 0xfffe), b(8, 0x5a5a);
  a[3] = b[3] = 7;
  a[5] = 1, b[5] = 2;
  U64 result[4] = {0, ~0ull, 0, ~0ull};
  DifferParams p = {a.data(), b.data(),   8,          result,
                    F16,      0xfffefffe, 0x5a5a5a5a, 0};
  runKernel("egg_eval_differ", p, 3);
  EXPECT_EQ(result[0], 6u);
  EXPECT_EQ(result[1], 0u);
  EXPECT_EQ(result[2], 1u);
  EXPECT_EQ(result[3], 5u);
}

TEST(Compare, EqualValuesHaveNoError) {
  Stats s = compare({1, -2, 0, 3e38f}, {1, -2, 0, double(3e38f)});
  EXPECT_EQ(s.count, 4u);
  EXPECT_EQ(s.compared, 4u);
  EXPECT_EQ(s.bitsDiffer, 0u);
  EXPECT_EQ(s.maxUlp, 0);
  EXPECT_EQ(s.sumError2, 0);
}

TEST(Compare, FindsTheWorstElementAndTheNorms) {
  Stats s = compare({1, 2, 4, 5}, {1, 2, 5, 5});
  EXPECT_EQ(s.bitsDiffer, 1u);
  EXPECT_EQ(s.firstBitsDiffer, 2u);
  EXPECT_EQ(s.maxErrorAt, 2u);
  EXPECT_DOUBLE_EQ(s.maxError, 0.2);
  EXPECT_DOUBLE_EQ(s.sumError2, 1);
  EXPECT_DOUBLE_EQ(s.sumGolden2, 55);
  EXPECT_EQ(s.maxUlp, 0x1p21); // spacing at 5 is 2^-21
  // The scale is of absolute values: less than the golden it cannot be.
  s = compare({1, 1}, {1, 1.5}, {}, {10, 0});
  EXPECT_DOUBLE_EQ(s.maxError, 0.5 / 1.5);
  EXPECT_DOUBLE_EQ(s.sumScale2, 100 + 2.25);
}

TEST(Compare, NonFiniteStandsWhereGoldenOrReferenceHasIt) {
  float i = float(inf), n = float(nan);
  EXPECT_EQ(compare({i, n, -i}, {inf, nan, -inf}).nonFiniteMismatch, 0u);
  EXPECT_EQ(compare({i, n, -i}, {inf, nan, -inf}).goldenNonFinite, 3u);
  EXPECT_EQ(compare({-i}, {inf}).nonFiniteMismatch, 1u);
  EXPECT_EQ(compare({n}, {inf}).nonFiniteMismatch, 1u);
  EXPECT_EQ(compare({1}, {nan}).nonFiniteMismatch, 1u);
  EXPECT_EQ(compare({n}, {1}).nonFiniteMismatch, 1u);
  // 1e300 is infinite in f32, and a candidate that saturates is wrong.
  EXPECT_EQ(compare({i}, {1e300}).nonFiniteMismatch, 0u);
  EXPECT_EQ(compare({3.4e38f}, {1e300}).nonFiniteMismatch, 1u);
  // What the payload's own types give is allowed too.
  EXPECT_EQ(compare({i}, {1}, {i}).nonFiniteMismatch, 0u);
  EXPECT_EQ(compare({1}, {nan}, {1}).nonFiniteMismatch, 0u);
  EXPECT_EQ(compare({2}, {nan}, {i}).nonFiniteMismatch, 1u);
}

TEST(Compare, BothZerosAreEqualInValueAndNotInBits) {
  Stats s = compare({0.0f}, {-0.0});
  EXPECT_EQ(s.bitsDiffer, 1u);
  EXPECT_EQ(s.maxError, 0);
  s = compare({1e-30f}, {0});
  EXPECT_EQ(s.maxError, inf);
}

TEST(Compare, PoisonIsSeenAlsoUnderANaN) {
  float poison = egg::floatOf(0xfffefffe);
  EXPECT_EQ(compare({poison, 1}, {nan, 1}, {}, {}, 0xfffefffe, true).poisoned,
            1u);
  EXPECT_EQ(compare({poison, 1}, {2, 1}, {}, {}, 0xfffefffe, true).poisoned,
            1u);
  float plain = float(nan);
  EXPECT_EQ(compare({plain, 1}, {nan, 1}, {}, {}, 0xfffefffe, true).poisoned,
            0u);
}

TEST(Compare, DoesNotDependOnTheNumberOfThreadsBeyondSums) {
  std::vector<double> golden = fill(1000, F64, Normal);
  std::vector<float> candidate(golden.begin(), golden.end());
  candidate[77] += 1;
  for (uint64_t threads : {1, 3, 1000, 4000}) {
    std::vector<Stats> partials(threads), merged(4);
    CompareParams p = {};
    p.candidate = candidate.data();
    p.golden = golden.data();
    p.partials = partials.data();
    p.count = 1000;
    p.unit = 1;
    p.type = F32;
    runKernel("egg_eval_compare", p, threads);
    MergeParams m = {partials.data(), merged.data(), threads};
    runKernel("egg_eval_merge", m, 4);
    MergeParams last = {merged.data(), partials.data(), 4};
    runKernel("egg_eval_merge", last, 1);
    EXPECT_EQ(partials[0].count, 1000u);
    EXPECT_EQ(partials[0].maxErrorAt, 77u);
    EXPECT_EQ(partials[0].compared, 1000u);
  }
}

TEST(Mutate, SpoilsAsNamed) {
  std::vector<float> in = {1.00048828125f * 1.0001f, 2, 3, 4, 5, 6}, out(6);
  MutateParams p = {};
  p.in = in.data();
  p.out = out.data();
  p.count = 6;
  p.columns = 3;
  p.type = F32;
  p.mutation = MutateShift;
  runKernel("egg_eval_mutate", p, 2);
  EXPECT_EQ(out, (std::vector<float>{2, 3, in[0], 5, 6, 4}));
  p.mutation = MutateConstant;
  p.value = 2.5;
  runKernel("egg_eval_mutate", p, 2);
  EXPECT_EQ(out, std::vector<float>(6, 2.5f));
  p.mutation = MutateTf32;
  runKernel("egg_eval_mutate", p, 2);
  EXPECT_NE(out[0], in[0]);
  EXPECT_NEAR(out[0], in[0], 0x1p-11);
  EXPECT_EQ(out[1], 2);
  p.mutation = MutateZeroTail;
  p.inner = 2;
  p.columns = 3;
  p.keep = 2;
  runKernel("egg_eval_mutate", p, 2);
  EXPECT_EQ(out, (std::vector<float>{in[0], 2, 3, 4, 0, 0}));
}

TEST(Narrow, GivesThePayloadsType) {
  std::vector<double> golden = {1, 1e300, 0x1p-149, nan};
  std::vector<float> out(4);
  NarrowParams p = {golden.data(), out.data(), 4, F32, 0};
  runKernel("egg_eval_narrow", p, 3);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], float(inf));
  EXPECT_EQ(out[2], 0x1p-149f);
  EXPECT_TRUE(std::isnan(out[3]));
}

TEST(Ptx, RoundsEveryOperationAndHasAllKernels) {
  std::ifstream file(EGG_EVAL_PTX);
  ASSERT_TRUE(file) << EGG_EVAL_PTX;
  std::stringstream text;
  text << file.rdbuf();
  std::string ptx = text.str();
  size_t entries = 0;
  std::string line;
  while (std::getline(text, line)) {
    // Without .rn ptxas may fuse; a fused or flushed operation differs from
    // the host's.
    EXPECT_EQ(line.find("fma"), std::string::npos) << line;
    EXPECT_EQ(line.find(".ftz"), std::string::npos) << line;
    EXPECT_EQ(line.find("call"), std::string::npos) << line;
    for (const char *op :
         {"\tadd.f", "\tmul.f", "\tsub.f", "\tdiv.f", "approx"})
      EXPECT_EQ(line.find(op), std::string::npos) << line;
    size_t at = line.find(".entry ");
    if (at == std::string::npos)
      continue;
    ++entries;
    std::string name = line.substr(at + 7, line.find('(') - at - 7);
    const HostKernel *kernel = findHostKernel(name);
    ASSERT_NE(kernel, nullptr) << name;
    std::getline(text, line);
    EXPECT_NE(line.find("[" + std::to_string(kernel->parameterBytes) + "]"),
              std::string::npos)
        << line;
  }
  EXPECT_EQ(entries, 10u);
  EXPECT_NE(ptx.find("mul.rn.f64"), std::string::npos);
  EXPECT_NE(ptx.find(".version 7.0"), std::string::npos);
}

TEST(HostKernels, RefuseUnknownNames) {
  EXPECT_EQ(findHostKernel("egg_eval_nothing"), nullptr);
}

} // namespace
