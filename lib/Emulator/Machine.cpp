//===- Machine.cpp - schedules blocks and warps -----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace egg;
using namespace egg::emulator;

void Machine::fail(Warp &warp, const Instruction &at, unsigned lane,
                   const llvm::Twine &message) {
  if (failed)
    return;
  failed = true;
  if (launchNumber == 0) {
    at.op->emitError() << message.str();
    return;
  }
  const std::array<uint64_t, 3> &id = warp.block->id;
  at.op->emitError() << "thread " << warp.index * lanesPerWarp + lane
                     << " of block (" << id[0] << ", " << id[1] << ", " << id[2]
                     << ") " << message.str();
}

uint32_t Machine::allocate(Warp &warp, const Instruction &at, llvm::Twine name,
                           uint64_t bytes, bool initialised) {
  if (bytes > options.maxBytes || liveBytes + bytes > options.maxBytes) {
    fail(warp, at, 0,
         "needs " + llvm::Twine(bytes) + " bytes beside " +
             llvm::Twine(liveBytes) + " in use; the emulator's limit is " +
             llvm::Twine(options.maxBytes));
    return 0;
  }
  liveBytes += bytes;
  auto made =
      std::make_unique<Object>(name.str(), bytes, initialised, random());
  if (!freeNumbers.empty()) {
    uint32_t number = freeNumbers.back();
    freeNumbers.pop_back();
    objects[number] = std::move(made);
    return number;
  }
  objects.push_back(std::move(made));
  return objects.size() - 1;
}

void Machine::release(uint32_t number) {
  if (!number || !objects[number])
    return;
  liveBytes -= objects[number]->size();
  objects[number].reset();
  freeNumbers.push_back(number);
}

uint8_t *Machine::touch(Warp &warp, const Instruction &at, unsigned lane,
                        uint64_t number, int64_t byteOffset, uint64_t bytes,
                        AccessKind kind) {
  if (number == 0 || number >= objects.size() || !objects[number]) {
    fail(warp, at, lane, "accesses memory that was not allocated");
    return nullptr;
  }
  Object &target = *objects[number];
  if (byteOffset < 0 || bytes > target.size() ||
      uint64_t(byteOffset) > target.size() - bytes) {
    fail(warp, at, lane,
         "accesses bytes " + llvm::Twine(byteOffset) + " to " +
             llvm::Twine(byteOffset + int64_t(bytes) - 1) + " of " +
             target.getName() + ", which has " + llvm::Twine(target.size()));
    return nullptr;
  }
  Accessor by{warp.block->index, warp.index, lane, warp.time, &warp.clock};
  std::string problem =
      target.access(byteOffset, bytes, kind, by, launchNumber);
  if (!problem.empty()) {
    fail(warp, at, lane, problem);
    return nullptr;
  }
  return target.bytes() + byteOffset;
}

void egg::emulator::setMemRef(Warp &warp, int32_t reg, unsigned lane,
                              MemRefType type, uint64_t object,
                              int64_t offset) {
  warp.reg(reg)[lane] = object;
  warp.reg(reg + 1)[lane] = offset;
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    warp.reg(reg + 2 + d)[lane] = type.getDimSize(d);
    warp.reg(reg + 2 + type.getRank() + d)[lane] = stride;
    stride *= type.getDimSize(d);
  }
}

/// Workgroup memory: NVVM's number 3, or gpu's attribute.
static bool isWorkgroup(MemRefType type) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(type.getMemorySpace()))
    return integer.getInt() == 3;
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

