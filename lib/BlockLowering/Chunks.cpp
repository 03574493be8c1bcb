//===- Chunks.cpp - values of a stage, made on demand -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace egg;

Value StageEmitter::getChunk(Value value, unsigned chunk) {
  if (Value known = getTile(value).chunks[chunk])
    return known;
  Value made = computeChunk(value, chunk);
  getTile(value).chunks[chunk] = made;
  return made;
}

Value StageEmitter::getElements(Value value, ArrayRef<unsigned> registers) {
  Tile &tile = getTile(value);
  unsigned size = tile.chunkSize(), first = registers.front();
  bool isChunk = registers.size() == size && first % size == 0;
  bool isOne = true;
  for (auto [i, reg] : llvm::enumerate(registers)) {
    isChunk &= reg == first + i;
    isOne &= reg == first;
  }
  if (isChunk)
    return getChunk(value, first / size);
  if (isOne)
    return splat(elementOf(getChunk(value, first / size), first % size),
                 registers.size());
  SmallVector<Value> elements;
  for (unsigned reg : registers)
    elements.push_back(elementOf(getChunk(value, reg / size), reg % size));
  return vectorOf(elements);
}

unsigned StageEmitter::batchOf(Value value) {
  const Tile &tile = getTile(value);
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  unsigned bytes =
      std::max(1u, element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8);
  return std::max(1u, options.batchChunks * 16 / (bytes * tile.chunkSize()));
}

void StageEmitter::forceBatch(Value value, unsigned first, unsigned count) {
  llvm::DenseSet<Value> seen;
  for (unsigned c = first; c < first + count; ++c) {
    seen.clear();
    prefetch(value, c, seen);
  }
  for (unsigned c = first; c < first + count; ++c)
    getChunk(value, c);
}

void StageEmitter::force(Value value) {
  unsigned total = getTile(value).numChunks(), batch = batchOf(value);
  for (unsigned first = 0; first < total; first += batch)
    forceBatch(value, first, std::min(batch, total - first));
}

/// The registers of \p operand that go with \p registers of \p result, under
/// the two maps from one iteration space. The result's map is a permutation.
SmallVector<unsigned>
StageEmitter::operandRegisters(Value operand, AffineMap operandMap,
                               Value result, AffineMap resultMap,
                               ArrayRef<unsigned> registers) {
  const Tile &from = getTile(operand), &to = getTile(result);
  SmallVector<unsigned> found;
  for (unsigned reg : registers) {
    SmallVector<uint64_t> iteration(resultMap.getNumDims(), 0);
    for (auto [d, expr] : llvm::enumerate(resultMap.getResults()))
      iteration[cast<AffineDimExpr>(expr).getPosition()] =
          registerCoordinate(to.layout, d, reg);
    SmallVector<uint64_t> point;
    for (AffineExpr expr : operandMap.getResults())
      point.push_back(isa<AffineDimExpr>(expr)
                          ? iteration[cast<AffineDimExpr>(expr).getPosition()]
                          : 0);
    found.push_back(from.registerAt.lookup(from.layout.flattenOut(point)));
  }
  return found;
}

/// Goes down to the reads behind a chunk and emits their loads.
void StageEmitter::prefetch(Value value, unsigned chunk,
                            llvm::DenseSet<Value> &seen) {
  if (!tiles.contains(value) || getTile(value).chunks[chunk] ||
      !seen.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ir::ReadOp>(op)) {
    getChunk(value, chunk);
    return;
  }
  if (auto place = dyn_cast_or_null<ir::PlaceOp>(op))
    return prefetch(place.getSource(), chunk, seen);
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp)
    return;
  unsigned size = getTile(value).chunkSize();
  SmallVector<unsigned> registers;
  for (unsigned i = 0; i < size; ++i)
    registers.push_back(chunk * size + i);
  auto style = cast<DestinationStyleOpInterface>(op);
  AffineMap resultMap =
      linalgOp.getIndexingMapMatchingResult(cast<OpResult>(value));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tiles.contains(operand.get()) || style.isDpsInit(&operand))
      continue;
    SmallVector<unsigned> wanted = operandRegisters(
        operand.get(), linalgOp.getMatchingIndexingMap(&operand), value,
        resultMap, registers);
    unsigned from = getTile(operand.get()).chunkSize();
    unsigned last = ~0u;
    for (unsigned reg : wanted) {
      if (reg / from == last)
        continue;
      last = reg / from;
      seen.erase(operand.get());
      prefetch(operand.get(), last, seen);
    }
  }
}

