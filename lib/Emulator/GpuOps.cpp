//===- GpuOps.cpp - what threads, warps and launches do ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace egg::emulator;

/// Which number of the launch geometry; constants[0], with the dimension in
/// constants[1].
enum class Geometry {
  ThreadId,
  BlockId,
  BlockDim,
  GridDim,
  GlobalId,
  LaneId,
  SubgroupId,
  SubgroupSize,
  NumSubgroups
};

static void runGeometry(Machine &machine, Warp &warp, const Instruction &at) {
  int64_t d = at.constants[1];
  const auto &size = machine.blockSize;
  forActiveLanes(warp, [&](unsigned lane) {
    uint64_t thread = warp.index * lanesPerWarp + lane;
    uint64_t id[] = {thread % size[0], thread / size[0] % size[1],
                     thread / size[0] / size[1]};
    uint64_t value = 0;
    switch (Geometry(at.constants[0])) {
    case Geometry::ThreadId:
      value = id[d];
      break;
    case Geometry::BlockId:
      value = warp.block->id[d];
      break;
    case Geometry::BlockDim:
      value = size[d];
      break;
    case Geometry::GridDim:
      value = machine.gridSize[d];
      break;
    case Geometry::GlobalId:
      value = warp.block->id[d] * size[d] + id[d];
      break;
    case Geometry::LaneId:
      value = lane;
      break;
    case Geometry::SubgroupId:
      value = warp.index;
      break;
    case Geometry::SubgroupSize:
      value = lanesPerWarp;
      break;
    case Geometry::NumSubgroups:
      value = warp.block->warps.size();
      break;
    }
    warp.reg(at.results[0])[lane] = value;
  });
}

template <typename Op, Geometry kind>
static LogicalResult compileWithDimension(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runGeometry, op);
  at.constants = {int64_t(kind), int64_t(cast<Op>(op).getDimension())};
  return success();
}

template <Geometry kind>
static LogicalResult compileGeometry(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runGeometry, op);
  at.constants = {int64_t(kind), 0};
  return success();
}

static void runBarrier(Machine &machine, Warp &warp, const Instruction &at) {
  if (warp.active != warp.lanes) {
    LaneMask missing = warp.lanes & ~warp.active;
    return machine.fail(warp, at, llvm::countr_zero(warp.active),
                        "is at a barrier that thread " +
                            llvm::Twine(warp.index * lanesPerWarp +
                                        llvm::countr_zero(missing)) +
                            " of its warp is not at");
  }
  warp.waiting = true;
}

static LogicalResult compileBarrier(Compiler &compiler, Operation *op) {
  compiler.emitBound(runBarrier, op);
  return success();
}

/// operands: value, offset, width; results: value, whether it is valid.
static void runShuffle(Machine &machine, Warp &warp, const Instruction &at) {
  auto shuffle = cast<gpu::ShuffleOp>(at.op);
  if (warp.active != warp.lanes)
    return machine.fail(warp, at, llvm::countr_zero(warp.active),
                        "shuffles while other threads of its warp do not");
  for (int32_t c = 0; c < at.components; ++c) {
    std::array<uint64_t, lanesPerWarp> values;
    std::copy_n(warp.reg(at.operands[0] + c), lanesPerWarp, values.begin());
    forActiveLanes(warp, [&](unsigned lane) {
      uint64_t offset = warp.reg(at.operands[1])[lane];
      uint64_t width = warp.reg(at.operands[2])[lane];
      if (width == 0 || width > lanesPerWarp || (width & (width - 1)))
        return machine.fail(warp, at, lane,
                            "shuffles in groups of " + llvm::Twine(width) +
                                "; a power of two up to 32 is needed");
      uint64_t first = lane & ~(width - 1), within = lane & (width - 1);
      uint64_t source = 0;
      bool isValid = true;
      switch (shuffle.getMode()) {
      case gpu::ShuffleMode::XOR:
        source = within ^ offset;
        isValid = source < width;
        break;
      case gpu::ShuffleMode::UP:
        isValid = offset <= within;
        source = within - offset;
        break;
      case gpu::ShuffleMode::DOWN:
        source = within + offset;
        isValid = source < width;
        break;
      case gpu::ShuffleMode::IDX:
        source = offset;
        isValid = source < width;
        break;
      }
      source = isValid ? first + source : lane;
      if (!(warp.lanes >> source & 1))
        return machine.fail(warp, at, lane,
                            "shuffles from lane " + llvm::Twine(source) +
                                ", which its warp does not have");
      warp.reg(at.results[0] + c)[lane] = values[source];
      warp.reg(at.results[1])[lane] = isValid;
    });
  }
  // All lanes have met: what they did before is ordered before what follows.
  ++warp.time;
  warp.clock.set(warp.block->index, warp.index, warp.time);
}

