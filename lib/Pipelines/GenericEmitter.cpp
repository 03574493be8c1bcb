//===- GenericEmitter.cpp - kernels of one linalg.generic -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three forms. Where every output is indexed by a permutation of the same
// dimensions, a thread owns one point of those and keeps its accumulators in
// registers; a long reduction with known combiners is then split in a fixed
// tree. Any other generic runs as a loop nest that reads and writes the
// outputs in memory, threads sharing only dimensions that keep them apart.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "KernelScope.h"
#include "ReductionTree.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallBitVector.h"

#include <functional>

using namespace mlir;

namespace egg {

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

/// Runs `body` for each iteration of a loop nest, in order. An upper bound that
/// is not constant is given as a value in `bounds` (null: the trip count).
using NestBody = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, ArrayRef<Value>, ValueRange)>;

static SmallVector<Value> emitNest(KernelScope &scope, OpBuilder &b,
                                   ArrayRef<int64_t> trips,
                                   ArrayRef<Value> bounds, ValueRange carried,
                                   NestBody body) {
  SmallVector<Value> ivs;
  std::function<SmallVector<Value>(OpBuilder &, ValueRange)> level =
      [&](OpBuilder &b, ValueRange carried) -> SmallVector<Value> {
    size_t depth = ivs.size();
    if (depth == trips.size())
      return body(b, ivs, carried);
    if (trips[depth] == 1 && !bounds[depth]) {
      ivs.push_back(scope.constant(b, 0));
      SmallVector<Value> results = level(b, carried);
      ivs.pop_back();
      return results;
    }
    Value upper =
        bounds[depth] ? bounds[depth] : scope.constant(b, trips[depth]);
    auto loop = scf::ForOp::create(b, scope.loc(), scope.constant(b, 0), upper,
                                   scope.constant(b, 1), carried);
    // The builder of a loop without carried values adds a terminator.
    if (!loop.getBody()->empty())
      loop.getBody()->back().erase();
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    ivs.push_back(loop.getInductionVar());
    SmallVector<Value> results = level(inner, loop.getRegionIterArgs());
    ivs.pop_back();
    scf::YieldOp::create(inner, scope.loc(), results);
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  return level(b, carried);
}

/// What the kernels of one generic share.
class GenericEmitter {
public:
  GenericEmitter(KernelEmitter &emitter, OpBuilder &host, linalg::GenericOp op,
                 KernelEmitter::SourceFn source, KernelEmitter::IndexFn index,
                 ArrayRef<TensorSource> results)
      : emitter(emitter), host(host), op(op), source(source), index(index),
        results(results), ranges(op.getStaticLoopRanges()) {
    auto name = op->getAttrOfType<StringAttr>("egg.name");
    hint = name ? name.str() : std::string("generic");
  }

  LogicalResult emit();

private:
  /// Emits the loops `trips` in `b`, as a tree where they are long and
  /// `combiners` are given, and returns the accumulators at the end.
  SmallVector<Value> reduce(KernelScope &scope, OpBuilder &b,
                            ArrayRef<int64_t> trips, ValueRange accumulators,
                            NestBody body);
  SmallVector<Value> reduceLeaf(KernelScope &scope, OpBuilder &b,
                                ArrayRef<int64_t> trips, const TreeSplit &split,
                                ArrayRef<Value> outer, NestBody body);
  Value combine(KernelScope &scope, OpBuilder &b, unsigned output,
                Value accumulator, Value value);

  /// A kernel for `trips` at each point, or several that pass partial results
  /// through memory. `body` is called with the point and the loop values.
  using PointBody = llvm::function_ref<SmallVector<Value>(
      KernelScope &, OpBuilder &, ValueRange, ArrayRef<Value>, ValueRange)>;
  void emitPoints(ArrayRef<int64_t> trips, PointBody body, StringRef suffix);
  void emitInMemory();

  /// The generic's body at the given values of its dimensions.
  FailureOr<SmallVector<Value>> cloneBody(KernelScope &scope, OpBuilder &b,
                                          ArrayRef<Value> dims,
                                          ValueRange accumulators);
  LogicalResult rewriteInBody(KernelScope &scope, Operation *cloned,
                              ArrayRef<Value> dims);
  LogicalResult mapCaptured(KernelScope &scope, OpBuilder &b, IRMapping &map);
  SmallVector<Value> indices(KernelScope &scope, OpBuilder &b, AffineMap map,
                             ArrayRef<Value> dims);
  SmallVector<Value> gatherDims(ValueRange point, ArrayRef<Value> loops);
  /// Where the point lies in an output that is kept in registers.
  SmallVector<Value> outputIndices(KernelScope &scope, OpBuilder &b,
                                   unsigned output, ValueRange point);

  KernelEmitter &emitter;
  OpBuilder &host;
  linalg::GenericOp op;
  KernelEmitter::SourceFn source;
  KernelEmitter::IndexFn index;
  ArrayRef<TensorSource> results;
  SmallVector<int64_t> ranges;
  std::string hint;
  SmallVector<Combiner> combiners; // all outputs, or none
  SmallVector<unsigned> pointDims, loopDims;
  SmallVector<int64_t> pointExtents;
  bool failed = false;
};

SmallVector<Value> GenericEmitter::indices(KernelScope &scope, OpBuilder &b,
                                           AffineMap map,
                                           ArrayRef<Value> dims) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> Value {
    return affine::expandAffineExpr(b, scope.loc(), expr, dims, {});
  });
}

