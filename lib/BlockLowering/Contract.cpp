//===- Contract.cpp - contractions by fused multiply-add --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace egg;

/// One loop over the reduced points, every accumulator register carried.
/// Operands lie in shared memory; each thread reads what its patch needs, once
/// a point.
LogicalResult StageEmitter::emitContract(linalg::LinalgOp op) {
  Location loc = op.getLoc();
  auto style = cast<DestinationStyleOpInterface>(op.getOperation());
  Value result = op->getResult(0), init = style.getDpsInits().front();
  AffineMap resultMap = op.getIndexingMapMatchingResult(op->getResult(0));
  LinearLayout layout = getTile(result).layout;
  unsigned size = getTile(result).chunkSize(),
           chunks = getTile(result).numChunks();

  // Reduced dimensions and their extents, from an operand that has each.
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<OpFoldResult> extents;
  for (unsigned dim : reduced)
    for (OpOperand *input : style.getDpsInputOperands()) {
      std::optional<unsigned> position =
          op.getMatchingIndexingMap(input).getResultPosition(
              getAffineDimExpr(dim, b.getContext()));
      if (!position)
        continue;
      Value source = input->get();
      if (auto place = source.getDefiningOp<ir::PlaceOp>())
        source = place.getSource();
      OpFoldResult extent = getTile(source).extents[*position];
      extents.push_back(isa<Attribute>(extent)
                            ? extent
                            : OpFoldResult(lookupScalar(cast<Value>(extent))));
      break;
    }

  force(init);
  for (OpOperand *input : style.getDpsInputOperands())
    beforeSharedLoad(sharedTiles.find(input->get())->second.memory);
  SmallVector<Value> carried(getTile(init).chunks);

  // One loop a reduced dimension, outermost first.
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> points(resultMap.getNumDims());
  for (auto [dim, extent] : llvm::zip_equal(reduced, extents)) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value upper = getValueOrCreateConstantIndexOp(b, loc, extent);
    auto loop = scf::ForOp::create(b, loc, zero, upper, one, carried);
    loops.push_back(loop);
    points[dim] = loop.getInductionVar();
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    b.setInsertionPointToStart(loop.getBody());
  }

  // An operand's elements at the registers of one chunk; the same address is
  // read once.
  std::map<std::pair<unsigned, int64_t>, Value> loaded;
  auto load = [&](OpOperand &operand, ArrayRef<unsigned> registers) -> Value {
    const SharedTile &shared = sharedTiles.find(operand.get())->second;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Value base = arith::ConstantIndexOp::create(b, loc, 0);
    SmallVector<int64_t> constants(registers.size(), 0);
    int64_t stride = 1;
    for (unsigned p = map.getNumResults(); p-- > 0;) {
      auto dim = dyn_cast<AffineDimExpr>(map.getResult(p));
      if (dim) {
        Value part = points[dim.getPosition()];
        std::optional<unsigned> d = resultMap.getResultPosition(dim);
        if (d) {
          part = threadCoordinate(layout, *d);
          for (auto [i, reg] : llvm::enumerate(registers))
            constants[i] += stride * registerCoordinate(layout, *d, reg);
        }
        if (part)
          base = arith::AddIOp::create(
              b, loc, base,
              arith::MulIOp::create(
                  b, loc, part,
                  arith::ConstantIndexOp::create(b, loc, stride)));
      }
      stride *= shared.bounds[p];
    }
    Type element =
        cast<RankedTensorType>(operand.get().getType()).getElementType();
    auto loadOne = [&](int64_t constant) -> Value {
      Value &known = loaded[{operand.getOperandNumber(), constant}];
      if (!known)
        known = fromMemory(
            memref::LoadOp::create(
                b, loc, shared.memory,
                ValueRange{arith::AddIOp::create(
                    b, loc, base,
                    arith::ConstantIndexOp::create(b, loc, constant))}),
            element);
      return known;
    };
    bool isSame = llvm::all_equal(constants);
    if (isSame)
      return splat(loadOne(constants.front()), registers.size());
    bool isRow = !element.isInteger(1);
    for (auto [i, constant] : llvm::enumerate(constants))
      isRow &= constant == constants.front() + int64_t(i);
    if (isRow) {
      // Key on the row's first element, apart from single elements.
      Value &known =
          loaded[{operand.getOperandNumber() + 1000, constants.front()}];
      if (!known) {
        unsigned bytes = element.getIntOrFloatBitWidth() / 8;
        unsigned alignment = std::min<unsigned>(16, bytes * registers.size());
        // Rows start at multiples of the last bound.
        while (alignment > bytes && (shared.bounds.back() * bytes) % alignment)
          alignment /= 2;
        known = vector::LoadOp::create(
            b, loc, VectorType::get({int64_t(registers.size())}, element),
            shared.memory,
            ValueRange{arith::AddIOp::create(
                b, loc, base,
                arith::ConstantIndexOp::create(b, loc, constants.front()))},
            /*nontemporal=*/false, llvm::MaybeAlign(alignment));
      }
      return known;
    }
    SmallVector<Value> elements;
    for (int64_t constant : constants)
      elements.push_back(loadOne(constant));
    return vectorOf(elements);
  };

  Block &body = op->getRegion(0).front();
  SmallVector<Value> next;
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    SmallVector<unsigned> registers;
    for (unsigned i = 0; i < size; ++i)
      registers.push_back(chunk * size + i);
    SmallVector<Value> arguments;
    for (OpOperand *input : style.getDpsInputOperands())
      arguments.push_back(load(*input, registers));
    arguments.push_back(carried[chunk]);
    SmallVector<Value> yielded =
        inlineBody(body, arguments, size, [](int64_t) { return Value(); });
    // A product that feeds a sum may be one instruction, under every policy.
    for (Value value = yielded.front();
         Operation *made = value.getDefiningOp();) {
      auto flags = arith::FastMathFlagsAttr::get(
          b.getContext(), arith::FastMathFlags::contract);
      if (!isa<arith::AddFOp, arith::MulFOp>(made))
        break;
      made->setAttr("fastmath", flags);
      if (isa<arith::MulFOp>(made))
        break;
      value =
          isa_and_nonnull<arith::MulFOp>(made->getOperand(0).getDefiningOp())
              ? made->getOperand(0)
              : made->getOperand(1);
    }
    next.push_back(yielded.front());
  }
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, next);
    next.assign(loop.getResults().begin(), loop.getResults().end());
    b.setInsertionPointAfter(loop);
  }
  for (unsigned chunk = 0; chunk < chunks; ++chunk)
    getTile(result).chunks[chunk] = next[chunk];
  return success();
}
