//===- StageEmitter.cpp - code of one grid stage for each thread ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "Contraction.h"
#include "TileShape.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace egg;

StageEmitter::StageEmitter(scf::ForallOp stage, gpu::GPUFuncOp kernel,
                           unsigned threads,
                           const BlockLoweringOptions &options,
                           const IRMapping &memory)
    : stage(stage), kernel(kernel), threads(threads), options(options),
      memory(memory), prologue(stage.getContext()), b(stage.getContext()) {}

Value StageEmitter::lookupScalar(Value value) {
  if (Value known = scalars.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasTrait<OpTrait::ConstantLike>())
    return value; // made by the emitter itself
  Value made = prologue.clone(*op)->getResult(0);
  scalars.map(value, made);
  return made;
}

//===----------------------------------------------------------------------===//
// What the lowering knows
//===----------------------------------------------------------------------===//

/// Refuses, by name and before anything is made, what this lowering does not
/// do.
LogicalResult StageEmitter::checkOp(Operation *op) {
  if (auto read = dyn_cast<ir::ReadOp>(op)) {
    if (!read.getIndices().empty())
      return read.emitError("gathers by index tensors, which the lowering does "
                            "not do yet");
    if (!memory.contains(read.getSource()))
      return read.emitError("reads something other than an argument or the "
                            "result of an earlier stage");
    return success();
  }
  if (auto write = dyn_cast<ir::WriteOp>(op)) {
    if (!write.getIndices().empty() || write.getCombine() != ir::Combine::none)
      return write.emitError(
          "scatters or combines, which the lowering does not "
          "do yet");
    if (write.getPath() != ir::Path::direct)
      return write.emitError("has path ") << ir::stringifyPath(write.getPath())
                                          << "; the lowering writes direct";
    return success();
  }
  if (auto place = dyn_cast<ir::PlaceOp>(op)) {
    if (place.getCopy() != ir::Copy::automatic &&
        place.getCopy() != ir::Copy::ld)
      return place.emitError("copies by ") << ir::stringifyCopy(place.getCopy())
                                           << "; the lowering loads and stores";
    if (place.getDepth() != 1)
      return place.emitError("is ")
             << place.getDepth()
             << " deep; the lowering copies one step at a time";
    if (place.getSwizzle().value_or(0) || place.getPitch())
      return place.emitError(
          "asks for a swizzle or a pitch, which the lowering "
          "does not do yet");
    return success();
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
        return op->emitError("has the indexing map ")
               << AffineMapAttr::get(map)
               << "; the lowering takes dimensions, each at most once, "
                  "and zeros";
    }
    if (isContraction(linalgOp)) {
      if (op->getNumResults() != 1)
        return op->emitError("is a contraction with several results");
      return success();
    }
    if (linalgOp.getNumReductionLoops() && !isa<linalg::ReduceOp>(op))
      return op->emitError("reduces, but is not in the form of linalg.reduce");
    auto style = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &init : style.getDpsInitsMutable())
      if (!isa<linalg::ReduceOp>(op) &&
          !linalgOp.getMatchingIndexingMap(&init).isPermutation())
        return op->emitError("writes through an indexing map that is no "
                             "permutation");
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (isa<RankedTensorType>(constant.getType()) &&
        (!dense || !dense.isSplat()))
      return op->emitError(
          "is a constant tile whose elements differ; make it an "
          "argument");
    return success();
  }
  if (isa<tensor::EmptyOp, scf::ForOp, scf::YieldOp, scf::InParallelOp>(op))
    return success();
  if (isa<affine::AffineDialect, arith::ArithDialect, math::MathDialect>(
          op->getDialect()) &&
      llvm::none_of(op->getResultTypes(),
                    [](Type type) { return isa<ShapedType>(type); }))
    return success();
  return op->emitError("is not an op that the lowering of grid stages knows");
}

