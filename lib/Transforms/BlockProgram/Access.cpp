//===- Access.cpp - which elements a slice names ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace egg;

std::optional<int64_t> egg::getUpperBound(OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return constant;
  auto value = dyn_cast<Value>(extent);
  if (!value)
    return std::nullopt;
  std::optional<int64_t> best;
  auto take = [&](std::optional<int64_t> bound) {
    if (bound && (!best || *bound < *best))
      best = bound;
  };
  if (auto min = value.getDefiningOp<affine::AffineMinOp>()) {
    for (AffineExpr result : min.getMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(result))
        take(constant.getValue());
  } else if (auto min = value.getDefiningOp<arith::MinSIOp>()) {
    take(getUpperBound(min.getLhs()));
    take(getUpperBound(min.getRhs()));
  } else if (auto dim = value.getDefiningOp<tensor::DimOp>()) {
    if (std::optional<int64_t> index = dim.getConstantIndex())
      take(getExtentBound(dim.getSource(), *index));
  }
  return best;
}

std::optional<int64_t> egg::getExtentBound(Value tensor, unsigned d) {
  // Values of one chain are few; the limit stops at odd cycles.
  for (int hops = 0; hops < 64; ++hops) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type || int64_t(d) >= type.getRank())
      return std::nullopt;
    if (!type.isDynamicDim(d))
      return type.getDimSize(d);
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() == 0)
        return std::nullopt;
      tensor = loop.getInitArgs()[argument.getArgNumber() - 1];
      continue;
    }
    Operation *op = tensor.getDefiningOp();
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    if (auto place = dyn_cast<ir::PlaceOp>(op)) {
      tensor = place.getSource();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      tensor = loop.getInitArgs()[number];
    } else if (auto style = dyn_cast<DestinationStyleOpInterface>(op)) {
      tensor = style.getDpsInitOperand(number)->get();
    } else if (auto read = dyn_cast<ir::ReadOp>(op)) {
      return getUpperBound(read.getSizes()[type.getDynamicDimIndex(d)]);
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      return getUpperBound(empty.getMixedSizes()[d]);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      unsigned kept = 0;
      for (auto [i, size] : llvm::enumerate(slice.getMixedSizes())) {
        if (dropped[i])
          continue;
        if (kept++ == d)
          return getUpperBound(size);
      }
      return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

SmallVector<unsigned> egg::getGridVariables(scf::ForallOp loop) {
  SmallVector<unsigned> result;
  for (auto [i, bounds] : llvm::enumerate(llvm::zip(loop.getMixedLowerBound(),
                                                    loop.getMixedUpperBound(),
                                                    loop.getMixedStep()))) {
    auto [lb, ub, step] = bounds;
    std::optional<int64_t> l = getConstantIntValue(lb),
                           u = getConstantIntValue(ub),
                           s = getConstantIntValue(step);
    if (!l || !u || !s || *s <= 0 || llvm::divideCeilSigned(*u - *l, *s) > 1)
      result.push_back(i);
  }
  return result;
}

namespace {

/// Builds expressions over a growing list of variables.
struct AccessBuilder {
  scf::ForallOp loop;
  Access access;
  MLIRContext *context;

  explicit AccessBuilder(scf::ForallOp loop)
      : loop(loop), context(loop->getContext()) {}

  AffineExpr variable(AccessVariable v) {
    for (auto [i, known] : llvm::enumerate(access.variables))
      if (known.kind == v.kind && known.value == v.value &&
          known.number == v.number)
        return getAffineDimExpr(i, context);
    access.variables.push_back(v);
    return getAffineDimExpr(access.variables.size() - 1, context);
  }

  AffineExpr tile(unsigned dim, std::optional<int64_t> extent,
                  int64_t stride = 1) {
    AccessVariable v{AccessVariable::tile, {}, dim};
    v.trips = extent;
    return variable(v) * stride;
  }

  AffineExpr leaf(Value value) {
    for (auto [i, iv] : llvm::enumerate(loop.getInductionVars()))
      if (iv == value) {
        AccessVariable v{AccessVariable::grid, value, unsigned(i)};
        std::optional<int64_t> lb =
            getConstantIntValue(loop.getMixedLowerBound()[i]);
        std::optional<int64_t> ub =
            getConstantIntValue(loop.getMixedUpperBound()[i]);
        std::optional<int64_t> step =
            getConstantIntValue(loop.getMixedStep()[i]);
        v.start = lb.value_or(0);
        v.step = step.value_or(0);
        if (lb && ub && step && *step > 0)
          v.trips =
              std::max<int64_t>(0, llvm::divideCeilSigned(*ub - *lb, *step));
        return variable(v);
      }
    bool inside = loop->isAncestor(value.getParentBlock()->getParentOp());
    return variable(
        {inside ? AccessVariable::unknown : AccessVariable::invariant, value});
  }

  AffineExpr expression(Value value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, context);
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isAncestor(op))
      return leaf(value);
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      SmallVector<AffineExpr> dims, symbols;
      for (auto [i, operand] : llvm::enumerate(apply.getMapOperands()))
        (i < apply.getMap().getNumDims() ? dims : symbols)
            .push_back(expression(operand));
      return apply.getMap().getResult(0).replaceDimsAndSymbols(dims, symbols);
    }
    // Narrower integers may wrap around.
    auto isWide = [](Type type) {
      return type.isIndex() || type.isInteger(64);
    };
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
        isWide(value.getType())) {
      AffineExpr a = expression(op->getOperand(0));
      AffineExpr b = expression(op->getOperand(1));
      if (isa<arith::AddIOp>(op))
        return a + b;
      if (isa<arith::SubIOp>(op))
        return a - b;
      if (isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b))
        return a * b;
      return leaf(value);
    }
    if (auto cast = dyn_cast<arith::IndexCastOp>(op);
        cast && isWide(cast.getType()) && isWide(cast.getIn().getType()))
      return expression(cast.getIn());
    return leaf(value);
  }

  AffineExpr expression(OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, context);
    return expression(cast<Value>(value));
  }
};

