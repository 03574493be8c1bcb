//===- OccupancyTest.cpp - how full a multiprocessor gets -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Occupancy.h"

#include "gtest/gtest.h"

using namespace egg;

/// Expected figures are those of NVIDIA's occupancy calculator for 9.0.
TEST(Occupancy, IsThatOfTheCalculator) {
  DeviceSpec h200 = findDevice("h200").take();
  auto blocks = [&](int64_t threads, int64_t registers, int64_t shared) {
    return occupancyOf(h200, threads, registers, shared).blocks;
  };
  EXPECT_EQ(blocks(256, 32, 0), 8);
  EXPECT_EQ(occupancyOf(h200, 256, 32, 0).share, 1.0);
  // Registers: 33 a thread are given out as 40.
  EXPECT_EQ(blocks(256, 33, 0), 6);
  EXPECT_EQ(blocks(128, 255, 0), 2);
  // Blocks.
  EXPECT_EQ(blocks(32, 32, 0), 32);
  EXPECT_EQ(occupancyOf(h200, 32, 32, 0).share, 0.5);
  // Shared memory: 228 KiB, of which each block costs 1 KiB more.
  EXPECT_EQ(blocks(128, 32, 48 << 10), 4);
  EXPECT_EQ(blocks(128, 32, 227 << 10), 1);
  // A part of a warp is a warp.
  EXPECT_EQ(blocks(33, 32, 0), 32);
}

TEST(Occupancy, IsNothingForWhatCannotRun) {
  DeviceSpec h200 = findDevice("h200").take();
  EXPECT_EQ(occupancyOf(h200, 1025, 32, 0).blocks, 0);
  EXPECT_EQ(occupancyOf(h200, 0, 32, 0).blocks, 0);
  EXPECT_EQ(occupancyOf(h200, 128, 32, (227 << 10) + 1).blocks, 0);
  EXPECT_EQ(occupancyOf(h200, 1024, 255, 0).blocks, 0);
}
