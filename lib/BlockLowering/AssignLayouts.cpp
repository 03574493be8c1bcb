//===- AssignLayouts.cpp - layouts of the tiles of a stage ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/BlockLowering/BlockLowering.h"

#include "Contraction.h"
#include "Divisors.h"
#include "TileShape.h"

#include "egg/Dialect/Egg/EggOps.h"
#include "egg/Dialect/Egg/LinearLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace egg;

/// The layout of a linalg op's iteration space from that of one operand whose
/// map is a permutation of all its dimensions.
static LinearLayout toIterations(const LinearLayout &layout, AffineMap map) {
  SmallVector<int64_t> perm(map.getNumDims());
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    perm[cast<AffineDimExpr>(expr).getPosition()] = position;
  return transposeTile(layout, perm);
}

LinearLayout egg::toOperand(const LinearLayout &iterations, AffineMap map) {
  LinearLayout layout = iterations;
  SmallVector<int64_t> kept; // iteration dimensions, in order
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    if (map.isFunctionOfDim(d))
      kept.push_back(d);
  for (unsigned d = map.getNumDims(); d-- > 0;)
    if (!llvm::is_contained(kept, d))
      layout = sliceTile(layout, d);
  SmallVector<int64_t> perm;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      perm.push_back(llvm::find(kept, int64_t(dim.getPosition())) -
                     kept.begin());
  layout = transposeTile(layout, perm);
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr))
      layout = expandTile(layout, position);
  return layout.dropFreeBits(kRegister);
}

namespace {

/// Lays out one stage.
class StageLayouts {
public:
  StageLayouts(scf::ForallOp stage, unsigned threads)
      : stage(stage), warpBits(llvm::Log2_32(threads / 32)) {}

  LogicalResult run();

private:
  void separateDestinations();
  LogicalResult collect();
  void fix(Value tile, LinearLayout layout);
  void propagate();
  void propagateThrough(Operation *op);
  void propagateLinalg(linalg::LinalgOp op);
  LogicalResult seed(Value tile);
  unsigned accessElements(Value tile);
  void convertOperands();
  void writeTypes();

  /// Known layout of a register tile, or null.
  const LinearLayout *find(Value tile) {
    auto it = layouts.find(tile);
    return it == layouts.end() || !it->second ? nullptr : &*it->second;
  }

  scf::ForallOp stage;
  unsigned warpBits;
  llvm::MapVector<Value, std::optional<LinearLayout>> layouts;
  DenseMap<Value, SmallVector<int64_t>> bounds;
  SmallVector<Value> worklist;
};

} // namespace

/// A destination that several ops start from would force one layout on all of
/// them, though nothing is in it: each gets its own.
void StageLayouts::separateDestinations() {
  SmallVector<Operation *> makers;
  // Inner uses first, so that a fill is split before the empty that it fills.
  stage.walk([&](Operation *op) {
    if (isa<tensor::EmptyOp, linalg::FillOp>(op))
      makers.push_back(op);
  });
  for (Operation *op : llvm::reverse(makers)) {
    OpBuilder builder(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1))
      use->set(builder.clone(*op)->getResult(0));
  }
}

LogicalResult StageLayouts::collect() {
  return forEachRegisterTile(stage, [&](Value value) -> LogicalResult {
    FailureOr<SmallVector<int64_t>> shape = getTileBounds(value);
    if (failed(shape))
      return emitError(value.getLoc())
             << "a tile of type " << value.getType()
             << " has an extent with no constant upper bound";
    layouts.insert({value, std::nullopt});
    bounds[value] = *shape;
    return success();
  });
}

void StageLayouts::fix(Value tile, LinearLayout layout) {
  auto it = layouts.find(tile);
  if (it == layouts.end() || it->second)
    return;
  it->second = std::move(layout);
  worklist.push_back(tile);
}

void StageLayouts::propagateLinalg(linalg::LinalgOp op) {
  // The results take the layout of what they start from, and the other way.
  auto style = cast<DestinationStyleOpInterface>(op.getOperation());
  for (OpOperand &init : style.getDpsInitsMutable()) {
    OpResult result = style.getTiedOpResult(&init);
    if (const LinearLayout *layout = find(result))
      fix(init.get(), *layout);
    if (const LinearLayout *layout = find(init.get()))
      fix(result, *layout);
  }
  if (isContraction(op))
    return;
  std::optional<LinearLayout> iterations;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    const LinearLayout *layout = find(operand.get());
    if (layout && map.isPermutation()) {
      iterations = toIterations(*layout, map);
      break;
    }
  }
  if (!iterations)
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      fix(operand.get(),
          toOperand(*iterations, op.getMatchingIndexingMap(&operand)));
}

