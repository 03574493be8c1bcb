//===- Driver.h - The CUDA driver API behind Result -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda is opened at run time: no CUDA is needed to build or to start. Each
// call's failure is an error of the closed set with the driver's own text.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_RUNTIME_DRIVER_H
#define EGG_RUNTIME_DRIVER_H

#include "egg/Runtime/CudaAbi.h"
#include "egg/Support/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egg {

/// An address in device memory.
using DevicePtr = cuda::DevicePtr;

/// What the driver says about one device.
struct DeviceInfo {
  std::string name;
  std::string pciBusId;
  /// Compute capability, for example 9 and 0.
  int major = 0, minor = 0;
  int multiprocessors = 0;
  int clockKhz = 0;
  uint64_t memoryBytes = 0;
  uint64_t l2Bytes = 0;
  /// Static shared memory, and dynamic after asking for it.
  uint64_t sharedPerBlock = 0, sharedPerBlockOptin = 0;
  uint64_t sharedPerMultiprocessor = 0, reservedSharedPerBlock = 0;
  int registersPerMultiprocessor = 0;
  int threadsPerBlock = 0, threadsPerMultiprocessor = 0, warpSize = 0;
  std::array<int, 3> maxBlock = {}, maxGrid = {};
  bool clusterLaunch = false, virtualMemory = false, mps = false;
  /// The driver's version, for example 13000 for 13.0.
  int driverVersion = 0;
};

/// The opened driver library. Copies share it; it is never closed.
class Driver {
public:
  /// Opens `path`, else $EGG_CUDA_DRIVER, else libcuda.so.1, and initialises
  /// it. Fails with `no-device` when there is no driver or no device, and with
  /// `wrong-arch` when the driver is older than CUDA 12.0.
  static Result<Driver> open(const std::string &path = "");

  const CudaFunctions &functions() const { return *table; }

  /// The number of devices; at least 1.
  Result<int> deviceCount() const;
  /// Fails with `no-device` for an ordinal out of range.
  Result<DeviceInfo> deviceInfo(int ordinal) const;

  /// Success, or the error for a failed call: its kind, `what` was tried, and
  /// the driver's name and text of `code`.
  Status check(cuda::Result code, std::string_view what) const;

private:
  explicit Driver(std::shared_ptr<const CudaFunctions> table)
      : table(std::move(table)) {}
  std::shared_ptr<const CudaFunctions> table;
};

/// The kind for a failed driver call.
ErrorKind errorKindOf(cuda::Result code);

namespace detail {
struct ContextState;
} // namespace detail

/// Device memory that frees itself.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  /// The first byte that may be used; 0 for an empty buffer.
  DevicePtr pointer() const { return address; }
  uint64_t bytes() const { return size; }
  /// The first and the last byte plus one that are mapped around the buffer:
  /// what lies outside faults. Equal to the buffer for a plain allocation.
  DevicePtr mappedBegin() const { return mapped; }
  DevicePtr mappedEnd() const { return mapped + mappedBytes; }

private:
  friend class Context;
  void free();

  std::shared_ptr<const detail::ContextState> context;
  DevicePtr address = 0, mapped = 0, reserved = 0;
  uint64_t size = 0, mappedBytes = 0, reservedBytes = 0;
  cuda::MemHandle handle = 0;
};

/// What the driver says about a kernel.
struct KernelFacts {
  int registers = 0;
  uint64_t localBytes = 0;
  uint64_t sharedBytes = 0;
  uint64_t constBytes = 0;
  int maxThreads = 0;
  /// For example 90.
  int binaryVersion = 0;
};

/// Where one parameter of a kernel lies in its parameter block.
struct KernelParameter {
  uint64_t offset = 0, bytes = 0;
};

/// How many threads a launch has.
struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t sharedBytes = 0;
};

/// A function of a loaded module; valid as long as its module lives.
class Kernel {
public:
  Result<KernelFacts> facts() const;
  /// nullopt when the driver is too old to tell (before CUDA 12.4).
  Result<std::optional<std::vector<KernelParameter>>> parameters() const;
  /// Must be called before launches with more than 48 KiB of dynamic shared
  /// memory.
  Status allowSharedBytes(uint64_t bytes) const;
  /// Must be called before launches with clusters of more than 8 blocks.
  Status allowLargeClusters() const;
  /// Blocks of that size that run at once on one multiprocessor.
  Result<int> blocksPerMultiprocessor(uint32_t blockThreads,
                                      uint64_t sharedBytes) const;
  const std::string &symbol() const { return name; }

private:
  friend class Module;
  friend class Stream;
  std::shared_ptr<const detail::ContextState> context;
  cuda::FunctionHandle handle = nullptr;
  std::string name;
};

/// A loaded cubin or PTX text; unloads itself.
class Module {
public:
  Module(Module &&other) noexcept;
  Module &operator=(Module &&other) noexcept;
  ~Module();

