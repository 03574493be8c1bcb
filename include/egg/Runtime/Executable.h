//===- Executable.h - An artifact that can be launched ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads an artifact's modules and constants and runs its launch plan on a
// stream, with the caller's pointers.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_RUNTIME_EXECUTABLE_H
#define EGG_RUNTIME_EXECUTABLE_H

#include "egg/Runtime/Artifact.h"
#include "egg/Runtime/Driver.h"

#include <memory>
#include <vector>

namespace egg {

/// One kernel of a loaded executable.
struct LoadedKernel {
  std::string symbol;
  KernelFacts facts;
  uint64_t dynamicSharedBytes = 0;
  uint32_t blockThreads = 0;
  uint64_t gridBlocks = 0;
  /// Blocks that run at once on one multiprocessor.
  int blocksPerMultiprocessor = 0;
  /// Threads that run at once over those that could, 0 to 1.
  double occupancy = 0;
};

/// A loaded artifact. `launch` may be called from several threads at once, each
/// with its own stream, results and workspace.
class Executable {
public:
  /// Loads modules and constants; checks the chip, the launch shapes and shared
  /// memory against the device, and the number and sizes of kernel parameters
  /// against the driver's where it tells them. Fails with `wrong-arch`, `load`,
  /// `verify`, `limit`, `out-of-memory` and what the driver says.
  static Result<Executable> load(const Context &context,
                                 const Artifact &artifact);
  Executable(Executable &&) noexcept;
  Executable &operator=(Executable &&) noexcept;
  ~Executable();

  const Context &context() const;
  const LaunchPlan &plan() const;
  const std::vector<LoadedKernel> &kernels() const;
  /// Launches of kernels in one run, loops unrolled.
  uint64_t launchCount() const;

  /// Checks the numbers, null pointers and alignments of pointers, that results
  /// and workspace overlap neither each other nor any argument. For a result
  /// that is an argument updated in place the pointer must be the argument's or
  /// 0. `workspace` may be 0 when the plan needs none. Fails with `verify`.
  Status checkPointers(const std::vector<DevicePtr> &arguments,
                       const std::vector<DevicePtr> &results,
                       DevicePtr workspace) const;

  /// Puts one run of the plan on the stream, after `checkPointers`. Allocates
  /// and waits for nothing, so it can be captured.
  Status launch(const Stream &stream, const std::vector<DevicePtr> &arguments,
                const std::vector<DevicePtr> &results,
                DevicePtr workspace) const;

  /// One run as a graph with these pointers; `stream` must not be the default
  /// stream.
  Result<Graph> capture(const Stream &stream,
                        const std::vector<DevicePtr> &arguments,
                        const std::vector<DevicePtr> &results,
                        DevicePtr workspace) const;

private:
  struct State;
  explicit Executable(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace egg

#endif // EGG_RUNTIME_EXECUTABLE_H
