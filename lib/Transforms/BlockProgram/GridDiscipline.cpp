//===- GridDiscipline.cpp - what keeps a grid free of races -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Transforms/BlockProgram/GridDiscipline.h"
#include "Access.h"

#include "egg/Dialect/Egg/EggOps.h"
#include "egg/Transforms/BlockProgram/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace egg {
#define GEN_PASS_DEF_VERIFYGRIDPASS
#include "egg/Transforms/BlockProgram/Passes.h.inc"
} // namespace egg

using namespace mlir;
using namespace egg;
using ir::EggDialect;

bool egg::isGridLoop(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  return mapping && !mapping->empty() &&
         llvm::all_of(*mapping, [](Attribute attribute) {
           return isa<gpu::GPUBlockMappingAttr>(attribute);
         });
}

//===----------------------------------------------------------------------===//
// G1
//===----------------------------------------------------------------------===//

/// "grid variables 0 and 2 (of 16 and of an unknown number of trips)".
static void describe(InFlightDiagnostic &diag, ArrayRef<unsigned> numbers,
                     scf::ForallOp loop) {
  diag << (numbers.size() > 1 ? "grid variables " : "grid variable ");
  llvm::interleaveComma(numbers, diag);
  diag << " (of ";
  llvm::interleaveComma(numbers, diag, [&](unsigned i) {
    std::optional<int64_t> l =
        getConstantIntValue(loop.getMixedLowerBound()[i]);
    std::optional<int64_t> u =
        getConstantIntValue(loop.getMixedUpperBound()[i]);
    std::optional<int64_t> s = getConstantIntValue(loop.getMixedStep()[i]);
    if (l && u && s && *s > 0)
      diag << llvm::divideCeilSigned(*u - *l, *s);
    else
      diag << "an unknown number of";
  });
  diag << " trips)";
}

LogicalResult egg::verifyWrites(scf::ForallOp loop) {
  SmallVector<unsigned> variables = getGridVariables(loop);
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    Access access;
    if (auto write = dyn_cast<ir::WriteOp>(op)) {
      if (write.getCombine() != ir::Combine::none)
        continue;
      if (!write.getIndices().empty())
        return op.emitOpError() << "writes through index tensors, so that two "
                                   "elements may meet; "
                                   "it must combine (G1)";
      access = getMapAccess(write.getMap(), write.getOffsets(), write.getTile(),
                            loop);
    } else if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op)) {
      access = getSliceAccess(insert, loop);
    } else {
      return op.emitOpError()
             << "is no write of a block program; use egg.write "
                "or tensor.parallel_insert_slice (G1)";
    }
    SmallVector<unsigned> missingGrid, missingTile;
    if (isInjective(access, variables, missingGrid, missingTile))
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    if (!missingGrid.empty()) {
      diag << "may write the same elements in two iterations: no coordinate "
              "tells apart ";
      describe(diag, missingGrid, loop);
      diag
          << "; each must be in an offset as c * iv with a size of at most c * "
             "step, or as iv floordiv step with size 1, or the write combines "
             "(G1)";
    } else {
      diag
          << "may write the same element twice in one iteration: no coordinate "
             "tells apart "
          << (missingTile.size() > 1 ? "dimensions " : "dimension ");
      llvm::interleaveComma(missingTile, diag);
      diag << " of its tile (G1)";
    }
    return diag;
  }
  // One slice an iteration and shared_out is told apart from itself; two writes
  // to one shared_out must be told apart from each other as well.
  SmallVector<Operation *> writes;
  for (Operation &op : loop.getTerminator().getYieldingOps())
    writes.push_back(&op);
  for (auto [i, a] : llvm::enumerate(writes))
    for (Operation *b : ArrayRef(writes).take_front(i)) {
      auto destination = [](Operation *op) {
        auto combining = cast<ParallelCombiningOpInterface>(op);
        return combining.getUpdatedDestinations()[0].get();
      };
      if (destination(a) != destination(b))
        continue;
      auto combines = [](Operation *op) {
        auto write = dyn_cast<ir::WriteOp>(op);
        return write && write.getCombine() != ir::Combine::none
                   ? std::optional(write.getCombine())
                   : std::nullopt;
      };
      if (combines(a) && combines(a) == combines(b))
        continue;
      // Disjoint when some coordinate is a tile of both, of one scale and grid
      // variable, at ranges that do not meet.
      bool disjoint = false;
      if (!combines(a) && !combines(b)) {
        auto accessOf = [&](Operation *op) {
          if (auto write = dyn_cast<ir::WriteOp>(op))
            return getMapAccess(write.getMap(), write.getOffsets(),
                                write.getTile(), loop);
          return getSliceAccess(cast<tensor::ParallelInsertSliceOp>(op), loop);
        };
        Access x = accessOf(a), y = accessOf(b);
        for (unsigned d = 0; d < x.coordinates.size(); ++d) {
          auto s = getCoordinateTile(x, d), t = getCoordinateTile(y, d);
          if (!s || !t || s->gridVariable != t->gridVariable ||
              s->scale != t->scale || !s->size || !t->size)
            continue;
          int64_t low = std::min(s->base, t->base);
          int64_t high = std::max(s->base + *s->size, t->base + *t->size);
          bool apart =
              s->base + *s->size <= t->base || t->base + *t->size <= s->base;
          disjoint |= apart && (s->gridVariable < 0 || high - low <= s->scale);
        }
      }
      if (!disjoint) {
        InFlightDiagnostic diag =
            a->emitOpError() << "may write elements that another write of this "
                                "grid writes too; give them disjoint constant "
                                "ranges of one dimension, or one combine (G1)";
        diag.attachNote(b->getLoc()) << "the other write";
        return diag;
      }
    }
  return success();
}

