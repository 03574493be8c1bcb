//===- LowerBlockProgram.cpp - grid stages to launches ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace egg;

/// The buffer type of a tensor: i1 takes a byte.
static MemRefType bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(type.getContext(), 8);
  return MemRefType::get(type.getShape(), element);
}

namespace {

/// Makes the host function, stage by stage.
class HostBuilder {
public:
  HostBuilder(ModuleOp module, func::FuncOp source,
              const BlockLoweringOptions &options)
      : module(module), source(source), options(options),
        b(module.getContext()) {}

  LogicalResult build();

private:
  LogicalResult checkSignature();
  LogicalResult lowerStage(scf::ForallOp stage);

  ModuleOp module;
  func::FuncOp source;
  const BlockLoweringOptions &options;
  OpBuilder b;
  func::FuncOp host;
  gpu::GPUModuleOp kernels;
  DenseMap<Value, Value> buffers; ///< of tensors in the source
  unsigned stages = 0;
};

} // namespace

LogicalResult HostBuilder::checkSignature() {
  for (Type type : llvm::concat<const Type>(source.getArgumentTypes(),
                                            source.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return source.emitError("has an argument or result of type ")
             << type << "; a dispatch takes and gives static tensors";
  }
  return success();
}

LogicalResult HostBuilder::lowerStage(scf::ForallOp stage) {
  Location loc = stage.getLoc();
  std::optional<SmallVector<int64_t>> lower =
      getConstantIntValues(stage.getMixedLowerBound());
  std::optional<SmallVector<int64_t>> upper =
      getConstantIntValues(stage.getMixedUpperBound());
  std::optional<SmallVector<int64_t>> step =
      getConstantIntValues(stage.getMixedStep());
  if (!lower || !upper || !step)
    return stage.emitError("has a grid that is not constant");
  int64_t blocks = 1;
  for (auto [l, u, s] : llvm::zip_equal(*lower, *upper, *step)) {
    int64_t trips = u > l ? llvm::divideCeilSigned(u - l, s) : 0;
    if (llvm::MulOverflow(blocks, trips, blocks))
      return stage.emitError("has more iterations than 64 bits count");
  }
  if (blocks > 0x7fffffff)
    return stage.emitError("has ")
           << blocks
           << " iterations; a grid has at most 2147483647 blocks: take "
              "larger tiles";
  auto grid = stage->getAttrOfType<ir::GridAttr>("egg.grid");
  if (grid && (grid.getPersistent() || grid.getCluster() > 1 ||
               grid.getStreamK() || grid.getOrder() != ir::Order::linear))
    return stage.emitError("has the grid ")
           << grid << "; the lowering takes linear order, one tile a block";
  unsigned threads = 0;
  stage.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (auto layout =
                dyn_cast_or_null<ir::LayoutAttr>(tensor.getEncoding()))
          threads = 32u << layout.getLinearLayout().getInBits(kWarp);
  });
  threads = getThreads(stage, threads ? threads : 32);

  // Where results go: the source's results lie in arguments of the host.
  for (auto [output, result] :
       llvm::zip_equal(stage.getOutputs(), stage.getResults())) {
    Value buffer = buffers.lookup(result);
    if (!buffer) {
      buffer = memref::AllocOp::create(b, loc, bufferType(result.getType()));
      buffers[result] = buffer;
    }
    if (!output.getDefiningOp<tensor::EmptyOp>()) {
      // In place on a value that others may still want: start from a copy.
      Value start = buffers.lookup(output);
      if (!start)
        return stage.emitError(
            "starts a shared_out from something other than "
            "tensor.empty, an argument or an earlier result");
      memref::CopyOp::create(b, loc, start, buffer);
    }
  }
  if (blocks == 0)
    return success();

  // The kernel's arguments: what the stage reads, then what it writes.
  SmallVector<Value> tensors;
  stage.walk([&](ir::ReadOp read) {
    if (buffers.contains(read.getSource()) &&
        !llvm::is_contained(tensors, read.getSource()))
      tensors.push_back(read.getSource());
  });
  SmallVector<Type> types;
  SmallVector<Value> operands;
  for (Value tensor : tensors)
    operands.push_back(buffers[tensor]);
  for (Value result : stage.getResults())
    operands.push_back(buffers[result]);
  for (Value operand : operands)
    types.push_back(operand.getType());

  OpBuilder inside = OpBuilder::atBlockEnd(kernels.getBody());
  std::string name = "main_stage" + std::to_string(stages++);
  auto kernel = gpu::GPUFuncOp::create(
      inside, loc, name, FunctionType::get(b.getContext(), types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  IRMapping memory;
  for (auto [index, tensor] : llvm::enumerate(tensors))
    memory.map(tensor, kernel.getArgument(index));
  for (auto [index, argument] : llvm::enumerate(stage.getRegionOutArgs()))
    memory.map(argument, kernel.getArgument(tensors.size() + index));
  if (failed(StageEmitter(stage, kernel, threads, options, memory).emit()))
    return failure();

  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  gpu::LaunchFuncOp::create(
      b, loc, kernel,
      gpu::KernelDim3{constant(blocks), constant(1), constant(1)},
      gpu::KernelDim3{constant(threads), constant(1), constant(1)},
      /*dynamicSharedMemorySize=*/Value(), operands);
  return success();
}

LogicalResult HostBuilder::build() {
  if (failed(checkSignature()))
    return failure();
  unsigned inputs = source.getNumArguments();
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(source.getArgumentTypes(),
                                            source.getResultTypes()))
    types.push_back(bufferType(type));
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  b.setInsertionPoint(source);
  host = func::FuncOp::create(b, source.getLoc(), "main",
                              FunctionType::get(b.getContext(), types, {}));
  kernels = gpu::GPUModuleOp::create(b, source.getLoc(), "kernels");
  // Positions within a flattened buffer are 32-bit where every buffer allows
  // it.
  bool needs64 = false;
  auto isLarge = [](Type type) {
    return cast<ShapedType>(type).getNumElements() > (int64_t(1) << 31) - 1;
  };
  for (Type type : types)
    needs64 |= isLarge(type);
  source.walk([&](scf::ForallOp stage) {
    for (Type type : stage.getResultTypes())
      needs64 |= isLarge(type);
  });
  kernels->setAttr("egg.index_bits", b.getI64IntegerAttr(needs64 ? 64 : 32));

  Block *entry = host.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto end = func::ReturnOp::create(b, source.getLoc());
  b.setInsertionPoint(end);
  for (auto [index, argument] : llvm::enumerate(source.getArguments()))
    buffers[argument] = entry->getArgument(index);
  auto returned = cast<func::ReturnOp>(source.front().getTerminator());
  for (auto [index, value] : llvm::enumerate(returned.getOperands()))
    if (value.getDefiningOp<scf::ForallOp>() && !buffers.contains(value))
      buffers[value] = entry->getArgument(inputs + index);

  for (Operation &op : source.front().without_terminator()) {
    if (auto stage = dyn_cast<scf::ForallOp>(op)) {
      if (failed(lowerStage(stage)))
        return failure();
      continue;
    }
    if (!isa<tensor::EmptyOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
      return op.emitError("stands between grid stages; a mapped dispatch is a "
                          "sequence of them");
  }
  for (auto [index, value] : llvm::enumerate(returned.getOperands())) {
    Value buffer = buffers.lookup(value),
          target = entry->getArgument(inputs + index);
    if (!buffer)
      return returned.emitError("returns something that no stage computes");
    if (buffer != target)
      memref::CopyOp::create(b, returned.getLoc(), buffer, target);
  }
  source.erase();
  return success();
}

LogicalResult egg::lowerBlockProgram(ModuleOp module,
                                     const BlockLoweringOptions &options) {
  auto source = module.lookupSymbol<func::FuncOp>("main");
  if (!source || source.isExternal() || !source.getBody().hasOneBlock())
    return module.emitError("has no function @main of one block");
  return HostBuilder(module, source, options).build();
}
