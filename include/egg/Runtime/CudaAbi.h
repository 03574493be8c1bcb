//===- CudaAbi.h - The part of the CUDA driver API that egg uses -*- C++ -*-==//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the driver's documented binary interface, so that egg builds
// without a CUDA toolkit. The driver (and the fake one of the tests) exports
// the functions of EGG_CUDA_FUNCTIONS under exactly these names. A unit test
// compares all this with cuda.h where that is installed.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_RUNTIME_CUDAABI_H
#define EGG_RUNTIME_CUDAABI_H

#include <cstddef>
#include <cstdint>

namespace egg {
namespace cuda {

using Result = int;
using DevicePtr = unsigned long long;
using Device = int;
using ContextHandle = struct CtxOpaque *;
using ModuleHandle = struct ModuleOpaque *;
using FunctionHandle = struct FunctionOpaque *;
using StreamHandle = struct StreamOpaque *;
using EventHandle = struct EventOpaque *;
using GraphHandle = struct GraphOpaque *;
using GraphExecHandle = struct GraphExecOpaque *;
using MemHandle = unsigned long long;

/// CUresult, as far as egg tells them apart.
enum : Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  CallRequiresNewerDriver = 36,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  InvalidPtx = 218,
  NvlinkUncorrectable = 220,
  UnsupportedPtxVersion = 222,
  JitCompilationDisabled = 223,
  Contained = 226,
  InvalidSource = 300,
  SharedObjectInitFailed = 303,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  CooperativeLaunchTooLarge = 720,
  NotSupported = 801,
  SystemNotReady = 802,
  SystemDriverMismatch = 803,
  CompatNotSupported = 804,
  MpsConnectionFailed = 805,
  MpsClientTerminated = 810,
  StreamCaptureUnsupported = 900,
  ExternalDevice = 911,
  InvalidClusterSize = 912,
  Unknown = 999,
};

/// CUdevice_attribute.
enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockDimX = 2,
  MaxBlockDimY = 3,
  MaxBlockDimZ = 4,
  MaxGridDimX = 5,
  MaxGridDimY = 6,
  MaxGridDimZ = 7,
  MaxSharedPerBlock = 8,
  WarpSize = 10,
  ClockRateKhz = 13,
  MultiprocessorCount = 16,
  ComputeMode = 20,
  L2CacheSize = 38,
  MaxThreadsPerMultiprocessor = 39,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedPerMultiprocessor = 81,
  MaxRegistersPerMultiprocessor = 82,
  MaxSharedPerBlockOptin = 97,
  VirtualMemorySupported = 102,
  ReservedSharedPerBlock = 111,
  ClusterLaunch = 120,
  MpsEnabled = 133,
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionConstBytes = 2,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionBinaryVersion = 6,
  FunctionMaxDynamicShared = 8,
  FunctionNonPortableCluster = 14,
};

/// CUlaunchAttribute with the cluster's shape.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
constexpr int clusterDimension = 4;

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUmemLocation; type 1 is a device.
struct MemLocation {
  int type;
  int id;
};

/// CUmemAllocationProp; type 1 is pinned, all else zero.
struct MemAllocationProp {
  int type;
  int handleTypes;
  MemLocation location;
  void *win32;
  unsigned char flags[8];
};

/// CUmemAccessDesc; flags 3 are reading and writing.
struct MemAccessDesc {
  MemLocation location;
  int flags;
};

constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventDisableTiming = 2;
constexpr int captureThreadLocal = 1;
constexpr int computeModeProhibited = 2;

} // namespace cuda
} // namespace egg

