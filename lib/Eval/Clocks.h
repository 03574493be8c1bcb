//===- Clocks.h - the device's clock while it is timed ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read from the driver's NVML where it is there; only read, never set.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_CLOCKS_H
#define EGG_EVAL_CLOCKS_H

#include "egg/Eval/Protocol.h"

#include <chrono>
#include <optional>
#include <string>

namespace egg::eval {

/// Collects what NVML says during one timing.
class Clocks {
public:
  /// Opens $EGG_NVML, else libnvidia-ml.so.1, and the device with that PCI bus
  /// address. Where any of that fails, nothing is ever read.
  explicit Clocks(const std::string &pciBusId);

  /// To be called while the device is busy; reads at most every 50 ms, so that
  /// the calls, of about a millisecond, do not fill the time.
  void read();

  /// Nothing when nothing was read.
  const std::optional<ClockReport> &report() const { return seen; }

private:
  using Device = struct DeviceOpaque *;
  Device device = nullptr;
  int (*getClock)(Device, int, unsigned *) = nullptr;
  int (*getReasons)(Device, unsigned long long *) = nullptr;
  std::optional<std::chrono::steady_clock::time_point> last;
  std::optional<ClockReport> seen;
};

} // namespace egg::eval

#endif // EGG_EVAL_CLOCKS_H
