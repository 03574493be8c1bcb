//===- Shared.cpp - tiles in shared memory ----------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace egg;

/// Static shared memory that every architecture gives a block.
static constexpr int64_t maxStaticShared = 48 * 1024;

/// Null, with an error, when the block would need more than there is.
Value StageEmitter::allocateShared(Type element, int64_t elements) {
  if (element.isInteger(1))
    element = b.getI8Type();
  int64_t bytes =
      elements *
      std::max(1u, element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8);
  sharedBytes += llvm::alignTo(bytes, 16);
  if (sharedBytes > maxStaticShared) {
    stage.emitError("needs ")
        << sharedBytes
        << " bytes of shared memory; the lowering gives a "
           "block up to "
        << maxStaticShared << ": take smaller tiles";
    return Value();
  }
  auto type = MemRefType::get(
      {elements}, element, AffineMap(),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup));
  Value memory = kernel.addWorkgroupAttribution(type, stage.getLoc());
  // The pass before may still be loading from it.
  if (!barrierInLoop.empty() && !barrierInLoop.back())
    loadedShared.insert(memory);
  return memory;
}

void StageEmitter::emitBarrier() {
  gpu::BarrierOp::create(b, stage.getLoc());
  storedShared.clear();
  loadedShared.clear();
  for (bool &had : barrierInLoop)
    had = true;
}

void StageEmitter::beforeSharedStore(Value memory) {
  if (loadedShared.contains(memory))
    emitBarrier();
  storedShared.insert(memory);
}

void StageEmitter::beforeSharedLoad(Value memory) {
  if (storedShared.contains(memory))
    emitBarrier();
  loadedShared.insert(memory);
}

/// The place of a register in a shared tile: the thread's part and a constant.
static Value sharedAddress(OpBuilder &b, Location loc, Value threadPart,
                           int64_t constant) {
  Value at = arith::ConstantIndexOp::create(b, loc, constant);
  return threadPart ? Value(arith::AddIOp::create(b, loc, threadPart, at)) : at;
}

/// Stores all chunks of a tile. Elements of the hull that do not exist are
/// stored as zeros where the shared tile has room for them, so that a
/// contraction may read whole tiles.
void StageEmitter::storeShared(Value value, const SharedTile &shared) {
  Location loc = value.getLoc();
  force(value);
  beforeSharedStore(shared.memory);
  const Tile &tile = getTile(value);
  unsigned rank = tile.bounds.size();
  SmallVector<int64_t> strides(rank, 1);
  for (unsigned d = rank; d-- > 1;)
    strides[d - 1] = strides[d] * shared.bounds[d];
  Value threadPart;
  for (unsigned d = 0; d < rank; ++d) {
    Value part = threadCoordinate(tile.layout, d);
    if (!part)
      continue;
    if (strides[d] != 1)
      part = arith::MulIOp::create(
          b, loc, part, arith::ConstantIndexOp::create(b, loc, strides[d]));
    threadPart = threadPart
                     ? Value(arith::AddIOp::create(b, loc, threadPart, part))
                     : part;
  }
  Value isFirst = isFirstCopy(tile.layout);
  unsigned size = tile.chunkSize();
  unsigned bytes = std::max(
      1u,
      cast<MemRefType>(shared.memory.getType()).getElementTypeBitWidth() / 8);
  for (unsigned chunk = 0; chunk < tile.numChunks(); ++chunk) {
    // Which elements lie inside the shared tile.
    SmallVector<SmallVector<Guard>> guards(size);
    SmallVector<int64_t> places(size, 0);
    for (unsigned i = 0; i < size; ++i)
      for (unsigned d = 0; d < rank; ++d) {
        int64_t c = registerCoordinate(tile.layout, d, chunk * size + i);
        places[i] += c * strides[d];
        if (threadMaximum(tile.layout, d) + c >= shared.bounds[d])
          guards[i].push_back({threadCoordinate(tile.layout, d), c,
                               b.getIndexAttr(shared.bounds[d]), 1});
      }
    // Elements that the tile's own extents exclude are zero.
    Value whole = getTile(value).chunks[chunk];
    SmallVector<Value> exists(size);
    bool allExist = true;
    for (unsigned i = 0; i < size; ++i) {
      SmallVector<Guard> missing;
      for (unsigned d = 0; d < rank; ++d) {
        OpFoldResult extent = tile.extents[d];
        if (getConstantIntValue(extent) ||
            fullExtents.contains(cast<Value>(extent)))
          continue;
        missing.push_back({threadCoordinate(tile.layout, d),
                           registerCoordinate(tile.layout, d, chunk * size + i),
                           lookupScalar(cast<Value>(extent)), 1});
      }
      exists[i] = emitGuards(missing);
      allExist &= !exists[i];
    }
    if (!allExist) {
      Value zero = makeConstant(
          b.getZeroAttr(getElementTypeOrSelf(whole.getType())), size);
      Value mask = vectorOf(exists);
      whole = arith::SelectOp::create(b, loc, mask, whole, zero);
    }
    whole = toMemory(whole);
    bool isWhole = size > 1 && shared.bounds.back() % size == 0 &&
                   llvm::all_of(guards, [&](auto &list) {
                     return list.size() == guards.front().size();
                   });
    if (isWhole) {
      unsigned aligned = size * bytes;
      for (int64_t stride : ArrayRef(strides).drop_back())
        while (aligned > 1 && (stride * bytes) % aligned)
          aligned /= 2;
      emitGuarded(isFirst, guards.front(), [&] {
        vector::StoreOp::create(
            b, loc, whole, shared.memory,
            ValueRange{sharedAddress(b, loc, threadPart, places.front())},
            /*nontemporal=*/false, llvm::MaybeAlign(std::min(16u, aligned)));
      });
      continue;
    }
    for (unsigned i = 0; i < size; ++i) {
      Value element = elementOf(whole, i);
      emitGuarded(isFirst, guards[i], [&] {
        memref::StoreOp::create(
            b, loc, element, shared.memory,
            ValueRange{sharedAddress(b, loc, threadPart, places[i])});
      });
    }
  }
}

