//===- Context.cpp - Contexts, memory and modules -------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is made once; streams and what runs on them are in Stream.cpp.
//
//===----------------------------------------------------------------------===//

#include "ContextState.h"

#include <cstring>
#include <utility>

using namespace egg;
using detail::ContextScope;
using detail::ContextState;

namespace {
uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The driver gets no length with an image, so the tables of a cubin (an ELF
/// file) must lie inside it before the driver follows them.
Status checkElf(std::string_view image) {
  auto number = [&](size_t at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= uint64_t(uint8_t(image[at + i])) << (8 * i);
    return value;
  };
  auto bad = [&](const std::string &what) -> Status {
    return Error(ErrorKind::Load, "the cubin of " +
                                      std::to_string(image.size()) +
                                      " bytes is damaged: " + what);
  };
  auto outside = [&](uint64_t offset, uint64_t bytes) {
    return offset > image.size() || bytes > image.size() - offset;
  };
  // Offsets of the 64-bit ELF header, its section and program headers.
  constexpr size_t headerBytes = 64, sectionBytes = 64, programBytes = 56;
  constexpr uint64_t noBits = 8;
  if (image.size() < headerBytes)
    return bad("it ends inside its header");
  if (number(4, 1) != 2 || number(5, 1) != 1)
    return bad("it is no little-endian 64-bit ELF file");
  uint64_t programs = number(32, 8), sections = number(40, 8);
  uint64_t programCount = number(56, 2), sectionCount = number(60, 2);
  if (programCount && number(54, 2) != programBytes)
    return bad("its program headers have an odd size");
  if (sectionCount && number(58, 2) != sectionBytes)
    return bad("its section headers have an odd size");
  if (outside(programs, programCount * programBytes))
    return bad("its program headers lie outside");
  if (outside(sections, sectionCount * sectionBytes))
    return bad("its section headers lie outside");
  for (uint64_t i = 0; i < sectionCount; ++i) {
    size_t at = sections + i * sectionBytes;
    if (number(at + 4, 4) != noBits &&
        outside(number(at + 24, 8), number(at + 32, 8)))
      return bad("section " + std::to_string(i) + " lies outside");
  }
  for (uint64_t i = 0; i < programCount; ++i) {
    size_t at = programs + i * programBytes;
    if (outside(number(at + 8, 8), number(at + 32, 8)))
      return bad("segment " + std::to_string(i) + " lies outside");
  }
  return Status();
}
} // namespace

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

Result<Context> Context::create(const Driver &driver, int ordinal) {
  auto state = std::make_shared<ContextState>(driver);
  const CudaFunctions &functions = driver.functions();
  EGG_ASSIGN(state->info, driver.deviceInfo(ordinal));
  const DeviceInfo &info = state->info;
  if (info.mps)
    return Error(ErrorKind::Mps,
                 "device " + std::to_string(ordinal) + " (" + info.name +
                     ") is shared through MPS, where a fault of one process "
                     "ends the others and times mean nothing; stop the MPS "
                     "daemon (echo quit | nvidia-cuda-mps-control)");
  if (info.major < 8)
    return Error(ErrorKind::WrongArch,
                 "device " + std::to_string(ordinal) + " (" + info.name +
                     ") has compute capability " + std::to_string(info.major) +
                     "." + std::to_string(info.minor) +
                     "; egg needs 8.0 or newer");
  EGG_TRY(driver.check(functions.cuDeviceGet(&state->device, ordinal),
                       "cannot get a device"));
  int mode = 0;
  if (functions.cuDeviceGetAttribute(&mode, cuda::ComputeMode, state->device) ==
          cuda::Success &&
      mode == cuda::computeModeProhibited)
    return Error(ErrorKind::DeviceBusy,
                 "device " + std::to_string(ordinal) + " (" + info.name +
                     ") is in compute mode 'prohibited'");
  EGG_TRY(driver.check(
      functions.cuDevicePrimaryCtxRetain(&state->handle, state->device),
      "cannot make a context on device " + std::to_string(ordinal)));
  state->retained = true;
  return Context(std::move(state));
}

Result<Context> Context::current(const Driver &driver) {
  const CudaFunctions &functions = driver.functions();
  cuda::ContextHandle handle = nullptr;
  EGG_TRY(driver.check(functions.cuCtxGetCurrent(&handle),
                       "cannot get the current context"));
  if (!handle)
    return create(driver, 0);
  auto state = std::make_shared<ContextState>(driver);
  state->handle = handle;
  EGG_TRY(driver.check(functions.cuCtxGetDevice(&state->device),
                       "cannot get the current context's device"));
  EGG_ASSIGN(int count, driver.deviceCount());
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cuda::Device device;
    if (functions.cuDeviceGet(&device, ordinal) != cuda::Success ||
        device != state->device)
      continue;
    EGG_ASSIGN(state->info, driver.deviceInfo(ordinal));
    return Context(std::move(state));
  }
  return Error(ErrorKind::NoDevice,
               "the current context's device is not among the " +
                   std::to_string(count) + " that the driver sees");
}

