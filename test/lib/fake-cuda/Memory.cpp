//===- Memory.cpp - Memory of the fake CUDA driver ------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory with slack around it, so that a kernel that
// writes a little too much harms nobody, as on a device.
//
//===----------------------------------------------------------------------===//

#include "Exports.h"
#include "FakeCuda.h"

#include <cstring>

#include <sys/mman.h>

using namespace fake;

namespace {
constexpr uint64_t slack = 64 << 10;
constexpr uint64_t pageBytes = 2 << 20;
/// Fresh memory is not zero, up to that many bytes.
constexpr uint64_t dirtyBytes = 1 << 20;

std::mutex memoryMutex;
std::map<cuda::DevicePtr, Memory> allocations;
/// Reserved ranges, mapped ranges and handles of virtual memory.
std::map<cuda::DevicePtr, uint64_t> reservations, mappings;
std::map<cuda::MemHandle, uint64_t> handles;
uint64_t usedBytes = 0;

/// Takes memory from the device's total; false when there is not enough.
bool take(uint64_t bytes) {
  if (settings().fails("oom") || bytes > settings().memoryBytes - usedBytes)
    return false;
  usedBytes += bytes;
  return true;
}

void *mapPages(uint64_t bytes, int protection) {
  void *base = ::mmap(nullptr, bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : base;
}

bool inside(const std::map<cuda::DevicePtr, uint64_t> &ranges,
            cuda::DevicePtr pointer, uint64_t bytes) {
  auto next = ranges.upper_bound(pointer);
  if (next == ranges.begin())
    return false;
  --next;
  uint64_t offset = pointer - next->first;
  return offset <= next->second && bytes <= next->second - offset;
}
} // namespace

bool fake::inBounds(cuda::DevicePtr pointer, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (inside(mappings, pointer, bytes))
    return true;
  auto next = allocations.upper_bound(pointer);
  if (next == allocations.begin())
    return false;
  --next;
  uint64_t offset = pointer - next->first;
  return offset <= next->second.bytes && bytes <= next->second.bytes - offset;
}

void fake::resetContext() {
  std::lock_guard<std::mutex> lock(memoryMutex);
  for (auto &[pointer, memory] : allocations)
    ::munmap(memory.base, memory.baseBytes);
  allocations.clear();
  for (auto &[pointer, bytes] : reservations)
    ::munmap(reinterpret_cast<void *>(pointer), bytes);
  reservations.clear();
  mappings.clear();
  handles.clear();
  usedBytes = 0;
  stickyError = cuda::Success;
}

cuda::Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  EGG_FAKE_ENTER();
  std::lock_guard<std::mutex> lock(memoryMutex);
  *total = settings().memoryBytes;
  *free = settings().memoryBytes - usedBytes;
  return cuda::Success;
}

cuda::Result cuMemAlloc_v2(cuda::DevicePtr *pointer, size_t bytes) {
  EGG_FAKE_ENTER();
  if (bytes == 0)
    return cuda::InvalidValue;
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (!take(bytes))
    return cuda::OutOfMemory;
  Memory memory = {bytes, nullptr, bytes + 2 * slack};
  memory.base = mapPages(memory.baseBytes, PROT_READ | PROT_WRITE);
  if (!memory.base) {
    usedBytes -= bytes;
    return cuda::OutOfMemory;
  }
  char *start = static_cast<char *>(memory.base) + slack;
  std::memset(start, 0xCD, std::min<uint64_t>(bytes, dirtyBytes));
  *pointer = reinterpret_cast<cuda::DevicePtr>(start);
  allocations[*pointer] = memory;
  return cuda::Success;
}

cuda::Result cuMemFree_v2(cuda::DevicePtr pointer) {
  EGG_FAKE_ENTER();
  waitForAllStreams();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = allocations.find(pointer);
  if (found == allocations.end())
    return cuda::InvalidValue;
  ::munmap(found->second.base, found->second.baseBytes);
  usedBytes -= found->second.bytes;
  allocations.erase(found);
  return cuda::Success;
}

cuda::Result cuMemGetAllocationGranularity(size_t *bytes,
                                           const cuda::MemAllocationProp *,
                                           int) {
  EGG_FAKE_ENTER();
  *bytes = pageBytes;
  return cuda::Success;
}

cuda::Result cuMemAddressReserve(cuda::DevicePtr *pointer, size_t bytes, size_t,
                                 cuda::DevicePtr, unsigned long long) {
  EGG_FAKE_ENTER();
  if (bytes == 0 || bytes % pageBytes)
    return cuda::InvalidValue;
  void *base = mapPages(bytes, PROT_NONE);
  if (!base)
    return cuda::OutOfMemory;
  std::lock_guard<std::mutex> lock(memoryMutex);
  *pointer = reinterpret_cast<cuda::DevicePtr>(base);
  reservations[*pointer] = bytes;
  return cuda::Success;
}

cuda::Result cuMemAddressFree(cuda::DevicePtr pointer, size_t bytes) {
  EGG_FAKE_ENTER();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = reservations.find(pointer);
  if (found == reservations.end() || found->second != bytes)
    return cuda::InvalidValue;
  ::munmap(reinterpret_cast<void *>(pointer), bytes);
  reservations.erase(found);
  return cuda::Success;
}

cuda::Result cuMemCreate(cuda::MemHandle *handle, size_t bytes,
                         const cuda::MemAllocationProp *prop,
                         unsigned long long) {
  EGG_FAKE_ENTER();
  if (bytes == 0 || bytes % pageBytes || prop->type != 1 ||
      prop->location.type != 1)
    return cuda::InvalidValue;
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (!take(bytes))
    return cuda::OutOfMemory;
  static cuda::MemHandle next = 1;
  *handle = next++;
  handles[*handle] = bytes;
  return cuda::Success;
}

cuda::Result cuMemRelease(cuda::MemHandle handle) {
  EGG_FAKE_ENTER();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = handles.find(handle);
  if (found == handles.end())
    return cuda::InvalidValue;
  usedBytes -= found->second;
  handles.erase(found);
  return cuda::Success;
}

cuda::Result cuMemMap(cuda::DevicePtr pointer, size_t bytes, size_t offset,
                      cuda::MemHandle handle, unsigned long long) {
  EGG_FAKE_ENTER();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = handles.find(handle);
  if (found == handles.end() || offset + bytes > found->second ||
      !inside(reservations, pointer, bytes))
    return cuda::InvalidValue;
  mappings[pointer] = bytes;
  return cuda::Success;
}

cuda::Result cuMemSetAccess(cuda::DevicePtr pointer, size_t bytes,
                            const cuda::MemAccessDesc *access, size_t count) {
  EGG_FAKE_ENTER();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = mappings.find(pointer);
  if (found == mappings.end() || found->second != bytes || count != 1 ||
      access->flags != 3)
    return cuda::InvalidValue;
  void *base = reinterpret_cast<void *>(pointer);
  if (::mprotect(base, bytes, PROT_READ | PROT_WRITE) != 0)
    return cuda::OutOfMemory;
  std::memset(base, 0xCD, std::min<uint64_t>(bytes, dirtyBytes));
  return cuda::Success;
}

cuda::Result cuMemUnmap(cuda::DevicePtr pointer, size_t bytes) {
  EGG_FAKE_ENTER();
  waitForAllStreams();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = mappings.find(pointer);
  if (found == mappings.end() || found->second != bytes)
    return cuda::InvalidValue;
  // A fresh mapping without access, so that the pages go back as well.
  ::mmap(reinterpret_cast<void *>(pointer), bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  mappings.erase(found);
  return cuda::Success;
}
