//===- Access.cpp - reads and writes of memory ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "Divisors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace egg;

/// The kernel's memory as one dimension, so that an address is one sum.
static Value flattenMemory(OpBuilder &builder, Location loc, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  int64_t elements = type.getNumElements();
  auto flat = MemRefType::get({elements}, type.getElementType(), AffineMap(),
                              type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, memory, /*offset=*/0, ArrayRef<int64_t>{elements},
      ArrayRef<int64_t>{1});
}

StageEmitter::Access &StageEmitter::getAccess(Operation *op, AffineMap map,
                                              ValueRange offsets, Value tensor,
                                              Value tile, bool checkSource) {
  std::unique_ptr<Access> &known = accesses[op];
  if (known)
    return *known;
  known = std::make_unique<Access>();
  Access &access = *known;
  access.map = map;
  access.tile = tile;
  access.checkSource = checkSource;
  access.shape.assign(
      cast<RankedTensorType>(tensor.getType()).getShape().begin(),
      cast<RankedTensorType>(tensor.getType()).getShape().end());
  access.flat = flatten(map, access.shape);
  Value memref = memory.lookup(tensor);
  Value &flat = flatMemory[memref];
  if (!flat)
    flat = flattenMemory(prologue, op->getLoc(), memref);
  access.memory = flat;
  for (Value offset : offsets) {
    access.offsets.push_back(lookupScalar(offset));
    access.offsetDivisors.push_back(knownDivisor(offset));
  }
  const Tile &layout = getTile(tile);
  unsigned rank = map.getNumDims();
  SmallVector<int64_t> divisors;
  for (unsigned d = 0; d < rank; ++d) {
    std::optional<int64_t> step =
        stepOf(access.flat, d, rank, map.getNumSymbols());
    access.isLinear &= step.has_value();
    access.steps.push_back(step.value_or(0));
    access.threadParts.push_back(threadCoordinate(layout.layout, d));
    divisors.push_back(threadDivisor(layout.layout, d));
  }
  if (access.isLinear) {
    access.baseDivisor =
        knownDivisor(access.flat, divisors, access.offsetDivisors);
    SmallVector<Value> operands;
    SmallVector<AffineExpr> replaced;
    unsigned used = 0;
    for (Value part : access.threadParts) {
      replaced.push_back(part ? getAffineDimExpr(used++, b.getContext())
                              : getAffineConstantExpr(0, b.getContext()));
      if (part)
        operands.push_back(part);
    }
    AffineExpr base = simplifyAffineExpr(access.flat.replaceDims(replaced),
                                         used, map.getNumSymbols());
    llvm::append_range(operands, access.offsets);
    access.base = affine::AffineApplyOp::create(
        b, op->getLoc(), AffineMap::get(used, map.getNumSymbols(), base),
        operands);
  }
  return access;
}

/// An expression of the tile's dimensions at a register: the thread's part and
/// a constant.
static Value applyAt(OpBuilder &b, Location loc, AffineExpr expr,
                     ArrayRef<Value> threadParts, ArrayRef<int64_t> registers,
                     ArrayRef<Value> offsets) {
  SmallVector<Value> operands;
  SmallVector<AffineExpr> replaced;
  unsigned used = 0;
  for (auto [part, constant] : llvm::zip_equal(threadParts, registers)) {
    AffineExpr point = getAffineConstantExpr(constant, b.getContext());
    if (part) {
      point = point + getAffineDimExpr(used++, b.getContext());
      operands.push_back(part);
    }
    replaced.push_back(point);
  }
  llvm::append_range(operands, offsets);
  AffineExpr at =
      simplifyAffineExpr(expr.replaceDims(replaced), used, offsets.size());
  return affine::AffineApplyOp::create(
      b, loc, AffineMap::get(used, offsets.size(), at), operands);
}

Value StageEmitter::addressOf(const Access &access, unsigned reg) {
  Location loc = access.tile.getLoc();
  const Tile &tile = getTile(access.tile);
  SmallVector<int64_t> point;
  int64_t constant = 0;
  for (unsigned d = 0; d < access.map.getNumDims(); ++d) {
    point.push_back(registerCoordinate(tile.layout, d, reg));
    constant += access.steps[d] * point.back();
  }
  if (!access.isLinear)
    return applyAt(b, loc, access.flat, access.threadParts, point,
                   access.offsets);
  if (!constant)
    return access.base;
  return arith::AddIOp::create(
      b, loc, access.base, arith::ConstantIndexOp::create(b, loc, constant));
}

