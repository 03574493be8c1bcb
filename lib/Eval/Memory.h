//===- Memory.h - device buffers with guard zones ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every buffer that a candidate sees has bytes of a known pattern before and
// behind it, or an unmapped page behind it.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_MEMORY_H
#define EGG_EVAL_MEMORY_H

#include "DeviceKernels.h"

#include <string>
#include <vector>

namespace egg::eval {

/// Zones: 64 KiB of pattern on either side, which show writes. Unmapped: the
/// end lies against an unmapped page, which faults on reads too.
enum class Placement { Zones, Unmapped };

/// A buffer between guards.
class GuardedBuffer {
public:
  GuardedBuffer() = default;

  /// Allocates and puts the filling of the guards on the kernels' stream; what
  /// the buffer itself holds is left open. `align` matters for Unmapped: the
  /// end may be that much before the page. `name` is for messages. A device
  /// without virtual memory gets Zones.
  static Result<GuardedBuffer> create(const DeviceKernels &kernels,
                                      uint64_t bytes, uint64_t align,
                                      Placement placement, std::string name);

  /// Never 0, also for an empty buffer.
  DevicePtr pointer() const { return body.pointer; }
  uint64_t bytes() const { return body.bytes; }
  DeviceSpan span() const { return body; }
  const std::string &name() const { return title; }
  const std::vector<DeviceSpan> &guards() const { return zones; }

private:
  DeviceBuffer buffer;
  DeviceSpan body;
  std::vector<DeviceSpan> zones;
  std::string title;
};

/// Waits. Fails with `out-of-bounds-write`, naming the buffer and how far from
/// it the first damaged byte is.
Status checkGuards(const DeviceKernels &kernels,
                   const std::vector<const GuardedBuffer *> &buffers);

} // namespace egg::eval

#endif // EGG_EVAL_MEMORY_H
