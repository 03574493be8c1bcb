//===- NormalizeTensorOps.cpp - tensor ops as generics ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op becomes "for every element of the result, where does it come from":
// a linalg.generic over the result whose body reads the sources by
// tensor.extract. Reads outside a source stand behind an scf.if.
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

using ElementFn = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

static Value indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

static Value toIndex(OpBuilder &b, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

linalg::GenericOp egg::buildElements(
    OpBuilder &b, Location loc, RankedTensorType type, StringRef name,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> element) {
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{}, empty,
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(type.getRank())}, parallel,
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t d = 0; d < type.getRank(); ++d)
          indices.push_back(linalg::IndexOp::create(b, loc, d));
        linalg::YieldOp::create(b, loc, element(b, loc, indices));
      });
  generic->setAttr("egg.name", b.getStringAttr(name));
  return generic;
}

/// `condition` ? `then` : `otherwise`, where `then` is only evaluated if so.
static Value lazily(OpBuilder &b, Location loc, Value condition,
                    Value otherwise,
                    llvm::function_ref<Value(OpBuilder &)> then) {
  auto branch = scf::IfOp::create(b, loc, otherwise.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder inside = branch.getThenBodyBuilder();
  scf::YieldOp::create(inside, loc, then(inside));
  OpBuilder outside = branch.getElseBodyBuilder();
  scf::YieldOp::create(outside, loc, otherwise);
  return branch.getResult(0);
}

static Value isBetween(OpBuilder &b, Location loc, Value value, int64_t low,
                       int64_t high) {
  Value above = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, value,
                                      indexConstant(b, loc, low));
  Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value,
                                      indexConstant(b, loc, high));
  return arith::AndIOp::create(b, loc, above, below);
}

static Value zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc,
                                   cast<TypedAttr>(b.getZeroAttr(type)));
}

/// Clones a region of scalars (of tensor.pad or tensor.generate) at indices.
static Value cloneRegion(OpBuilder &b, Region &region, ValueRange indices) {
  IRMapping map;
  map.map(region.getArguments(), indices);
  for (Operation &op : region.front().without_terminator())
    b.clone(op, map);
  return map.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

static Value elementOfPad(OpBuilder &b, Location loc, tensor::PadOp op,
                          ValueRange at) {
  RankedTensorType source = op.getSourceType();
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  SmallVector<Value> from;
  for (auto [d, low] : llvm::enumerate(op.getMixedLowPad())) {
    from.push_back(arith::SubIOp::create(b, loc, at[d], toIndex(b, loc, low)));
    inside = arith::AndIOp::create(
        b, loc, inside,
        isBetween(b, loc, from.back(), 0, source.getDimSize(d)));
  }
  // The region may read tensors, at indices that exist in the padding alone.
  auto branch = scf::IfOp::create(b, loc, source.getElementType(), inside,
                                  /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  Value element =
      tensor::ExtractOp::create(then, loc, op.getSource(), from).getResult();
  scf::YieldOp::create(then, loc, element);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  Value padding = cloneRegion(otherwise, op.getRegion(), at);
  scf::YieldOp::create(otherwise, loc, padding);
  return branch.getResult(0);
}

static Value elementOfConcat(OpBuilder &b, Location loc, tensor::ConcatOp op,
                             ValueRange at) {
  unsigned dim = op.getDim();
  Value value = zeroOf(b, loc, op.getResultType().getElementType());
  int64_t start = 0;
  for (Value input : op.getInputs()) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (size == 0)
      continue;
    Value here = isBetween(b, loc, at[dim], start, start + size);
    value = lazily(b, loc, here, value, [&](OpBuilder &b) -> Value {
      SmallVector<Value> from = llvm::to_vector(at);
      from[dim] =
          arith::SubIOp::create(b, loc, at[dim], indexConstant(b, loc, start));
      return tensor::ExtractOp::create(b, loc, input, from);
    });
    start += size;
  }
  return value;
}

static Value elementOfSlice(OpBuilder &b, Location loc,
                            tensor::ExtractSliceOp op, ValueRange at) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> from;
  unsigned next = 0;
  for (auto [d, offset, stride] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    Value position = toIndex(b, loc, offset);
    if (!dropped.test(d)) {
      Value step =
          arith::MulIOp::create(b, loc, at[next++], toIndex(b, loc, stride));
      position = arith::AddIOp::create(b, loc, position, step);
    }
    from.push_back(position);
  }
  return tensor::ExtractOp::create(b, loc, op.getSource(), from);
}