LogicalResult GenericEmitter::mapCaptured(KernelScope &scope, OpBuilder &b,
                                          IRMapping &map) {
  LogicalResult result = success();
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (inner == op || map.contains(operand) ||
          op->isAncestor(operand.getParentBlock()->getParentOp()) ||
          isa<TensorType>(operand.getType()))
        continue;
      if (Operation *constant = operand.getDefiningOp();
          constant && constant->hasTrait<OpTrait::ConstantLike>()) {
        map.map(operand, b.clone(*constant)->getResult(0));
      } else if (Value scalar = index(operand)) {
        map.map(operand, scope.hostIndex(scalar));
      } else {
        result = inner->emitOpError(
            "uses a scalar of the host that is neither a constant nor an "
            "induction variable; egg-normalize-payload removes those");
      }
    }
  });
  return result;
}

LogicalResult GenericEmitter::rewriteInBody(KernelScope &scope,
                                            Operation *cloned,
                                            ArrayRef<Value> dims) {
  SmallVector<Operation *> special;
  WalkResult walk = cloned->walk([&](Operation *inner) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner)) {
      special.push_back(inner);
      return WalkResult::advance();
    }
    for (Value value : inner->getResults())
      if (isa<ShapedType>(value.getType())) {
        inner->emitOpError("with a tensor inside the body of a linalg op has "
                           "no plain lowering");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *inner : special) {
    OpBuilder b(inner);
    Value value;
    if (auto at = dyn_cast<linalg::IndexOp>(inner)) {
      value = dims[at.getDim()];
    } else {
      auto extract = cast<tensor::ExtractOp>(inner);
      value = scope.load(b, source(extract.getTensor()), extract.getIndices());
    }
    inner->getResult(0).replaceAllUsesWith(value);
    inner->erase();
  }
  return success();
}