/// The alignment in bytes that is proven for \p width elements from a register.
unsigned StageEmitter::alignmentOf(const Access &access, unsigned reg,
                                   unsigned width) {
  unsigned bytes = std::max(
      1u,
      cast<MemRefType>(access.memory.getType()).getElementTypeBitWidth() / 8);
  int64_t constant = 0;
  const Tile &tile = getTile(access.tile);
  for (unsigned d = 0; d < access.map.getNumDims(); ++d)
    constant += access.steps[d] * registerCoordinate(tile.layout, d, reg);
  int64_t divisor = std::gcd(access.baseDivisor, std::abs(constant));
  uint64_t aligned =
      divisor ? (divisor & -divisor) * uint64_t(bytes) : uint64_t(16);
  return std::min<uint64_t>({aligned, 16, llvm::bit_floor(width * bytes)});
}

std::optional<int64_t> StageEmitter::knownExtent(const Tile &tile,
                                                 unsigned d) const {
  OpFoldResult extent = tile.extents[d];
  if (auto value = dyn_cast<Value>(extent);
      value && fullExtents.contains(value))
    return tile.bounds[d];
  return getConstantIntValue(extent);
}

std::optional<Guard> StageEmitter::existenceGuard(const Tile &tile, unsigned d,
                                                  unsigned reg) {
  int64_t constant = registerCoordinate(tile.layout, d, reg);
  std::optional<int64_t> fixed = knownExtent(tile, d);
  if (fixed && threadMaximum(tile.layout, d) + constant < *fixed)
    return std::nullopt;
  OpFoldResult limit =
      fixed ? OpFoldResult(b.getIndexAttr(*fixed))
            : OpFoldResult(lookupScalar(cast<Value>(tile.extents[d])));
  return Guard{threadCoordinate(tile.layout, d), constant, limit,
               threadDivisor(tile.layout, d)};
}

SmallVector<Guard> StageEmitter::guardsOf(const Access &access, unsigned reg) {
  const Tile &tile = getTile(access.tile);
  SmallVector<Guard> guards;
  SmallVector<int64_t> point;
  for (unsigned d = 0; d < access.map.getNumDims(); ++d) {
    point.push_back(registerCoordinate(tile.layout, d, reg));
    if (std::optional<Guard> guard = existenceGuard(tile, d, reg))
      guards.push_back(*guard);
  }
  if (!access.checkSource)
    return guards;
  for (auto [expr, extent] :
       llvm::zip_equal(access.map.getResults(), access.shape)) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    Value at = applyAt(b, access.tile.getLoc(), expr, access.threadParts, point,
                       access.offsets);
    guards.push_back({at, 0, b.getIndexAttr(extent), 1});
  }
  return guards;
}

Value StageEmitter::emitGuards(ArrayRef<Guard> guards) {
  Location loc = stage.getLoc();
  Value all;
  for (const Guard &guard : guards) {
    Value at = arith::ConstantIndexOp::create(b, loc, guard.constant);
    if (guard.base)
      at = guard.constant ? Value(arith::AddIOp::create(b, loc, guard.base, at))
                          : guard.base;
    Value limit = getValueOrCreateConstantIndexOp(b, loc, guard.limit);
    // Unsigned: below zero is beyond every limit.
    Value holds =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, limit);
    all = all ? Value(arith::AndIOp::create(b, loc, all, holds)) : holds;
  }
  return all;
}