// X(name of the exported function, parameters): all return CUresult.
#define EGG_CUDA_FUNCTIONS(X)                                                  \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuGetErrorName, (cuda::Result, const char **))                             \
  X(cuGetErrorString, (cuda::Result, const char **))                           \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (cuda::Device *, int))                                        \
  X(cuDeviceGetName, (char *, int, cuda::Device))                              \
  X(cuDeviceGetAttribute, (int *, int, cuda::Device))                          \
  X(cuDeviceTotalMem_v2, (size_t *, cuda::Device))                             \
  X(cuDeviceGetPCIBusId, (char *, int, cuda::Device))                          \
  X(cuDevicePrimaryCtxRetain, (cuda::ContextHandle *, cuda::Device))           \
  X(cuDevicePrimaryCtxRelease_v2, (cuda::Device))                              \
  X(cuCtxPushCurrent_v2, (cuda::ContextHandle))                                \
  X(cuCtxPopCurrent_v2, (cuda::ContextHandle *))                               \
  X(cuCtxGetCurrent, (cuda::ContextHandle *))                                  \
  X(cuCtxGetDevice, (cuda::Device *))                                          \
  X(cuCtxSynchronize, (void))                                                  \
  X(cuCtxResetPersistingL2Cache, (void))                                       \
  X(cuMemGetInfo_v2, (size_t *, size_t *))                                     \
  X(cuMemAlloc_v2, (cuda::DevicePtr *, size_t))                                \
  X(cuMemFree_v2, (cuda::DevicePtr))                                           \
  X(cuMemcpyHtoDAsync_v2,                                                      \
    (cuda::DevicePtr, const void *, size_t, cuda::StreamHandle))               \
  X(cuMemcpyDtoHAsync_v2,                                                      \
    (void *, cuda::DevicePtr, size_t, cuda::StreamHandle))                     \
  X(cuMemcpyDtoDAsync_v2,                                                      \
    (cuda::DevicePtr, cuda::DevicePtr, size_t, cuda::StreamHandle))            \
  X(cuMemsetD8Async,                                                           \
    (cuda::DevicePtr, unsigned char, size_t, cuda::StreamHandle))              \
  X(cuMemsetD32Async, (cuda::DevicePtr, unsigned, size_t, cuda::StreamHandle)) \
  X(cuMemAddressReserve,                                                       \
    (cuda::DevicePtr *, size_t, size_t, cuda::DevicePtr, unsigned long long))  \
  X(cuMemAddressFree, (cuda::DevicePtr, size_t))                               \
  X(cuMemCreate, (cuda::MemHandle *, size_t, const cuda::MemAllocationProp *,  \
                  unsigned long long))                                         \
  X(cuMemRelease, (cuda::MemHandle))                                           \
  X(cuMemMap,                                                                  \
    (cuda::DevicePtr, size_t, size_t, cuda::MemHandle, unsigned long long))    \
  X(cuMemUnmap, (cuda::DevicePtr, size_t))                                     \
  X(cuMemSetAccess,                                                            \
    (cuda::DevicePtr, size_t, const cuda::MemAccessDesc *, size_t))            \
  X(cuMemGetAllocationGranularity,                                             \
    (size_t *, const cuda::MemAllocationProp *, int))                          \
  X(cuModuleLoadDataEx,                                                        \
    (cuda::ModuleHandle *, const void *, unsigned, int *, void **))            \
  X(cuModuleUnload, (cuda::ModuleHandle))                                      \
  X(cuModuleGetFunction,                                                       \
    (cuda::FunctionHandle *, cuda::ModuleHandle, const char *))                \
  X(cuFuncGetAttribute, (int *, int, cuda::FunctionHandle))                    \
  X(cuFuncSetAttribute, (cuda::FunctionHandle, int, int))                      \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
    (int *, cuda::FunctionHandle, int, size_t))                                \
  X(cuLaunchKernel,                                                            \
    (cuda::FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, unsigned, cuda::StreamHandle, void **, void **))                \
  X(cuStreamCreate, (cuda::StreamHandle *, unsigned))                          \
  X(cuStreamDestroy_v2, (cuda::StreamHandle))                                  \
  X(cuStreamSynchronize, (cuda::StreamHandle))                                 \
  X(cuStreamQuery, (cuda::StreamHandle))                                       \
  X(cuStreamBeginCapture_v2, (cuda::StreamHandle, int))                        \
  X(cuStreamEndCapture, (cuda::StreamHandle, cuda::GraphHandle *))             \
  X(cuGraphInstantiateWithFlags,                                               \
    (cuda::GraphExecHandle *, cuda::GraphHandle, unsigned long long))          \
  X(cuGraphUpload, (cuda::GraphExecHandle, cuda::StreamHandle))                \
  X(cuGraphLaunch, (cuda::GraphExecHandle, cuda::StreamHandle))                \
  X(cuGraphExecDestroy, (cuda::GraphExecHandle))                               \
  X(cuGraphDestroy, (cuda::GraphHandle))                                       \
  X(cuEventCreate, (cuda::EventHandle *, unsigned))                            \
  X(cuEventDestroy_v2, (cuda::EventHandle))                                    \
  X(cuEventRecord, (cuda::EventHandle, cuda::StreamHandle))                    \
  X(cuEventSynchronize, (cuda::EventHandle))                                   \
  X(cuEventQuery, (cuda::EventHandle))                                         \
  X(cuEventElapsedTime, (float *, cuda::EventHandle, cuda::EventHandle))

// The same for functions that older drivers may lack.
#define EGG_CUDA_OPTIONAL_FUNCTIONS(X)                                         \
  X(cuFuncGetParamInfo, (cuda::FunctionHandle, size_t, size_t *, size_t *))    \
  X(cuLaunchKernelEx,                                                          \
    (const cuda::LaunchConfig *, cuda::FunctionHandle, void **, void **))

namespace egg {
/// The functions of an opened driver; the optional ones may be null.
struct CudaFunctions {
#define EGG_DECLARE(name, parameters) cuda::Result(*name) parameters = nullptr;
  EGG_CUDA_FUNCTIONS(EGG_DECLARE)
  EGG_CUDA_OPTIONAL_FUNCTIONS(EGG_DECLARE)
#undef EGG_DECLARE
};
} // namespace egg

#endif // EGG_RUNTIME_CUDAABI_H