void StageLayouts::propagateThrough(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return propagateLinalg(linalgOp);
  if (auto place = dyn_cast<ir::PlaceOp>(op)) {
    if (place.getLayout() || place.getSpace() == ir::Space::shared)
      return;
    if (const LinearLayout *layout = find(place.getResult()))
      fix(place.getSource(), *layout);
    if (const LinearLayout *layout = find(place.getSource()))
      fix(place.getResult(), *layout);
    return;
  }
  scf::ForOp loop = dyn_cast<scf::ForOp>(op);
  if (isa<scf::YieldOp>(op))
    loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return;
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), loop.getResults())) {
    const LinearLayout *known = nullptr;
    for (Value value : {Value(argument), Value(result), yielded, init})
      if (!known)
        known = find(value);
    if (!known)
      continue;
    LinearLayout layout = *known;
    for (Value value : {Value(argument), Value(result), yielded, init})
      fix(value, layout);
  }
}

void StageLayouts::propagate() {
  while (!worklist.empty()) {
    Value tile = worklist.pop_back_val();
    if (Operation *op = tile.getDefiningOp())
      propagateThrough(op);
    else
      propagateThrough(tile.getParentBlock()->getParentOp());
    for (Operation *user : llvm::make_early_inc_range(tile.getUsers()))
      propagateThrough(user);
  }
}

/// How many consecutive elements every read and write of a tile of this shape
/// can move at once, as far as alignment is proven: a power of two, at most 16
/// bytes of them.
unsigned StageLayouts::accessElements(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned bits = std::max(
      8u, type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth());
  uint64_t elements = std::max(1u, 128 / bits);
  auto limit = [&](RankedTensorType memory, ValueRange offsets, AffineMap map) {
    if (!memory.hasStaticShape() || !type.getRank())
      return;
    AffineExpr flat = flatten(map, memory.getShape());
    unsigned last = type.getRank() - 1;
    // Only accesses along the tile's last dimension move several at once.
    std::optional<int64_t> step =
        map.getNumDims() == type.getRank()
            ? stepOf(flat, last, map.getNumDims(), map.getNumSymbols())
            : std::nullopt;
    if (!step || *step != 1) {
      elements = 1;
      return;
    }
    SmallVector<int64_t> dims(type.getRank(), 1), symbols;
    dims[last] = int64_t(elements);
    for (Value offset : offsets)
      symbols.push_back(knownDivisor(offset));
    symbols.resize(map.getNumSymbols(), 1);
    int64_t divisor = knownDivisor(flat, dims, symbols);
    while (elements > 1 && divisor % int64_t(elements))
      elements /= 2;
  };
  stage.walk([&](Operation *op) {
    if (auto read = dyn_cast<ir::ReadOp>(op);
        read && read.getResultType().getShape() == type.getShape())
      limit(read.getSourceType(), read.getOffsets(), read.getMap());
    if (auto write = dyn_cast<ir::WriteOp>(op);
        write && write.getTileType().getShape() == type.getShape())
      limit(write.getDestType(), write.getOffsets(), write.getMap());
  });
  return elements;
}

LogicalResult StageLayouts::seed(Value tile) {
  ArrayRef<int64_t> shape = bounds[tile];
  unsigned total = 0;
  for (int64_t extent : shape)
    total += hullBits(extent);
  if (total > 12 + 5 + warpBits)
    return emitError(tile.getLoc())
           << "a tile of " << (uint64_t(1) << total)
           << " elements (rounded up to powers of two) needs "
           << (uint64_t(1) << (total - 5 - warpBits))
           << " registers in each of " << (32 << warpBits)
           << " threads; at most 4096 can be laid out: take smaller tiles or "
              "more threads";
  unsigned vectorBits = llvm::Log2_32(accessElements(tile));
  if (!shape.empty())
    vectorBits = std::min(vectorBits, hullBits(shape.back()));
  fix(tile, rowLayout(shape, vectorBits, warpBits));
  return success();
}

