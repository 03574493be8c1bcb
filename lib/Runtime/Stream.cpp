//===- Stream.cpp - Streams, events and graphs ----------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs on the device.
//
//===----------------------------------------------------------------------===//

#include "ContextState.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

using namespace egg;
using detail::ContextScope;

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

Stream::Stream(Stream &&other) noexcept
    : context(std::move(other.context)),
      handle(std::exchange(other.handle, nullptr)),
      owned(std::exchange(other.owned, false)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  if (this != &other) {
    destroy();
    context = std::move(other.context);
    handle = std::exchange(other.handle, nullptr);
    owned = std::exchange(other.owned, false);
  }
  return *this;
}

Stream::~Stream() { destroy(); }

void Stream::destroy() {
  if (!owned)
    return;
  ContextScope scope(*context);
  context->functions().cuStreamDestroy_v2(handle);
  owned = false;
}

Status Stream::synchronize() const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(context->functions().cuStreamSynchronize(handle),
                               "while waiting for a stream");
}

Status Stream::synchronize(double seconds) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  // Short work is polled; long work is looked at ever more seldom, up to 1 ms.
  std::chrono::microseconds pause(0);
  while (true) {
    EGG_ASSIGN(bool done, query());
    if (done)
      return Status();
    double passed = std::chrono::duration<double>(Clock::now() - start).count();
    if (passed >= seconds)
      return Error(ErrorKind::Timeout, "the work on the device did not end "
                                       "within " +
                                           std::to_string(seconds) + " s");
    if (passed > 2e-4)
      pause = std::min(pause + std::chrono::microseconds(10),
                       std::chrono::microseconds(1000));
    if (pause.count())
      std::this_thread::sleep_for(pause);
    else
      std::this_thread::yield();
  }
}

Result<bool> Stream::query() const {
  EGG_IN_CONTEXT(*context);
  cuda::Result code = context->functions().cuStreamQuery(handle);
  if (code == cuda::NotReady)
    return false;
  EGG_TRY(context->driver.check(code, "while waiting for a stream"));
  return true;
}

Status Stream::copyToDevice(DevicePtr to, const void *from,
                            uint64_t bytes) const {
  if (bytes == 0)
    return Status();
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuMemcpyHtoDAsync_v2(to, from, bytes, handle),
      "cannot copy " + std::to_string(bytes) + " bytes to the device");
}

Status Stream::copyToHost(void *to, DevicePtr from, uint64_t bytes) const {
  if (bytes == 0)
    return Status();
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuMemcpyDtoHAsync_v2(to, from, bytes, handle),
      "cannot copy " + std::to_string(bytes) + " bytes from the device");
}

Status Stream::copy(DevicePtr to, DevicePtr from, uint64_t bytes) const {
  if (bytes == 0)
    return Status();
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuMemcpyDtoDAsync_v2(to, from, bytes, handle),
      "cannot copy " + std::to_string(bytes) + " bytes on the device");
}

Status Stream::fill(DevicePtr to, uint8_t value, uint64_t bytes) const {
  if (bytes == 0)
    return Status();
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuMemsetD8Async(to, value, bytes, handle),
      "cannot fill " + std::to_string(bytes) + " bytes on the device");
}

Status Stream::fillWords(DevicePtr to, uint32_t value, uint64_t count) const {
  if (count == 0)
    return Status();
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuMemsetD32Async(to, value, count, handle),
      "cannot fill " + std::to_string(count) + " words on the device");
}

