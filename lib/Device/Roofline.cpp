//===- Roofline.cpp - The least time that work can take -------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Williams, Waterman, Patterson, "Roofline: an insightful visual performance
// model for multicore architectures", CACM 52(4), 2009.
//
//===----------------------------------------------------------------------===//

#include "egg/Device/Roofline.h"

#include <algorithm>
#include <cmath>

using namespace egg;

Result<Roofline> egg::roofline(const DeviceSpec &spec, const Work &work,
                               double memoryGBps) {
  auto sound = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!sound(work.ops) || !sound(work.bytes) || !sound(memoryGBps))
    return Error(ErrorKind::Verify,
                 "a roofline of " + std::to_string(work.ops) +
                     " operations and " + std::to_string(work.bytes) +
                     " bytes at " + std::to_string(memoryGBps) +
                     " GB/s: each must be finite and not negative");
  double peak = spec.peakOps(work.instructionClass);
  if (work.ops > 0 && peak <= 0)
    return Error(ErrorKind::Unsupported,
                 spec.name + " (" + spec.chip + ") has no instructions of " +
                     std::string(toString(work.instructionClass)));
  double rate = memoryGBps > 0 ? memoryGBps : spec.memoryGBps;
  Roofline result;
  result.computeMs = work.ops > 0 ? work.ops / peak * 1e3 : 0;
  result.memoryMs = work.bytes / (rate * 1e9) * 1e3;
  result.floorMs = std::max(result.computeMs, result.memoryMs);
  result.bound = result.computeMs > result.memoryMs ? RooflineBound::Compute
                                                    : RooflineBound::Memory;
  return result;
}
