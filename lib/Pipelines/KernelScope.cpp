//===- KernelScope.cpp - one plain kernel under construction ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// CUDA's limit on the x dimension of a grid.
static constexpr int64_t kMaxGrid = (int64_t(1) << 31) - 1;

Type egg::bufferElementType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8);
  if (elementType.isIndex())
    return IntegerType::get(elementType.getContext(), 64);
  return elementType;
}

MemRefType egg::bufferType(RankedTensorType type) {
  return MemRefType::get(type.getShape(),
                         bufferElementType(type.getElementType()));
}

egg::KernelScope::KernelScope(KernelEmitter &emitter, OpBuilder &host,
                              Location loc, StringRef hint,
                              ArrayRef<int64_t> extents)
    : emitter(emitter), host(host), location(loc), builder(loc.getContext()) {
  MLIRContext *context = loc.getContext();
  builder.setInsertionPointToEnd(emitter.kernels.getBody());
  func = gpu::GPUFuncOp::create(builder, loc, emitter.uniqueName(hint),
                                FunctionType::get(context, {}, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  builder.setInsertionPointToEnd(&func.getBody().front());
  gpu::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(&func.getBody().front().back());

  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  blockSize = std::min(emitter.options.blockSize, points);
  int64_t blocks = llvm::divideCeil(points, blockSize);
  gridSize = std::min(blocks, kMaxGrid);

  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x,
                                       builder.getIndexAttr(gridSize));
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x,
                                         builder.getIndexAttr(blockSize));
  Value linear = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, block, constant(builder, blockSize)),
      thread);
  Value end = constant(builder, points);
  if (blocks > gridSize) {
    auto loop = scf::ForOp::create(builder, loc, linear, end,
                                   constant(builder, gridSize * blockSize));
    linear = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  } else if (points % blockSize != 0) {
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, linear, end);
    auto guard = scf::IfOp::create(builder, loc, inside);
    builder.setInsertionPointToStart(guard.thenBlock());
  }

  coordinates.resize(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    bool outermost = true;
    for (size_t o = 0; o < d; ++o)
      outermost &= extents[o] == 1;
    if (extents[d] == 1) {
      coordinates[d] = constant(builder, 0);
    } else if (outermost) {
      coordinates[d] = linear;
    } else {
      Value extent = constant(builder, extents[d]);
      coordinates[d] = arith::RemUIOp::create(builder, loc, linear, extent);
      linear = arith::DivUIOp::create(builder, loc, linear, extent);
    }
  }
}

Value egg::KernelScope::constant(OpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, location, value);
}

Value egg::KernelScope::argument(Value hostValue) {
  Value &argument = arguments[hostValue];
  if (!argument) {
    argument = func.getBody().front().addArgument(hostValue.getType(),
                                                  hostValue.getLoc());
    operands.push_back(hostValue);
  }
  return argument;
}

Value egg::KernelScope::view(const TensorSource &source) {
  MemRefType type = bufferType(source.type);
  Value &view = views[{source.buffer, type}];
  if (view)
    return view;
  Value base = argument(source.buffer);
  if (base.getType() == type)
    return view = base;
  OpBuilder entry = OpBuilder::atBlockBegin(&func.getBody().front());
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    strides[d - 1] = strides[d] * type.getDimSize(d);
  return view = memref::ReinterpretCastOp::create(entry, location, type, base,
                                                  /*offset=*/int64_t(0),
                                                  type.getShape(), strides);
}

Value egg::KernelScope::load(OpBuilder &b, const TensorSource &source,
                             ValueRange indices) {
  Type type = source.type.getElementType();
  if (source.splat)
    return arith::ConstantOp::create(b, location, source.splat);
  Value value = memref::LoadOp::create(b, location, view(source), indices);
  if (type.isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        b, location, b.getIntegerAttr(value.getType(), 0));
    return arith::CmpIOp::create(b, location, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, location, type, value);
  return value;
}

void egg::KernelScope::store(OpBuilder &b, Value value,
                             const TensorSource &target, ValueRange indices) {
  Type type = target.type.getElementType();
  Type stored = bufferElementType(type);
  if (type.isInteger(1))
    value = arith::ExtUIOp::create(b, location, stored, value);
  else if (type.isIndex())
    value = arith::IndexCastOp::create(b, location, stored, value);
  memref::StoreOp::create(b, location, value, view(target), indices);
}

Value egg::KernelScope::hostIndex(Value scalar) {
  OpBuilder entry = OpBuilder::atBlockBegin(&func.getBody().front());
  return arith::IndexCastOp::create(entry, location, entry.getIndexType(),
                                    argument(scalar));
}

void egg::KernelScope::finish() {
  SmallVector<Type> types = llvm::to_vector(ValueRange(operands).getTypes());
  func.setFunctionType(FunctionType::get(func.getContext(), types, {}));
  func.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(blockSize), 1, 1});
  func.setKnownGridSize(
      ArrayRef<int32_t>{static_cast<int32_t>(gridSize), 1, 1});

  auto dim = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(host, location, value);
  };
  Value one = dim(1);
  gpu::LaunchFuncOp::create(host, location, func,
                            gpu::KernelDim3{dim(gridSize), one, one},
                            gpu::KernelDim3{dim(blockSize), one, one},
                            /*dynamicSharedMemorySize=*/Value(), operands);
}
