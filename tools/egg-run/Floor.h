//===- Floor.h - how fast a payload can be at best --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TOOLS_EGG_RUN_FLOOR_H
#define EGG_TOOLS_EGG_RUN_FLOOR_H

#include "egg/Device/DeviceSpec.h"
#include "egg/Proposal/CompilerProtocol.h"
#include "egg/Runtime/LaunchPlan.h"

#include <cstdint>
#include <optional>

namespace egg {

/// The work that every program for a payload does, and the time that it needs
/// at the rates of the device's data sheet. It is the payload's, not the
/// plan's: what a plan moves between its kernels is not in it.
struct PayloadFloor {
  /// Each argument that is read in every element, and each result, once. Where
  /// they fit, a cache can hold results back or arguments ready.
  uint64_t bytes = 0;
  /// Of the contractions; nullopt when that is not known.
  std::optional<double> flops;
  /// The longer of both, in milliseconds.
  double ms = 0;
};

/// `facts` and `plan` are those of one payload. Contractions count at the rate
/// of the fastest instructions that could give them right: tensor cores where
/// the type has them, for f32 three products of tf32 each.
PayloadFloor floorOf(const VerifyAnswer &facts, const LaunchPlan &plan,
                     const DeviceSpec &device);

} // namespace egg

#endif // EGG_TOOLS_EGG_RUN_FLOOR_H
