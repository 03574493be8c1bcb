//===- Occupancy.h - how full a multiprocessor gets -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SEARCH_OCCUPANCY_H
#define EGG_SEARCH_OCCUPANCY_H

#include "egg/Device/DeviceSpec.h"

#include <cstdint>

namespace egg {

struct Occupancy {
  /// Blocks that run at once on one multiprocessor; 0 when one is too many.
  int64_t blocks = 0;
  /// Threads that run at once over those that could, 0 to 1.
  double share = 0;
};

/// Of a kernel with `threads` in a block, `registers` a thread and
/// `sharedBytes` a block, static and dynamic. Registers are given out to warps
/// in units of 256 and to four warps at a time, shared memory in units of 128
/// bytes (NVIDIA's occupancy calculator, compute capability 8.0 to 12.0). The
/// driver's own answer needs the device; see LoadedKernel.
Occupancy occupancyOf(const DeviceSpec &device, int64_t threads,
                      int64_t registers, int64_t sharedBytes);

} // namespace egg

#endif // EGG_SEARCH_OCCUPANCY_H
