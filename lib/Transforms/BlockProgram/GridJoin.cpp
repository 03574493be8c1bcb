//===- GridJoin.cpp - how grid stages and chains hang together --*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "egg/Transforms/BlockProgram/GridDiscipline.h"

#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace egg;
using ir::EggDialect;

/// Is `op` one binary op that may be regrouped (floats: up to rounding)?
static bool isAssociative(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

/// The one op of a body that ends by yielding its result; null otherwise.
static Operation *getOnlyOp(Block &body) {
  if (std::distance(body.begin(), body.end()) != 2)
    return nullptr;
  Operation *op = &body.front();
  Operation *end = body.getTerminator();
  if (op->getNumResults() != 1 || end->getNumOperands() != 1 ||
      end->getOperand(0) != op->getResult(0))
    return nullptr;
  return op;
}

/// Values that `op` uses, those of its regions from outside included.
static SmallVector<Value> getUsedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  op->walk([&](Operation *inner) {
    if (inner != op)
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          values.push_back(operand);
  });
  return values;
}

/// Does `value` depend on one of `targets`, by ops inside `scope`?
static bool dependsOn(Value value, ArrayRef<Value> targets, Block *scope) {
  SmallVector<Value> pending{value};
  llvm::SmallDenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (llvm::is_contained(targets, next))
      return true;
    Operation *op = next.getDefiningOp();
    if (op && scope->findAncestorOpInBlock(*op))
      pending.append(getUsedValues(op));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Does iteration k of `chain` insert only into its own part of `dest`?
static bool insertsOwnPart(tensor::InsertSliceOp insert, scf::ForOp chain) {
  std::optional<int64_t> step = getConstantIntValue(chain.getStep());
  for (auto [offset, size] :
       llvm::zip(insert.getMixedOffsets(), insert.getMixedSizes())) {
    std::optional<int64_t> bound = getUpperBound(size);
    if (step && bound && *bound <= *step &&
        dyn_cast<Value>(offset) == chain.getInductionVar())
      return true;
  }
  return false;
}

static LogicalResult verifyChain(scf::ForOp chain, scf::ForallOp loop) {
  if (chain->getParentOp() != loop)
    return chain.emitOpError()
           << "has #egg.chain and must stand directly in a grid loop, whose "
              "ordered dimension it is";
  Block *body = chain.getBody();
  SmallVector<Value> carries;
  for (auto [argument, next] : llvm::zip(chain.getRegionIterArgs(),
                                         body->getTerminator()->getOperands()))
    if (auto insert = next.getDefiningOp<tensor::InsertSliceOp>();
        !insert || insert.getDest() != argument)
      carries.push_back(argument);
  for (auto [i, entry] : llvm::enumerate(llvm::zip(
           chain.getRegionIterArgs(), body->getTerminator()->getOperands()))) {
    auto [argument, next] = entry;
    if (!llvm::is_contained(carries, Value(argument))) {
      auto insert = next.getDefiningOp<tensor::InsertSliceOp>();
      if (!argument.hasOneUse() || !insertsOwnPart(insert, chain))
        return chain.emitOpError()
               << "has #egg.chain, so its iterations run at once: carried "
                  "value "
               << i
               << " is written into and must be used by that one insert alone, "
                  "at an offset that is the induction variable with a size of "
                  "at most the step";
      continue;
    }
    auto combine = next.getDefiningOp<linalg::LinalgOp>();
    Operation *op =
        combine && combine.getNumLoops() == combine.getNumParallelLoops()
            ? getOnlyOp(*combine.getBlock())
            : nullptr;
    Value total;
    bool good = op && isAssociative(op);
    if (good) {
      unsigned fromCarry = 0;
      for (Value operand : op->getOperands()) {
        auto inner = dyn_cast<BlockArgument>(operand);
        if (!inner || inner.getOwner() != combine.getBlock()) {
          good = false;
          break;
        }
        Value outer = combine->getOperand(inner.getArgNumber());
        if (outer == argument)
          ++fromCarry;
        else
          total = outer;
      }
      good &= fromCarry == 1 && total;
    }
    if (!good)
      return chain.emitOpError()
             << "has #egg.chain, and its carried value " << i
             << " is not carry combined with a total by one associative op of "
                "a "
                "linalg op, so that blocks cannot look back for it";
    if (dependsOn(total, carries, body))
      return chain.emitOpError()
             << "has #egg.chain, and the total that carried value " << i
             << " is combined with depends on a carry, so that blocks would "
                "wait for one another";
  }
  return success();
}

LogicalResult egg::verifyChains(scf::ForallOp loop) {
  LogicalResult result = success();
  loop.getBody()->walk([&](scf::ForOp chain) {
    if (!chain->hasAttr(EggDialect::kChainAttr))
      return WalkResult::advance();
    result = verifyChain(chain, loop);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

static scf::ForallOp getStageBefore(Operation *op) {
  for (Operation *it = op->getPrevNode(); it; it = it->getPrevNode())
    if (auto loop = dyn_cast<scf::ForallOp>(it); loop && isGridLoop(loop))
      return loop;
  return {};
}

static LogicalResult verifyLastBlock(scf::ForallOp loop, scf::ForallOp before) {
  llvm::SmallDenseSet<unsigned> fixed;
  bool reads = false;
  for (OpResult result : before.getResults()) {
    BlockArgument shared =
        before.getTiedBlockArgument(before.getTiedOpOperand(result));
    SmallVector<Access> writes;
    for (OpOperand &use : shared.getUses()) {
      if (auto write = dyn_cast<ir::WriteOp>(use.getOwner())) {
        if (!write.getIndices().empty())
          return loop.emitOpError()
                 << "joins as last_block a stage that scatters, so that it is "
                    "not known which blocks to wait for; use launch";
        writes.push_back(getMapAccess(write.getMap(), write.getOffsets(),
                                      write.getTile(), before));
      } else if (auto insert =
                     dyn_cast<tensor::ParallelInsertSliceOp>(use.getOwner())) {
        writes.push_back(getSliceAccess(insert, before));
      }
    }
    auto type = cast<RankedTensorType>(result.getType());
    for (OpOperand &use : result.getUses()) {
      Operation *user = use.getOwner();
      if (!loop->isAncestor(user) || user == loop)
        continue;
      reads = true;
      Access read;
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
        read = getSliceAccess(slice, loop);
      else if (auto mapped = dyn_cast<ir::ReadOp>(user);
               mapped && mapped.getIndices().empty())
        read = getMapAccess(mapped.getMap(), mapped.getOffsets(),
                            mapped.getResult(), loop);
      else
        continue; // All of it: the group is the whole grid.
      for (int64_t d = 0; d < type.getRank(); ++d) {
        std::optional<CoordinateTile> r = getCoordinateTile(read, d);
        bool whole = r && r->gridVariable < 0 && r->base == 0 && r->size &&
                     !type.isDynamicDim(d) && *r->size == type.getDimSize(d);
        if (whole)
          continue;
        for (const Access &write : writes) {
          std::optional<CoordinateTile> w = getCoordinateTile(write, d);
          if (r && w && r->gridVariable >= 0 && w->gridVariable >= 0 &&
              r->scale == w->scale && r->base == w->base && r->size &&
              *r->size <= r->scale)
            continue;
          InFlightDiagnostic diag =
              user->emitOpError()
              << "reads dimension " << d
              << " of an earlier stage's result neither whole nor by that "
                 "stage's own tiles, so that the group of blocks to wait for "
                 "is "
                 "no projection of its grid; join by launch or grid_barrier "
                 "instead of last_block";
          diag.attachNote(before.getLoc()) << "the earlier stage";
          return diag;
        }
        fixed.insert(r->gridVariable);
      }
    }
  }
  if (!reads)
    return loop.emitOpError()
           << "joins as last_block and reads nothing of the stage before it; "
              "use side_by_side or launch";
  for (unsigned number : getGridVariables(loop))
    if (!fixed.contains(number))
      return loop.emitOpError()
             << "joins as last_block, and iterations that differ in grid "
                "variable "
             << number
             << " read the same blocks' results, so that their groups are not "
                "disjoint; join by launch or grid_barrier";
  return success();
}

/// Exactly one commutative reduction of the earlier stage's result.
static LogicalResult verifyAtomic(scf::ForallOp loop, scf::ForallOp before) {
  unsigned reductions = 0;
  Operation *other = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto reduce = dyn_cast<linalg::ReduceOp>(op)) {
      Operation *combiner = getOnlyOp(reduce.getCombiner().front());
      if (combiner && isAssociative(combiner)) {
        ++reductions;
        continue;
      }
    }
    if (!isa<tensor::ExtractSliceOp, tensor::EmptyOp, linalg::FillOp,
             ir::ReadOp, ir::PlaceOp>(op) &&
        !(op.getNumRegions() == 0 && isPure(&op) &&
          llvm::none_of(op.getResultTypes(),
                        [](Type t) { return isa<ShapedType>(t); })))
      other = &op;
  }
  bool reads = llvm::any_of(before.getResults(), [&](Value result) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return user != loop && loop->isAncestor(user);
    });
  });
  if (reductions == 1 && !other && reads)
    return success();
  return loop.emitOpError()
         << "joins as atomic and must be exactly one linalg.reduce by one "
            "commutative op of the earlier stage's result; it has "
         << reductions << " of them"
         << (other ? " and other work"
                   : (reads ? "" : " and reads nothing of it"))
         << "; join by launch or last_block";
}