Value StageEmitter::computeChunk(Value value, unsigned chunk) {
  Operation *op = value.getDefiningOp();
  unsigned size = getTile(value).chunkSize();
  if (auto read = dyn_cast<ir::ReadOp>(op))
    return loadChunk(read, chunk);
  if (auto place = dyn_cast<ir::PlaceOp>(op))
    return getChunk(place.getSource(), chunk);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return splat(lookupScalar(fill.value()), size);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return makeConstant(
        cast<TypedAttr>(cast<DenseElementsAttr>(constant.getValue())
                            .getSplatValue<Attribute>()),
        size);
  if (isa<tensor::EmptyOp>(op)) {
    // No value is promised; zeros make every run the same.
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    return makeConstant(b.getZeroAttr(element), size);
  }
  computeLinalgChunk(cast<linalg::LinalgOp>(op),
                     cast<OpResult>(value).getResultNumber(), chunk);
  return getTile(value).chunks[chunk];
}

void StageEmitter::computeLinalgChunk(linalg::LinalgOp op,
                                      unsigned resultNumber, unsigned chunk) {
  OpResult result = op->getResult(resultNumber);
  unsigned size = getTile(result).chunkSize();
  LinearLayout layout = getTile(result).layout;
  SmallVector<unsigned> registers;
  for (unsigned i = 0; i < size; ++i)
    registers.push_back(chunk * size + i);
  AffineMap resultMap = op.getIndexingMapMatchingResult(result);

  Block &body = op->getRegion(0).front();
  SmallVector<Value> arguments;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (body.getArgument(operand.getOperandNumber()).use_empty()) {
      arguments.push_back(Value());
      continue;
    }
    if (!isa<RankedTensorType>(value.getType())) {
      arguments.push_back(splat(lookupScalar(value), size));
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (auto shared = sharedTiles.find(value); shared != sharedTiles.end()) {
      // Each element where it lies in shared memory.
      beforeSharedLoad(shared->second.memory);
      SmallVector<Value> elements;
      for (unsigned reg : registers) {
        Value flat = arith::ConstantIndexOp::create(b, op.getLoc(), 0);
        int64_t stride = 1, constant = 0;
        for (unsigned p = map.getNumResults(); p-- > 0;) {
          if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(p))) {
            unsigned d = llvm::find(resultMap.getResults(), dim) -
                         resultMap.getResults().begin();
            constant += stride * registerCoordinate(layout, d, reg);
            if (Value part = threadCoordinate(layout, d))
              flat = arith::AddIOp::create(
                  b, op.getLoc(), flat,
                  arith::MulIOp::create(
                      b, op.getLoc(), part,
                      arith::ConstantIndexOp::create(b, op.getLoc(), stride)));
          }
          stride *= shared->second.bounds[p];
        }
        flat = arith::AddIOp::create(
            b, op.getLoc(), flat,
            arith::ConstantIndexOp::create(b, op.getLoc(), constant));
        elements.push_back(fromMemory(
            memref::LoadOp::create(b, op.getLoc(), shared->second.memory, flat),
            cast<RankedTensorType>(value.getType()).getElementType()));
      }
      arguments.push_back(vectorOf(elements));
      continue;
    }
    arguments.push_back(getElements(
        value, operandRegisters(value, map, result, resultMap, registers)));
  }

  auto indexOf = [&](int64_t dim) -> Value {
    unsigned d = llvm::find(resultMap.getResults(),
                            getAffineDimExpr(dim, b.getContext())) -
                 resultMap.getResults().begin();
    SmallVector<Value> elements;
    Value part = threadCoordinate(layout, d);
    for (unsigned reg : registers) {
      Value constant = arith::ConstantIndexOp::create(
          b, op.getLoc(), registerCoordinate(layout, d, reg));
      elements.push_back(
          part ? Value(arith::AddIOp::create(b, op.getLoc(), part, constant))
               : constant);
    }
    return vectorOf(elements);
  };
  SmallVector<Value> yielded = inlineBody(body, arguments, size, indexOf);
  for (OpResult other : op->getResults()) {
    Tile &tile = getTile(other);
    bool isSame = op.getIndexingMapMatchingResult(other) == resultMap &&
                  tile.layout == layout;
    if (other == result || isSame)
      tile.chunks[chunk] = yielded[other.getResultNumber()];
  }
}
