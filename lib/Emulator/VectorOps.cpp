//===- VectorOps.cpp - vector ops on registers ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace egg::emulator;

//===----------------------------------------------------------------------===//
// Most vector ops only move elements: each result component is a copy of one
// register that is known when the program is made.
//===----------------------------------------------------------------------===//

/// constants: for each result component, the register it is copied from.
static void runGather(Machine &, Warp &warp, const Instruction &at) {
  for (auto [c, source] : llvm::enumerate(at.constants)) {
    const uint64_t *from = warp.reg(source);
    uint64_t *to = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) { to[lane] = from[lane]; });
  }
}

/// Emits a move whose component c comes from register \p sourceOf(c).
template <typename SourceOf>
static LogicalResult emitMove(Compiler &compiler, Operation *op,
                              SourceOf sourceOf) {
  int32_t count = compiler.componentsOf(op->getResult(0).getType());
  llvm::SmallVector<int64_t, 4> sources;
  for (int32_t c = 0; c < count; ++c)
    sources.push_back(sourceOf(c));
  Instruction &at = compiler.emitBound(runGather, op);
  at.constants.assign(sources.begin(), sources.end());
  return success();
}

static llvm::SmallVector<int64_t> delinearize(int64_t index,
                                              ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> result(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    result[d] = index % shape[d];
    index /= shape[d];
  }
  return result;
}

static int64_t linearize(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  int64_t result = 0;
  for (auto [index, extent] : llvm::zip(indices, shape))
    result = result * extent + index;
  return result;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.getShape();
  return {};
}

static LogicalResult compileBroadcast(Compiler &compiler, Operation *op) {
  Value source = op->getOperand(0);
  int32_t reg = compiler.registersOf(source);
  ArrayRef<int64_t> from = shapeOf(source), to = shapeOf(op->getResult(0));
  return emitMove(compiler, op, [&](int32_t c) {
    llvm::SmallVector<int64_t> index = delinearize(c, to);
    llvm::SmallVector<int64_t> tail(index.end() - from.size(), index.end());
    for (auto [i, extent] : llvm::zip(tail, from))
      i = extent == 1 ? 0 : i;
    return reg + linearize(tail, from);
  });
}

static LogicalResult compileExtract(Compiler &compiler, Operation *op) {
  auto extract = cast<vector::ExtractOp>(op);
  if (extract.hasDynamicPosition())
    return op->emitError("has a position known only at run time, which would "
                         "put the vector into local memory");
  int64_t inner = compiler.componentsOf(extract.getType());
  ArrayRef<int64_t> position = extract.getStaticPosition();
  int64_t start =
      linearize(position,
                shapeOf(extract.getSource()).take_front(position.size())) *
      inner;
  int32_t reg = compiler.registersOf(extract.getSource());
  return emitMove(compiler, op, [&](int32_t c) { return reg + start + c; });
}

static LogicalResult compileInsert(Compiler &compiler, Operation *op) {
  auto insert = cast<vector::InsertOp>(op);
  if (insert.hasDynamicPosition())
    return op->emitError("has a position known only at run time, which would "
                         "put the vector into local memory");
  int64_t inner = compiler.componentsOf(insert.getValueToStore().getType());
  ArrayRef<int64_t> position = insert.getStaticPosition();
  int64_t start =
      linearize(position,
                shapeOf(insert.getDest()).take_front(position.size())) *
      inner;
  int32_t value = compiler.registersOf(insert.getValueToStore());
  int32_t rest = compiler.registersOf(insert.getDest());
  return emitMove(compiler, op, [&](int32_t c) {
    return c >= start && c < start + inner ? value + c - start : rest + c;
  });
}

static LogicalResult compileShapeCast(Compiler &compiler, Operation *op) {
  int32_t reg = compiler.registersOf(op->getOperand(0));
  return emitMove(compiler, op, [&](int32_t c) { return reg + c; });
}

static LogicalResult compileShuffle(Compiler &compiler, Operation *op) {
  auto shuffle = cast<vector::ShuffleOp>(op);
  int64_t inner = 1;
  for (int64_t extent : shuffle.getV1VectorType().getShape().drop_front(
           shuffle.getV1VectorType().getRank() ? 1 : 0))
    inner *= extent;
  int64_t firsts = shuffle.getV1VectorType().getNumElements() / inner;
  int32_t a = compiler.registersOf(shuffle.getV1());
  int32_t b = compiler.registersOf(shuffle.getV2());
  return emitMove(compiler, op, [&](int32_t c) {
    int64_t which = std::max<int64_t>(shuffle.getMask()[c / inner], 0);
    return which < firsts ? a + which * inner + c % inner
                          : b + (which - firsts) * inner + c % inner;
  });
}

static LogicalResult compileFromElements(Compiler &compiler, Operation *op) {
  return emitMove(compiler, op, [&](int32_t c) {
    return compiler.registersOf(op->getOperand(c));
  });
}

static LogicalResult compileToElements(Compiler &compiler, Operation *op) {
  int32_t reg = compiler.registersOf(op->getOperand(0));
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Instruction &at = compiler.emit(runGather, op);
    at.results = {compiler.registersOf(result)};
    at.constants = {reg + int64_t(index)};
  }
  return success();
}