LogicalResult StageEmitter::emitSharedPlace(ir::PlaceOp place) {
  Value source = place.getSource();
  const Tile &tile = getTile(source);
  int64_t elements = 1;
  for (int64_t bound : tile.bounds)
    elements *= bound;
  SharedTile shared;
  shared.bounds = tile.bounds;
  shared.memory = allocateShared(
      cast<RankedTensorType>(source.getType()).getElementType(), elements);
  if (!shared.memory)
    return failure();
  // Loads first: they wait for memory while others still compute.
  force(source);
  storeShared(source, shared);
  sharedTiles[place.getResult()] = shared;
  return success();
}

/// A chunk of a tile laid out like \p like, from shared memory.
Value StageEmitter::loadShared(const SharedTile &shared, const Tile &like,
                               unsigned chunk) {
  Location loc = stage.getLoc();
  Type stored = cast<MemRefType>(shared.memory.getType()).getElementType();
  unsigned size = like.chunkSize(), rank = like.bounds.size();
  SmallVector<Value> elements;
  for (unsigned i = 0; i < size; ++i) {
    int64_t stride = 1, constant = 0;
    Value threadPart;
    SmallVector<Guard> guards;
    for (unsigned d = rank; d-- > 0;) {
      int64_t c = registerCoordinate(like.layout, d, chunk * size + i);
      constant += stride * c;
      if (Value part = threadCoordinate(like.layout, d)) {
        if (threadMaximum(like.layout, d) + c >= shared.bounds[d])
          guards.push_back({part, c, b.getIndexAttr(shared.bounds[d]), 1});
        part = arith::MulIOp::create(
            b, loc, part, arith::ConstantIndexOp::create(b, loc, stride));
        threadPart =
            threadPart ? Value(arith::AddIOp::create(b, loc, threadPart, part))
                       : part;
      } else if (c >= shared.bounds[d]) {
        guards.push_back({Value(), c, b.getIndexAttr(shared.bounds[d]), 1});
      }
      stride *= shared.bounds[d];
    }
    auto load = [&]() -> Value {
      return memref::LoadOp::create(
          b, loc, shared.memory,
          ValueRange{sharedAddress(b, loc, threadPart, constant)});
    };
    Value condition = emitGuards(guards);
    if (!condition) {
      elements.push_back(load());
      continue;
    }
    auto branch =
        scf::IfOp::create(b, loc, stored, condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, load());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(
        b, loc,
        Value(arith::ConstantOp::create(b, loc, b.getZeroAttr(stored))));
    elements.push_back(branch.getResult(0));
  }
  return vectorOf(elements);
}

/// From one register layout to another, through shared memory.
LogicalResult StageEmitter::emitConversion(ir::PlaceOp place) {
  Value source = place.getSource(), result = place.getResult();
  int64_t elements = 1;
  for (int64_t bound : getTile(source).bounds)
    elements *= bound;
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  SharedTile shared;
  shared.bounds = getTile(source).bounds;
  shared.memory = allocateShared(element, elements);
  if (!shared.memory)
    return failure();
  storeShared(source, shared);
  beforeSharedLoad(shared.memory);
  for (unsigned chunk = 0; chunk < getTile(result).numChunks(); ++chunk) {
    Value loaded = loadShared(shared, getTile(result), chunk);
    getTile(result).chunks[chunk] = fromMemory(loaded, element);
  }
  return success();
}
