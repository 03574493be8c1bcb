//===- FakeNvml.cpp - NVML for tests of the worker --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named by EGG_NVML. The clock is what EGG_FAKE_MHZ lists, one entry a reading,
// the last one for ever; EGG_FAKE_REASONS are the reasons for it.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int nvmlInit_v2() { return 0; }

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
  static int theDevice;
  *device = &theDevice;
  // The address of the fake driver's device; 6 is NVML's "not found".
  return std::strcmp(bus, "0000:00:00.0") == 0 ? 0 : 6;
}

EXPORT int nvmlDeviceGetClockInfo(void *, int type, unsigned *mhz) {
  static const char *rest = std::getenv("EGG_FAKE_MHZ");
  if (type != 1 || !rest)
    return 2;
  char *end = nullptr;
  *mhz = unsigned(std::strtoul(rest, &end, 10));
  if (*end == ',')
    rest = end + 1;
  return 0;
}

EXPORT int
nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  const char *text = std::getenv("EGG_FAKE_REASONS");
  *reasons = text ? std::strtoull(text, nullptr, 10) : 0;
  return 0;
}
