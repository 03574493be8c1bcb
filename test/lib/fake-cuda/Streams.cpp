//===- Streams.cpp - Streams, events and graphs of the fake driver --------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each stream has a thread that takes its operations one by one, so that a
// launch returns at once and a kernel that hangs can be seen to hang.
//
//===----------------------------------------------------------------------===//

#include "Exports.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

using namespace fake;

struct egg::cuda::StreamOpaque {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Operation> queue;
  bool busy = false, stop = false, capturing = false;
  std::vector<Operation> captured;
};

struct egg::cuda::EventOpaque {
  std::atomic<bool> recorded{false}, happened{true};
  std::atomic<uint64_t> time{0};
};

struct egg::cuda::GraphOpaque {
  std::vector<Operation> operations;
};

struct egg::cuda::GraphExecOpaque {
  std::vector<Operation> operations;
};

std::atomic<cuda::Result> fake::stickyError{cuda::Success};
std::atomic<uint64_t> fake::fakeClock{1000};

namespace {
std::mutex listMutex;
std::vector<std::shared_ptr<cuda::StreamOpaque>> streams;
std::atomic<int64_t> kernelsRun{0};

void serve(std::shared_ptr<cuda::StreamOpaque> stream) {
  std::unique_lock<std::mutex> lock(stream->mutex);
  while (true) {
    stream->changed.wait(
        lock, [&] { return stream->stop || !stream->queue.empty(); });
    if (stream->queue.empty())
      return;
    Operation operation = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->busy = true;
    lock.unlock();
    // After an error nothing runs any more.
    if (!stickyError) {
      fakeClock += uint64_t(operation.milliseconds * 1e6);
      if (cuda::Result code = operation.run())
        stickyError = code;
    }
    lock.lock();
    stream->busy = false;
    stream->changed.notify_all();
  }
}

cuda::StreamHandle makeStream() {
  auto stream = std::make_shared<cuda::StreamOpaque>();
  std::thread(serve, stream).detach();
  std::lock_guard<std::mutex> lock(listMutex);
  streams.push_back(stream);
  return stream.get();
}

/// The stream of a handle; null stands for the default one.
cuda::StreamHandle resolve(cuda::StreamHandle stream) {
  static cuda::StreamHandle standard = makeStream();
  return stream ? stream : standard;
}

void waitFor(cuda::StreamOpaque &stream) {
  std::unique_lock<std::mutex> lock(stream.mutex);
  stream.changed.wait(lock,
                      [&] { return stream.queue.empty() && !stream.busy; });
}

/// How long moving bytes takes, at 1 TB/s.
double moveTime(size_t bytes) { return 0.002 + double(bytes) * 1e-9; }

struct Launch {
  cuda::FunctionHandle function;
  egg_fake_dim3 grid, block;
  std::vector<std::vector<uint64_t>> values;
};

cuda::Result runLaunch(Launch &launch) {
  if (settings().lostAfter >= 0 && kernelsRun >= settings().lostAfter)
    return cuda::EccUncorrectable;
  ++kernelsRun;
  std::vector<void *> params;
  for (std::vector<uint64_t> &value : launch.values)
    params.push_back(value.data());
  return runHostKernel(launch.function->kernel, launch.grid, launch.block,
                       params.data());
}

cuda::Result enqueueLaunch(cuda::FunctionHandle function,
                           const egg_fake_dim3 &grid,
                           const egg_fake_dim3 &block, unsigned shared,
                           cuda::StreamHandle stream, void **params) {
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (!grid.x || !grid.y || !grid.z || grid.y > 65535 || grid.z > 65535 ||
      !threads || threads > 1024 || block.z > 64 ||
      int64_t(shared) > function->maxDynamicShared)
    return cuda::InvalidValue;
  if (threads > uint64_t(function->maxThreads) ||
      threads * function->registers > 65536)
    return cuda::LaunchOutOfResources;
  auto launch = std::make_shared<Launch>();
  launch->function = function;
  launch->grid = grid;
  launch->block = block;
  for (size_t i = 0; i < function->parameterBytes.size(); ++i) {
    size_t bytes = function->parameterBytes[i];
    launch->values.emplace_back((bytes + 7) / 8);
    std::memcpy(launch->values.back().data(), params[i], bytes);
  }
  Operation operation;
  operation.run = [launch] { return runLaunch(*launch); };
  auto time = settings().kernelMilliseconds.find(function->name);
  operation.milliseconds =
      time == settings().kernelMilliseconds.end() ? 0.01 : time->second;
  return enqueue(stream, std::move(operation));
}
} // namespace