FailureOr<SmallVector<Value>>
GenericEmitter::cloneBody(KernelScope &scope, OpBuilder &b,
                          ArrayRef<Value> dims, ValueRange accumulators) {
  Block *body = op.getBody();
  IRMapping map;
  if (mlir::failed(mapCaptured(scope, b, map)))
    return failure();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    if (!isa<TensorType>(input->get().getType()))
      return op.emitOpError("has a scalar input; egg-normalize-payload moves "
                            "those into the body");
    AffineMap at = op.getMatchingIndexingMap(input);
    map.map(argument,
            scope.load(b, source(input->get()), indices(scope, b, at, dims)));
  }
  for (auto [argument, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), accumulators))
    if (value)
      map.map(argument, value);
  for (Operation &inner : body->without_terminator()) {
    if (auto at = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(at.getResult(), dims[at.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Value> at =
          llvm::map_to_vector(extract.getIndices(),
                              [&](Value v) { return map.lookupOrDefault(v); });
      map.map(extract.getResult(),
              scope.load(b, source(extract.getTensor()), at));
    } else if (mlir::failed(rewriteInBody(scope, b.clone(inner, map), dims))) {
      return failure();
    }
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
}

Value GenericEmitter::combine(KernelScope &scope, OpBuilder &b, unsigned output,
                              Value accumulator, Value value) {
  const Combiner &combiner = combiners[output];
  IRMapping map;
  map.map(combiner.op->getOperand(combiner.accumulator), accumulator);
  map.map(combiner.op->getOperand(1 - combiner.accumulator), value);
  return b.clone(*combiner.op, map)->getResult(0);
}

SmallVector<Value> GenericEmitter::reduceLeaf(KernelScope &scope, OpBuilder &b,
                                              ArrayRef<int64_t> trips,
                                              const TreeSplit &split,
                                              ArrayRef<Value> outer,
                                              NestBody body) {
  SmallVector<Value> neutrals =
      llvm::map_to_vector(combiners, [&](const Combiner &combiner) -> Value {
        return arith::ConstantOp::create(b, scope.loc(), combiner.neutral);
      });
  SmallVector<Value> bounds(split.leaf.size());
  Value start;
  if (split.stripped >= 0) {
    start = arith::MulIOp::create(b, scope.loc(), outer.back(),
                                  scope.constant(b, split.chunk));
    int64_t trip = trips[split.stripped];
    if (trip % split.chunk != 0)
      bounds[0] = arith::MinSIOp::create(
          b, scope.loc(), scope.constant(b, split.chunk),
          arith::SubIOp::create(b, scope.loc(), scope.constant(b, trip),
                                start));
  }
  return emitNest(scope, b, split.leaf, bounds, neutrals,
                  [&](OpBuilder &b, ArrayRef<Value> leaf, ValueRange carried) {
                    SmallVector<Value> loops = llvm::to_vector(outer);
                    if (start) {
                      loops.back() = arith::AddIOp::create(b, scope.loc(),
                                                           start, leaf.front());
                      leaf = leaf.drop_front();
                    }
                    llvm::append_range(loops, leaf);
                    return body(b, loops, carried);
                  });
}

SmallVector<Value> GenericEmitter::reduce(KernelScope &scope, OpBuilder &b,
                                          ArrayRef<int64_t> trips,
                                          ValueRange accumulators,
                                          NestBody body) {
  if (combiners.empty() || product(trips) <= emitter.options.sequentialLimit)
    return emitNest(scope, b, trips, SmallVector<Value>(trips.size()),
                    accumulators, body);
  TreeSplit split =
      splitTree(trips, emitter.options.sequentialLimit, emitter.options.chunk);
  return reduce(scope, b, split.outer, accumulators,
                [&](OpBuilder &b, ArrayRef<Value> outer, ValueRange carried) {
                  SmallVector<Value> partial =
                      reduceLeaf(scope, b, trips, split, outer, body);
                  for (auto [output, value] : llvm::enumerate(partial))
                    value = combine(scope, b, output, carried[output], value);
                  return partial;
                });
}

SmallVector<Value> GenericEmitter::outputIndices(KernelScope &scope,
                                                 OpBuilder &b, unsigned output,
                                                 ValueRange point) {
  SmallVector<Value> dims(ranges.size());
  for (auto [dim, value] : llvm::zip_equal(pointDims, point))
    dims[dim] = value;
  // Only dimensions of the point occur in an output's map.
  SmallVector<Value> at;
  for (AffineExpr expr :
       op.getIndexingMapMatchingResult(op->getResult(output)).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    at.push_back(dim ? dims[dim.getPosition()] : scope.constant(b, 0));
  }
  return at;
}

void GenericEmitter::emitPoints(ArrayRef<int64_t> trips, PointBody body,
                                StringRef suffix) {
  int64_t points = product(pointExtents);
  const PlainKernelOptions &options = emitter.options;
  size_t outputs = results.size();
  if (combiners.empty() || product(trips) <= options.sequentialLimit ||
      points >= options.enoughPoints) {
    KernelScope scope(emitter, host, op.getLoc(), hint + suffix.str(),
                      pointExtents);
    OpBuilder &b = scope.body();
    SmallVector<Value> accumulators(outputs);
    for (size_t o = 0; o < outputs; ++o)
      if (!trips.empty() || !op.getRegionOutputArgs()[o].use_empty())
        accumulators[o] = scope.load(b, source(op.getDpsInits()[o]),
                                     outputIndices(scope, b, o, scope.point()));
    SmallVector<Value> values =
        reduce(scope, b, trips, accumulators,
               [&](OpBuilder &b, ArrayRef<Value> loops, ValueRange carried) {
                 return body(scope, b, scope.point(), loops, carried);
               });
    for (size_t o = 0; o < outputs; ++o)
      scope.store(b, values[o], results[o],
                  outputIndices(scope, b, o, scope.point()));
    scope.finish();
    return;
  }

  TreeSplit split = splitTree(trips, options.sequentialLimit, options.chunk);
  SmallVector<int64_t> extents = pointExtents;
  llvm::append_range(extents, split.outer);
  SmallVector<TensorSource> partials;
  for (const Combiner &combiner : combiners) {
    auto type = RankedTensorType::get(extents, combiner.neutral.getType());
    partials.push_back(
        {memref::AllocOp::create(host, op.getLoc(), bufferType(type)),
         {},
         type});
  }
  {
    KernelScope scope(emitter, host, op.getLoc(), hint + suffix.str() + "_part",
                      extents);
    OpBuilder &b = scope.body();
    ValueRange point = scope.point().take_front(pointExtents.size());
    SmallVector<Value> outer =
        llvm::to_vector(scope.point().drop_front(pointExtents.size()));
    SmallVector<Value> values = reduceLeaf(
        scope, b, trips, split, outer,
        [&](OpBuilder &b, ArrayRef<Value> loops, ValueRange carried) {
          return body(scope, b, point, loops, carried);
        });
    for (auto [value, partial] : llvm::zip_equal(values, partials))
      scope.store(b, value, partial, scope.point());
    scope.finish();
  }
  // The next level sums up the partial results, one loop for all of them.
  int64_t parts = product(split.outer);
  SmallVector<int64_t> shape = pointExtents;
  shape.push_back(parts);
  for (TensorSource &partial : partials)
    partial.type = RankedTensorType::get(shape, partial.type.getElementType());
  emitPoints(
      {parts},
      [&](KernelScope &scope, OpBuilder &b, ValueRange point,
          ArrayRef<Value> loops, ValueRange carried) {
        SmallVector<Value> at = llvm::to_vector(point);
        llvm::append_range(at, loops);
        SmallVector<Value> values;
        for (auto [output, partial] : llvm::enumerate(partials))
          values.push_back(combine(scope, b, output, carried[output],
                                   scope.load(b, partial, at)));
        return values;
      },
      "_join");
}

void GenericEmitter::emitInMemory() {
  for (auto [init, result] : llvm::zip_equal(op.getDpsInits(), results))
    emitter.emitCopy(host, op.getLoc(), source(init), result);
  if (product(ranges) == 0)
    return;
  KernelScope scope(emitter, host, op.getLoc(), hint, pointExtents);
  SmallVector<int64_t> trips =
      llvm::map_to_vector(loopDims, [&](unsigned dim) { return ranges[dim]; });
  emitNest(scope, scope.body(), trips, SmallVector<Value>(trips.size()), {},
           [&](OpBuilder &b, ArrayRef<Value> loops,
               ValueRange) -> SmallVector<Value> {
             SmallVector<Value> dims = gatherDims(scope.point(), loops);
             SmallVector<SmallVector<Value>> at;
             SmallVector<Value> accumulators;
             for (auto [output, result] : llvm::enumerate(results)) {
               at.push_back(indices(
                   scope, b,
                   op.getIndexingMapMatchingResult(op->getResult(output)),
                   dims));
               accumulators.push_back(scope.load(b, result, at.back()));
             }
             FailureOr<SmallVector<Value>> values =
                 cloneBody(scope, b, dims, accumulators);
             if (mlir::failed(values)) {
               failed = true;
               return {};
             }
             for (auto [value, result, index] :
                  llvm::zip_equal(*values, results, at))
               scope.store(b, value, result, index);
             return {};
           });
  scope.finish();
}

SmallVector<Value> GenericEmitter::gatherDims(ValueRange point,
                                              ArrayRef<Value> loops) {
  SmallVector<Value> dims(ranges.size());
  for (auto [dim, value] : llvm::zip_equal(pointDims, point))
    dims[dim] = value;
  for (auto [dim, value] : llvm::zip_equal(loopDims, loops))
    dims[dim] = value;
  return dims;
}

/// Whether a thread may own a point of the output: each result of the map is a
/// dimension of its own, or 0 along an extent of one.
static bool isPermutation(AffineMap map, ArrayRef<int64_t> shape,
                          llvm::SmallBitVector &dims) {
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), shape)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && !dims.test(dim.getPosition())) {
      dims.set(dim.getPosition());
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0 || extent != 1)
      return false;
  }
  return true;
}

