//===- Roofline.h - The least time that work can take -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the device's peaks allow; a measured time below it is a fault of
// measuring (docs/evaluation.md).
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DEVICE_ROOFLINE_H
#define EGG_DEVICE_ROOFLINE_H

#include "egg/Device/DeviceSpec.h"

namespace egg {

/// The least work of a kernel or a payload: operations (a fused multiply-add
/// counts as two), by what executes them, and bytes to and from memory.
struct Work {
  double ops = 0;
  InstructionClass instructionClass = InstructionClass::F32;
  double bytes = 0;
};

/// Which side of the roof is the lower one.
enum class RooflineBound { Compute, Memory };

struct Roofline {
  double computeMs = 0;
  double memoryMs = 0;
  /// max(computeMs, memoryMs).
  double floorMs = 0;
  RooflineBound bound = RooflineBound::Memory;
};

/// The floor of `work` on the device: ops over the peak of their class, bytes
/// over `memoryGBps` (0: the data sheet's). Fails with `unsupported` when the
/// device has no instructions of that class, with `verify` for work that is
/// negative or not finite.
Result<Roofline> roofline(const DeviceSpec &spec, const Work &work,
                          double memoryGBps = 0);

} // namespace egg

#endif // EGG_DEVICE_ROOFLINE_H
