//===- DeviceKernelsTest.cpp - the kernels through a driver -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the fake driver; with EGG_TEST_GPU=1 on the machine's own, where it shows
// that a GPU gives the same bits as the host.
//
//===----------------------------------------------------------------------===//

#include "DeviceKernels.h"
#include "Memory.h"

#include "egg/Eval/HostKernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace egg;
using namespace egg::eval;

namespace {

const ElementType types[] = {
    ElementType::F64,  ElementType::F32, ElementType::F16,
    ElementType::BF16, ElementType::I64, ElementType::I32,
    ElementType::I16,  ElementType::I8,  ElementType::I1};

class DeviceKernelsTest : public ::testing::Test {
protected:
  static bool onGpu() {
    const char *wish = std::getenv("EGG_TEST_GPU");
    return wish && std::string(wish) == "1";
  }

  static void SetUpTestSuite() {
    if (!onGpu()) {
      setenv("EGG_CUDA_DRIVER", EGG_FAKE_CUDA, 1);
      setenv("EGG_FAKE_KERNELS", EGG_FAKE_KERNELS_LIBRARY, 1);
    }
    Result<Driver> driver = Driver::open();
    ASSERT_TRUE(driver) << driver.error().str();
    Result<Context> context = Context::create(*driver);
    ASSERT_TRUE(context) << context.error().str();
    Result<DeviceKernels> loaded = DeviceKernels::load(*context);
    ASSERT_TRUE(loaded) << loaded.error().str();
    kernels = std::make_unique<DeviceKernels>(loaded.take());
  }
  static void TearDownTestSuite() { kernels.reset(); }

  void SetUp() override { ASSERT_TRUE(kernels); }

  static DeviceBuffer buffer(uint64_t bytes) {
    Result<DeviceBuffer> made = kernels->context().allocate(bytes);
    EXPECT_TRUE(made) << made.error().str();
    return made ? made.take() : DeviceBuffer();
  }
  static std::vector<uint8_t> bytesOf(DevicePtr from, uint64_t bytes) {
    std::vector<uint8_t> data(bytes);
    EXPECT_TRUE(kernels->stream().copyToHost(data.data(), from, bytes));
    EXPECT_TRUE(kernels->stream().synchronize());
    return data;
  }
  static std::vector<uint8_t> hostFill(ElementType type, uint64_t count,
                                       Distribution distribution,
                                       bool absolute) {
    std::vector<uint8_t> data(count * elementBytes(type));
    kernels::FillParams p = {};
    p.out = data.data();
    p.count = count;
    p.seed = 11;
    p.argument = 3;
    p.type = uint32_t(type);
    p.distribution = uint32_t(distribution);
    p.absolute = absolute;
    findHostKernel("egg_eval_fill")->run(&p, 0, 1);
    return data;
  }

