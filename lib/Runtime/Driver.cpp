//===- Driver.cpp - Opening the CUDA driver, its errors and devices -------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only documented entry points, found by name.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/Driver.h"

#include <cstdlib>

#include <dlfcn.h>

using namespace egg;

namespace {
/// CUDA 12.0: the first with all of EGG_CUDA_FUNCTIONS and with sm_90a.
constexpr int oldestDriver = 12000;

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}
} // namespace

ErrorKind egg::errorKindOf(cuda::Result code) {
  if (code >= cuda::MpsConnectionFailed && code <= cuda::MpsClientTerminated)
    return ErrorKind::Mps;
  switch (code) {
  case cuda::StubLibrary:
  case cuda::NoDevice:
  case cuda::InvalidDevice:
  case cuda::SystemNotReady:
  case cuda::SystemDriverMismatch:
  case cuda::CompatNotSupported:
    return ErrorKind::NoDevice;
  case cuda::DeviceUnavailable:
    return ErrorKind::DeviceBusy;
  case cuda::OutOfMemory:
    return ErrorKind::OutOfMemory;
  case cuda::NoBinaryForGpu:
  case cuda::UnsupportedPtxVersion:
  case cuda::CallRequiresNewerDriver:
    return ErrorKind::WrongArch;
  case cuda::InvalidImage:
  case cuda::InvalidPtx:
  case cuda::InvalidSource:
  case cuda::JitCompilationDisabled:
  case cuda::SharedObjectInitFailed:
  case cuda::NotFound:
    return ErrorKind::Load;
  case cuda::IllegalAddress:
  case cuda::MisalignedAddress:
  case cuda::InvalidAddressSpace:
  case cuda::InvalidPc:
    return ErrorKind::IllegalAccess;
  case cuda::LaunchOutOfResources:
  case cuda::Assert:
  case cuda::HardwareStackError:
  case cuda::IllegalInstruction:
  case cuda::LaunchFailed:
  case cuda::CooperativeLaunchTooLarge:
  case cuda::InvalidClusterSize:
    return ErrorKind::Launch;
  case cuda::LaunchTimeout:
    return ErrorKind::Timeout;
  case cuda::Deinitialized:
  case cuda::EccUncorrectable:
  case cuda::NvlinkUncorrectable:
  case cuda::Contained:
  case cuda::ExternalDevice:
    return ErrorKind::DeviceLost;
  case cuda::NotSupported:
  case cuda::StreamCaptureUnsupported:
    return ErrorKind::Unsupported;
  default:
    return ErrorKind::Internal;
  }
}

Result<Driver> Driver::open(const std::string &path) {
  std::string library = path;
  if (library.empty()) {
    const char *variable = std::getenv("EGG_CUDA_DRIVER");
    library = variable && *variable ? variable : "libcuda.so.1";
  }
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    return Error(ErrorKind::NoDevice,
                 "cannot open the CUDA driver '" + library +
                     "': " + (reason ? reason : "unknown reason") +
                     "; install NVIDIA's driver, or name its library in "
                     "EGG_CUDA_DRIVER");
  }
  auto table = std::make_shared<CudaFunctions>();
  std::string missing;