/// Notes every register tile with its layout.
LogicalResult StageEmitter::addTiles() {
  auto add = [&](Value value) -> LogicalResult {
    auto type = cast<RankedTensorType>(value.getType());
    Tile tile;
    FailureOr<SmallVector<int64_t>> bounds = getTileBounds(value);
    if (failed(bounds))
      return emitError(value.getLoc(), "a tile has an extent with no bound");
    tile.bounds = *bounds;
    tile.extents = getTileExtents(value);
    if (type.getRank()) {
      auto layout = dyn_cast_or_null<ir::LayoutAttr>(type.getEncoding());
      if (!layout)
        return emitError(value.getLoc())
               << "a tile of type " << type
               << " has no layout: run egg-assign-layouts first";
      tile.layout = layout.getLinearLayout();
      tile.registers = 1u << tile.layout.getInBits(kRegister);
      unsigned last = type.getRank() - 1;
      uint64_t contiguous = contiguousElements(tile.layout, last);
      while (tile.chunkBits < 3 && (2u << tile.chunkBits) <= contiguous)
        ++tile.chunkBits;
      if (tile.layout.getInBits(kBlock))
        return emitError(value.getLoc(),
                         "a tile is spread over the blocks of a cluster, which "
                         "the lowering does not do yet");
      if ((32u << tile.layout.getInBits(kWarp)) != threads ||
          tile.layout.getInBits(kLane) != 5)
        return emitError(value.getLoc())
               << "a tile is laid out for "
               << (1u << (tile.layout.getInBits(kWarp) +
                          tile.layout.getInBits(kLane)))
               << " threads, but the block has " << threads;
      for (unsigned d = 0; d <= last; ++d) {
        // Sums of bases are xors only if no bit is set twice.
        uint64_t seen = 0;
        for (StringRef in :
             {StringRef(kRegister), StringRef(kLane), StringRef(kWarp)})
          for (unsigned bit = 0; bit < tile.layout.getInBits(in); ++bit) {
            uint64_t basis = tile.layout.getBasis(in, bit, tileDimName(d));
            if (basis & seen)
              return emitError(
                  value.getLoc(),
                  "a tile's layout sets one coordinate bit from two "
                  "places, which the lowering does not do yet");
            seen |= basis;
          }
      }
    }
    for (unsigned reg = 0; reg < tile.registers; ++reg) {
      SmallVector<uint64_t> point;
      for (unsigned d = 0; d < type.getRank(); ++d)
        point.push_back(registerCoordinate(tile.layout, d, reg));
      tile.registerAt.try_emplace(tile.layout.flattenOut(point), reg);
    }
    tile.chunks.resize(tile.numChunks());
    tiles[value] = std::move(tile);
    return success();
  };
  return forEachRegisterTile(stage, add);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Blocks count the iterations, the last grid variable fastest.
void StageEmitter::emitInductionVariables() {
  Location loc = stage.getLoc();
  Value block = gpu::BlockIdOp::create(prologue, loc, gpu::Dimension::x);
  SmallVector<int64_t> lower =
                           *getConstantIntValues(stage.getMixedLowerBound()),
                       upper =
                           *getConstantIntValues(stage.getMixedUpperBound()),
                       step = *getConstantIntValues(stage.getMixedStep());
  int64_t inner = 1;
  for (unsigned d = stage.getRank(); d-- > 0;) {
    int64_t trips = llvm::divideCeilSigned(upper[d] - lower[d], step[d]);
    AffineExpr number = getAffineDimExpr(0, b.getContext()).floorDiv(inner);
    if (d != 0)
      number = number % trips;
    AffineMap map = AffineMap::get(1, 0, number * step[d] + lower[d]);
    scalars.map(
        stage.getInductionVar(d),
        affine::AffineApplyOp::create(prologue, loc, map, block).getResult());
    inner *= trips;
  }
}

llvm::MapVector<Value, int64_t> StageEmitter::getShortExtents() {
  llvm::MapVector<Value, int64_t> extents;
  for (Operation &op : *stage.getBody())
    op.walk([&](Operation *inner) {
      for (Value result : inner->getResults()) {
        auto tile = tiles.find(result);
        if (tile == tiles.end())
          continue;
        for (auto [extent, bound] :
             llvm::zip_equal(tile->second.extents, tile->second.bounds))
          if (auto value = dyn_cast<Value>(extent);
              value && value.getParentBlock() == stage.getBody())
            extents.insert({value, bound});
      }
    });
  return extents;
}

LogicalResult StageEmitter::emitLoop(scf::ForOp loop) {
  // What the body needs from outside is made outside.
  loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (tiles.contains(operand) &&
          !loop->isAncestor(operand.getParentBlock()->getParentOp()))
        force(operand);
  });
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs()) {
    if (!tiles.contains(init)) {
      inits.push_back(lookupScalar(init));
      continue;
    }
    force(init);
    llvm::append_range(inits, getTile(init).chunks);
  }
  auto made = scf::ForOp::create(b, loc, lookupScalar(loop.getLowerBound()),
                                 lookupScalar(loop.getUpperBound()),
                                 lookupScalar(loop.getStep()), inits);
  scalars.map(loop.getInductionVar(), made.getInductionVar());
  auto bind = [&](ValueRange values, ValueRange parts) {
    for (Value value : values) {
      if (!tiles.contains(value)) {
        scalars.map(value, parts.front());
        parts = parts.drop_front();
        continue;
      }
      SmallVector<Value> &chunks = getTile(value).chunks;
      chunks.assign(parts.begin(), parts.begin() + chunks.size());
      parts = parts.drop_front(chunks.size());
    }
  };
  bind(loop.getRegionIterArgs(), made.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    barrierInLoop.push_back(false);
    if (failed(emitOps(*loop.getBody())))
      return failure();
    SmallVector<Value> yielded;
    for (Value value : loop.getYieldedValues()) {
      if (!tiles.contains(value)) {
        yielded.push_back(lookupScalar(value));
        continue;
      }
      force(value);
      llvm::append_range(yielded, getTile(value).chunks);
    }
    if (Operation *old =
            made.getBody()->empty() ? nullptr : &made.getBody()->back();
        old && isa<scf::YieldOp>(old))
      old->erase();
    b.setInsertionPointToEnd(made.getBody());
    scf::YieldOp::create(b, loc, yielded);
    barrierInLoop.pop_back();
  }
  bind(loop.getResults(), made.getResults());
  return success();
}

