//===- LowerOps.cpp - read, write and scan as loops -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapAccess.h"

#include "egg/Transforms/BlockProgram/LowerToLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace egg;

static SmallVector<AffineMap> indexMaps(std::optional<ArrayAttr> by) {
  SmallVector<AffineMap> maps;
  if (by)
    for (Attribute map : *by)
      maps.push_back(cast<AffineMapAttr>(map).getValue());
  return maps;
}

void egg::lowerRead(RewriterBase &rewriter, ir::ReadOp op, bool checkBounds) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  RankedTensorType type = op.getResultType();
  MapAccess access{op.getMap(), SmallVector<Value>(op.getOffsets()),
                   SmallVector<Value>(op.getIndices()), indexMaps(op.getBy())};
  Value source = op.getSource(), fill = op.getFill();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType(), op.getSizes());
  int64_t rank = type.getRank();
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange{type}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange) {
        SmallVector<Value> position;
        for (int64_t d = 0; d < rank; ++d)
          position.push_back(linalg::IndexOp::create(b, loc, d));
        SmallVector<Value> at =
            emitCoordinates(b, loc, access, position, checkBounds);
        Value element;
        if (fill) {
          Value inside = emitIsInside(b, loc, at, source);
          auto choose = scf::IfOp::create(
              b, loc, inside,
              [&](OpBuilder &then, Location) {
                Value read = tensor::ExtractOp::create(then, loc, source, at);
                scf::YieldOp::create(then, loc, read);
              },
              [&](OpBuilder &otherwise, Location) {
                scf::YieldOp::create(otherwise, loc, fill);
              });
          element = choose.getResult(0);
        } else {
          if (checkBounds)
            cf::AssertOp::create(b, loc, emitIsInside(b, loc, at, source),
                                 "egg.read has no fill and reads outside its "
                                 "source");
          element = tensor::ExtractOp::create(b, loc, source, at);
        }
        linalg::YieldOp::create(b, loc, element);
      });
  rewriter.replaceOp(op, generic.getResults());
}

static Value combine(OpBuilder &b, Location loc, ir::Combine kind, Value old,
                     Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  switch (kind) {
  case ir::Combine::none:
    return value;
  case ir::Combine::add:
    return isFloat ? arith::AddFOp::create(b, loc, old, value).getResult()
                   : arith::AddIOp::create(b, loc, old, value).getResult();
  case ir::Combine::min:
    return isFloat ? arith::MinimumFOp::create(b, loc, old, value).getResult()
                   : arith::MinSIOp::create(b, loc, old, value).getResult();
  case ir::Combine::max:
    return isFloat ? arith::MaximumFOp::create(b, loc, old, value).getResult()
                   : arith::MaxSIOp::create(b, loc, old, value).getResult();
  case ir::Combine::band:
    return arith::AndIOp::create(b, loc, old, value);
  case ir::Combine::bor:
    return arith::OrIOp::create(b, loc, old, value);
  }
  return value;
}

Value egg::emitWrite(OpBuilder &builder, ir::WriteOp op, Value dest,
                     const IRMapping &mapping, bool checkBounds) {
  Location loc = op.getLoc();
  Value tile = mapping.lookupOrDefault(op.getTile());
  MapAccess access{op.getMap(), {}, {}, indexMaps(op.getBy())};
  for (Value offset : op.getOffsets())
    access.offsets.push_back(mapping.lookupOrDefault(offset));
  for (Value index : op.getIndices())
    access.indices.push_back(mapping.lookupOrDefault(index));
  SmallVector<Value> results = emitLoops(
      builder, loc, emitExtents(builder, loc, tile), dest,
      [&](OpBuilder &b, ValueRange position, ValueRange carried) {
        Value current = carried.front();
        SmallVector<Value> at =
            emitCoordinates(b, loc, access, position, checkBounds);
        auto choose = scf::IfOp::create(
            b, loc, emitIsInside(b, loc, at, current),
            [&](OpBuilder &then, Location) {
              Value value =
                  tensor::ExtractOp::create(then, loc, tile, position);
              if (op.getCombine() != ir::Combine::none) {
                Value old = tensor::ExtractOp::create(then, loc, current, at);
                value = combine(then, loc, op.getCombine(), old, value);
              }
              Value next =
                  tensor::InsertOp::create(then, loc, value, current, at);
              scf::YieldOp::create(then, loc, next);
            },
            [&](OpBuilder &otherwise, Location) {
              scf::YieldOp::create(otherwise, loc, current);
            });
        return SmallVector<Value>(choose.getResults());
      });
  return results.front();
}

