//===- IndexBits.cpp - kernels whose indices fit into 32 bits ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexBits.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

static bool isSmallMemref(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref || (memref.hasStaticShape() &&
                     memref.getNumElements() < (int64_t(1) << 31));
}

static bool fits(Value value, const DataFlowSolver &solver) {
  if (!isSmallMemref(value.getType()))
    return false;
  if (!value.getType().isIndex())
    return true;
  auto onlyAddresses = [](Operation *user) {
    return isa<memref::LoadOp, memref::StoreOp>(user);
  };
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    if (llvm::all_of(cast->getUsers(), onlyAddresses))
      return true;
  auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!state || state->getValue().isUninitialized())
    return false;
  const ConstantIntRanges &range = state->getValue().getValue();
  return range.smin().getSignificantBits() <= 32 &&
         range.smax().getSignificantBits() <= 32;
}

/// A loop steps once beyond its last iteration before it compares.
static bool stepsFit(scf::ForOp loop, const DataFlowSolver &solver) {
  if (!loop.getInductionVar().getType().isIndex())
    return true;
  auto most = [&](Value value) -> std::optional<int64_t> {
    auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!state || state->getValue().isUninitialized())
      return std::nullopt;
    return state->getValue().getValue().smax().trySExtValue();
  };
  std::optional<int64_t> upper = most(loop.getUpperBound());
  std::optional<int64_t> step = most(loop.getStep());
  // Both fit 32 bits, as values of the kernel; the sum is exact in 64.
  return upper && step && llvm::isInt<32>(*upper) && llvm::isInt<32>(*step) &&
         llvm::isInt<32>(*upper - 1 + *step);
}

static bool fits(gpu::GPUFuncOp kernel, const DataFlowSolver &solver) {
  WalkResult walk = kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (!fits(result, solver))
        return WalkResult::interrupt();
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && !stepsFit(loop, solver))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (!fits(argument, solver))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

LogicalResult egg::splitByIndexBits(ModuleOp module, gpu::GPUModuleOp kernels) {
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(kernels)))
    return kernels.emitError("the range analysis of the kernels failed");

  SmallVector<gpu::GPUFuncOp> small;
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
    if (fits(kernel, solver))
      small.push_back(kernel);
  if (!small.empty()) {
    OpBuilder b(kernels);
    auto narrow =
        gpu::GPUModuleOp::create(b, kernels.getLoc(), "egg_kernels_32");
    narrow->setAttr("egg.index_bits", b.getI64IntegerAttr(32));
    llvm::DenseSet<StringAttr> moved;
    for (gpu::GPUFuncOp kernel : small) {
      kernel->moveBefore(narrow.getBody(), narrow.getBody()->end());
      moved.insert(kernel.getNameAttr());
    }
    module.walk([&](gpu::LaunchFuncOp launch) {
      if (moved.contains(launch.getKernelName()))
        launch.setKernelAttr(
            SymbolRefAttr::get(narrow.getNameAttr(),
                               FlatSymbolRefAttr::get(launch.getKernelName())));
    });
  }
  if (kernels.getBody()->empty())
    kernels.erase();
  return success();
}
