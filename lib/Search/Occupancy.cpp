//===- Occupancy.cpp - how full a multiprocessor gets -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Occupancy.h"

#include <algorithm>

using namespace egg;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

Occupancy egg::occupancyOf(const DeviceSpec &device, int64_t threads,
                           int64_t registers, int64_t sharedBytes) {
  Occupancy occupancy;
  if (threads < 1 || threads > device.threadsPerBlock || registers < 0 ||
      registers > device.registersPerThread || sharedBytes < 0 ||
      sharedBytes > device.sharedBytesPerBlock)
    return occupancy;
  int64_t warps = (threads + device.warpSize - 1) / device.warpSize;
  int64_t blocks = std::min<int64_t>(device.blocksPerMultiprocessor,
                                     device.threadsPerMultiprocessor /
                                         (warps * device.warpSize));
  if (registers > 0) {
    int64_t perWarp = roundUp(registers * device.warpSize, 256);
    int64_t resident = device.registersPerMultiprocessor / perWarp / 4 * 4;
    blocks = std::min(blocks, resident / warps);
  }
  int64_t shared = roundUp(sharedBytes + device.sharedBytesReserved, 128);
  if (shared > 0)
    blocks = std::min(blocks, device.sharedBytesPerMultiprocessor / shared);
  occupancy.blocks = blocks;
  occupancy.share = double(blocks * warps * device.warpSize) /
                    double(device.threadsPerMultiprocessor);
  return occupancy;
}
