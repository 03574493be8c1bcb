//===- DeviceKernels.h - launches the worker's kernels ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of lib/Eval/kernels as PTX inside this library, and one typed
// call for each. Nothing here waits unless it says so.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_DEVICEKERNELS_H
#define EGG_EVAL_DEVICEKERNELS_H

#include "kernels/KernelParams.h"

#include "egg/Eval/Gate.h"
#include "egg/Eval/Inputs.h"
#include "egg/Runtime/Driver.h"
#include "egg/Runtime/LaunchPlan.h"

#include <map>
#include <string>
#include <vector>

namespace egg::eval {

/// What outputs, workspaces and guard zones are filled with: NaN in every float
/// type; and a finite value that differs from it in every byte.
constexpr uint32_t nanPattern = 0xfffefffe;
constexpr uint32_t finitePattern = 0x5a5a5a5a;

/// A range of device memory.
struct DeviceSpan {
  DevicePtr pointer = 0;
  uint64_t bytes = 0;
};

/// Result of comparing two runs.
struct Difference {
  uint64_t unwritten = 0, firstUnwritten = 0;
  uint64_t differ = 0, firstDiffer = 0;
};

/// One comparison of an output with its golden; see kernels::CompareParams.
struct Comparison {
  DevicePtr candidate = 0, golden = 0, reference = 0, scale = 0;
  uint64_t count = 0;
  ElementType type = ElementType::F32;
  double unit = 1, floor = 0;
  bool checkPoison = false;
};

/// What a comparison found: the gate's figures, and what a next comparison of
/// the same golden needs.
struct Compared {
  OutputStats stats;
  double maxScale = 0;
  /// Root of the mean square of the scale times the unit, and the golden's sum
  /// times the unit.
  double rmsScale = 0, sumGolden = 0;
};

class DeviceKernels {
public:
  /// Has the driver compile the PTX for the context's device.
  static Result<DeviceKernels> load(const Context &context);

  const Context &context() const { return owner; }
  const Stream &stream() const { return queue; }

  /// Draws argument number `argument` of an input set.
  Status draw(DevicePtr out, ElementType type, uint64_t count,
              Distribution distribution, uint64_t seed, uint64_t argument,
              bool absolute, const IntegerRange *range) const;
  Status pattern(DeviceSpan span, uint32_t pattern) const;
  Status narrow(DevicePtr golden, DevicePtr out, ElementType type,
                uint64_t count) const;
  Status mutate(const kernels::MutateParams &params) const;

  /// Waits. The number of bytes of all spans that differ from the pattern, and
  /// the span and offset of the first.
  struct Damage {
    uint64_t bytes = 0, offset = 0;
    size_t span = 0;
  };
  Result<Damage> checkPattern(const std::vector<DeviceSpan> &spans,
                              uint32_t pattern) const;
  /// Waits. One sum a span.
  Result<std::vector<uint64_t>>
  checksums(const std::vector<DeviceSpan> &spans) const;
  /// Adds the sum of a span to a 64-bit word on the device.
  Status checksumInto(DeviceSpan span, DevicePtr word) const;
  /// Waits. Compares two runs whose outputs had held the two patterns.
  Result<Difference> differ(DevicePtr first, DevicePtr second, ElementType type,
                            uint64_t count) const;
  /// Waits.
  Result<Compared> compare(const Comparison &comparison) const;

  /// Puts a flush of the L2 cache on the stream: writes twice its size, reads a
  /// clean buffer of its size. Allocates the buffers on first use.
  Status flush();

private:
  DeviceKernels(Context context, Module module, Stream stream)
      : owner(std::move(context)), module(std::move(module)),
        queue(std::move(stream)) {}

  template <typename Params>
  Status launch(const char *name, const Params &params, uint64_t items) const;
  Status launchThreads(const char *name, const void *params,
                       uint64_t threads) const;

  Context owner;
  Module module;
  Stream queue;
  std::map<std::string, Kernel> kernels;
  /// Partial and merged Stats, and a few words of results.
  DeviceBuffer partials, merged, words;
  DeviceBuffer dirty, clean, sink;
};

} // namespace egg::eval

#endif // EGG_EVAL_DEVICEKERNELS_H