/// A term of a coordinate: steps of at least `step` between `trips` values, all
/// within `span` of the first.
struct Term {
  unsigned variable;
  int64_t step;
  std::optional<int64_t> span;
};

} // namespace

Access egg::getSliceAccess(OffsetSizeAndStrideOpInterface slice,
                           scf::ForallOp loop) {
  AccessBuilder builder(loop);
  for (auto [d, entry] :
       llvm::enumerate(llvm::zip(slice.getMixedOffsets(), slice.getMixedSizes(),
                                 slice.getMixedStrides()))) {
    auto [offset, size, stride] = entry;
    AffineExpr coordinate = builder.expression(offset);
    std::optional<int64_t> by = getConstantIntValue(stride);
    if (by)
      coordinate = coordinate + builder.tile(d, getUpperBound(size), *by);
    else
      coordinate = coordinate + builder.leaf(cast<Value>(stride));
    builder.access.coordinates.push_back(coordinate);
  }
  return builder.access;
}

Access egg::getMapAccess(AffineMap map, ValueRange offsets, Value tile,
                         scf::ForallOp loop) {
  AccessBuilder builder(loop);
  SmallVector<AffineExpr> dims, symbols;
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    dims.push_back(builder.tile(d, getExtentBound(tile, d)));
  for (Value offset : offsets)
    symbols.push_back(builder.expression(offset));
  for (AffineExpr result : map.getResults())
    builder.access.coordinates.push_back(
        result.replaceDimsAndSymbols(dims, symbols));
  return builder.access;
}

/// Joins a pair (e floordiv c, e mod c) to e, as often as there is one, also
/// when the second is e' mod c with e = e' mod m and c dividing m.
static void joinPairs(SmallVectorImpl<AffineExpr> &coordinates) {
  auto split =
      [](AffineExpr e,
         AffineExprKind kind) -> std::optional<std::pair<AffineExpr, int64_t>> {
    auto binary = dyn_cast<AffineBinaryOpExpr>(e);
    if (!binary || e.getKind() != kind)
      return std::nullopt;
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!by || by.getValue() <= 0)
      return std::nullopt;
    return std::make_pair(binary.getLHS(), by.getValue());
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < coordinates.size() && !changed; ++i)
      for (size_t j = 0; j < coordinates.size() && !changed; ++j) {
        auto quotient = split(coordinates[i], AffineExprKind::FloorDiv);
        auto rest = split(coordinates[j], AffineExprKind::Mod);
        if (i == j || !quotient || !rest || quotient->second != rest->second)
          continue;
        bool same = quotient->first == rest->first;
        if (auto outer = split(quotient->first, AffineExprKind::Mod))
          same |= outer->first == rest->first &&
                  outer->second % quotient->second == 0;
        if (!same)
          continue;
        coordinates[i] = quotient->first;
        coordinates.erase(coordinates.begin() + j);
        changed = true;
      }
  }
}

/// The terms of a sum.
static void getTerms(AffineExpr e, SmallVectorImpl<AffineExpr> &terms) {
  if (e.getKind() == AffineExprKind::Add) {
    auto sum = cast<AffineBinaryOpExpr>(e);
    getTerms(sum.getLHS(), terms);
    getTerms(sum.getRHS(), terms);
    return;
  }
  terms.push_back(e);
}

/// A term as scale * inner.
static std::pair<AffineExpr, int64_t> getScaled(AffineExpr term) {
  if (term.getKind() == AffineExprKind::Mul) {
    auto product = cast<AffineBinaryOpExpr>(term);
    if (auto scale = dyn_cast<AffineConstantExpr>(product.getRHS()))
      return {product.getLHS(), scale.getValue()};
  }
  return {term, 1};
}