Status Stream::launch(const Kernel &kernel, const LaunchShape &shape,
                      void **parameters) const {
  EGG_IN_CONTEXT(*context);
  const CudaFunctions &functions = context->functions();
  cuda::Result code;
  if (shape.cluster == std::array<uint32_t, 3>{1, 1, 1}) {
    code = functions.cuLaunchKernel(
        kernel.handle, shape.grid[0], shape.grid[1], shape.grid[2],
        shape.block[0], shape.block[1], shape.block[2], shape.sharedBytes,
        handle, parameters, nullptr);
  } else {
    if (!functions.cuLaunchKernelEx)
      return Error(ErrorKind::Unsupported,
                   "the driver cannot launch the clusters of the kernel '" +
                       kernel.name + "'");
    cuda::LaunchAttribute attribute = {};
    attribute.id = cuda::clusterDimension;
    attribute.value.cluster = {shape.cluster[0], shape.cluster[1],
                               shape.cluster[2]};
    cuda::LaunchConfig config = {shape.grid[0],     shape.grid[1],
                                 shape.grid[2],     shape.block[0],
                                 shape.block[1],    shape.block[2],
                                 shape.sharedBytes, handle,
                                 &attribute,        1};
    code =
        functions.cuLaunchKernelEx(&config, kernel.handle, parameters, nullptr);
  }
  if (code == cuda::Success)
    return Status();
  Status status = context->driver.check(
      code, "cannot launch the kernel '" + kernel.name + "' with a grid of " +
                std::to_string(shape.grid[0]) + "x" +
                std::to_string(shape.grid[1]) + "x" +
                std::to_string(shape.grid[2]) + " blocks of " +
                std::to_string(shape.block[0]) + "x" +
                std::to_string(shape.block[1]) + "x" +
                std::to_string(shape.block[2]) + " threads and " +
                std::to_string(shape.sharedBytes) + " bytes of shared memory");
  // The driver answers "invalid value" to a launch that it cannot make.
  if (status.error().kind == ErrorKind::Internal)
    return Error(ErrorKind::Launch, status.error().message);
  return status;
}

Status Stream::record(const Event &event) const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuEventRecord(event.handle, handle),
      "cannot record an event");
}

Status Stream::beginCapture() const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(context->functions().cuStreamBeginCapture_v2(
                                   handle, cuda::captureThreadLocal),
                               "cannot begin to capture a graph");
}

Result<Graph> Stream::endCapture() const {
  EGG_IN_CONTEXT(*context);
  Graph captured;
  captured.context = context;
  EGG_TRY(context->driver.check(
      context->functions().cuStreamEndCapture(handle, &captured.graph),
      "cannot capture a graph"));
  EGG_TRY(
      context->driver.check(context->functions().cuGraphInstantiateWithFlags(
                                &captured.exec, captured.graph, 0),
                            "cannot instantiate a graph"));
  return captured;
}

Status Stream::upload(const Graph &graph) const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuGraphUpload(graph.exec, handle),
      "cannot upload a graph");
}

Status Stream::launch(const Graph &graph) const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuGraphLaunch(graph.exec, handle),
      "cannot launch a graph");
}

//===----------------------------------------------------------------------===//
// Event
//===----------------------------------------------------------------------===//

Event::Event(Event &&other) noexcept
    : context(std::move(other.context)),
      handle(std::exchange(other.handle, nullptr)) {}

Event &Event::operator=(Event &&other) noexcept {
  if (this != &other) {
    destroy();
    context = std::move(other.context);
    handle = std::exchange(other.handle, nullptr);
  }
  return *this;
}

Event::~Event() { destroy(); }

void Event::destroy() {
  if (!handle)
    return;
  ContextScope scope(*context);
  context->functions().cuEventDestroy_v2(handle);
  handle = nullptr;
}

Status Event::synchronize() const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(context->functions().cuEventSynchronize(handle),
                               "while waiting for an event");
}

Result<bool> Event::query() const {
  EGG_IN_CONTEXT(*context);
  cuda::Result code = context->functions().cuEventQuery(handle);
  if (code == cuda::NotReady)
    return false;
  EGG_TRY(context->driver.check(code, "while waiting for an event"));
  return true;
}

Result<double> Event::millisecondsSince(const Event &start) const {
  EGG_IN_CONTEXT(*context);
  float milliseconds = 0;
  EGG_TRY(context->driver.check(context->functions().cuEventElapsedTime(
                                    &milliseconds, start.handle, handle),
                                "cannot get the time between two events"));
  return double(milliseconds);
}

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

Graph::Graph(Graph &&other) noexcept
    : context(std::move(other.context)),
      graph(std::exchange(other.graph, nullptr)),
      exec(std::exchange(other.exec, nullptr)) {}

Graph &Graph::operator=(Graph &&other) noexcept {
  if (this != &other) {
    destroy();
    context = std::move(other.context);
    graph = std::exchange(other.graph, nullptr);
    exec = std::exchange(other.exec, nullptr);
  }
  return *this;
}

Graph::~Graph() { destroy(); }

void Graph::destroy() {
  if (!context)
    return;
  ContextScope scope(*context);
  if (exec)
    context->functions().cuGraphExecDestroy(exec);
  if (graph)
    context->functions().cuGraphDestroy(graph);
  exec = nullptr;
  graph = nullptr;
}
