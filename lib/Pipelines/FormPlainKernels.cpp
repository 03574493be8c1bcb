//===- FormPlainKernels.cpp - host function and kernels ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are values, so each gets a buffer of its own that is written by the
// one op that makes it; reshapes share it. No alias analysis is needed, and a
// copy only where a loop carries a tensor on or an argument is returned.
//
//===----------------------------------------------------------------------===//

#include "IndexBits.h"
#include "KernelEmitter.h"
#include "egg/Pipelines/Passes.h"
#include "egg/Pipelines/PlainKernels.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_FORMPLAINKERNELS
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

using egg::TensorSource;

namespace {

/// Lowers one function of tensors to a host function of buffers.
class HostLowering {
public:
  HostLowering(ModuleOp module, func::FuncOp payload,
               egg::KernelEmitter &emitter)
      : module(module), payload(payload), emitter(emitter) {}

  LogicalResult run();

private:
  LogicalResult lowerOp(OpBuilder &b, Operation &op);
  LogicalResult lowerConstant(OpBuilder &b, arith::ConstantOp op);
  LogicalResult lowerLoop(OpBuilder &b, scf::ForOp op);
  LogicalResult lowerReturn(OpBuilder &b, func::ReturnOp op);
  void chooseResultBuffers();

  TensorSource &source(Value value) { return sources[value]; }
  Value allocate(OpBuilder &b, Location loc, RankedTensorType type) {
    return memref::AllocOp::create(b, loc, egg::bufferType(type));
  }
  /// A buffer for a value that the op at `b` defines.
  TensorSource define(OpBuilder &b, Value value);
  Value hostIndex(OpBuilder &b, Value value);

  ModuleOp module;
  func::FuncOp payload, main;
  egg::KernelEmitter &emitter;
  DenseMap<Value, TensorSource> sources;
  DenseMap<Value, Value> inductionVars;
  DenseMap<Value, Value> resultBuffers; // payload value -> argument of @main
  DenseMap<Attribute, memref::GlobalOp> globals;
};

/// An op whose result holds the elements of its first operand.
Value reshapeSource(Operation *op) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          tensor::ReshapeOp>(op))
    return op->getOperand(0);
  return {};
}

} // namespace

TensorSource HostLowering::define(OpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value buffer = resultBuffers.lookup(value);
  if (!buffer)
    buffer = allocate(b, value.getLoc(), type);
  return source(value) = TensorSource{buffer, {}, type};
}

Value HostLowering::hostIndex(OpBuilder &b, Value value) {
  Value iv = inductionVars.lookup(value);
  if (!iv)
    return {};
  auto loop =
      cast<scf::ForOp>(cast<BlockArgument>(iv).getOwner()->getParentOp());
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  bool narrow =
      lower && upper && llvm::isInt<32>(*lower) && llvm::isInt<32>(*upper);
  return arith::IndexCastOp::create(b, iv.getLoc(),
                                    b.getIntegerType(narrow ? 32 : 64), iv);
}