LogicalResult GenericEmitter::emit() {
  unsigned rank = ranges.size();
  SmallVector<AffineMap> maps;
  for (OpResult result : op->getResults())
    maps.push_back(op.getIndexingMapMatchingResult(result));
  if (maps.empty())
    return success();

  bool inRegisters = true;
  llvm::SmallBitVector first;
  for (auto [index, map] : llvm::enumerate(maps)) {
    llvm::SmallBitVector dims(rank);
    inRegisters &= isPermutation(map, results[index].type.getShape(), dims);
    if (index == 0)
      first = dims;
    inRegisters &= dims == first;
  }
  llvm::SmallBitVector isPoint(rank);
  for (AffineExpr expr : maps.front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || isPoint.test(dim.getPosition()))
      continue;
    if (!llvm::all_of(maps, [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), expr);
        }))
      continue;
    isPoint.set(dim.getPosition());
    pointDims.push_back(dim.getPosition());
    pointExtents.push_back(ranges[dim.getPosition()]);
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!isPoint.test(dim))
      loopDims.push_back(dim);

  if (!inRegisters) {
    emitInMemory();
    return failure(failed);
  }
  if (product(pointExtents) == 0)
    return success();
  if (product(ranges) == 0) {
    // No iterations: the initial values. A kernel would read empty tensors.
    for (auto [init, result] : llvm::zip_equal(op.getDpsInits(), results))
      emitter.emitCopy(host, op.getLoc(), source(init), result);
    return success();
  }
  for (unsigned output = 0; output < results.size(); ++output) {
    std::optional<Combiner> combiner = matchCombiner(op, output);
    if (!combiner) {
      combiners.clear();
      break;
    }
    combiners.push_back(*combiner);
  }
  SmallVector<int64_t> trips =
      llvm::map_to_vector(loopDims, [&](unsigned dim) { return ranges[dim]; });
  emitPoints(
      trips,
      [&](KernelScope &scope, OpBuilder &b, ValueRange point,
          ArrayRef<Value> loops, ValueRange carried) -> SmallVector<Value> {
        FailureOr<SmallVector<Value>> values =
            cloneBody(scope, b, gatherDims(point, loops), carried);
        failed |= mlir::failed(values);
        return failed ? llvm::to_vector_of<Value>(carried) : *values;
      },
      "");
  return failure(failed);
}

std::string KernelEmitter::uniqueName(StringRef hint) {
  // PTX takes letters, digits and underscores, and names of bounded length.
  std::string name = hint.take_front(200).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name + "_" + std::to_string(nextKernel++);
}

LogicalResult KernelEmitter::emitGeneric(OpBuilder &host, linalg::GenericOp op,
                                         SourceFn source, IndexFn index,
                                         ArrayRef<TensorSource> results) {
  return GenericEmitter(*this, host, op, source, index, results).emit();
}

void KernelEmitter::emitCopy(OpBuilder &host, Location loc, TensorSource from,
                             TensorSource to) {
  int64_t count = to.type.getNumElements();
  if (count == 0)
    return;
  if (!from.splat && from.buffer.getType() == to.buffer.getType()) {
    memref::CopyOp::create(host, loc, from.buffer, to.buffer);
    return;
  }
  from.type = RankedTensorType::get({count}, from.type.getElementType());
  to.type = RankedTensorType::get({count}, to.type.getElementType());
  KernelScope scope(*this, host, loc, from.splat ? "main_fill" : "main_copy",
                    {count});
  OpBuilder &b = scope.body();
  scope.store(b, scope.load(b, from, scope.point()), to, scope.point());
  scope.finish();
}

} // namespace egg
