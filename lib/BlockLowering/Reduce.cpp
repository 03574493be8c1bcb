//===- Reduce.cpp - reductions by registers, lanes and warps ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace egg;

/// Where an element does not exist, what leaves the result as it is: named by
/// the op, or known from its combiner.
static FailureOr<SmallVector<TypedAttr>> getNeutral(linalg::ReduceOp reduce) {
  SmallVector<TypedAttr> neutral;
  if (auto named = reduce->getAttrOfType<ArrayAttr>("egg.neutral")) {
    for (Attribute value : named)
      neutral.push_back(cast<TypedAttr>(value));
    return neutral;
  }
  Block &body = reduce.getCombiner().front();
  Operation *yield = body.getTerminator();
  for (Value yielded : yield->getOperands()) {
    Operation *op = yielded.getDefiningOp();
    std::optional<TypedAttr> value =
        op && op->getBlock() == &body && op->getNumOperands() == 2 &&
                llvm::all_of(op->getOperands(),
                             [&](Value v) { return isa<BlockArgument>(v); })
            ? arith::getNeutralElement(op)
            : std::nullopt;
    if (!value)
      return failure();
    neutral.push_back(*value);
  }
  return neutral;
}

/// Moves a value of at most 64 bits from the lane that differs in one bit.
static Value shuffleXor(OpBuilder &b, Location loc, Value value, unsigned bit) {
  Type type = value.getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Value offset =
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1 << bit));
  Value width = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(32));
  auto move = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, offset, width,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.isF32() || type.isInteger(32))
    return move(value);
  // The hardware moves 32-bit words: narrower values are widened, 64-bit ones
  // go in two halves.
  Type integer = b.getIntegerType(bits), word = b.getI32Type();
  Value raw = value;
  if (type.isIndex())
    raw = arith::IndexCastOp::create(b, loc, integer, value);
  else if (!isa<IntegerType>(type))
    raw = arith::BitcastOp::create(b, loc, integer, value);
  if (bits < 32) {
    raw = move(arith::ExtUIOp::create(b, loc, word, raw));
    raw = arith::TruncIOp::create(b, loc, integer, raw);
  } else {
    Value by = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    Value low = arith::TruncIOp::create(b, loc, word, raw);
    Value high = arith::TruncIOp::create(
        b, loc, word, arith::ShRUIOp::create(b, loc, raw, by));
    Value wideLow = arith::ExtUIOp::create(b, loc, integer, move(low));
    Value wideHigh = arith::ExtUIOp::create(b, loc, integer, move(high));
    raw = arith::OrIOp::create(b, loc, wideLow,
                               arith::ShLIOp::create(b, loc, wideHigh, by));
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, raw);
  return isa<IntegerType>(type) ? raw
                                : arith::BitcastOp::create(b, loc, type, raw);
}