/// Runs \p body under the guards and \p also; both may be missing.
void StageEmitter::emitGuarded(Value also, ArrayRef<Guard> guards,
                               llvm::function_ref<void()> body) {
  Location loc = stage.getLoc();
  Value condition = emitGuards(guards);
  if (condition && also)
    condition = arith::AndIOp::create(b, loc, condition, also);
  else if (also)
    condition = also;
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Whether all elements of a chunk exist together: no guard tells them apart.
bool StageEmitter::isUniform(const Access &access,
                             ArrayRef<unsigned> registers) {
  if (registers.size() == 1)
    return true;
  if (access.checkSource)
    return false;
  SmallVector<Guard> first = guardsOf(access, registers.front());
  for (unsigned reg : registers.drop_front()) {
    SmallVector<Guard> guards = guardsOf(access, reg);
    if (guards.size() != first.size())
      return false;
    for (auto [guard, other] : llvm::zip_equal(guards, first)) {
      if (guard == other)
        continue;
      // Neighbours in one aligned group, and the limit ends no group.
      int64_t size = registers.size();
      std::optional<int64_t> limit = getConstantIntValue(guard.limit);
      if (guard.base != other.base || !limit || *limit % size ||
          other.baseDivisor % size || other.constant % size ||
          guard.constant < other.constant ||
          guard.constant >= other.constant + size)
        return false;
    }
  }
  return true;
}

/// i1 is a byte in memory.
Value StageEmitter::toMemory(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  Type bytes = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    bytes = vector.clone(bytes);
  return arith::ExtUIOp::create(b, value.getLoc(), bytes, value);
}

Value StageEmitter::fromMemory(Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(b, value.getLoc(),
                                         b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, value.getLoc(), arith::CmpIPredicate::ne,
                               value, zero);
}

Value StageEmitter::loadChunk(ir::ReadOp read, unsigned chunk) {
  Location loc = read.getLoc();
  Value tile = read.getResult();
  Access &access =
      getAccess(read, read.getMap(), read.getOffsets(), read.getSource(), tile,
                /*checkSource=*/bool(read.getFill()));
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  Type stored = cast<MemRefType>(access.memory.getType()).getElementType();
  unsigned size = getTile(tile).chunkSize();
  SmallVector<unsigned> registers;
  for (unsigned i = 0; i < size; ++i)
    registers.push_back(chunk * size + i);
  bool isContiguous = size > 1 && access.isLinear && access.steps.back() == 1;

  // What stands where nothing is read: the fill, or zeros that nobody uses.
  auto missing = [&](unsigned width) {
    if (read.getFill())
      return splat(lookupScalar(read.getFill()), width);
    return makeConstant(b.getZeroAttr(element), width);
  };
  auto guarded = [&](ArrayRef<Guard> guards, unsigned width,
                     llvm::function_ref<Value()> load) -> Value {
    Value condition = emitGuards(guards);
    if (!condition)
      return load();
    Type type = width == 1 ? element : Type(VectorType::get({width}, element));
    auto branch = scf::IfOp::create(b, loc, type, condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, load());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, missing(width));
    return branch.getResult(0);
  };

  if (isContiguous && isUniform(access, registers)) {
    Value address = addressOf(access, registers.front());
    unsigned alignment = alignmentOf(access, registers.front(), size);
    return guarded(guardsOf(access, registers.front()), size, [&]() -> Value {
      Value loaded = vector::LoadOp::create(
          b, loc, VectorType::get({size}, stored), access.memory,
          ValueRange{address}, /*nontemporal=*/false,
          llvm::MaybeAlign(alignment));
      return fromMemory(loaded, element);
    });
  }
  SmallVector<Value> elements;
  for (unsigned reg : registers) {
    Value address = addressOf(access, reg);
    elements.push_back(guarded(guardsOf(access, reg), 1, [&]() -> Value {
      return fromMemory(
          memref::LoadOp::create(b, loc, access.memory, ValueRange{address}),
          element);
    }));
  }
  return vectorOf(elements);
}

LogicalResult StageEmitter::emitWrite(ir::WriteOp write) {
  Location loc = write.getLoc();
  Value value = write.getTile();
  Access &access = getAccess(write, write.getMap(), write.getOffsets(),
                             write.getDest(), value, /*checkSource=*/false);
  const Tile &tile = getTile(value);
  unsigned size = tile.chunkSize(), total = tile.numChunks();
  unsigned batch = batchOf(value);
  Value isFirst = isFirstCopy(tile.layout);
  bool isContiguous = size > 1 && access.isLinear && access.steps.back() == 1;

  for (unsigned first = 0; first < total; first += batch) {
    unsigned count = std::min(batch, total - first);
    forceBatch(value, first, count);
    for (unsigned chunk = first; chunk < first + count; ++chunk) {
      SmallVector<unsigned> registers;
      for (unsigned i = 0; i < size; ++i)
        registers.push_back(chunk * size + i);
      Value stored = toMemory(getChunk(value, chunk));
      if (isContiguous && isUniform(access, registers)) {
        Value address = addressOf(access, registers.front());
        unsigned alignment = alignmentOf(access, registers.front(), size);
        emitGuarded(isFirst, guardsOf(access, registers.front()), [&] {
          vector::StoreOp::create(b, loc, stored, access.memory,
                                  ValueRange{address}, /*nontemporal=*/false,
                                  llvm::MaybeAlign(alignment));
        });
        continue;
      }
      for (auto [i, reg] : llvm::enumerate(registers)) {
        Value address = addressOf(access, reg);
        Value element = elementOf(stored, i);
        emitGuarded(isFirst, guardsOf(access, reg), [&] {
          memref::StoreOp::create(b, loc, element, access.memory,
                                  ValueRange{address});
        });
      }
    }
  }
  return success();
}