LogicalResult HostLowering::lowerConstant(OpBuilder &b, arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return success(); // scalars are cloned into the kernels that use them
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values)
    return op.emitOpError("holds ")
           << op.getValue().getAbstractAttribute().getName()
           << ", not a dense constant; egg-normalize-payload makes it one";
  if (values.isSplat()) {
    source(op) = {{}, values.getSplatValue<TypedAttr>(), type};
    return success();
  }
  Type stored = egg::bufferElementType(type.getElementType());
  if (stored != type.getElementType()) {
    unsigned width = stored.getIntOrFloatBitWidth();
    values = cast<DenseIntElementsAttr>(values).mapValues(
        stored, [&](const APInt &v) { return v.zextOrTrunc(width); });
  }
  memref::GlobalOp &global = globals[values];
  if (!global) {
    OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
    MemRefType memory = egg::bufferType(type);
    global = memref::GlobalOp::create(
        atModule, op.getLoc(),
        "egg_constant_" + std::to_string(globals.size() - 1),
        atModule.getStringAttr("private"), memory, values,
        /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  Value buffer = memref::GetGlobalOp::create(b, op.getLoc(), global.getType(),
                                             global.getName());
  source(op) = {buffer, {}, type};
  return success();
}

LogicalResult HostLowering::lowerLoop(OpBuilder &b, scf::ForOp op) {
  std::optional<int64_t> bounds[3] = {getConstantIntValue(op.getLowerBound()),
                                      getConstantIntValue(op.getUpperBound()),
                                      getConstantIntValue(op.getStep())};
  if (!bounds[0] || !bounds[1] || !bounds[2])
    return op.emitOpError("has bounds that are not constants: the number of "
                          "trips of a loop over tensors must be known");
  Location loc = op.getLoc();
  SmallVector<TensorSource> carried;
  for (auto [init, argument, result] : llvm::zip_equal(
           op.getInitArgs(), op.getRegionIterArgs(), op.getResults())) {
    auto type = dyn_cast<RankedTensorType>(init.getType());
    if (!type)
      return op.emitOpError("carries a value of type ")
             << init.getType() << "; egg-normalize-payload carries scalars as "
             << "tensors of rank 0";
    TensorSource buffer = define(b, result);
    emitter.emitCopy(b, loc, source(init), buffer);
    source(argument) = buffer;
    carried.push_back(buffer);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(b, loc, constant(*bounds[0]),
                                 constant(*bounds[1]), constant(*bounds[2]));
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  if (!op.getInductionVar().getType().isIndex())
    return op.emitOpError("counts in ")
           << op.getInductionVar().getType() << ", not in index";
  inductionVars[op.getInductionVar()] = loop.getInductionVar();
  for (Operation &nested : op.getBody()->without_terminator())
    if (failed(lowerOp(inner, nested)))
      return failure();

  // All carried tensors change at once: what is yielded from another carried
  // buffer is set aside first.
  auto yielded = op.getBody()->getTerminator()->getOperands();
  SmallVector<TensorSource> next;
  for (auto [index, value] : llvm::enumerate(yielded)) {
    TensorSource from = source(value);
    bool other = llvm::any_of(llvm::enumerate(carried), [&](auto entry) {
      return entry.index() != index && !from.splat &&
             entry.value().buffer == from.buffer;
    });
    if (other) {
      TensorSource aside{allocate(inner, loc, from.type), {}, from.type};
      emitter.emitCopy(inner, loc, from, aside);
      from = aside;
    }
    next.push_back(from);
  }
  for (auto [from, to] : llvm::zip_equal(next, carried))
    if (from.splat || from.buffer != to.buffer)
      emitter.emitCopy(inner, loc, from, to);
  return success();
}

LogicalResult HostLowering::lowerOp(OpBuilder &b, Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(b, constant);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerLoop(b, loop);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return lowerReturn(b, ret);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    // Undefined elements are zeros: nothing of the memory shows.
    Type type = empty.getType().getElementType();
    source(empty) = {{}, cast<TypedAttr>(b.getZeroAttr(type)), empty.getType()};
    return success();
  }
  if (Value from = reshapeSource(&op)) {
    TensorSource reshaped = source(from);
    reshaped.type = cast<RankedTensorType>(op.getResult(0).getType());
    source(op.getResult(0)) = reshaped;
    return success();
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics())
    return op.emitOpError("is not part of a normalized payload; run "
                          "egg-normalize-payload first");
  SmallVector<TensorSource> results;
  for (Value result : generic->getResults())
    results.push_back(define(b, result));
  return emitter.emitGeneric(
      b, generic, [&](Value value) { return source(value); },
      [&](Value value) { return hostIndex(b, value); }, results);
}

/// A result of the payload is written in place by the op that makes it, where
/// that is an op of the function's own block and no other result is the same.
void HostLowering::chooseResultBuffers() {
  auto ret = cast<func::ReturnOp>(payload.getBody().front().getTerminator());
  unsigned arguments = payload.getNumArguments();
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    while (Operation *op = value.getDefiningOp()) {
      Value from = reshapeSource(op);
      if (!from)
        break;
      value = from;
    }
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<linalg::GenericOp, scf::ForOp>(op))
      resultBuffers.try_emplace(value, main.getArgument(arguments + index));
  }
}

