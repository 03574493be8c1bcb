//===- Devices.cpp - Start, device and contexts of the fake driver --------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device, like an H100 unless the environment says otherwise.
//
//===----------------------------------------------------------------------===//

#include "Exports.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace fake;

struct egg::cuda::CtxOpaque {
  int retained = 0;
};

namespace {
bool started = false;
cuda::CtxOpaque primary;
std::mutex contextMutex;
thread_local std::vector<cuda::ContextHandle> stack;

std::vector<std::string> splitAtCommas(const char *text) {
  std::vector<std::string> parts;
  std::istringstream stream(text ? text : "");
  std::string part;
  while (std::getline(stream, part, ','))
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

/// Names of the errors that the fake returns, for messages.
const std::pair<cuda::Result, const char *> errorNames[] = {
    {cuda::Success, "CUDA_SUCCESS"},
    {cuda::InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
    {cuda::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {cuda::NotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {cuda::DeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {cuda::NoDevice, "CUDA_ERROR_NO_DEVICE"},
    {cuda::InvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
    {cuda::InvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
    {cuda::InvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
    {cuda::NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {cuda::EccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {cuda::InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
    {cuda::UnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {cuda::InvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
    {cuda::NotFound, "CUDA_ERROR_NOT_FOUND"},
    {cuda::NotReady, "CUDA_ERROR_NOT_READY"},
    {cuda::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {cuda::LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {cuda::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
    {cuda::StreamCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {cuda::InvalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
};
} // namespace

Settings &fake::settings() {
  static Settings *held = new Settings;
  return *held;
}

void fake::readSettings() {
  Settings fresh;
  for (const std::string &name : splitAtCommas(std::getenv("EGG_FAKE_FAIL")))
    fresh.failures.insert(name);
  if (const char *arch = std::getenv("EGG_FAKE_ARCH")) {
    fresh.major = std::atoi(arch) / 10;
    fresh.minor = std::atoi(arch) % 10;
  }
  if (const char *bytes = std::getenv("EGG_FAKE_MEMORY"))
    fresh.memoryBytes = std::strtoull(bytes, nullptr, 10);
  if (const char *kernels = std::getenv("EGG_FAKE_LOST_AFTER"))
    fresh.lostAfter = std::atoll(kernels);
  for (const std::string &entry : splitAtCommas(std::getenv("EGG_FAKE_TIMES")))
    if (size_t equals = entry.find('='); equals != std::string::npos)
      fresh.kernelMilliseconds[entry.substr(0, equals)] =
          std::atof(entry.c_str() + equals + 1);
  if (const char *library = std::getenv("EGG_FAKE_KERNELS"))
    fresh.kernelLibrary = library;
  settings() = fresh;
}

cuda::Result cuInit(unsigned) {
  readSettings();
  if (settings().fails("no-device"))
    return cuda::NoDevice;
  started = true;
  return cuda::Success;
}

cuda::Result cuDriverGetVersion(int *version) {
  // Asked before cuInit.
  const char *failures = std::getenv("EGG_FAKE_FAIL");
  bool old = failures && std::strstr(failures, "old-driver");
  *version = old ? 11080 : 13000;
  return cuda::Success;
}

cuda::Result cuGetErrorName(cuda::Result code, const char **name) {
  for (const auto &[known, text] : errorNames) {
    if (known != code)
      continue;
    *name = text;
    return cuda::Success;
  }
  *name = nullptr;
  return cuda::InvalidValue;
}

cuda::Result cuGetErrorString(cuda::Result code, const char **text) {
  cuda::Result known = cuGetErrorName(code, text);
  if (known == cuda::Success)
    *text = "said by the fake driver";
  return known;
}

cuda::Result cuDeviceGetCount(int *count) {
  if (!started)
    return cuda::NotInitialized;
  *count = 1;
  return cuda::Success;
}

cuda::Result cuDeviceGet(cuda::Device *device, int ordinal) {
  if (!started)
    return cuda::NotInitialized;
  if (ordinal != 0)
    return cuda::InvalidDevice;
  *device = 0;
  return cuda::Success;
}

cuda::Result cuDeviceGetName(char *name, int bytes, cuda::Device) {
  std::strncpy(name, "Fake GPU", size_t(bytes));
  return cuda::Success;
}

cuda::Result cuDeviceGetPCIBusId(char *text, int bytes, cuda::Device) {
  std::strncpy(text, "0000:00:00.0", size_t(bytes));
  return cuda::Success;
}

cuda::Result cuDeviceTotalMem_v2(size_t *bytes, cuda::Device) {
  *bytes = settings().memoryBytes;
  return cuda::Success;
}

cuda::Result cuDeviceGetAttribute(int *value, int attribute, cuda::Device) {
  const std::pair<int, int> values[] = {
      {cuda::MaxThreadsPerBlock, 1024},
      {cuda::MaxBlockDimX, 1024},
      {cuda::MaxBlockDimY, 1024},
      {cuda::MaxBlockDimZ, 64},
      {cuda::MaxGridDimX, INT32_MAX},
      {cuda::MaxGridDimY, 65535},
      {cuda::MaxGridDimZ, 65535},
      {cuda::MaxSharedPerBlock, 48 << 10},
      {cuda::WarpSize, 32},
      {cuda::ClockRateKhz, 1980000},
      {cuda::MultiprocessorCount, 132},
      {cuda::ComputeMode, 0},
      {cuda::L2CacheSize, 50 << 20},
      {cuda::MaxThreadsPerMultiprocessor, 2048},
      {cuda::CapabilityMajor,
       settings().fails("old-arch") ? 7 : settings().major},
      {cuda::CapabilityMinor,
       settings().fails("old-arch") ? 5 : settings().minor},
      {cuda::MaxSharedPerMultiprocessor, 228 << 10},
      {cuda::MaxRegistersPerMultiprocessor, 65536},
      {cuda::MaxSharedPerBlockOptin, 227 << 10},
      {cuda::VirtualMemorySupported, settings().fails("no-vmm") ? 0 : 1},
      {cuda::ReservedSharedPerBlock, 1024},
      {cuda::ClusterLaunch, settings().major >= 9},
      {cuda::MpsEnabled, settings().fails("mps")},
  };
  for (const auto &[known, result] : values) {
    if (known != attribute)
      continue;
    *value = result;
    return cuda::Success;
  }
  return cuda::InvalidValue;
}

cuda::Result cuDevicePrimaryCtxRetain(cuda::ContextHandle *context,
                                      cuda::Device) {
  if (!started)
    return cuda::NotInitialized;
  if (settings().fails("busy"))
    return cuda::DeviceUnavailable;
  std::lock_guard<std::mutex> lock(contextMutex);
  ++primary.retained;
  *context = &primary;
  return cuda::Success;
}

cuda::Result cuDevicePrimaryCtxRelease_v2(cuda::Device) {
  std::lock_guard<std::mutex> lock(contextMutex);
  if (primary.retained == 0)
    return cuda::InvalidContext;
  if (--primary.retained == 0) {
    waitForAllStreams();
    resetContext();
  }
  return cuda::Success;
}

cuda::Result cuCtxPushCurrent_v2(cuda::ContextHandle context) {
  stack.push_back(context);
  return cuda::Success;
}

cuda::Result cuCtxPopCurrent_v2(cuda::ContextHandle *context) {
  if (stack.empty())
    return cuda::InvalidContext;
  *context = stack.back();
  stack.pop_back();
  return cuda::Success;
}

cuda::Result cuCtxGetCurrent(cuda::ContextHandle *context) {
  *context = stack.empty() ? nullptr : stack.back();
  return cuda::Success;
}

cuda::Result cuCtxGetDevice(cuda::Device *device) {
  if (stack.empty())
    return cuda::InvalidContext;
  *device = 0;
  return cuda::Success;
}

cuda::Result cuCtxResetPersistingL2Cache() {
  EGG_FAKE_ENTER();
  return cuda::Success;
}