  /// Fails with `load` when there is no kernel of that name.
  Result<Kernel> kernel(const std::string &symbol) const;

private:
  friend class Context;
  Module() = default;
  void unload();

  std::shared_ptr<const detail::ContextState> context;
  cuda::ModuleHandle handle = nullptr;
};

/// A point in a stream's work.
class Event {
public:
  Event(Event &&other) noexcept;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  /// Waits until the event has happened.
  Status synchronize() const;
  /// True once the event has happened.
  Result<bool> query() const;
  /// Milliseconds from `start` to this event; both must have happened.
  Result<double> millisecondsSince(const Event &start) const;

private:
  friend class Context;
  friend class Stream;
  Event() = default;
  void destroy();

  std::shared_ptr<const detail::ContextState> context;
  cuda::EventHandle handle = nullptr;
};

/// A captured and instantiated CUDA graph.
class Graph {
public:
  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  ~Graph();

private:
  friend class Stream;
  Graph() = default;
  void destroy();

  std::shared_ptr<const detail::ContextState> context;
  cuda::GraphHandle graph = nullptr;
  cuda::GraphExecHandle exec = nullptr;
};

/// A queue of work. Calls return before the work is done unless they say so.
class Stream {
public:
  Stream(Stream &&other) noexcept;
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  cuda::StreamHandle raw() const { return handle; }

  /// Waits for all work.
  Status synchronize() const;
  /// Waits for all work; fails with `timeout` after `seconds`: the work still
  /// runs, and only ending the process stops it.
  Status synchronize(double seconds) const;
  /// True when all work is done.
  Result<bool> query() const;

  /// Copies; host memory must stay until the stream is synchronized.
  Status copyToDevice(DevicePtr to, const void *from, uint64_t bytes) const;
  Status copyToHost(void *to, DevicePtr from, uint64_t bytes) const;
  Status copy(DevicePtr to, DevicePtr from, uint64_t bytes) const;
  /// Sets each byte.
  Status fill(DevicePtr to, uint8_t value, uint64_t bytes) const;
  /// Sets each of `count` 4-byte words; `to` must be aligned to 4.
  Status fillWords(DevicePtr to, uint32_t value, uint64_t count) const;

  /// `parameters[i]` points at the value of parameter i; read before the call
  /// returns.
  Status launch(const Kernel &kernel, const LaunchShape &shape,
                void **parameters) const;

  Status record(const Event &event) const;

  /// From here to `endCapture`, work is recorded and not run.
  Status beginCapture() const;
  Result<Graph> endCapture() const;
  /// Moves the graph to the device, so that its first launch is like others.
  Status upload(const Graph &graph) const;
  Status launch(const Graph &graph) const;

private:
  friend class Context;
  Stream() = default;
  void destroy();

  std::shared_ptr<const detail::ContextState> context;
  cuda::StreamHandle handle = nullptr;
  bool owned = false;
};

/// A device's context, current in no particular thread: every call makes it
/// current and puts the former one back. Copies share it; what is made from it
/// keeps it alive.
class Context {
public:
  /// The primary context of a device. Refuses MPS (`mps`), a device below
  /// compute capability 8.0 (`wrong-arch`) and one that others hold
  /// exclusively (`device-busy`).
  static Result<Context> create(const Driver &driver, int ordinal = 0);
  /// The context that is current in this thread (a caller's, such as
  /// PyTorch's), else the primary context of device 0.
  static Result<Context> current(const Driver &driver);

  const Driver &driver() const;
  const DeviceInfo &device() const;

  /// Waits for all work of the context.
  Status synchronize() const;
  /// Free and total device memory in bytes.
  Result<std::pair<uint64_t, uint64_t>> memory() const;
  /// Gives back L2 lines that were set aside to persist.
  Status resetPersistingL2() const;

  /// Memory aligned to 256. Zero bytes give an empty buffer.
  Result<DeviceBuffer> allocate(uint64_t bytes) const;
  /// Memory between unmapped pages: the last byte, rounded up to a multiple of
  /// `align` (a power of two), lies against one. Fails with `unsupported` where
  /// the device has no virtual memory management.
  Result<DeviceBuffer> allocateGuarded(uint64_t bytes,
                                       uint64_t align = 256) const;
  /// Loads a cubin, or PTX text that the driver compiles. Fails with `load`,
  /// `wrong-arch`, or with what the driver says, and its log.
  Result<Module> loadModule(std::string_view image) const;
  /// A stream that does not wait for the default one.
  Result<Stream> createStream() const;
  /// A caller's stream; null is the default stream.
  Stream borrowStream(cuda::StreamHandle handle) const;
  Result<Event> createEvent() const;

private:
  explicit Context(std::shared_ptr<const detail::ContextState> state)
      : state(std::move(state)) {}
  std::shared_ptr<const detail::ContextState> state;
};

} // namespace egg

#endif // EGG_RUNTIME_DRIVER_H