LogicalResult egg::verifyJoin(scf::ForallOp loop) {
  auto join = loop->getAttrOfType<ir::JoinAttr>(EggDialect::kJoinAttr);
  if (!join)
    return success();
  scf::ForallOp before = getStageBefore(loop);
  if (!before)
    return loop.emitOpError()
           << "has #egg.join<" << ir::stringifyJoin(join.getValue())
           << "> and no grid stage before it";
  switch (join.getValue()) {
  case ir::Join::launch:
  case ir::Join::grid_barrier:
    return success();
  case ir::Join::last_block:
    return verifyLastBlock(loop, before);
  case ir::Join::atomic:
    return verifyAtomic(loop, before);
  case ir::Join::side_by_side: {
    // All stages that share the launch.
    SmallVector<Value> results;
    while (before) {
      results.append(before.result_begin(), before.result_end());
      auto earlier = before->getAttrOfType<ir::JoinAttr>(EggDialect::kJoinAttr);
      if (!earlier || earlier.getValue() != ir::Join::side_by_side)
        break;
      before = getStageBefore(before);
    }
    for (Value used : getUsedValues(loop))
      if (dependsOn(used, results, loop->getBlock()))
        return loop.emitOpError()
               << "joins as side_by_side and depends on a stage of the same "
                  "launch; use launch, last_block or grid_barrier";
    return success();
  }
  }
  return success();
}