const Driver &Context::driver() const { return state->driver; }

const DeviceInfo &Context::device() const { return state->info; }

Status Context::synchronize() const {
  EGG_IN_CONTEXT(*state);
  return state->driver.check(state->functions().cuCtxSynchronize(),
                             "while waiting for the device");
}

Result<std::pair<uint64_t, uint64_t>> Context::memory() const {
  EGG_IN_CONTEXT(*state);
  size_t free = 0, total = 0;
  EGG_TRY(state->driver.check(state->functions().cuMemGetInfo_v2(&free, &total),
                              "cannot get the free memory"));
  return std::pair<uint64_t, uint64_t>(free, total);
}

Status Context::resetPersistingL2() const {
  EGG_IN_CONTEXT(*state);
  return state->driver.check(state->functions().cuCtxResetPersistingL2Cache(),
                             "cannot reset the persisting lines of L2");
}

Result<DeviceBuffer> Context::allocate(uint64_t bytes) const {
  DeviceBuffer buffer;
  if (bytes == 0)
    return buffer;
  EGG_IN_CONTEXT(*state);
  EGG_TRY(state->driver.check(
      state->functions().cuMemAlloc_v2(&buffer.address, bytes),
      "cannot allocate " + std::to_string(bytes) + " bytes on the device"));
  buffer.context = state;
  buffer.mapped = buffer.address;
  buffer.size = buffer.mappedBytes = bytes;
  return buffer;
}

Result<DeviceBuffer> Context::allocateGuarded(uint64_t bytes,
                                              uint64_t align) const {
  DeviceBuffer buffer;
  if (bytes == 0)
    return buffer;
  if (align == 0 || (align & (align - 1)) || align > 65536)
    return Error(ErrorKind::Internal, "an alignment of " +
                                          std::to_string(align) +
                                          " is no power of two up to 65536");
  if (!state->info.virtualMemory)
    return Error(ErrorKind::Unsupported,
                 "the device has no virtual memory management, so a buffer "
                 "cannot lie against an unmapped page");
  if (bytes > uint64_t(1) << 50)
    return Error(ErrorKind::OutOfMemory, "cannot allocate " +
                                             std::to_string(bytes) +
                                             " bytes on the device");
  EGG_IN_CONTEXT(*state);
  const CudaFunctions &functions = state->functions();
  const Driver &driver = state->driver;
  cuda::MemAllocationProp prop = {};
  prop.type = 1;
  prop.location = {1, state->device};
  size_t page = 0;
  EGG_TRY(driver.check(functions.cuMemGetAllocationGranularity(&page, &prop, 0),
                       "cannot get the size of a page"));
  if (page == 0)
    return Error(ErrorKind::Internal, "the driver's page has a size of 0");
  std::string what = "cannot map " + std::to_string(bytes) + " bytes";
  uint64_t used = roundUp(bytes, align);
  uint64_t mappedBytes = roundUp(used, page);
  // From here on the buffer's destructor undoes what is done.
  buffer.context = state;
  EGG_TRY(driver.check(functions.cuMemAddressReserve(&buffer.reserved,
                                                     mappedBytes + 2 * page,
                                                     page, 0, 0),
                       what));
  buffer.reservedBytes = mappedBytes + 2 * page;
  EGG_TRY(driver.check(
      functions.cuMemCreate(&buffer.handle, mappedBytes, &prop, 0), what));
  EGG_TRY(driver.check(functions.cuMemMap(buffer.reserved + page, mappedBytes,
                                          0, buffer.handle, 0),
                       what));
  buffer.mapped = buffer.reserved + page;
  buffer.mappedBytes = mappedBytes;
  cuda::MemAccessDesc access = {{1, state->device}, 3};
  EGG_TRY(driver.check(
      functions.cuMemSetAccess(buffer.mapped, mappedBytes, &access, 1), what));
  buffer.address = buffer.mapped + mappedBytes - used;
  buffer.size = bytes;
  return buffer;
}

