//===- TimingTest.cpp - figures of a timing ---------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Timing.h"

#include <gtest/gtest.h>

using namespace egg;
using namespace egg::eval;

namespace {

TEST(Timing, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 7}), 6);
}

TEST(Timing, EnoughSamples) {
  EXPECT_FALSE(enoughSamples({}, 0, 1, 10));
  EXPECT_TRUE(enoughSamples({1}, 0, 1, 10));
  EXPECT_FALSE(enoughSamples({1, 1}, 3, 1, 10));
  EXPECT_TRUE(enoughSamples({1, 1, 1}, 3, 1, 10));
  EXPECT_FALSE(enoughSamples({1, 1, 1}, 3, 4, 10));
  EXPECT_TRUE(enoughSamples({1, 1}, 1000, 2, 2)); // never more than the most
}

LaunchPlan planOf(std::vector<std::pair<uint64_t, uint64_t>> work) {
  LaunchPlan plan;
  for (auto [flops, bytes] : work) {
    PlanKernel kernel;
    kernel.flops = flops;
    kernel.bytes = bytes;
    PlanNode node;
    node.kernel = uint32_t(plan.kernels.size());
    plan.kernels.push_back(kernel);
    plan.nodes.push_back(node);
  }
  return plan;
}

TEST(Timing, LeastTimeIsTheLargerOfFlopsAndBytes) {
  Peak peak = {1e12, 1e12};
  EXPECT_DOUBLE_EQ(leastMs(planOf({{2000000000, 0}}), peak, 0), 2);
  EXPECT_DOUBLE_EQ(leastMs(planOf({{1000000000, 3000000000}}), peak, 0), 3);
  EXPECT_DOUBLE_EQ(leastMs(planOf({}), peak, 0), 0);
  // Launches add up, each less twice the cache.
  EXPECT_DOUBLE_EQ(
      leastMs(planOf({{0, 3000000000}, {0, 500000000}}), peak, 500000000), 2);
  EXPECT_DOUBLE_EQ(leastMs(planOf({{1000000000, 1}}), Peak{0, 0}, 0), 0);
}

TEST(Timing, LoopsCountTheirTrips) {
  LaunchPlan plan = planOf({{1000000000, 0}});
  for (int64_t trips : {3, 5}) {
    PlanNode loop;
    loop.op = PlanNode::Op::Loop;
    loop.trips = trips;
    loop.body = plan.nodes;
    plan.nodes = {loop};
  }
  EXPECT_DOUBLE_EQ(leastMs(plan, Peak{1e12, 1e12}, 0), 15);
  // No trip count overflows.
  plan.nodes[0].trips = INT64_MAX;
  EXPECT_GT(leastMs(plan, Peak{1e12, 1e12}, 0), 1e18);
}

TEST(Timing, RooflineAllowsWhatEventsAreOff) {
  EXPECT_TRUE(checkRoofline(1, 1));
  EXPECT_TRUE(checkRoofline(0.9995, 1));
  Status fault = checkRoofline(0.998, 1);
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, ErrorKind::RooflineFault);
  EXPECT_TRUE(checkRoofline(0, 0));
}

} // namespace
