//===- Memory.cpp - device buffers with guard zones -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

using namespace egg;
using namespace egg::eval;

static constexpr uint64_t zoneBytes = 65536;

Result<GuardedBuffer> GuardedBuffer::create(const DeviceKernels &kernels,
                                            uint64_t bytes, uint64_t align,
                                            Placement placement,
                                            std::string name) {
  GuardedBuffer result;
  result.title = std::move(name);
  const Context &context = kernels.context();
  if (placement == Placement::Unmapped && bytes > 0 &&
      context.device().virtualMemory) {
    EGG_ASSIGN(result.buffer, context.allocateGuarded(bytes, align));
    DevicePtr body = result.buffer.pointer();
    DevicePtr begin = result.buffer.mappedBegin();
    DevicePtr end = result.buffer.mappedEnd();
    result.body = {body, bytes};
    // Before it lies the rest of its first page, of which the nearest bytes
    // are enough; behind it at most the alignment.
    DevicePtr front = body - begin > zoneBytes ? body - zoneBytes : begin;
    if (body > front)
      result.zones.push_back({front, body - front});
    if (end > body + bytes)
      result.zones.push_back({body + bytes, end - body - bytes});
  } else {
    if (bytes > UINT64_MAX - 2 * zoneBytes)
      return Error(ErrorKind::OutOfMemory,
                   "a buffer of " + std::to_string(bytes) + " bytes");
    EGG_ASSIGN(result.buffer, context.allocate(bytes + 2 * zoneBytes));
    DevicePtr begin = result.buffer.pointer();
    result.body = {begin + zoneBytes, bytes};
    result.zones = {{begin, zoneBytes}, {begin + zoneBytes + bytes, zoneBytes}};
  }
  for (const DeviceSpan &zone : result.zones)
    EGG_TRY(kernels.pattern(zone, nanPattern));
  return result;
}

Status
egg::eval::checkGuards(const DeviceKernels &kernels,
                       const std::vector<const GuardedBuffer *> &buffers) {
  std::vector<DeviceSpan> spans;
  std::vector<const GuardedBuffer *> owners;
  for (const GuardedBuffer *buffer : buffers)
    for (const DeviceSpan &zone : buffer->guards()) {
      spans.push_back(zone);
      owners.push_back(buffer);
    }
  EGG_ASSIGN(DeviceKernels::Damage damage,
             kernels.checkPattern(spans, nanPattern));
  if (damage.bytes == 0)
    return Status();
  const GuardedBuffer &owner = *owners[damage.span];
  DevicePtr place = spans[damage.span].pointer + damage.offset;
  bool before = place < owner.pointer();
  uint64_t distance = before ? owner.pointer() - place
                             : place - owner.pointer() - owner.bytes();
  return Error(ErrorKind::OutOfBoundsWrite,
               std::to_string(damage.bytes) +
                   " bytes outside of the buffers "
                   "were written; the first is " +
                   std::to_string(distance) + " bytes " +
                   (before ? "before" : "behind the end of") + " " +
                   owner.name() + ", which has " +
                   std::to_string(owner.bytes()) + " bytes");
}