//===----------------------------------------------------------------------===//
// G2
//===----------------------------------------------------------------------===//

/// Is `op` (a write) one that covers all of its destination?
static bool coversAll(Operation *op, scf::ForallOp loop) {
  Access access;
  RankedTensorType type;
  if (auto write = dyn_cast<ir::WriteOp>(op)) {
    if (!write.getIndices().empty())
      return false;
    access =
        getMapAccess(write.getMap(), write.getOffsets(), write.getTile(), loop);
    type = write.getDestType();
  } else {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    access = getSliceAccess(insert, loop);
    type = insert.getDestType();
  }
  for (unsigned d = 0; d < access.coordinates.size(); ++d) {
    std::optional<CoordinateTile> tile = getCoordinateTile(access, d);
    if (!tile || tile->gridVariable >= 0 || tile->base != 0 || !tile->size ||
        type.isDynamicDim(d) || *tile->size != type.getDimSize(d))
      return false;
  }
  return true;
}

/// Does the read `use` stay inside what `write` may write? G1 keeps the whole
/// tile, up to the bound of its sizes, to this iteration.
static bool isOwnSlice(Operation *use, Operation *write, scf::ForallOp loop) {
  Access read, written;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use))
    read = getSliceAccess(slice, loop);
  else if (auto mapped = dyn_cast<ir::ReadOp>(use);
           mapped && mapped.getIndices().empty())
    read = getMapAccess(mapped.getMap(), mapped.getOffsets(),
                        mapped.getResult(), loop);
  else
    return false;
  if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(write))
    written = getSliceAccess(insert, loop);
  else if (auto mapped = dyn_cast<ir::WriteOp>(write);
           mapped && mapped.getIndices().empty())
    written = getMapAccess(mapped.getMap(), mapped.getOffsets(),
                           mapped.getTile(), loop);
  else
    return false;
  for (unsigned d = 0; d < read.coordinates.size(); ++d) {
    std::optional<CoordinateTile> r = getCoordinateTile(read, d);
    std::optional<CoordinateTile> w = getCoordinateTile(written, d);
    if (!r || !w || !r->size || !w->size ||
        r->gridVariable != w->gridVariable || r->scale != w->scale ||
        r->base < w->base || r->base + *r->size > w->base + *w->size)
      return false;
  }
  return true;
}