cuda::Result fake::enqueue(cuda::StreamHandle handle, Operation operation) {
  cuda::StreamOpaque &stream = *resolve(handle);
  std::lock_guard<std::mutex> lock(stream.mutex);
  if (stream.capturing) {
    stream.captured.push_back(std::move(operation));
  } else {
    stream.queue.push_back(std::move(operation));
    stream.changed.notify_all();
  }
  return cuda::Success;
}

void fake::waitForAllStreams() {
  std::vector<std::shared_ptr<cuda::StreamOpaque>> list;
  {
    std::lock_guard<std::mutex> lock(listMutex);
    list = streams;
  }
  for (auto &stream : list)
    waitFor(*stream);
}

cuda::Result cuCtxSynchronize() {
  EGG_FAKE_ENTER();
  waitForAllStreams();
  return stickyError;
}

cuda::Result cuLaunchKernel(cuda::FunctionHandle function, unsigned gridX,
                            unsigned gridY, unsigned gridZ, unsigned blockX,
                            unsigned blockY, unsigned blockZ, unsigned shared,
                            cuda::StreamHandle stream, void **params, void **) {
  EGG_FAKE_ENTER();
  return enqueueLaunch(function, {gridX, gridY, gridZ},
                       {blockX, blockY, blockZ}, shared, stream, params);
}

cuda::Result cuLaunchKernelEx(const cuda::LaunchConfig *config,
                              cuda::FunctionHandle function, void **params,
                              void **) {
  EGG_FAKE_ENTER();
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const cuda::LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id != cuda::clusterDimension)
      return cuda::InvalidValue;
    const auto &cluster = attribute.value.cluster;
    uint64_t blocks = uint64_t(cluster.x) * cluster.y * cluster.z;
    if (!blocks || config->gridX % cluster.x || config->gridY % cluster.y ||
        config->gridZ % cluster.z)
      return cuda::InvalidValue;
    if (blocks > (function->largeClusters ? 16 : 8))
      return cuda::InvalidClusterSize;
  }
  return enqueueLaunch(function, {config->gridX, config->gridY, config->gridZ},
                       {config->blockX, config->blockY, config->blockZ},
                       config->sharedBytes, config->stream, params);
}

cuda::Result cuMemcpyHtoDAsync_v2(cuda::DevicePtr to, const void *from,
                                  size_t bytes, cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  if (!inBounds(to, bytes))
    return cuda::InvalidValue;
  return enqueue(stream, {[=] {
                            std::memcpy(reinterpret_cast<void *>(to), from,
                                        bytes);
                            return cuda::Success;
                          },
                          moveTime(bytes)});
}

cuda::Result cuMemcpyDtoHAsync_v2(void *to, cuda::DevicePtr from, size_t bytes,
                                  cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  if (!inBounds(from, bytes))
    return cuda::InvalidValue;
  return enqueue(stream, {[=] {
                            std::memcpy(to, reinterpret_cast<void *>(from),
                                        bytes);
                            return cuda::Success;
                          },
                          moveTime(bytes)});
}

cuda::Result cuMemcpyDtoDAsync_v2(cuda::DevicePtr to, cuda::DevicePtr from,
                                  size_t bytes, cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  if (!inBounds(to, bytes) || !inBounds(from, bytes))
    return cuda::InvalidValue;
  return enqueue(stream, {[=] {
                            std::memcpy(reinterpret_cast<void *>(to),
                                        reinterpret_cast<void *>(from), bytes);
                            return cuda::Success;
                          },
                          moveTime(bytes)});
}

cuda::Result cuMemsetD8Async(cuda::DevicePtr to, unsigned char value,
                             size_t bytes, cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  if (!inBounds(to, bytes))
    return cuda::InvalidValue;
  return enqueue(stream, {[=] {
                            std::memset(reinterpret_cast<void *>(to), value,
                                        bytes);
                            return cuda::Success;
                          },
                          moveTime(bytes)});
}

cuda::Result cuMemsetD32Async(cuda::DevicePtr to, unsigned value, size_t count,
                              cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  if (count > SIZE_MAX / 4 || to % 4 || !inBounds(to, count * 4))
    return cuda::InvalidValue;
  return enqueue(stream, {[=] {
                            unsigned *words = reinterpret_cast<unsigned *>(to);
                            std::fill(words, words + count, value);
                            return cuda::Success;
                          },
                          moveTime(count * 4)});
}

cuda::Result cuStreamCreate(cuda::StreamHandle *stream, unsigned) {
  EGG_FAKE_ENTER();
  *stream = makeStream();
  return cuda::Success;
}

