//===- Clocks.cpp - the device's clock while it is timed --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"

#include <algorithm>
#include <cstdlib>

#include <dlfcn.h>

using namespace egg::eval;

// Numbers of nvml.h.
static constexpr int clockOfMultiprocessors = 1;
static constexpr unsigned long long reasonIdle = 1;
static constexpr auto pause = std::chrono::milliseconds(50);

Clocks::Clocks(const std::string &pciBusId) {
  const char *named = std::getenv("EGG_NVML");
  // Never closed: NVML keeps threads of its own.
  void *library = ::dlopen(named && *named ? named : "libnvidia-ml.so.1",
                           RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  auto find = [library](const char *name, auto &into) {
    into =
        reinterpret_cast<std::decay_t<decltype(into)>>(::dlsym(library, name));
    return into != nullptr;
  };
  int (*init)() = nullptr;
  int (*byBus)(const char *, Device *) = nullptr;
  if (!find("nvmlInit_v2", init) ||
      !find("nvmlDeviceGetHandleByPciBusId_v2", byBus) ||
      !find("nvmlDeviceGetClockInfo", getClock))
    return;
  // The name since CUDA 12.2, then the one before.
  if (!find("nvmlDeviceGetCurrentClocksEventReasons", getReasons))
    find("nvmlDeviceGetCurrentClocksThrottleReasons", getReasons);
  Device found = nullptr;
  if (init() == 0 && byBus(pciBusId.c_str(), &found) == 0)
    device = found;
}

void Clocks::read() {
  auto now = std::chrono::steady_clock::now();
  if (!device || (last && now - *last < pause))
    return;
  last = now;
  unsigned mhz = 0;
  unsigned long long reasons = 0;
  if (getClock(device, clockOfMultiprocessors, &mhz) != 0)
    return;
  if (getReasons && getReasons(device, &reasons) != 0)
    reasons = 0;
  if (!seen)
    seen = ClockReport{mhz, mhz, 0};
  seen->leastMhz = std::min(seen->leastMhz, mhz);
  seen->mostMhz = std::max(seen->mostMhz, mhz);
  seen->reasons |= reasons & ~reasonIdle;
}