LogicalResult StageEmitter::emitOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitLoop(loop);
  if (auto reduce = dyn_cast<linalg::ReduceOp>(op))
    return emitReduce(reduce);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isContraction(linalgOp) ? emitContract(linalgOp) : success();
  if (auto place = dyn_cast<ir::PlaceOp>(op)) {
    if (place.getSpace() == ir::Space::shared)
      return emitSharedPlace(place);
    if (tiles.contains(place.getResult()) &&
        !getTile(place.getSource())
             .layout.isEquivalent(getTile(place.getResult()).layout))
      return emitConversion(place);
    return success();
  }
  if (isa<ir::ReadOp, tensor::EmptyOp, scf::YieldOp>(op))
    return success();
  if (auto parallel = dyn_cast<scf::InParallelOp>(op)) {
    for (Operation &inner : parallel.getYieldingOps())
      if (failed(emitWrite(cast<ir::WriteOp>(inner))))
        return failure();
    return success();
  }
  if (isa<RankedTensorType>(op->getResult(0).getType()))
    return success(); // a constant tile
  // Indices and scalars.
  for (Value operand : op->getOperands())
    scalars.map(operand, lookupScalar(operand));
  b.clone(*op, scalars);
  return success();
}

LogicalResult StageEmitter::emitOps(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult StageEmitter::emit() {
  WalkResult known =
      stage.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (failed(checkOp(op)))
          return WalkResult::interrupt();
        return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                         : WalkResult::advance();
      });
  if (known.wasInterrupted() || failed(addTiles()))
    return failure();

  Location loc = stage.getLoc();
  Block &entry = kernel.getBody().front();
  b.setInsertionPointToStart(&entry);
  auto anchor = gpu::ReturnOp::create(b, loc);
  prologue.setInsertionPoint(anchor);
  threadId = gpu::ThreadIdOp::create(prologue, loc, gpu::Dimension::x);
  emitInductionVariables();
  // Code goes before a mark of its own, so that what the prologue gets later
  // still stands in front of it.
  b.setInsertionPoint(anchor);
  auto mark = arith::ConstantIndexOp::create(b, loc, 0);
  prologue.setInsertionPoint(mark);

  llvm::MapVector<Value, int64_t> shortExtents = getShortExtents();
  if (shortExtents.empty())
    return emitOps(*stage.getBody());

  // Extents first, once, then the full version and the ragged one.
  Value isFull;
  IRMapping extents = scalars;
  for (Operation &op : *stage.getBody()) {
    if (!llvm::any_of(op.getResults(), [&](Value result) {
          return shortExtents.contains(result);
        }))
      continue;
    SetVector<Operation *> slice;
    std::function<void(Operation *)> addBackward = [&](Operation *needed) {
      for (Value operand : needed->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && def->getBlock() == stage.getBody())
          addBackward(def);
        else
          extents.map(operand, lookupScalar(operand));
      slice.insert(needed);
    };
    addBackward(&op);
    for (Operation *needed : slice)
      if (!extents.contains(needed->getResult(0)))
        prologue.clone(*needed, extents);
    Value extent = extents.lookup(op.getResult(0));
    Value holds = arith::CmpIOp::create(
        prologue, loc, arith::CmpIPredicate::eq, extent,
        arith::ConstantIndexOp::create(prologue, loc,
                                       shortExtents.lookup(op.getResult(0))));
    isFull = isFull ? Value(arith::AndIOp::create(prologue, loc, isFull, holds))
                    : holds;
  }
  auto branch = scf::IfOp::create(b, loc, isFull, /*withElseRegion=*/true);
  IRMapping outer = scalars;
  for (bool full : {true, false}) {
    scalars = outer;
    fullExtents.clear();
    accesses.clear();
    sharedTiles.clear();
    storedShared.clear();
    loadedShared.clear();
    for (auto &[value, tile] : tiles)
      tile.chunks.assign(tile.numChunks(), Value());
    if (full)
      for (auto &[extent, bound] : shortExtents)
        fullExtents.insert(extent);
    b.setInsertionPoint(full ? branch.thenYield() : branch.elseYield());
    if (failed(emitOps(*stage.getBody())))
      return failure();
  }
  return success();
}