static LogicalResult compileShuffle(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runShuffle, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  return success();
}

static void runDynamicShared(Machine &machine, Warp &warp,
                             const Instruction &at) {
  uint64_t bytes = machine.dynamicSharedBytes;
  if (!bytes)
    return machine.fail(
        warp, at, 0, "uses dynamic shared memory, but the launch gives none");
  forActiveLanes(warp, [&](unsigned lane) {
    int32_t reg = at.results[0];
    warp.reg(reg)[lane] = warp.block->dynamicShared;
    warp.reg(reg + 1)[lane] = 0;
    warp.reg(reg + 2)[lane] = bytes;
    warp.reg(reg + 3)[lane] = 1;
  });
}

static LogicalResult compileDynamicShared(Compiler &compiler, Operation *op) {
  compiler.emitBound(runDynamicShared, op);
  return success();
}

/// operands: the kernel's; constants: components of each; results: registers of
/// grid, block and, last, the dynamic shared memory or -1.
static void runLaunch(Machine &machine, Warp &warp, const Instruction &at) {
  auto launch = cast<gpu::LaunchFuncOp>(at.op);
  std::array<uint64_t, 3> grid, block;
  for (unsigned d = 0; d < 3; ++d) {
    grid[d] = warp.reg(at.results[d])[0];
    block[d] = warp.reg(at.results[3 + d])[0];
  }
  uint64_t shared = at.results[6] < 0 ? 0 : warp.reg(at.results[6])[0];
  machine.launch(warp, at, grid, block, shared,
                 launch.getKernelModuleName().getValue(),
                 launch.getKernelName().getValue());
}

static LogicalResult compileLaunch(Compiler &compiler, Operation *op) {
  auto launch = cast<gpu::LaunchFuncOp>(op);
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty())
    return op->emitError("is an asynchronous launch; the emulator runs "
                         "synchronous ones");
  if (launch.hasClusterSize())
    return op->emitError("launches clusters, which the emulator does not run");
  llvm::SmallVector<int32_t, 4> operands;
  llvm::SmallVector<int64_t, 4> counts;
  for (Value value : launch.getKernelOperands()) {
    operands.push_back(compiler.registersOf(value));
    counts.push_back(compiler.componentsOf(value.getType()));
  }
  llvm::SmallVector<int32_t, 7> geometry;
  for (gpu::KernelDim3 dims :
       {launch.getGridSizeOperandValues(), launch.getBlockSizeOperandValues()})
    for (Value value : {dims.x, dims.y, dims.z})
      geometry.push_back(compiler.registersOf(value));
  Value shared = launch.getDynamicSharedMemorySize();
  geometry.push_back(shared ? compiler.registersOf(shared) : -1);
  Instruction &at = compiler.emit(runLaunch, op);
  at.operands.assign(operands.begin(), operands.end());
  at.constants.assign(counts.begin(), counts.end());
  at.results.assign(geometry.begin(), geometry.end());
  return success();
}

void egg::emulator::addGpuOps(OpTable &table) {
  table["gpu.thread_id"] =
      compileWithDimension<gpu::ThreadIdOp, Geometry::ThreadId>;
  table["gpu.block_id"] =
      compileWithDimension<gpu::BlockIdOp, Geometry::BlockId>;
  table["gpu.block_dim"] =
      compileWithDimension<gpu::BlockDimOp, Geometry::BlockDim>;
  table["gpu.grid_dim"] =
      compileWithDimension<gpu::GridDimOp, Geometry::GridDim>;
  table["gpu.global_id"] =
      compileWithDimension<gpu::GlobalIdOp, Geometry::GlobalId>;
  table["gpu.lane_id"] = compileGeometry<Geometry::LaneId>;
  table["gpu.subgroup_id"] = compileGeometry<Geometry::SubgroupId>;
  table["gpu.subgroup_size"] = compileGeometry<Geometry::SubgroupSize>;
  table["gpu.num_subgroups"] = compileGeometry<Geometry::NumSubgroups>;
  table["gpu.barrier"] = compileBarrier;
  table["gpu.shuffle"] = compileShuffle;
  table["gpu.dynamic_shared_memory"] = compileDynamicShared;
  table["gpu.launch_func"] = compileLaunch;
}