LogicalResult StageEmitter::emitReduce(linalg::ReduceOp reduce) {
  Location loc = reduce.getLoc();
  unsigned count = reduce.getInputs().size();
  ArrayRef<int64_t> dims = reduce.getDimensions();
  Block &body = reduce.getCombiner().front();
  Value input = reduce.getInputs().front();
  LinearLayout layout = getTile(input).layout;

  auto combine = [&](ArrayRef<Value> left, ArrayRef<Value> right,
                     unsigned width) {
    SmallVector<Value> arguments(left);
    llvm::append_range(arguments, right);
    return inlineBody(body, arguments, width, [](int64_t) { return Value(); });
  };

  // Which elements may not exist, and what stands for them.
  SmallVector<unsigned> shortDims;
  for (int64_t d : dims) {
    std::optional<int64_t> fixed = knownExtent(getTile(input), d);
    if (!fixed || *fixed < int64_t(1) << layout.getOutBits(tileDimName(d)))
      shortDims.push_back(d);
  }
  SmallVector<TypedAttr> neutral;
  if (!shortDims.empty()) {
    FailureOr<SmallVector<TypedAttr>> known = getNeutral(reduce);
    if (failed(known))
      return reduce.emitError(
          "reduces a ragged dimension, but the neutral element of its combiner "
          "is not known: name it in egg.neutral, one attribute an input");
    neutral = *known;
  }

  // 1. In each thread: chunk by chunk, into one accumulator for each chunk of
  // the result, as wide as the chunks if the reduced dimension lies in them.
  Value result = reduce.getResult(0);
  unsigned size = getTile(input).chunkSize();
  unsigned resultRegisters = getTile(result).registers;
  auto resultRegister = [&](unsigned reg) {
    SmallVector<uint64_t> point;
    for (unsigned d = 0; d < layout.getOuts().size(); ++d)
      if (!llvm::is_contained(dims, int64_t(d)))
        point.push_back(registerCoordinate(layout, d, reg));
    const Tile &tile = getTile(result);
    return tile.registerAt.lookup(tile.layout.flattenOut(point));
  };
  // Keyed by the result registers that a chunk's elements go to.
  std::map<SmallVector<unsigned>, SmallVector<Value>> accumulators;
  unsigned total = getTile(input).numChunks(), batch = batchOf(input);
  for (unsigned first = 0; first < total; first += batch) {
    unsigned batchEnd = std::min(total, first + batch);
    for (Value value : reduce.getInputs())
      forceBatch(value, first, batchEnd - first);
    for (unsigned chunk = first; chunk < batchEnd; ++chunk) {
      SmallVector<unsigned> targets;
      SmallVector<Value> exists;
      bool always = true, never = false;
      for (unsigned i = 0; i < size; ++i) {
        unsigned reg = chunk * size + i;
        targets.push_back(resultRegister(reg));
        SmallVector<Guard> guards;
        for (unsigned d : shortDims) {
          if (std::optional<Guard> guard =
                  existenceGuard(getTile(input), d, reg)) {
            std::optional<int64_t> fixed = knownExtent(getTile(input), d);
            never |= fixed && guard->constant >= *fixed;
            guards.push_back(*guard);
          }
        }
        exists.push_back(emitGuards(guards));
        always &= !exists.back();
      }
      if (never && size == 1)
        continue;
      SmallVector<Value> values;
      for (unsigned n = 0; n < count; ++n) {
        Value value = getChunk(reduce.getInputs()[n], chunk);
        if (!always) {
          for (Value &condition : exists)
            if (!condition)
              condition = makeConstant(b.getBoolAttr(true), 1);
          value = arith::SelectOp::create(b, loc, vectorOf(exists), value,
                                          makeConstant(neutral[n], size));
        }
        values.push_back(value);
      }
      auto [it, isNew] = accumulators.try_emplace(targets, values);
      if (!isNew)
        it->second = combine(values, it->second, size);
    }
  }

  // The parts of one result register, from all accumulators.
  SmallVector<SmallVector<Value>> partial(resultRegisters);
  for (auto &[targets, values] : accumulators)
    for (unsigned i = 0; i < size; ++i) {
      SmallVector<Value> elements;
      for (Value value : values)
        elements.push_back(elementOf(value, i));
      SmallVector<Value> &sum = partial[targets[i]];
      sum = sum.empty() ? elements : combine(elements, sum, 1);
    }
  for (SmallVector<Value> &sum : partial)
    if (sum.empty())
      for (TypedAttr value : neutral)
        sum.push_back(makeConstant(value, 1));

  // 2. Between lanes.
  auto isReduced = [&](StringRef in, unsigned bit) {
    bool reduced = false;
    for (int64_t d : dims)
      reduced |= layout.getBasis(in, bit, tileDimName(d)) != 0;
    return reduced;
  };
  for (unsigned bit = 0; bit < layout.getInBits(kLane); ++bit)
    if (isReduced(kLane, bit))
      for (SmallVector<Value> &sum : partial) {
        SmallVector<Value> others;
        for (Value value : sum)
          others.push_back(shuffleXor(b, loc, value, bit));
        sum = combine(others, sum, 1);
      }

  // 3. Between warps, through shared memory: one lane of each warp leaves its
  // part, all threads combine the parts in one order.
  SmallVector<unsigned> warpBits;
  for (unsigned bit = 0; bit < layout.getInBits(kWarp); ++bit)
    if (isReduced(kWarp, bit))
      warpBits.push_back(bit + 5);
  if (!warpBits.empty()) {
    int64_t warpMask = 0, laneMask = 0;
    for (unsigned bit : warpBits)
      warpMask |= int64_t(1) << bit;
    for (unsigned bit = 0; bit < layout.getInBits(kLane); ++bit)
      if (isReduced(kLane, bit))
        laneMask |= int64_t(1) << bit;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    SmallVector<Value> memories;
    for (unsigned n = 0; n < count; ++n) {
      Type element = cast<RankedTensorType>(reduce.getInputs()[n].getType())
                         .getElementType();
      memories.push_back(
          allocateShared(element, int64_t(resultRegisters) * threads));
      if (!memories.back())
        return failure();
    }
    for (Value memory : memories)
      beforeSharedStore(memory);
    Value isWriter;
    if (laneMask)
      isWriter = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq,
          arith::AndIOp::create(b, loc, threadId, constant(laneMask)),
          constant(0));
    auto storeAll = [&] {
      for (unsigned q = 0; q < resultRegisters; ++q)
        for (unsigned n = 0; n < count; ++n)
          memref::StoreOp::create(
              b, loc, toMemory(partial[q][n]), memories[n],
              ValueRange{arith::AddIOp::create(
                  b, loc, threadId, constant(int64_t(q) * threads))});
    };
    if (isWriter) {
      auto branch = scf::IfOp::create(b, loc, isWriter);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      storeAll();
    } else {
      storeAll();
    }
    for (Value memory : memories)
      beforeSharedLoad(memory);
    Value home = arith::AndIOp::create(
        b, loc, threadId,
        constant(int64_t(threads - 1) & ~(warpMask | laneMask)));
    for (unsigned q = 0; q < resultRegisters; ++q) {
      SmallVector<Value> sum;
      for (unsigned which = 0; which < 1u << warpBits.size(); ++which) {
        int64_t place = int64_t(q) * threads;
        for (auto [i, bit] : llvm::enumerate(warpBits))
          if (which >> i & 1)
            place += int64_t(1) << bit;
        SmallVector<Value> part;
        for (unsigned n = 0; n < count; ++n)
          part.push_back(fromMemory(
              memref::LoadOp::create(b, loc, memories[n],
                                     ValueRange{arith::AddIOp::create(
                                         b, loc, home, constant(place))}),
              partial[q][n].getType()));
        sum = sum.empty() ? part : combine(part, sum, 1);
      }
      partial[q] = sum;
    }
  }

  // 4. With what the result starts from, once.
  for (Value init : reduce.getInits())
    force(init);
  SmallVector<SmallVector<Value>> finals(resultRegisters);
  for (unsigned q = 0; q < resultRegisters; ++q) {
    SmallVector<Value> inits;
    for (Value init : reduce.getInits())
      inits.push_back(getElements(init, {q}));
    finals[q] = combine(partial[q], inits, 1);
  }
  for (unsigned n = 0; n < count; ++n) {
    Tile &tile = getTile(reduce.getResult(n));
    for (unsigned chunk = 0; chunk < tile.numChunks(); ++chunk) {
      SmallVector<Value> elements;
      for (unsigned i = 0; i < tile.chunkSize(); ++i)
        elements.push_back(finals[chunk * tile.chunkSize() + i][n]);
      Value whole = vectorOf(elements);
      getTile(reduce.getResult(n)).chunks[chunk] = whole;
    }
  }
  return success();
}
