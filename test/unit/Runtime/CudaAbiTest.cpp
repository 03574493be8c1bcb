//===- CudaAbiTest.cpp - egg's declarations against cuda.h ----------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to nothing but one skipped test where there is no toolkit.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/CudaAbi.h"

#include "gtest/gtest.h"

#ifdef EGG_HAVE_CUDA_H
#include <cuda.h>

#include <cstddef>
#include <type_traits>

// Old names of functions whose new ones cuda.h hides behind macros.
#undef cuEventElapsedTime
extern "C" CUresult CUDAAPI cuEventElapsedTime(float *, CUevent, CUevent);

namespace {
using namespace egg;

/// Pointers to handles and enums are all the same to the machine; what must
/// agree is the number of parameters and the size and kind of each.
template <typename A, typename B> constexpr bool sameParameter() {
  if (std::is_pointer_v<A> || std::is_pointer_v<B>)
    return std::is_pointer_v<A> && std::is_pointer_v<B>;
  return sizeof(A) == sizeof(B) &&
         std::is_floating_point_v<A> == std::is_floating_point_v<B>;
}
template <typename R, typename... A, typename S, typename... B>
constexpr bool sameFunction(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return (sameParameter<A, B>() && ... && true);
}

#define EGG_CHECK(name, parameters)                                            \
  static_assert(                                                               \
      sameFunction(decltype(&::name){}, (cuda::Result(*) parameters){}),       \
      #name);
EGG_CUDA_FUNCTIONS(EGG_CHECK)
EGG_CUDA_OPTIONAL_FUNCTIONS(EGG_CHECK)

static_assert(sizeof(cuda::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(cuda::LaunchConfig, stream) ==
              offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cuda::LaunchConfig, attributeCount) ==
              offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(cuda::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(cuda::LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(cuda::clusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(sizeof(cuda::MemAllocationProp) == sizeof(CUmemAllocationProp));
static_assert(offsetof(cuda::MemAllocationProp, location) ==
              offsetof(CUmemAllocationProp, location));
static_assert(sizeof(cuda::MemAccessDesc) == sizeof(CUmemAccessDesc));
static_assert(CU_MEM_ALLOCATION_TYPE_PINNED == 1);
static_assert(CU_MEM_LOCATION_TYPE_DEVICE == 1);
static_assert(CU_MEM_ACCESS_FLAGS_PROT_READWRITE == 3);
static_assert(CU_JIT_ERROR_LOG_BUFFER == 5);
static_assert(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == 6);
static_assert(cuda::streamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::captureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(cuda::computeModeProhibited == CU_COMPUTEMODE_PROHIBITED);

#define EGG_SAME(ours, theirs) static_assert(int(cuda::ours) == int(theirs))
EGG_SAME(OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
EGG_SAME(Deinitialized, CUDA_ERROR_DEINITIALIZED);
EGG_SAME(StubLibrary, CUDA_ERROR_STUB_LIBRARY);
EGG_SAME(CallRequiresNewerDriver, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
EGG_SAME(DeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
EGG_SAME(NoDevice, CUDA_ERROR_NO_DEVICE);
EGG_SAME(InvalidDevice, CUDA_ERROR_INVALID_DEVICE);
EGG_SAME(InvalidImage, CUDA_ERROR_INVALID_IMAGE);
EGG_SAME(InvalidContext, CUDA_ERROR_INVALID_CONTEXT);
EGG_SAME(NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
EGG_SAME(EccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
EGG_SAME(InvalidPtx, CUDA_ERROR_INVALID_PTX);
EGG_SAME(NvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
EGG_SAME(UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
EGG_SAME(JitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
EGG_SAME(InvalidSource, CUDA_ERROR_INVALID_SOURCE);
EGG_SAME(SharedObjectInitFailed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
EGG_SAME(InvalidHandle, CUDA_ERROR_INVALID_HANDLE);
EGG_SAME(NotFound, CUDA_ERROR_NOT_FOUND);
EGG_SAME(NotReady, CUDA_ERROR_NOT_READY);
EGG_SAME(IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
EGG_SAME(LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
EGG_SAME(LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
EGG_SAME(Assert, CUDA_ERROR_ASSERT);
EGG_SAME(HardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
EGG_SAME(IllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
EGG_SAME(MisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
EGG_SAME(InvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
EGG_SAME(InvalidPc, CUDA_ERROR_INVALID_PC);
EGG_SAME(LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
EGG_SAME(CooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
EGG_SAME(NotSupported, CUDA_ERROR_NOT_SUPPORTED);
EGG_SAME(SystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
EGG_SAME(SystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
EGG_SAME(CompatNotSupported, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
EGG_SAME(MpsConnectionFailed, CUDA_ERROR_MPS_CONNECTION_FAILED);
EGG_SAME(MpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED);
EGG_SAME(StreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
EGG_SAME(ExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE);

EGG_SAME(MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
EGG_SAME(MaxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
EGG_SAME(MaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
EGG_SAME(MaxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
EGG_SAME(MaxSharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
EGG_SAME(WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
EGG_SAME(ClockRateKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
EGG_SAME(MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
EGG_SAME(ComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
EGG_SAME(L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
EGG_SAME(MaxThreadsPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
EGG_SAME(CapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
EGG_SAME(CapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
EGG_SAME(MaxSharedPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
EGG_SAME(MaxRegistersPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
EGG_SAME(MaxSharedPerBlockOptin,
         CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
EGG_SAME(VirtualMemorySupported,
         CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
EGG_SAME(ReservedSharedPerBlock,
         CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
EGG_SAME(ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
EGG_SAME(FunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
EGG_SAME(FunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
EGG_SAME(FunctionConstBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
EGG_SAME(FunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
EGG_SAME(FunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
EGG_SAME(FunctionBinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
EGG_SAME(FunctionMaxDynamicShared,
         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
EGG_SAME(FunctionNonPortableCluster,
         CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
#if CUDA_VERSION >= 12080
EGG_SAME(Contained, CUDA_ERROR_CONTAINED);
EGG_SAME(MpsEnabled, CU_DEVICE_ATTRIBUTE_MPS_ENABLED);
#endif
} // namespace

TEST(CudaAbi, AgreesWithTheToolkit) {
  // The static assertions above have held.
  EXPECT_GE(CUDA_VERSION, 12000);
}
#else
TEST(CudaAbi, AgreesWithTheToolkit) { GTEST_SKIP() << "no cuda.h"; }
#endif