LogicalResult HostLowering::lowerReturn(OpBuilder &b, func::ReturnOp op) {
  unsigned arguments = payload.getNumArguments();
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    Value buffer = main.getArgument(arguments + index);
    TensorSource from = source(value);
    if (from.splat || from.buffer != buffer)
      emitter.emitCopy(b, op.getLoc(), from,
                       {buffer, {}, cast<RankedTensorType>(value.getType())});
  }
  func::ReturnOp::create(b, op.getLoc());
  return success();
}

LogicalResult HostLowering::run() {
  OpBuilder b(payload);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  auto add = [&](Type type, NamedAttrList list) {
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(egg::bufferType(tensor));
    list.set("egg.element_type", TypeAttr::get(tensor.getElementType()));
    attributes.push_back(list.getDictionary(b.getContext()));
  };
  for (unsigned i = 0; i < payload.getNumArguments(); ++i) {
    if (!isa<RankedTensorType>(payload.getArgumentTypes()[i]))
      return payload.emitOpError("argument ")
             << i << " is not a tensor; egg-normalize-payload makes scalars "
             << "tensors of rank 0";
    add(payload.getArgumentTypes()[i], payload.getArgAttrDict(i));
  }
  for (unsigned i = 0; i < payload.getNumResults(); ++i) {
    NamedAttrList list(payload.getResultAttrDict(i));
    list.set("egg.result_index", b.getI64IntegerAttr(i));
    add(payload.getResultTypes()[i], list);
  }
  std::string name = payload.getName().str();
  payload.setName("egg_payload");
  main = func::FuncOp::create(b, payload.getLoc(), name,
                              b.getFunctionType(types, {}));
  main.setAllArgAttrs(attributes);
  Block *entry = main.addEntryBlock();
  for (auto [i, argument] : llvm::enumerate(payload.getArguments())) {
    entry->getArgument(i).setLoc(argument.getLoc());
    source(argument) = {
        entry->getArgument(i), {}, cast<RankedTensorType>(argument.getType())};
  }
  chooseResultBuffers();
  OpBuilder body = OpBuilder::atBlockEnd(entry);
  for (Operation &op : payload.getBody().front())
    if (failed(lowerOp(body, op)))
      return failure();
  payload.erase();
  return success();
}

/// Frees each allocation after its last use in its block.
static void insertDeallocations(func::FuncOp main) {
  SmallVector<memref::AllocOp> allocations;
  main.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  for (memref::AllocOp alloc : allocations) {
    Operation *last = nullptr;
    for (Operation *user : alloc->getUsers()) {
      Operation *inBlock = alloc->getBlock()->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(inBlock))
        last = inBlock;
    }
    if (!last) {
      alloc.erase();
      continue;
    }
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    memref::DeallocOp::create(b, alloc.getLoc(), alloc);
  }
}

LogicalResult egg::formPlainKernels(ModuleOp module,
                                    const PlainKernelOptions &options) {
  auto payload = module.lookupSymbol<func::FuncOp>("main");
  if (!payload || payload.isExternal() ||
      !llvm::hasSingleElement(payload.getBody()))
    return module.emitOpError(
        "has no function @main with one block; egg-normalize-payload makes it");
  OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "egg_kernels_64");
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  kernels->setAttr("egg.index_bits", b.getI64IntegerAttr(64));
  KernelEmitter emitter(kernels, options);
  if (failed(HostLowering(module, payload, emitter).run()))
    return failure();
  insertDeallocations(module.lookupSymbol<func::FuncOp>("main"));
  return splitByIndexBits(module, kernels);
}

namespace {
struct FormPlainKernelsPass
    : egg::impl::FormPlainKernelsBase<FormPlainKernelsPass> {
  using FormPlainKernelsBase::FormPlainKernelsBase;
  void runOnOperation() override {
    egg::PlainKernelOptions options{blockSize, sequentialLimit, chunk,
                                    enoughPoints};
    if (options.blockSize < 1 || options.blockSize > 1024 ||
        options.sequentialLimit < 1 || options.chunk < 2) {
      getOperation().emitError(
          "egg-form-plain-kernels: block-size must be 1 to 1024, "
          "sequential-limit at least 1 and chunk at least 2");
      return signalPassFailure();
    }
    if (failed(egg::formPlainKernels(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