uint32_t Machine::getGlobal(Warp &warp, const Instruction &at) {
  auto get = cast<memref::GetGlobalOp>(at.op);
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
  if (!global) {
    fail(warp, at, 0, "reads a global that is not in the module");
    return 0;
  }
  MemRefType type = global.getType();
  bool isShared = isWorkgroup(type);
  auto &numbers = isShared ? warp.block->globals : globals;
  if (uint32_t number = numbers.lookup(global))
    return number;
  ScalarType element = *getScalarType(type.getElementType());
  auto values = dyn_cast_or_null<DenseElementsAttr>(
      global.getInitialValue().value_or(Attribute()));
  uint32_t number =
      allocate(warp, at, "global " + global.getSymName(),
               uint64_t(type.getNumElements()) * element.bytes(), bool(values));
  if (!number)
    return 0;
  if (values) {
    uint8_t *bytes = object(number).bytes();
    for (Attribute value : values.getValues<Attribute>()) {
      uint64_t bits = getBits(value);
      std::memcpy(bytes, &bits, element.bytes());
      bytes += element.bytes();
    }
  }
  if (isShared)
    warp.block->objects.push_back(number);
  numbers[global] = number;
  return number;
}

FailureOr<const Program *> Machine::getProgram(Operation *function) {
  std::unique_ptr<Program> &program = programs[function];
  if (!program) {
    program = std::make_unique<Program>();
    if (mlir::failed(Compiler(*program).compile(function)))
      return failure();
  }
  return program.get();
}