LogicalResult egg::verifySharedReads(scf::ForallOp loop) {
  for (BlockArgument shared : loop.getRegionIterArgs()) {
    SmallVector<Operation *> writes;
    for (OpOperand &use : shared.getUses())
      if (isa<scf::InParallelOp>(use.getOwner()->getParentOp()))
        writes.push_back(use.getOwner());
    for (OpOperand &use : shared.getUses()) {
      Operation *user = use.getOwner();
      if (llvm::is_contained(writes, user)) {
        auto combining = cast<ParallelCombiningOpInterface>(user);
        if (&combining.getUpdatedDestinations()[0] == &use)
          continue;
      }
      if (isa<tensor::DimOp>(user))
        continue;
      bool fine = llvm::any_of(writes, [&](Operation *write) {
        return isOwnSlice(user, write, loop) || coversAll(write, loop);
      });
      if (fine)
        continue;
      return user->emitOpError()
             << "reads shared_out " << shared.getArgNumber() - loop.getRank()
             << " of its grid, of which an iteration may read only the slice "
                "that it writes: another block may be writing the rest (G2)";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// G3, G4
//===----------------------------------------------------------------------===//

/// The function argument that `value` is, if it is tied to a result, and that
/// result's number.
static std::optional<int64_t> getTiedResult(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  auto number = dyn_cast_or_null<IntegerAttr>(
      function.getArgAttr(argument.getArgNumber(), EggDialect::kInoutAttr));
  if (!number)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

LogicalResult egg::verifySharedInits(scf::ForallOp loop) {
  for (auto [i, init] : llvm::enumerate(loop.getOutputs())) {
    if (init.getDefiningOp<tensor::EmptyOp>())
      continue;
    std::optional<int64_t> tied = getTiedResult(init);
    if (!tied)
      return loop.emitOpError()
             << "starts shared_out " << i
             << " from a value that is neither a tensor.empty nor an argument "
                "tied to a result by egg.inout (G4)";
    unsigned argument = cast<BlockArgument>(init).getArgNumber();
    Operation *function = init.getParentBlock()->getParentOp();
    for (OpOperand &use : init.getUses())
      if (use.getOwner() != loop || loop.getOutputs()[i] != use.get() ||
          use.getOperandNumber() !=
              loop.getOutputsMutable()[i].getOperandNumber())
        return use.getOwner()->emitOpError()
               << "reads argument " << argument << ", which is tied to result "
               << *tied
               << " and updated in place; it may be read only through the "
                  "shared_out that starts as it (G3)";
    Operation *end = cast<FunctionOpInterface>(function)
                         .getFunctionBody()
                         .back()
                         .getTerminator();
    if (*tied < 0 || *tied >= int64_t(end->getNumOperands()) ||
        end->getOperand(*tied) != loop.getResult(i))
      return loop.emitOpError()
             << "updates argument " << argument << ", which is tied to result "
             << *tied << ", but the function returns another value there (G3)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// G5
//===----------------------------------------------------------------------===//

/// Is `tensor` memory that all threads of the block see alike: defined outside
/// the loop, or a slice of such?
static bool isLoadable(Value tensor, scf::ForallOp loop) {
  while (true) {
    Operation *op = tensor.getDefiningOp();
    if (!op)
      return !loop->isAncestor(tensor.getParentBlock()->getParentOp());
    if (!loop->isAncestor(op))
      return true;
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      tensor = slice.getSource();
    else if (auto read = dyn_cast<ir::ReadOp>(op);
             read && read.getIndices().empty())
      tensor = read.getSource();
    else if (auto place = dyn_cast<ir::PlaceOp>(op))
      tensor = place.getSource();
    else
      return false;
  }
}

/// The first op in the making of `value` that may differ between threads.
static Operation *findDivergence(Value value, scf::ForallOp loop,
                                 llvm::SmallDenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return nullptr;
  auto follow = [&](ValueRange values) -> Operation * {
    for (Value operand : values)
      if (Operation *found = findDivergence(operand, loop, seen))
        return found;
    return nullptr;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (!loop->isAncestor(parent) || parent == loop)
      return isa<TensorType>(value.getType()) && parent == loop ? parent
                                                                : nullptr;
    if (auto inner = dyn_cast<scf::ForOp>(parent)) {
      unsigned number = argument.getArgNumber();
      if (number == 0)
        return nullptr; // Its bounds are checked where it stands.
      return follow({inner.getInitArgs()[number - 1],
                     inner.getBody()->getTerminator()->getOperand(number - 1)});
    }
    return parent;
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isAncestor(op))
    return nullptr;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (!isLoadable(extract.getTensor(), loop))
      return op;
    return follow(extract.getIndices());
  }
  if (isa<tensor::DimOp>(op))
    return nullptr;
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return follow({inner.getInitArgs()[number],
                   inner.getBody()->getTerminator()->getOperand(number)});
  }
  if (auto choose = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return follow({choose.thenYield().getOperand(number),
                   choose.elseYield().getOperand(number)});
  }
  bool scalar = op->getNumRegions() == 0 && isPure(op) &&
                llvm::none_of(op->getOperandTypes(),
                              [](Type type) { return isa<ShapedType>(type); });
  if (!scalar)
    return op;
  return follow(op->getOperands());
}

LogicalResult egg::verifyUniformControl(scf::ForallOp loop) {
  LogicalResult result = success();
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Regions of linalg and the like run per element, not per block.
    SmallVector<Value> steering;
    if (auto inner = dyn_cast<scf::ForOp>(op))
      steering = {inner.getLowerBound(), inner.getUpperBound(),
                  inner.getStep()};
    else if (auto choose = dyn_cast<scf::IfOp>(op))
      steering = {choose.getCondition()};
    else if (auto loopCondition = dyn_cast<scf::ConditionOp>(op))
      steering = {loopCondition.getCondition()};
    else if (isa<scf::WhileOp, scf::IndexSwitchOp, scf::InParallelOp>(op)) {
      if (auto choose = dyn_cast<scf::IndexSwitchOp>(op))
        steering = {choose.getArg()};
    } else if (op->getNumRegions() > 0) {
      return WalkResult::skip();
    }
    for (Value value : steering) {
      llvm::SmallDenseSet<Value> seen;
      Operation *source = findDivergence(value, loop, seen);
      if (!source)
        continue;
      InFlightDiagnostic diag =
          op->emitOpError()
          << "is steered by a value that the threads of a block need not have "
             "alike; take it from induction variables, shapes or scalars "
             "loaded "
             "from memory (G5)";
      diag.attachNote(source->getLoc()) << "it comes from here";
      result = diag;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Depth
//===----------------------------------------------------------------------===//

LogicalResult egg::verifyDepths(scf::ForallOp loop) {
  LogicalResult result = success();
  loop.getBody()->walk([&](ir::PlaceOp place) {
    if (place.getDepth() <= 1)
      return WalkResult::advance();
    auto grid = loop->getAttrOfType<ir::GridAttr>(EggDialect::kGridAttr);
    Operation *parent = place->getParentOp();
    while (parent != loop && !isa<scf::ForOp>(parent))
      parent = parent->getParentOp();
    if (parent == loop && !(grid && grid.getPersistent())) {
      result = place.emitOpError()
               << "has depth = " << place.getDepth()
               << " and stands in no loop of its block, so that nothing can be "
                  "read ahead";
      return WalkResult::interrupt();
    }
    if (!isLoadable(place.getSource(), loop)) {
      result = place.emitOpError()
               << "has depth = " << place.getDepth()
               << ", so its source is read ahead; that must be a slice or "
                  "egg.read of an argument or of an earlier stage's result";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

LogicalResult egg::verifyGrid(Operation *root) {
  bool failed = false;
  root->walk([&](scf::ForallOp loop) {
    if (!isGridLoop(loop))
      return;
    for (auto *rule :
         {verifyWrites, verifySharedReads, verifySharedInits,
          verifyUniformControl, verifyDepths, verifyChains, verifyJoin})
      failed |= mlir::failed(rule(loop));
  });
  return failure(failed);
}

namespace {
struct VerifyGridPass : public egg::impl::VerifyGridPassBase<VerifyGridPass> {
  void runOnOperation() override {
    if (failed(verifyGrid(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