static LogicalResult compileExtractSlice(Compiler &compiler, Operation *op) {
  auto slice = cast<vector::ExtractStridedSliceOp>(op);
  int32_t reg = compiler.registersOf(slice.getSource());
  llvm::SmallVector<int64_t> offsets, strides;
  // One entry for each leading dimension.
  for (Attribute attribute : slice.getOffsets())
    offsets.push_back(cast<IntegerAttr>(attribute).getInt());
  for (Attribute attribute : slice.getStrides())
    strides.push_back(cast<IntegerAttr>(attribute).getInt());
  return emitMove(compiler, op, [&](int32_t c) {
    llvm::SmallVector<int64_t> index =
        delinearize(c, shapeOf(op->getResult(0)));
    for (size_t d = 0; d < offsets.size(); ++d)
      index[d] = offsets[d] + index[d] * strides[d];
    return reg + linearize(index, shapeOf(slice.getSource()));
  });
}

static LogicalResult compileInsertSlice(Compiler &compiler, Operation *op) {
  auto slice = cast<vector::InsertStridedSliceOp>(op);
  int32_t value = compiler.registersOf(slice.getValueToStore());
  int32_t rest = compiler.registersOf(slice.getDest());
  ArrayRef<int64_t> inner = shapeOf(slice.getValueToStore());
  ArrayRef<int64_t> outer = shapeOf(slice.getDest());
  llvm::SmallVector<int64_t> offsets;
  for (Attribute attribute : slice.getOffsets())
    offsets.push_back(cast<IntegerAttr>(attribute).getInt());
  return emitMove(compiler, op, [&](int32_t c) {
    llvm::SmallVector<int64_t> index = delinearize(c, outer);
    llvm::SmallVector<int64_t> within;
    for (size_t d = 0; d < outer.size(); ++d) {
      int64_t i = index[d] - offsets[d];
      size_t lead = outer.size() - inner.size();
      if (d < lead ? i != 0 : i < 0 || i >= inner[d - lead])
        return rest + c;
      if (d >= lead)
        within.push_back(i);
    }
    return int32_t(value + linearize(within, inner));
  });
}

static LogicalResult compileTranspose(Compiler &compiler, Operation *op) {
  auto transpose = cast<vector::TransposeOp>(op);
  int32_t reg = compiler.registersOf(transpose.getVector());
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  return emitMove(compiler, op, [&](int32_t c) {
    llvm::SmallVector<int64_t> index =
        delinearize(c, shapeOf(op->getResult(0)));
    llvm::SmallVector<int64_t> source(index.size());
    for (size_t d = 0; d < index.size(); ++d)
      source[permutation[d]] = index[d];
    return reg + linearize(source, shapeOf(transpose.getVector()));
  });
}

static void runStep(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c)
    forActiveLanes(
        warp, [&](unsigned lane) { warp.reg(at.results[0] + c)[lane] = c; });
}

static LogicalResult compileStep(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runStep, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  return success();
}

/// A mask that is true below the operands, a dimension each.
static void runCreateMask(Machine &, Warp &warp, const Instruction &at) {
  ArrayRef<int64_t> shape = shapeOf(at.op->getResult(0));
  for (int32_t c = 0; c < at.components; ++c) {
    llvm::SmallVector<int64_t> index = delinearize(c, shape);
    forActiveLanes(warp, [&](unsigned lane) {
      bool inside = true;
      for (size_t d = 0; d < index.size(); ++d)
        inside &= index[d] < int64_t(warp.reg(at.operands[d])[lane]);
      warp.reg(at.results[0] + c)[lane] = inside;
    });
  }
}

static LogicalResult compileCreateMask(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runCreateMask, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  return success();
}

/// Same bits, other elements: whole elements are packed or unpacked.
static void runBitcast(Machine &, Warp &warp, const Instruction &at) {
  unsigned fromBits = at.type.bits, toBits = at.resultType.bits;
  forActiveLanes(warp, [&](unsigned lane) {
    for (int32_t c = 0; c < at.components; ++c) {
      uint64_t value = 0;
      if (toBits >= fromBits) {
        unsigned parts = toBits / fromBits;
        for (unsigned p = 0; p < parts; ++p)
          value |= warp.reg(at.operands[0] + c * parts + p)[lane]
                   << (p * fromBits);
      } else {
        unsigned parts = fromBits / toBits;
        value = truncateBits(warp.reg(at.operands[0] + c / parts)[lane] >>
                                 (c % parts * toBits),
                             toBits);
      }
      warp.reg(at.results[0] + c)[lane] = value;
    }
  });
}

static LogicalResult compileBitcast(Compiler &compiler, Operation *op) {
  Instruction &at = compiler.emitBound(runBitcast, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  at.type = *getScalarType(getElementTypeOrSelf(op->getOperand(0).getType()));
  at.resultType =
      *getScalarType(getElementTypeOrSelf(op->getResult(0).getType()));
  return success();
}

void egg::emulator::addVectorOps(OpTable &table) {
  table["vector.broadcast"] = compileBroadcast;
  table["vector.extract"] = compileExtract;
  table["vector.insert"] = compileInsert;
  table["vector.shape_cast"] = compileShapeCast;
  table["vector.shuffle"] = compileShuffle;
  table["vector.from_elements"] = compileFromElements;
  table["vector.to_elements"] = compileToElements;
  table["vector.extract_strided_slice"] = compileExtractSlice;
  table["vector.insert_strided_slice"] = compileInsertSlice;
  table["vector.transpose"] = compileTranspose;
  table["vector.step"] = compileStep;
  table["vector.create_mask"] = compileCreateMask;
  table["vector.bitcast"] = compileBitcast;
}