static Value elementOfInsertSlice(OpBuilder &b, Location loc,
                                  tensor::InsertSliceOp op, ValueRange at) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  Value zero = indexConstant(b, loc, 0);
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  SmallVector<Value> from;
  for (auto [d, offset] : llvm::enumerate(op.getMixedOffsets())) {
    Value position =
        arith::SubIOp::create(b, loc, at[d], toIndex(b, loc, offset));
    std::optional<int64_t> step = getConstantIntValue(strides[d]);
    if (step != 1) {
      Value stride = toIndex(b, loc, strides[d]);
      Value rest = arith::RemSIOp::create(b, loc, position, stride);
      Value hit =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, zero);
      inside = arith::AndIOp::create(b, loc, inside, hit);
      // Truncation is exact where the remainder is zero.
      position = arith::DivSIOp::create(b, loc, position, stride);
    }
    Value low = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                      position, zero);
    Value high = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       position, toIndex(b, loc, sizes[d]));
    inside = arith::AndIOp::create(b, loc, inside, low);
    inside = arith::AndIOp::create(b, loc, inside, high);
    if (!dropped.test(d))
      from.push_back(position);
  }
  if (op.getSourceType().getNumElements() == 0)
    return tensor::ExtractOp::create(b, loc, op.getDest(), at);
  auto branch = scf::IfOp::create(b, loc, op.getType().getElementType(), inside,
                                  /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  scf::YieldOp::create(
      then, loc,
      tensor::ExtractOp::create(then, loc, op.getSource(), from).getResult());
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(
      otherwise, loc,
      tensor::ExtractOp::create(otherwise, loc, op.getDest(), at).getResult());
  return branch.getResult(0);
}

static Value elementOfInsert(OpBuilder &b, Location loc, tensor::InsertOp op,
                             ValueRange at) {
  Value here = arith::ConstantIntOp::create(b, loc, 1, 1);
  for (auto [index, position] : llvm::zip_equal(op.getIndices(), at))
    here = arith::AndIOp::create(b, loc, here,
                                 arith::CmpIOp::create(b, loc,
                                                       arith::CmpIPredicate::eq,
                                                       position, index));
  Value old = tensor::ExtractOp::create(b, loc, op.getDest(), at);
  return arith::SelectOp::create(b, loc, here, op.getScalar(), old);
}

static Value elementOfList(OpBuilder &b, Location loc,
                           tensor::FromElementsOp op, ValueRange at) {
  auto type = cast<RankedTensorType>(op.getType());
  if (op.getElements().empty())
    return zeroOf(b, loc, type.getElementType());
  Value linear = indexConstant(b, loc, 0);
  for (auto [d, position] : llvm::enumerate(at)) {
    linear = arith::MulIOp::create(b, loc, linear,
                                   indexConstant(b, loc, type.getDimSize(d)));
    linear = arith::AddIOp::create(b, loc, linear, position);
  }
  Value value = op.getElements().front();
  for (auto [k, element] : llvm::enumerate(op.getElements().drop_front())) {
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, linear,
                                       indexConstant(b, loc, k + 1));
    value = arith::SelectOp::create(b, loc, here, element, value);
  }
  return value;
}

static Value asIndex(OpBuilder &b, Location loc, Value value) {
  return value.getType().isIndex() ? value
                                   : Value(arith::IndexCastOp::create(
                                         b, loc, b.getIndexType(), value));
}

static Value elementOfGather(OpBuilder &b, Location loc, tensor::GatherOp op,
                             ValueRange at) {
  RankedTensorType source = op.getSourceType();
  ArrayRef<int64_t> gathered = op.getGatherDims();
  int64_t batch = op.getIndicesType().getRank() - 1;
  bool reduced = op.getResultType().getRank() != batch + source.getRank();
  SmallVector<Value> from;
  int64_t next = batch;
  for (int64_t d = 0; d < source.getRank(); ++d) {
    const int64_t *found = llvm::find(gathered, d);
    if (found == gathered.end()) {
      from.push_back(at[next++]);
      continue;
    }
    SmallVector<Value> where = llvm::to_vector(at.take_front(batch));
    where.push_back(indexConstant(b, loc, found - gathered.begin()));
    from.push_back(asIndex(
        b, loc, tensor::ExtractOp::create(b, loc, op.getIndices(), where)));
    if (!reduced)
      ++next;
  }
  return tensor::ExtractOp::create(b, loc, op.getSource(), from);
}

/// The last of the scattered slices that hits an element wins; the op promises
/// that at most one does.
static Value elementOfScatter(OpBuilder &b, Location loc, tensor::ScatterOp op,
                              ValueRange at) {
  ArrayRef<int64_t> scattered = op.getScatterDims();
  RankedTensorType indices = op.getIndicesType();
  ArrayRef<int64_t> batch = indices.getShape().drop_back();
  bool reduced =
      op.getSourceType().getRank() !=
      static_cast<int64_t>(batch.size()) + op.getDestType().getRank();
  Value value = tensor::ExtractOp::create(b, loc, op.getDest(), at);
  SmallVector<Value> where;
  OpBuilder inner = b;
  Value carried = value;
  SmallVector<scf::ForOp> loops;
  for (int64_t extent : batch) {
    auto loop = scf::ForOp::create(inner, loc, indexConstant(inner, loc, 0),
                                   indexConstant(inner, loc, extent),
                                   indexConstant(inner, loc, 1), carried);
    where.push_back(loop.getInductionVar());
    carried = loop.getRegionIterArg(0);
    inner = OpBuilder::atBlockEnd(loop.getBody());
    loops.push_back(loop);
  }
  Value here = arith::ConstantIntOp::create(inner, loc, 1, 1);
  SmallVector<Value> from = where;
  for (int64_t d = 0; d < op.getDestType().getRank(); ++d) {
    const int64_t *found = llvm::find(scattered, d);
    if (found == scattered.end()) {
      from.push_back(at[d]);
      continue;
    }
    SmallVector<Value> entry = where;
    entry.push_back(indexConstant(inner, loc, found - scattered.begin()));
    Value target =
        asIndex(inner, loc,
                tensor::ExtractOp::create(inner, loc, op.getIndices(), entry));
    here = arith::AndIOp::create(inner, loc, here,
                                 arith::CmpIOp::create(inner, loc,
                                                       arith::CmpIPredicate::eq,
                                                       target, at[d]));
    if (!reduced)
      from.push_back(indexConstant(inner, loc, 0));
  }
  Value result = lazily(inner, loc, here, carried, [&](OpBuilder &b) -> Value {
    return tensor::ExtractOp::create(b, loc, op.getSource(), from);
  });
  for (scf::ForOp loop : llvm::reverse(loops)) {
    OpBuilder end = OpBuilder::atBlockEnd(loop.getBody());
    scf::YieldOp::create(end, loc, result);
    result = loop.getResult(0);
  }
  return result;
}

