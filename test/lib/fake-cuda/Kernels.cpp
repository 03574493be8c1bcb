//===- Kernels.cpp - Kernels of the fake CUDA driver ----------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The built-in kernels behave well or badly in one way each; all work on f32
// and take their number of elements as an i64.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <dlfcn.h>
#include <signal.h>

using namespace fake;

namespace {
template <typename T> T parameter(void **params, int index) {
  return *static_cast<T *>(params[index]);
}
float *floats(void **params, int index) {
  return reinterpret_cast<float *>(parameter<uint64_t>(params, index));
}
int64_t count(void **params, int index) {
  return parameter<int64_t>(params, index);
}

// (a, b, out, n)
int add(const egg_fake_dim3 *, const egg_fake_dim3 *, void **params) {
  float *a = floats(params, 0), *b = floats(params, 1),
        *out = floats(params, 2);
  for (int64_t i = 0, n = count(params, 3); i < n; ++i)
    out[i] = a[i] + b[i];
  return 0;
}

// (in, out, n): copies. The variants below misbehave beside that.
int copy(const egg_fake_dim3 *, const egg_fake_dim3 *, void **params) {
  float *in = floats(params, 0), *out = floats(params, 1);
  for (int64_t i = 0, n = count(params, 2); i < n; ++i)
    out[i] = in[i];
  return 0;
}

// Writes 16 elements too many.
int overrun(const egg_fake_dim3 *grid, const egg_fake_dim3 *block,
            void **params) {
  copy(grid, block, params);
  float *out = floats(params, 1);
  for (int64_t n = count(params, 2), i = n; i < n + 16; ++i)
    out[i] = 42;
  return 0;
}

// Differs from run to run.
int nondeterministic(const egg_fake_dim3 *grid, const egg_fake_dim3 *block,
                     void **params) {
  static std::atomic<int> runs{0};
  copy(grid, block, params);
  if (count(params, 2) > 0)
    floats(params, 1)[0] += float(++runs) * 1e-3f;
  return 0;
}

int modifyInput(const egg_fake_dim3 *grid, const egg_fake_dim3 *block,
                void **params) {
  copy(grid, block, params);
  if (count(params, 2) > 0)
    floats(params, 0)[0] += 1;
  return 0;
}

int writeNothing(const egg_fake_dim3 *, const egg_fake_dim3 *, void **) {
  return 0;
}

// Leaves the last element out.
int skipLast(const egg_fake_dim3 *, const egg_fake_dim3 *, void **params) {
  float *in = floats(params, 0), *out = floats(params, 1);
  for (int64_t i = 0, n = count(params, 2); i + 1 < n; ++i)
    out[i] = in[i];
  return 0;
}

int wrong(const egg_fake_dim3 *grid, const egg_fake_dim3 *block,
          void **params) {
  copy(grid, block, params);
  for (int64_t i = 0, n = count(params, 2); i < n; ++i)
    floats(params, 1)[i] += 1;
  return 0;
}

int fail(const egg_fake_dim3 *, const egg_fake_dim3 *, void **) {
  return cuda::LaunchFailed;
}

int illegal(const egg_fake_dim3 *, const egg_fake_dim3 *, void **) {
  // Hidden from the optimiser, which knows better than to write there.
  static int *volatile nowhere = reinterpret_cast<int *>(uintptr_t(16));
  *nowhere = 1;
  return 0;
}

int crash(const egg_fake_dim3 *, const egg_fake_dim3 *, void **) {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  return 0;
}

// (milliseconds): takes that long by the wall clock.
int hang(const egg_fake_dim3 *, const egg_fake_dim3 *, void **params) {
  std::this_thread::sleep_for(std::chrono::milliseconds(count(params, 0)));
  return 0;
}

// (out, a as i64, b as i32): stores a and b, to see how scalars arrive.
int scalars(const egg_fake_dim3 *, const egg_fake_dim3 *, void **params) {
  int64_t *out = reinterpret_cast<int64_t *>(parameter<uint64_t>(params, 0));
  out[0] += parameter<int64_t>(params, 1);
  out[1] += parameter<int32_t>(params, 2);
  return 0;
}

const std::pair<const char *, HostKernel> builtIn[] = {
    {"fake_add", add},
    {"fake_copy", copy},
    {"fake_overrun", overrun},
    {"fake_nondeterministic", nondeterministic},
    {"fake_modify_input", modifyInput},
    {"fake_write_nothing", writeNothing},
    {"fake_skip_last", skipLast},
    {"fake_wrong", wrong},
    {"fake_fail", fail},
    {"fake_illegal", illegal},
    {"fake_crash", crash},
    {"fake_hang", hang},
    {"fake_scalars", scalars},
};

thread_local sigjmp_buf faultJump;
thread_local volatile sig_atomic_t inKernel = 0;

void onFault(int number) {
  if (inKernel)
    siglongjmp(faultJump, 1);
  // Not a kernel's: the process dies as it would without the fake.
  std::signal(number, SIG_DFL);
  std::raise(number);
}
} // namespace

HostKernel fake::findHostKernel(const std::string &symbol) {
  for (const auto &[name, kernel] : builtIn)
    if (symbol == name)
      return kernel;
  const std::string &library = settings().kernelLibrary;
  if (library.empty())
    return nullptr;
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::fprintf(stderr, "fake-cuda: EGG_FAKE_KERNELS: %s\n", ::dlerror());
    return nullptr;
  }
  return reinterpret_cast<HostKernel>(
      ::dlsym(handle, ("egg_fake_kernel_" + symbol).c_str()));
}

cuda::Result fake::runHostKernel(HostKernel kernel, const egg_fake_dim3 &grid,
                                 const egg_fake_dim3 &block, void **params) {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = onFault;
    // The handler may be left by a jump, so the signal must not stay blocked.
    action.sa_flags = SA_NODEFER;
    ::sigaction(SIGSEGV, &action, nullptr);
    ::sigaction(SIGBUS, &action, nullptr);
    return true;
  }();
  (void)installed;
  if (sigsetjmp(faultJump, 1)) {
    inKernel = 0;
    return cuda::IllegalAddress;
  }
  inKernel = 1;
  cuda::Result code = kernel(&grid, &block, params);
  inKernel = 0;
  return code;
}