LogicalResult Machine::run(MutableArrayRef<EmulatedBuffer> arguments) {
  auto host = module.lookupSymbol<func::FuncOp>("main");
  if (!host || host.isExternal())
    return module.emitError("has no host function @main to emulate");
  FailureOr<const Program *> program = getProgram(host);
  if (mlir::failed(program))
    return failure();
  if (host.getNumArguments() != arguments.size())
    return host.emitError("takes ")
           << host.getNumArguments() << " arguments, but " << arguments.size()
           << " buffers were given";

  ThreadBlock block;
  Warp warp;
  warp.block = &block;
  warp.registers.resize(size_t((*program)->registers) * lanesPerWarp);
  Instruction entry;
  entry.op = host;
  llvm::SmallVector<uint32_t> numbers;
  for (auto [index, argument] : llvm::enumerate(host.getArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    FailureOr<ScalarType> element = failure();
    if (type)
      element = getScalarType(type.getElementType());
    if (mlir::failed(element) || !type.hasStaticShape() ||
        !type.getLayout().isIdentity())
      return host.emitError("argument ")
             << index << " is not a static memref with the identity layout";
    uint64_t bytes = uint64_t(type.getNumElements()) * element->bytes();
    if (arguments[index].size() != bytes)
      return host.emitError("argument ")
             << index << " has " << bytes << " bytes, but the buffer has "
             << arguments[index].size();
    uint32_t number = allocate(warp, entry, "argument " + llvm::Twine(index),
                               bytes, /*initialised=*/true);
    if (!number)
      return failure();
    llvm::copy(arguments[index], object(number).bytes());
    numbers.push_back(number);
    int32_t reg = (*program)->arguments[index];
    setMemRef(warp, reg, 0, type, number, 0);
  }
  while (!warp.ended && !failed)
    runWarp(warp, **program, /*steps=*/1024);
  if (failed)
    return failure();
  for (auto [index, number] : llvm::enumerate(numbers))
    std::copy_n(object(number).bytes(), arguments[index].size(),
                arguments[index].begin());
  return success();
}

void Machine::runWarp(Warp &warp, const Program &program, uint64_t steps) {
  for (; steps && !warp.ended && !warp.waiting && !failed; --steps) {
    const Instruction &instruction = program.code[warp.next++];
    if (++statistics.instructions > options.maxInstructions)
      return fail(warp, instruction, 0,
                  "has not ended after " +
                      llvm::Twine(options.maxInstructions) +
                      " instructions of all warps, the emulator's limit");
    instruction.handler(*this, warp, instruction);
  }
}

void Machine::startBlock(ThreadBlock &block, uint64_t linear,
                         const Program &program, Warp &host,
                         const Instruction &at) {
  block.index = linear;
  block.id = {linear % gridSize[0], linear / gridSize[0] % gridSize[1],
              linear / gridSize[0] / gridSize[1]};
  auto kernel = cast<gpu::GPUFuncOp>(program.function);
  unsigned parameters = kernel.getNumArguments();

  // The block's own memory: registers of workgroup and private attributions.
  llvm::SmallVector<std::pair<int32_t, uint64_t>> attributions;
  for (auto [index, value] : llvm::enumerate(
           kernel.getBody().front().getArguments().drop_front(parameters))) {
    auto type = cast<MemRefType>(value.getType());
    ScalarType element = *getScalarType(type.getElementType());
    bool isShared = index < kernel.getNumWorkgroupAttributions();
    uint64_t bytes =
        uint64_t(type.getNumElements()) * element.bytes() *
        (isShared ? 1 : blockSize[0] * blockSize[1] * blockSize[2]);
    uint32_t number =
        allocate(host, at,
                 isShared ? "workgroup memory " + llvm::Twine(index)
                          : "private memory " + llvm::Twine(index),
                 bytes, /*initialised=*/false);
    if (!number)
      return;
    block.objects.push_back(number);
    attributions.push_back({program.arguments[parameters + index], number});
  }
  if (dynamicSharedBytes) {
    uint32_t number =
        allocate(host, at, "dynamic shared memory", dynamicSharedBytes, false);
    if (!number)
      return;
    block.objects.push_back(number);
    block.dynamicShared = number;
  }

  uint64_t threads = blockSize[0] * blockSize[1] * blockSize[2];
  block.warps.resize((threads + lanesPerWarp - 1) / lanesPerWarp);
  for (auto [index, warp] : llvm::enumerate(block.warps)) {
    warp.index = index;
    warp.block = &block;
    uint64_t lanes =
        std::min<uint64_t>(lanesPerWarp, threads - index * lanesPerWarp);
    warp.lanes = warp.active =
        lanes == 32 ? ~LaneMask(0) : (LaneMask(1) << lanes) - 1;
    warp.registers.resize(size_t(program.registers) * lanesPerWarp);
    warp.clock.set(block.index, index, 1);
    // Kernel operands are uniform: every lane gets the host's value.
    for (unsigned p = 0; p < parameters; ++p) {
      int32_t count = at.constants[p];
      for (int32_t c = 0; c < count; ++c)
        std::fill_n(warp.reg(program.arguments[p] + c), lanesPerWarp,
                    host.reg(at.operands[p] + c)[0]);
    }
    for (auto [index2, entry] : llvm::enumerate(attributions)) {
      auto [reg, number] = entry;
      auto type = cast<MemRefType>(
          kernel.getBody().front().getArgument(parameters + index2).getType());
      bool isShared = index2 < kernel.getNumWorkgroupAttributions();
      for (unsigned lane = 0; lane < lanesPerWarp; ++lane) {
        uint64_t thread = index * lanesPerWarp + lane;
        setMemRef(warp, reg, lane, type, number,
                  isShared ? 0 : thread * type.getNumElements());
      }
    }
  }
  ++statistics.blocks;
}

void Machine::releaseBarrier(ThreadBlock &block, const Program &program) {
  ++statistics.barriers;
  VectorClock joined;
  for (const Warp &warp : block.warps)
    joined.join(warp.clock);
  for (Warp &warp : block.warps) {
    warp.clock = joined;
    ++warp.time;
    warp.clock.set(block.index, warp.index, warp.time);
    warp.waiting = false;
  }
}

void Machine::runBlocks(const Program &program, Warp &host,
                        const Instruction &at) {
  uint64_t total = gridSize[0] * gridSize[1] * gridSize[2];
  // A random order without a table of all blocks: an affine walk whose step is
  // coprime to the number of blocks.
  uint64_t step = 1, start = total ? random() % total : 0;
  if (total > 2) {
    do
      step = 1 + random() % (total - 1);
    while (std::gcd(step, total) != 1);
  }
  unsigned resident = 1 + random() % options.maxResidentBlocks;
  std::vector<std::unique_ptr<ThreadBlock>> running;
  uint64_t started = 0;
  auto releaseBlock = [&](ThreadBlock &block) {
    for (uint32_t number : block.objects)
      release(number);
    block.objects.clear();
    block.warps.clear();
  };
  while (!failed) {
    while (running.size() < resident && started < total && !failed) {
      running.push_back(std::make_unique<ThreadBlock>());
      startBlock(*running.back(), (start + started * step) % total, program,
                 host, at);
      ++started;
    }
    if (running.empty() || failed)
      break;
    size_t which = random() % running.size();
    ThreadBlock &block = *running[which];
    llvm::SmallVector<Warp *, 32> ready;
    unsigned waiting = 0, ended = 0;
    for (Warp &warp : block.warps) {
      waiting += warp.waiting;
      ended += warp.ended;
      if (!warp.waiting && !warp.ended)
        ready.push_back(&warp);
    }
    if (ready.empty() && waiting == 0) {
      releaseBlock(block);
      running.erase(running.begin() + which);
      continue;
    }
    if (ready.empty()) {
      if (ended) {
        for (Warp &warp : block.warps)
          if (warp.waiting)
            return fail(warp, program.code[warp.next - 1], 0,
                        "waits at a barrier that " + llvm::Twine(ended) +
                            " of the block's " +
                            llvm::Twine(block.warps.size()) +
                            " warps have ended without reaching");
      }
      releaseBarrier(block, program);
      continue;
    }
    runWarp(*ready[random() % ready.size()], program, 1 + random() % 64);
  }
  for (std::unique_ptr<ThreadBlock> &block : running)
    releaseBlock(*block);
}

void Machine::launch(Warp &host, const Instruction &at,
                     std::array<uint64_t, 3> grid,
                     std::array<uint64_t, 3> block, uint64_t sharedBytes,
                     llvm::StringRef kernelModule, llvm::StringRef kernelName) {
  // CUDA's limits, the same for every architecture that egg compiles for.
  constexpr uint64_t maxGrid[] = {0x7fffffff, 65535, 65535};
  constexpr uint64_t maxBlock[] = {1024, 1024, 64};
  for (unsigned d = 0; d < 3; ++d)
    if (grid[d] == 0 || grid[d] > maxGrid[d] || block[d] == 0 ||
        block[d] > maxBlock[d])
      return fail(host, at, 0,
                  "launches " + llvm::Twine(grid[d]) + " blocks of " +
                      llvm::Twine(block[d]) + " threads in dimension " +
                      llvm::Twine(d) + "; the limits are 1 to " +
                      llvm::Twine(maxGrid[d]) + " and 1 to " +
                      llvm::Twine(maxBlock[d]));
  if (block[0] * block[1] * block[2] > 1024)
    return fail(host, at, 0,
                "launches blocks of " +
                    llvm::Twine(block[0] * block[1] * block[2]) +
                    " threads; 1024 is the limit");
  auto gpuModule = module.lookupSymbol<gpu::GPUModuleOp>(kernelModule);
  auto kernel = gpuModule ? gpuModule.lookupSymbol<gpu::GPUFuncOp>(kernelName)
                          : gpu::GPUFuncOp();
  if (!kernel)
    return fail(host, at, 0, "launches a kernel that is not in the module");
  FailureOr<const Program *> program = getProgram(kernel);
  if (mlir::failed(program)) {
    failed = true;
    return;
  }
  gridSize = grid;
  blockSize = block;
  dynamicSharedBytes = sharedBytes;
  launchNumber = ++statistics.launches;
  atomicClocks.clear();
  runBlocks(**program, host, at);
  launchNumber = 0;
}

LogicalResult egg::emulate(ModuleOp module,
                           MutableArrayRef<EmulatedBuffer> arguments,
                           const EmulatorOptions &options,
                           EmulatorStatistics *statistics) {
  Machine machine(module, options);
  LogicalResult result = machine.run(arguments);
  if (statistics)
    *statistics = machine.statistics;
  return result;
}