/// The element of the result at `at`, or null for an op that stays.
static Value elementOf(OpBuilder &b, Location loc, Operation *op,
                       ValueRange at) {
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return elementOfPad(b, loc, pad, at);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return elementOfConcat(b, loc, concat, at);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return elementOfSlice(b, loc, slice, at);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return elementOfInsertSlice(b, loc, slice, at);
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return elementOfInsert(b, loc, insert, at);
  if (auto list = dyn_cast<tensor::FromElementsOp>(op))
    return elementOfList(b, loc, list, at);
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return elementOfGather(b, loc, gather, at);
  if (auto scatter = dyn_cast<tensor::ScatterOp>(op))
    return elementOfScatter(b, loc, scatter, at);
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    return cloneRegion(b, generate.getRegion(), at);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getInput();
  auto bitcast = cast<tensor::BitcastOp>(op);
  Type to = bitcast.getType().getElementType();
  Value value = tensor::ExtractOp::create(b, loc, bitcast.getSource(), at);
  return value.getType() == to
             ? value
             : Value(arith::BitcastOp::create(b, loc, to, value));
}

LogicalResult egg::normalizeTensorOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  WalkResult walk = module.walk([&](Operation *op) {
    if (op->getDialect() && op->getDialect()->getNamespace() != "tensor")
      return WalkResult::advance();
    if (isa<tensor::PadOp, tensor::ConcatOp, tensor::ExtractSliceOp,
            tensor::InsertSliceOp, tensor::InsertOp, tensor::FromElementsOp,
            tensor::GatherOp, tensor::ScatterOp, tensor::GenerateOp,
            tensor::SplatOp, tensor::BitcastOp>(op)) {
      if (op->getParentOfType<linalg::LinalgOp>()) {
        op->emitOpError("inside the body of a linalg op has no plain lowering");
        return WalkResult::interrupt();
      }
      ops.push_back(op);
      return WalkResult::advance();
    }
    if (!isa<tensor::DimOp, tensor::RankOp, tensor::CastOp, tensor::ReshapeOp,
             tensor::EmptyOp, tensor::ExtractOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::YieldOp>(op)) {
      op->emitOpError("has no plain lowering");
      return WalkResult::interrupt();
    }
    OpBuilder b(op);
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      auto type = cast<RankedTensorType>(dim.getSource().getType());
      std::optional<int64_t> which = dim.getConstantIndex();
      Value value;
      if (which && *which >= 0 && *which < type.getRank()) {
        value = indexConstant(b, op->getLoc(), type.getDimSize(*which));
      } else {
        // The shape as a list; an index outside it is undefined.
        value = indexConstant(b, op->getLoc(), 0);
        for (auto [d, extent] : llvm::enumerate(type.getShape())) {
          Value is = arith::CmpIOp::create(
              b, op->getLoc(), arith::CmpIPredicate::eq, dim.getIndex(),
              indexConstant(b, op->getLoc(), d));
          value = arith::SelectOp::create(
              b, op->getLoc(), is, indexConstant(b, op->getLoc(), extent),
              value);
        }
      }
      dim.replaceAllUsesWith(value);
      op->erase();
    } else if (auto rank = dyn_cast<tensor::RankOp>(op)) {
      int64_t value =
          cast<RankedTensorType>(rank.getTensor().getType()).getRank();
      rank.replaceAllUsesWith(indexConstant(b, op->getLoc(), value));
      op->erase();
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *op : ops) {
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    std::string name = (op->getParentOfType<func::FuncOp>().getName() + "_" +
                        op->getName().stripDialect())
                           .str();
    linalg::GenericOp generic =
        buildElements(b, op->getLoc(), type, name,
                      [&](OpBuilder &b, Location loc, ValueRange at) {
                        return elementOf(b, loc, op, at);
                      });
    op->getResult(0).replaceAllUsesWith(generic->getResult(0));
    op->erase();
  }
  return success();
}