/// The combiner on these values: `earlier`, then `later`.
static SmallVector<Value> emitCombiner(OpBuilder &b, ir::ScanOp op,
                                       ValueRange earlier, ValueRange later) {
  Block &body = op.getCombiner().front();
  IRMapping mapping;
  size_t n = earlier.size();
  for (size_t i = 0; i < n; ++i) {
    mapping.map(body.getArgument(i), earlier[i]);
    mapping.map(body.getArgument(n + i), later[i]);
  }
  for (Operation &inner : body.without_terminator())
    b.clone(inner, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void egg::lowerScan(RewriterBase &rewriter, ir::ScanOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs());
  unsigned dim = op.getDim();
  size_t n = inputs.size();
  SmallVector<TypedAttr> neutral = op.getNeutralValues();
  SmallVector<Value> extents = emitExtents(rewriter, loc, inputs.front());
  Value extent = extents[dim];
  SmallVector<Value> rest = extents;
  rest.erase(rest.begin() + dim);

  // Empty results, scanned then totals.
  SmallVector<Value> inits;
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    bool isTotal = inits.size() >= n;
    SmallVector<Value> sizes;
    for (auto [d, size] : llvm::enumerate(isTotal ? rest : extents))
      if (type.isDynamicDim(d))
        sizes.push_back(size);
    inits.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                            type.getElementType(), sizes));
  }
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value last = arith::SubIOp::create(rewriter, loc, extent, one);

  SmallVector<Value> results = emitLoops(
      rewriter, loc, rest, inits,
      [&](OpBuilder &b, ValueRange outer, ValueRange carried) {
        auto position = [&](OpBuilder &at, Value step) {
          Value along =
              op.getReverse()
                  ? arith::SubIOp::create(at, loc, last, step).getResult()
                  : step;
          SmallVector<Value> full(outer);
          full.insert(full.begin() + dim, along);
          return full;
        };
        auto read = [&](OpBuilder &at, ValueRange where) {
          SmallVector<Value> values;
          for (Value input : inputs)
            values.push_back(tensor::ExtractOp::create(at, loc, input, where));
          return values;
        };
        SmallVector<Value> scanned(carried.take_front(n)), start;
        Value first = zero;
        if (!neutral.empty()) {
          for (TypedAttr value : neutral)
            start.push_back(arith::ConstantOp::create(b, loc, value));
        } else {
          // Inclusive, of a dimension that is not empty: begin with its first.
          SmallVector<Value> where = position(b, zero);
          start = read(b, where);
          for (size_t i = 0; i < n; ++i)
            scanned[i] =
                tensor::InsertOp::create(b, loc, start[i], scanned[i], where);
          first = one;
        }
        SmallVector<Value> loopInits = scanned;
        loopInits.append(start);
        auto loop = scf::ForOp::create(
            b, loc, first, extent, one, loopInits,
            [&](OpBuilder &in, Location, Value step, ValueRange args) {
              SmallVector<Value> where = position(in, step);
              SmallVector<Value> sums =
                  emitCombiner(in, op, args.drop_front(n), read(in, where));
              SmallVector<Value> next;
              for (size_t i = 0; i < n; ++i)
                next.push_back(tensor::InsertOp::create(
                    in, loc, op.getExclusive() ? args[n + i] : sums[i], args[i],
                    where));
              next.append(sums);
              scf::YieldOp::create(in, loc, next);
            });
        SmallVector<Value> out(loop.getResults().take_front(n));
        for (size_t i = 0; i < n; ++i)
          out.push_back(tensor::InsertOp::create(b, loc, loop.getResult(n + i),
                                                 carried[n + i], outer));
        return out;
      });
  rewriter.replaceOp(op, results);
}
