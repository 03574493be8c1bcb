//===- FakeCuda.h - The inside of the fake CUDA driver ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State that the parts of the fake driver share. See README.md.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TEST_LIB_FAKECUDA_H
#define EGG_TEST_LIB_FAKECUDA_H

#include "egg/Runtime/CudaAbi.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

/// The shape that kernels on the host get.
struct egg_fake_dim3 {
  unsigned x, y, z;
};

namespace fake {
using namespace egg;

/// A kernel on the host: all blocks and threads in one call. 0 or a CUresult.
using HostKernel = int (*)(const egg_fake_dim3 *grid,
                           const egg_fake_dim3 *block, void **params);

/// What the environment variables say; read by cuInit.
struct Settings {
  std::set<std::string> failures;
  int major = 9, minor = 0;
  uint64_t memoryBytes = uint64_t(4) << 30;
  /// The device is lost after that many kernels; negative is never.
  int64_t lostAfter = -1;
  std::map<std::string, double> kernelMilliseconds;
  std::string kernelLibrary;

  bool fails(const char *what) const { return failures.count(what) != 0; }
};
Settings &settings();
void readSettings();

/// A piece of device memory; the device's addresses are the host's.
struct Memory {
  uint64_t bytes;
  /// What is mapped around it.
  void *base;
  uint64_t baseBytes;
};

/// One operation of a stream. `milliseconds` is what it takes by the fake
/// clock.
struct Operation {
  std::function<cuda::Result()> run;
  double milliseconds = 0;
};

/// The error that all calls return once a kernel has failed; 0 is none.
extern std::atomic<cuda::Result> stickyError;
/// Nanoseconds of the fake clock.
extern std::atomic<uint64_t> fakeClock;

/// True when the bytes lie inside one allocation or mapping.
bool inBounds(cuda::DevicePtr pointer, uint64_t bytes);

/// Finds the host code of a kernel: first the built-in ones, then the library
/// of EGG_FAKE_KERNELS. Null when there is none.
HostKernel findHostKernel(const std::string &symbol);

/// Runs a kernel; an access to an unmapped page is IllegalAddress.
cuda::Result runHostKernel(HostKernel kernel, const egg_fake_dim3 &grid,
                           const egg_fake_dim3 &block, void **params);

/// Appends to the stream's queue or to its capture.
cuda::Result enqueue(cuda::StreamHandle stream, Operation operation);

/// Waits until no stream has work.
void waitForAllStreams();

/// Forgets memory and errors: the last user of the primary context has gone.
void resetContext();
} // namespace fake

struct egg::cuda::FunctionOpaque {
  std::string name;
  fake::HostKernel kernel = nullptr;
  std::vector<size_t> parameterBytes;
  int registers = 32, sharedBytes = 0, localBytes = 0, maxThreads = 1024;
  int maxDynamicShared = 48 << 10;
  bool largeClusters = false;
};

struct egg::cuda::ModuleOpaque {
  std::vector<FunctionOpaque> functions;
};

#endif // EGG_TEST_LIB_FAKECUDA_H