cuda::Result cuStreamDestroy_v2(cuda::StreamHandle handle) {
  std::shared_ptr<cuda::StreamOpaque> stream;
  {
    std::lock_guard<std::mutex> lock(listMutex);
    auto found =
        std::find_if(streams.begin(), streams.end(),
                     [&](const auto &entry) { return entry.get() == handle; });
    if (found == streams.end())
      return cuda::InvalidHandle;
    stream = *found;
    streams.erase(found);
  }
  std::lock_guard<std::mutex> lock(stream->mutex);
  stream->stop = true;
  stream->changed.notify_all();
  return cuda::Success;
}

cuda::Result cuStreamSynchronize(cuda::StreamHandle handle) {
  EGG_FAKE_ENTER();
  cuda::StreamOpaque &stream = *resolve(handle);
  {
    std::lock_guard<std::mutex> lock(stream.mutex);
    if (stream.capturing)
      return cuda::StreamCaptureUnsupported;
  }
  waitFor(stream);
  return stickyError;
}

cuda::Result cuStreamQuery(cuda::StreamHandle handle) {
  EGG_FAKE_ENTER();
  cuda::StreamOpaque &stream = *resolve(handle);
  std::lock_guard<std::mutex> lock(stream.mutex);
  if (stream.capturing)
    return cuda::StreamCaptureUnsupported;
  if (stream.queue.empty() && !stream.busy)
    return stickyError;
  return cuda::NotReady;
}

cuda::Result cuStreamBeginCapture_v2(cuda::StreamHandle stream, int) {
  EGG_FAKE_ENTER();
  if (!stream)
    return cuda::StreamCaptureUnsupported;
  std::lock_guard<std::mutex> lock(stream->mutex);
  if (stream->capturing)
    return 401; // CUDA_ERROR_ILLEGAL_STATE
  stream->capturing = true;
  stream->captured.clear();
  return cuda::Success;
}

cuda::Result cuStreamEndCapture(cuda::StreamHandle stream,
                                cuda::GraphHandle *graph) {
  EGG_FAKE_ENTER();
  std::lock_guard<std::mutex> lock(stream->mutex);
  if (!stream->capturing)
    return 401; // CUDA_ERROR_ILLEGAL_STATE
  stream->capturing = false;
  *graph = new cuda::GraphOpaque{std::move(stream->captured)};
  stream->captured.clear();
  return cuda::Success;
}

cuda::Result cuGraphInstantiateWithFlags(cuda::GraphExecHandle *exec,
                                         cuda::GraphHandle graph,
                                         unsigned long long) {
  EGG_FAKE_ENTER();
  *exec = new cuda::GraphExecOpaque{graph->operations};
  return cuda::Success;
}

cuda::Result cuGraphUpload(cuda::GraphExecHandle, cuda::StreamHandle) {
  EGG_FAKE_ENTER();
  return cuda::Success;
}

cuda::Result cuGraphLaunch(cuda::GraphExecHandle exec,
                           cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  for (const Operation &operation : exec->operations)
    if (cuda::Result code = enqueue(stream, operation))
      return code;
  return cuda::Success;
}

cuda::Result cuGraphExecDestroy(cuda::GraphExecHandle exec) {
  delete exec;
  return cuda::Success;
}

cuda::Result cuGraphDestroy(cuda::GraphHandle graph) {
  delete graph;
  return cuda::Success;
}

cuda::Result cuEventCreate(cuda::EventHandle *event, unsigned) {
  EGG_FAKE_ENTER();
  *event = new cuda::EventOpaque;
  return cuda::Success;
}

cuda::Result cuEventDestroy_v2(cuda::EventHandle event) {
  // An operation may still name it.
  if (event->happened)
    delete event;
  return cuda::Success;
}

cuda::Result cuEventRecord(cuda::EventHandle event, cuda::StreamHandle stream) {
  EGG_FAKE_ENTER();
  event->recorded = true;
  event->happened = false;
  return enqueue(stream, {[event]() -> cuda::Result {
                            event->time = fakeClock.load();
                            event->happened = true;
                            return cuda::Success;
                          },
                          0});
}

cuda::Result cuEventQuery(cuda::EventHandle event) {
  EGG_FAKE_ENTER();
  return event->happened ? cuda::Success : cuda::NotReady;
}

cuda::Result cuEventSynchronize(cuda::EventHandle event) {
  while (!event->happened) {
    EGG_FAKE_ENTER();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return stickyError;
}

cuda::Result cuEventElapsedTime(float *milliseconds, cuda::EventHandle start,
                                cuda::EventHandle end) {
  EGG_FAKE_ENTER();
  if (!start->recorded || !end->recorded)
    return cuda::InvalidHandle;
  if (!start->happened || !end->happened)
    return cuda::NotReady;
  *milliseconds =
      float((double(end->time.load()) - double(start->time.load())) * 1e-6);
  return cuda::Success;
}