  static std::unique_ptr<DeviceKernels> kernels;
};

std::unique_ptr<DeviceKernels> DeviceKernelsTest::kernels;

TEST_F(DeviceKernelsTest, DrawTheSameBitsAsTheHost) {
  uint64_t count = onGpu() ? 3000000 : 3000;
  DeviceBuffer out = buffer(count * 8);
  for (ElementType type : types)
    for (Distribution distribution : allDistributions())
      for (bool absolute : {false, true}) {
        ASSERT_TRUE(kernels->draw(out.pointer(), type, count, distribution, 11,
                                  3, absolute, nullptr));
        uint64_t bytes = count * elementBytes(type);
        std::vector<uint8_t> device = bytesOf(out.pointer(), bytes);
        std::vector<uint8_t> host =
            hostFill(type, count, distribution, absolute);
        EXPECT_TRUE(device == host)
            << toString(type) << " " << toString(distribution) << " "
            << absolute;
      }
}

TEST_F(DeviceKernelsTest, CompareTheSameAsTheHost) {
  uint64_t count = onGpu() ? 200003 : 20003;
  DeviceBuffer golden = buffer(count * 8), candidate = buffer(count * 8);
  for (ElementType type :
       {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    for (Distribution distribution :
         {Distribution::Normal, Distribution::Subnormal,
          Distribution::Special}) {
      ASSERT_TRUE(kernels->draw(golden.pointer(), ElementType::F64, count,
                                distribution, 5, 0, false, nullptr));
      ASSERT_TRUE(
          kernels->narrow(golden.pointer(), candidate.pointer(), type, count));
      Comparison c;
      c.candidate = candidate.pointer();
      c.golden = golden.pointer();
      c.count = count;
      c.type = type;
      Result<Compared> got = kernels->compare(c);
      ASSERT_TRUE(got) << got.error().str();

      std::vector<uint8_t> g = bytesOf(golden.pointer(), count * 8);
      std::vector<uint8_t> d =
          bytesOf(candidate.pointer(), count * elementBytes(type));
      std::vector<kernels::Stats> partials(1);
      kernels::CompareParams p = {};
      p.candidate = d.data();
      p.golden = g.data();
      p.partials = partials.data();
      p.count = count;
      p.unit = 1;
      p.type = uint32_t(type);
      findHostKernel("egg_eval_compare")->run(&p, 0, 1);
      const kernels::Stats &want = partials[0];
      EXPECT_EQ(got->stats.count, want.count);
      EXPECT_EQ(got->stats.compared, want.compared);
      EXPECT_EQ(got->stats.goldenNonFinite, want.goldenNonFinite);
      EXPECT_EQ(got->stats.nonFiniteMismatch, 0u);
      EXPECT_EQ(got->stats.bitsDiffer, 0u);
      EXPECT_EQ(got->stats.maxUlp, want.maxUlp);
      EXPECT_EQ(got->stats.maxUlpAt, want.maxUlpAt);
      EXPECT_EQ(got->stats.maxError, want.maxError);
      EXPECT_EQ(got->stats.maxErrorAt, want.maxErrorAt);
      EXPECT_LE(got->stats.maxUlp, 0.5);
      // Only sums depend on the order of adding.
      EXPECT_NEAR(got->stats.meanUlp, want.sumUlp / double(want.compared),
                  1e-12);
    }
  }
}

TEST_F(DeviceKernelsTest, FindDamageAndDifferences) {
  DeviceBuffer a = buffer(1 << 20), b = buffer(1 << 20);
  ASSERT_TRUE(kernels->pattern({a.pointer() + 3, 100001}, nanPattern));
  ASSERT_TRUE(kernels->pattern({b.pointer(), 1 << 20}, finitePattern));
  Result<DeviceKernels::Damage> damage =
      kernels->checkPattern({{a.pointer() + 3, 100001}}, nanPattern);
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->bytes, 0u);
  ASSERT_TRUE(kernels->stream().fill(a.pointer() + 1000, 0, 7));
  damage = kernels->checkPattern({{b.pointer(), 0}, {a.pointer() + 3, 100001}},
                                 nanPattern);
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->bytes, 7u);
  EXPECT_EQ(damage->span, 1u);
  EXPECT_EQ(damage->offset, 997u);

  Result<std::vector<uint64_t>> sums = kernels->checksums(
      {{a.pointer(), 100000}, {a.pointer(), 100000}, {b.pointer(), 100000}});
  ASSERT_TRUE(sums);
  EXPECT_EQ((*sums)[0], (*sums)[1]);
  EXPECT_NE((*sums)[0], (*sums)[2]);

  ASSERT_TRUE(kernels->pattern({a.pointer(), 4000}, nanPattern));
  ASSERT_TRUE(kernels->stream().fillWords(a.pointer() + 40, 7, 2));
  ASSERT_TRUE(kernels->stream().fillWords(b.pointer() + 40, 7, 1));
  Result<Difference> d =
      kernels->differ(a.pointer(), b.pointer(), ElementType::F32, 1000);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->unwritten, 998u);
  EXPECT_EQ(d->differ, 1u);
  EXPECT_EQ(d->firstDiffer, 11u);
}

TEST_F(DeviceKernelsTest, GuardsSeeOneByteOnEitherSide) {
  for (Placement placement : {Placement::Zones, Placement::Unmapped})
    for (uint64_t bytes : {0, 1, 1000, 70000}) {
      Result<GuardedBuffer> made =
          GuardedBuffer::create(*kernels, bytes, 256, placement, "the buffer");
      ASSERT_TRUE(made) << made.error().str();
      std::vector<const GuardedBuffer *> all = {&*made};
      EXPECT_TRUE(checkGuards(*kernels, all));
      if (bytes)
        ASSERT_TRUE(kernels->stream().fill(made->pointer(), 1, bytes));
      EXPECT_TRUE(checkGuards(*kernels, all));
      for (const DeviceSpan &zone : made->guards()) {
        ASSERT_TRUE(kernels->stream().fill(zone.pointer, 0, 1));
        Status status = checkGuards(*kernels, all);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().kind, ErrorKind::OutOfBoundsWrite);
        ASSERT_TRUE(kernels->pattern(zone, nanPattern));
      }
    }
}

TEST_F(DeviceKernelsTest, FlushRuns) {
  EXPECT_TRUE(kernels->flush());
  EXPECT_TRUE(kernels->stream().synchronize());
}

} // namespace