/// The variables of a coordinate that it tells apart, or none if two of them
/// may overlap: sorted by step, each must stay below the step of the next.
static std::optional<SmallVector<unsigned>>
getDistinguished(AffineExpr coordinate, ArrayRef<AccessVariable> variables) {
  SmallVector<AffineExpr> parts;
  getTerms(simplifyAffineExpr(coordinate, variables.size(), 0), parts);
  SmallVector<Term> terms;
  for (AffineExpr part : parts) {
    if (isa<AffineConstantExpr>(part))
      continue;
    auto [inner, scale] = getScaled(part);
    int64_t divisor = 1;
    if (inner.getKind() == AffineExprKind::FloorDiv) {
      auto quotient = cast<AffineBinaryOpExpr>(inner);
      auto by = dyn_cast<AffineConstantExpr>(quotient.getRHS());
      if (!by || by.getValue() <= 0)
        return std::nullopt;
      divisor = by.getValue();
      inner = quotient.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(inner);
    if (!dim)
      return std::nullopt;
    const AccessVariable &v = variables[dim.getPosition()];
    if (v.kind == AccessVariable::invariant)
      continue;
    if (v.kind == AccessVariable::unknown)
      return std::nullopt;
    if (v.trips && *v.trips <= 1)
      continue;
    std::optional<int64_t> step =
        llvm::checkedMul<int64_t>(std::abs(scale), v.step / divisor);
    if (!step || *step == 0)
      return std::nullopt;
    Term term{dim.getPosition(), *step, std::nullopt};
    if (v.trips)
      if (std::optional<int64_t> reach =
              llvm::checkedMul<int64_t>(*v.trips - 1, v.step))
        term.span = llvm::checkedMul<int64_t>(
            std::abs(scale), divisor == 1 ? *reach : *reach / divisor + 1);
    terms.push_back(term);
  }
  llvm::sort(terms,
             [](const Term &a, const Term &b) { return a.step < b.step; });
  int64_t reach = 0;
  SmallVector<unsigned> result;
  for (auto [i, term] : llvm::enumerate(terms)) {
    if (term.step <= reach)
      return std::nullopt;
    result.push_back(term.variable);
    if (i + 1 == terms.size())
      break;
    std::optional<int64_t> next =
        term.span ? llvm::checkedAdd<int64_t>(reach, *term.span) : std::nullopt;
    if (!next)
      return std::nullopt;
    reach = *next;
  }
  return result;
}

bool egg::isInjective(const Access &access, ArrayRef<unsigned> gridVariables,
                      SmallVectorImpl<unsigned> &missingGrid,
                      SmallVectorImpl<unsigned> &missingTile) {
  SmallVector<AffineExpr> coordinates = access.coordinates;
  joinPairs(coordinates);
  llvm::SmallDenseSet<unsigned> told;
  for (AffineExpr coordinate : coordinates)
    if (auto variables = getDistinguished(coordinate, access.variables))
      told.insert(variables->begin(), variables->end());
  for (unsigned number : gridVariables)
    if (llvm::none_of(llvm::enumerate(access.variables), [&](auto entry) {
          return entry.value().kind == AccessVariable::grid &&
                 entry.value().number == number && told.contains(entry.index());
        }))
      missingGrid.push_back(number);
  for (auto [i, v] : llvm::enumerate(access.variables))
    if (v.kind == AccessVariable::tile && (!v.trips || *v.trips > 1) &&
        !told.contains(i))
      missingTile.push_back(v.number);
  return missingGrid.empty() && missingTile.empty();
}

std::optional<CoordinateTile> egg::getCoordinateTile(const Access &access,
                                                     unsigned coordinate) {
  SmallVector<AffineExpr> parts;
  getTerms(simplifyAffineExpr(access.coordinates[coordinate],
                              access.variables.size(), 0),
           parts);
  CoordinateTile result;
  result.size = 1;
  for (AffineExpr part : parts) {
    if (auto constant = dyn_cast<AffineConstantExpr>(part)) {
      result.base += constant.getValue();
      continue;
    }
    auto [inner, scale] = getScaled(part);
    // A floordiv by the step counts tiles.
    int64_t divisor = 1;
    if (inner.getKind() == AffineExprKind::FloorDiv) {
      auto quotient = cast<AffineBinaryOpExpr>(inner);
      auto by = dyn_cast<AffineConstantExpr>(quotient.getRHS());
      if (!by || by.getValue() <= 0)
        return std::nullopt;
      divisor = by.getValue();
      inner = quotient.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(inner);
    if (!dim)
      return std::nullopt;
    const AccessVariable &v = access.variables[dim.getPosition()];
    if (v.kind == AccessVariable::tile && scale == 1 && divisor == 1) {
      result.size = v.trips;
      continue;
    }
    if (v.kind != AccessVariable::grid || result.gridVariable >= 0 ||
        v.start != 0 || v.step % divisor != 0)
      return std::nullopt;
    result.gridVariable = v.number;
    result.scale = scale * (v.step / divisor);
  }
  return result;
}