Result<Module> Context::loadModule(std::string_view image) const {
  if (image.substr(0, 4) == "\x7f"
                            "ELF")
    EGG_TRY(checkElf(image));
  else if (image.empty() || image.find('\0') != std::string_view::npos)
    return Error(ErrorKind::Load, "the module of " +
                                      std::to_string(image.size()) +
                                      " bytes is neither a cubin nor a text");
  // A text must end in a zero byte; a cubin does not mind.
  std::string copy(image);
  EGG_IN_CONTEXT(*state);
  char log[4096] = {};
  int options[] = {5 /* CU_JIT_ERROR_LOG_BUFFER */,
                   6 /* CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES */};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
  Module module;
  Status status = state->driver.check(
      state->functions().cuModuleLoadDataEx(&module.handle, copy.c_str(), 2,
                                            options, values),
      "cannot load a module of " + std::to_string(image.size()) +
          " bytes on a device of compute capability " +
          std::to_string(state->info.major) + "." +
          std::to_string(state->info.minor));
  if (!status)
    return Error(status.error().kind == ErrorKind::Internal
                     ? ErrorKind::Load
                     : status.error().kind,
                 status.error().message + (log[0] ? "; " : "") + log);
  module.context = state;
  return module;
}

Result<Stream> Context::createStream() const {
  EGG_IN_CONTEXT(*state);
  Stream stream;
  EGG_TRY(state->driver.check(state->functions().cuStreamCreate(
                                  &stream.handle, cuda::streamNonBlocking),
                              "cannot make a stream"));
  stream.context = state;
  stream.owned = true;
  return stream;
}

Stream Context::borrowStream(cuda::StreamHandle handle) const {
  Stream stream;
  stream.context = state;
  stream.handle = handle;
  return stream;
}

Result<Event> Context::createEvent() const {
  EGG_IN_CONTEXT(*state);
  Event event;
  EGG_TRY(
      state->driver.check(state->functions().cuEventCreate(&event.handle, 0),
                          "cannot make an event"));
  event.context = state;
  return event;
}

//===----------------------------------------------------------------------===//
// DeviceBuffer
//===----------------------------------------------------------------------===//

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept {
  *this = std::move(other);
}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  if (this == &other)
    return *this;
  free();
  context = std::move(other.context);
  other.context = nullptr;
  address = std::exchange(other.address, 0);
  mapped = std::exchange(other.mapped, 0);
  reserved = std::exchange(other.reserved, 0);
  size = std::exchange(other.size, 0);
  mappedBytes = std::exchange(other.mappedBytes, 0);
  reservedBytes = std::exchange(other.reservedBytes, 0);
  handle = std::exchange(other.handle, 0);
  return *this;
}

DeviceBuffer::~DeviceBuffer() { free(); }

void DeviceBuffer::free() {
  if (!context)
    return;
  // Outlives the scope: this may be the last that holds the context.
  std::shared_ptr<const ContextState> held = std::move(context);
  context = nullptr;
  ContextScope scope(*held);
  const CudaFunctions &functions = held->functions();
  if (reserved) {
    if (mapped)
      functions.cuMemUnmap(mapped, mappedBytes);
    if (handle)
      functions.cuMemRelease(handle);
    functions.cuMemAddressFree(reserved, reservedBytes);
  } else if (address) {
    functions.cuMemFree_v2(address);
  }
  address = mapped = reserved = 0;
  size = mappedBytes = reservedBytes = 0;
  handle = 0;
}