#define EGG_LOOK_UP(name, parameters)                                          \
  table->name =                                                                \
      reinterpret_cast<cuda::Result(*) parameters>(::dlsym(handle, #name));
#define EGG_LOOK_UP_REQUIRED(name, parameters)                                 \
  EGG_LOOK_UP(name, parameters)                                                \
  if (!table->name)                                                            \
    missing += std::string(missing.empty() ? "" : ", ") + #name;
  EGG_CUDA_FUNCTIONS(EGG_LOOK_UP_REQUIRED)
  EGG_CUDA_OPTIONAL_FUNCTIONS(EGG_LOOK_UP)
#undef EGG_LOOK_UP_REQUIRED
#undef EGG_LOOK_UP
  int version = 0;
  if (table->cuDriverGetVersion)
    table->cuDriverGetVersion(&version);
  if (version && version < oldestDriver)
    return Error(ErrorKind::WrongArch,
                 "the CUDA driver '" + library + "' is of version " +
                     versionText(version) + "; egg needs " +
                     versionText(oldestDriver) + " or newer");
  if (!missing.empty())
    return Error(ErrorKind::WrongArch,
                 "the CUDA driver '" + library + "' has no " + missing +
                     "; egg needs the driver of CUDA " +
                     versionText(oldestDriver) + " or newer");
  Driver driver(table);
  if (Status status =
          driver.check(table->cuInit(0), "cannot start the CUDA driver");
      !status) {
    // A driver that does not start for an unclear reason has no device.
    ErrorKind kind = status.error().kind;
    return Error(kind == ErrorKind::Internal ? ErrorKind::NoDevice : kind,
                 status.error().message);
  }
  EGG_TRY(driver.deviceCount());
  return driver;
}

Status Driver::check(cuda::Result code, std::string_view what) const {
  if (code == cuda::Success)
    return Status();
  const char *name = nullptr, *text = nullptr;
  table->cuGetErrorName(code, &name);
  table->cuGetErrorString(code, &text);
  return Error(errorKindOf(code), std::string(what) + ": " +
                                      (name ? name : "unknown error") + " (" +
                                      std::to_string(code) + ")" +
                                      (text ? ", " + std::string(text) : ""));
}

Result<int> Driver::deviceCount() const {
  int count = 0;
  EGG_TRY(check(table->cuDeviceGetCount(&count), "cannot count the devices"));
  if (count < 1)
    return Error(ErrorKind::NoDevice,
                 "the CUDA driver sees no device; look at nvidia-smi and "
                 "CUDA_VISIBLE_DEVICES");
  return count;
}

Result<DeviceInfo> Driver::deviceInfo(int ordinal) const {
  EGG_ASSIGN(int count, deviceCount());
  if (ordinal < 0 || ordinal >= count)
    return Error(ErrorKind::NoDevice,
                 "there is no device " + std::to_string(ordinal) + "; the " +
                     "driver sees " + std::to_string(count));
  cuda::Device device;
  EGG_TRY(check(table->cuDeviceGet(&device, ordinal), "cannot get a device"));
  DeviceInfo info;
  char text[256] = {};
  EGG_TRY(check(table->cuDeviceGetName(text, sizeof text - 1, device),
                "cannot get the device's name"));
  info.name = text;
  if (table->cuDeviceGetPCIBusId(text, sizeof text - 1, device) ==
      cuda::Success)
    info.pciBusId = text;
  size_t memory = 0;
  EGG_TRY(check(table->cuDeviceTotalMem_v2(&memory, device),
                "cannot get the device's memory"));
  info.memoryBytes = memory;
  EGG_TRY(check(table->cuDriverGetVersion(&info.driverVersion),
                "cannot get the driver's version"));

  Status failed;
  auto get = [&](int attribute) {
    int value = 0;
    Status status = check(
        table->cuDeviceGetAttribute(&value, attribute, device),
        "cannot get attribute " + std::to_string(attribute) + " of the device");
    if (!status && failed)
      failed = status;
    return value;
  };
  // What an older driver does not know is absent.
  auto getIfKnown = [&](int attribute) {
    int value = 0;
    return table->cuDeviceGetAttribute(&value, attribute, device) ==
                   cuda::Success
               ? value
               : 0;
  };
  info.major = get(cuda::CapabilityMajor);
  info.minor = get(cuda::CapabilityMinor);
  info.multiprocessors = get(cuda::MultiprocessorCount);
  info.clockKhz = getIfKnown(cuda::ClockRateKhz);
  info.l2Bytes = uint64_t(get(cuda::L2CacheSize));
  info.sharedPerBlock = uint64_t(get(cuda::MaxSharedPerBlock));
  info.sharedPerBlockOptin = uint64_t(get(cuda::MaxSharedPerBlockOptin));
  info.sharedPerMultiprocessor =
      uint64_t(get(cuda::MaxSharedPerMultiprocessor));
  info.reservedSharedPerBlock = uint64_t(get(cuda::ReservedSharedPerBlock));
  info.registersPerMultiprocessor = get(cuda::MaxRegistersPerMultiprocessor);
  info.threadsPerBlock = get(cuda::MaxThreadsPerBlock);
  info.threadsPerMultiprocessor = get(cuda::MaxThreadsPerMultiprocessor);
  info.warpSize = get(cuda::WarpSize);
  for (int d = 0; d < 3; ++d) {
    info.maxBlock[d] = get(cuda::MaxBlockDimX + d);
    info.maxGrid[d] = get(cuda::MaxGridDimX + d);
  }
  info.clusterLaunch = getIfKnown(cuda::ClusterLaunch);
  info.virtualMemory = getIfKnown(cuda::VirtualMemorySupported);
  info.mps = getIfKnown(cuda::MpsEnabled);
  if (!failed)
    return failed.error();
  return info;
}