/// Puts a conversion in front of every operand whose layout is not the one that
/// the op needs.
void StageLayouts::convertOperands() {
  OpBuilder builder(stage.getContext());
  auto convert = [&](OpOperand &operand, const LinearLayout &wanted) {
    const LinearLayout *is = find(operand.get());
    if (!is || is->isEquivalent(wanted))
      return;
    builder.setInsertionPoint(operand.getOwner());
    auto place = ir::PlaceOp::create(
        builder, operand.getOwner()->getLoc(), operand.get().getType(),
        operand.get(), ir::Space::registers,
        ir::LayoutAttr::get(builder.getContext(), wanted), IntegerAttr(),
        IntegerAttr());
    layouts.insert({place.getResult(), wanted});
    operand.set(place.getResult());
  };
  SmallVector<Operation *> ops;
  stage.getBody()->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      auto style = cast<DestinationStyleOpInterface>(op);
      std::optional<LinearLayout> iterations;
      for (OpOperand &init : style.getDpsInitsMutable()) {
        OpResult result = style.getTiedOpResult(&init);
        if (const LinearLayout *layout = find(result)) {
          LinearLayout wanted = *layout;
          convert(init, wanted);
          AffineMap map = linalgOp.getMatchingIndexingMap(&init);
          if (!iterations && map.isPermutation())
            iterations = toIterations(wanted, map);
        }
      }
      if (isContraction(linalgOp)) {
        // Threads need other elements of the operands than they would hold.
        for (OpOperand *input : style.getDpsInputOperands()) {
          auto place = input->get().getDefiningOp<ir::PlaceOp>();
          if (place && place.getSpace() == ir::Space::shared)
            continue;
          builder.setInsertionPoint(op);
          input->set(ir::PlaceOp::create(builder, op->getLoc(),
                                         input->get().getType(), input->get(),
                                         ir::Space::shared, ir::LayoutAttr(),
                                         IntegerAttr(), IntegerAttr()));
        }
        continue;
      }
      // A reduction is done in the layout of its first input.
      if (!iterations)
        for (OpOperand *input : style.getDpsInputOperands()) {
          const LinearLayout *layout = find(input->get());
          AffineMap map = linalgOp.getMatchingIndexingMap(input);
          if (layout && map.isPermutation()) {
            iterations = toIterations(*layout, map);
            break;
          }
        }
      if (isa<linalg::ReduceOp>(op) && iterations) {
        // Its result lies as the reduction leaves it; others get a conversion.
        for (OpResult result : op->getResults()) {
          LinearLayout natural = toOperand(
              *iterations, linalgOp.getIndexingMapMatchingResult(result));
          LinearLayout wanted = *layouts[result];
          if (natural.isEquivalent(wanted))
            continue;
          builder.setInsertionPointAfter(op);
          auto place = ir::PlaceOp::create(
              builder, op->getLoc(), result.getType(), result,
              ir::Space::registers,
              ir::LayoutAttr::get(builder.getContext(), wanted), IntegerAttr(),
              IntegerAttr());
          result.replaceAllUsesExcept(place.getResult(), place);
          layouts.insert({place.getResult(), wanted});
          layouts[result] = natural;
          OpOperand &init =
              style.getDpsInitsMutable()[result.getResultNumber()];
          convert(init, natural);
        }
      }
      if (iterations)
        for (OpOperand *input : style.getDpsInputOperands())
          if (isa<RankedTensorType>(input->get().getType()))
            convert(*input, toOperand(*iterations,
                                      linalgOp.getMatchingIndexingMap(input)));
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      continue;
    for (auto [init, argument] :
         llvm::zip_equal(loop.getInitArgsMutable(), loop.getRegionIterArgs()))
      if (const LinearLayout *layout = find(argument)) {
        LinearLayout wanted = *layout;
        convert(init, wanted);
        convert(*loop.getTiedLoopYieldedValue(argument), wanted);
      }
  }
}

void StageLayouts::writeTypes() {
  for (auto &[value, layout] : layouts) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0)
      continue;
    auto laidOut =
        RankedTensorType::get(type.getShape(), type.getElementType(),
                              ir::LayoutAttr::get(type.getContext(), *layout));
    Value(value).setType(laidOut);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(dense.reshape(laidOut));
  }
}

LogicalResult StageLayouts::run() {
  separateDestinations();
  if (failed(collect()))
    return failure();
  for (auto &[value, layout] : layouts) {
    auto place = value.getDefiningOp<ir::PlaceOp>();
    if (place && place.getLayout())
      fix(value, place.getLayoutAttr().getLinearLayout());
    auto linalgOp = value.getDefiningOp<linalg::LinalgOp>();
    if (linalgOp && isContraction(linalgOp)) {
      FailureOr<LinearLayout> layout =
          getAccumulatorLayout(linalgOp, bounds[value], warpBits);
      if (failed(layout))
        return failure();
      fix(value, *layout);
    }
  }
  propagate();
  while (true) {
    // The largest tile first; the first of equals.
    Value next;
    unsigned most = 0;
    for (auto &[value, layout] : layouts) {
      unsigned total = 1;
      for (int64_t extent : bounds[value])
        total += hullBits(extent);
      if (!layout && total > most) {
        next = value;
        most = total;
      }
    }
    if (!next)
      break;
    if (failed(seed(next)))
      return failure();
    propagate();
  }
  convertOperands();
  writeTypes();
  return success();
}

LogicalResult egg::assignLayouts(func::FuncOp function,
                                 unsigned defaultThreads) {
  WalkResult result = function.walk([&](scf::ForallOp stage) {
    unsigned threads = getThreads(stage, defaultThreads);
    if (threads % 32 || threads > 1024 || !llvm::isPowerOf2_32(threads)) {
      stage.emitError("has blocks of ")
          << threads
          << " threads; the lowering takes powers of two from 32 to "
             "1024";
      return WalkResult::interrupt();
    }
    return failed(StageLayouts(stage, threads).run()) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