//===----------------------------------------------------------------------===//
// Module and Kernel
//===----------------------------------------------------------------------===//

Module::Module(Module &&other) noexcept
    : context(std::move(other.context)),
      handle(std::exchange(other.handle, nullptr)) {}

Module &Module::operator=(Module &&other) noexcept {
  if (this != &other) {
    unload();
    context = std::move(other.context);
    handle = std::exchange(other.handle, nullptr);
  }
  return *this;
}

Module::~Module() { unload(); }

void Module::unload() {
  if (!handle)
    return;
  ContextScope scope(*context);
  context->functions().cuModuleUnload(handle);
  handle = nullptr;
}

Result<Kernel> Module::kernel(const std::string &symbol) const {
  EGG_IN_CONTEXT(*context);
  Kernel kernel;
  EGG_TRY(context->driver.check(context->functions().cuModuleGetFunction(
                                    &kernel.handle, handle, symbol.c_str()),
                                "cannot find the kernel '" + symbol + "'"));
  kernel.context = context;
  kernel.name = symbol;
  return kernel;
}

Result<KernelFacts> Kernel::facts() const {
  EGG_IN_CONTEXT(*context);
  Status failed;
  auto get = [&](int attribute) {
    int value = 0;
    Status status = context->driver.check(
        context->functions().cuFuncGetAttribute(&value, attribute, handle),
        "cannot get attribute " + std::to_string(attribute) +
            " of the kernel '" + name + "'");
    if (!status && failed)
      failed = status;
    return value;
  };
  KernelFacts facts;
  facts.registers = get(cuda::FunctionRegisters);
  facts.localBytes = uint64_t(get(cuda::FunctionLocalBytes));
  facts.sharedBytes = uint64_t(get(cuda::FunctionSharedBytes));
  facts.constBytes = uint64_t(get(cuda::FunctionConstBytes));
  facts.maxThreads = get(cuda::FunctionMaxThreads);
  facts.binaryVersion = get(cuda::FunctionBinaryVersion);
  if (!failed)
    return failed.error();
  return facts;
}

Result<std::optional<std::vector<KernelParameter>>> Kernel::parameters() const {
  using List = std::vector<KernelParameter>;
  if (!context->functions().cuFuncGetParamInfo)
    return std::optional<List>();
  EGG_IN_CONTEXT(*context);
  List list;
  // A parameter block holds at most 32764 bytes.
  for (size_t i = 0; i < 32764; ++i) {
    size_t offset = 0, bytes = 0;
    cuda::Result code =
        context->functions().cuFuncGetParamInfo(handle, i, &offset, &bytes);
    if (code == cuda::InvalidValue)
      break;
    EGG_TRY(context->driver.check(code, "cannot get parameter " +
                                            std::to_string(i) +
                                            " of the kernel '" + name + "'"));
    list.push_back({offset, bytes});
  }
  return std::optional<List>(std::move(list));
}

Status Kernel::allowSharedBytes(uint64_t bytes) const {
  if (bytes > uint64_t(INT32_MAX))
    return Error(ErrorKind::Launch, "the kernel '" + name + "' asks for " +
                                        std::to_string(bytes) +
                                        " bytes of shared memory");
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuFuncSetAttribute(
          handle, cuda::FunctionMaxDynamicShared, int(bytes)),
      "cannot give " + std::to_string(bytes) +
          " bytes of dynamic shared memory to the kernel '" + name + "'");
}

Status Kernel::allowLargeClusters() const {
  EGG_IN_CONTEXT(*context);
  return context->driver.check(
      context->functions().cuFuncSetAttribute(
          handle, cuda::FunctionNonPortableCluster, 1),
      "cannot allow clusters of more than 8 blocks for the kernel '" + name +
          "'");
}

Result<int> Kernel::blocksPerMultiprocessor(uint32_t blockThreads,
                                            uint64_t sharedBytes) const {
  EGG_IN_CONTEXT(*context);
  int blocks = 0;
  EGG_TRY(context->driver.check(
      context->functions().cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, handle, int(blockThreads), size_t(sharedBytes)),
      "cannot get the occupancy of the kernel '" + name + "'"));
  return blocks;
}
