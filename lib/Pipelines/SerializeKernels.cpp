//===- SerializeKernels.cpp - launches as loops, for a CPU ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_SERIALIZEKERNELS
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

static LogicalResult serializeLaunch(gpu::LaunchFuncOp launch,
                                     SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel || !llvm::hasSingleElement(kernel.getBody()) ||
      kernel.getNumWorkgroupAttributions() != 0)
    return launch.emitOpError("launches ")
           << launch.getKernelAttr() << ", which has more than one block or "
           << "uses shared memory: it does not run as a loop over threads";
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  Value extents[6] = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
  Value ivs[6];
  for (int i = 0; i < 6; ++i) {
    auto loop = scf::ForOp::create(b, loc, zero, extents[i], one);
    ivs[i] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  IRMapping map;
  map.map(kernel.getArguments(), launch.getKernelOperands());
  SmallVector<Operation *> clones;
  for (Operation &op : kernel.getBody().front().without_terminator())
    clones.push_back(b.clone(op, map));
  auto replace = [&](Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  LogicalResult result = success();
  for (Operation *clone : clones)
    clone->walk([&](Operation *op) {
      if (auto id = dyn_cast<gpu::BlockIdOp>(op))
        replace(op, ivs[static_cast<int>(id.getDimension())]);
      else if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
        replace(op, ivs[3 + static_cast<int>(id.getDimension())]);
      else if (auto dim = dyn_cast<gpu::GridDimOp>(op))
        replace(op, extents[static_cast<int>(dim.getDimension())]);
      else if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
        replace(op, extents[3 + static_cast<int>(dim.getDimension())]);
      else if (isa<gpu::GPUDialect>(op->getDialect()))
        result = op->emitOpError("has no meaning for one thread at a time");
    });
  launch.erase();
  return result;
}

namespace {
struct SerializeKernelsPass
    : egg::impl::SerializeKernelsBase<SerializeKernelsPass> {
  void runOnOperation() override {
    SmallVector<gpu::LaunchFuncOp> launches;
    getOperation().walk(
        [&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    SymbolTableCollection symbols;
    for (gpu::LaunchFuncOp launch : launches)
      if (failed(serializeLaunch(launch, symbols)))
        return signalPassFailure();
    for (gpu::GPUModuleOp kernels :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      kernels.erase();
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
