//===- LinearLayout.cpp - linear maps over GF(2) ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cassert>

using namespace egg;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

std::string egg::tileDimName(unsigned d) { return "dim" + std::to_string(d); }

unsigned egg::hullBits(int64_t extent) {
  unsigned bits = 0;
  while (bits < 62 && (int64_t(1) << bits) < extent)
    ++bits;
  return bits;
}

namespace {

/// A set of independent vectors with distinct highest bits, each with the
/// combination of columns that makes it. A vector in the span of the first k
/// columns is solved with those columns alone: its highest bit is that of one
/// of their vectors, and stays so as it is reduced.
struct Echelon {
  struct Row {
    uint64_t vector, combination;
  };
  SmallVector<Row, 8> rows;

  /// Reduces `vector` in place; `combination` collects what was added.
  void reduce(uint64_t &vector, uint64_t &combination) const {
    bool changed = true;
    while (vector != 0 && changed) {
      changed = false;
      for (const Row &row : rows) {
        if (llvm::countl_zero(row.vector) != llvm::countl_zero(vector))
          continue;
        vector ^= row.vector;
        combination ^= row.combination;
        changed = true;
        break;
      }
    }
  }

  /// Adds a column. If it depends on those before, returns the combination
  /// (with the column itself) that is zero.
  std::optional<uint64_t> add(uint64_t vector, uint64_t combination) {
    reduce(vector, combination);
    if (vector == 0)
      return combination;
    rows.push_back({vector, combination});
    return std::nullopt;
  }

  std::optional<uint64_t> solve(uint64_t vector) const {
    uint64_t combination = 0;
    reduce(vector, combination);
    if (vector != 0)
      return std::nullopt;
    return combination;
  }
};

Echelon echelonOf(ArrayRef<uint64_t> columns) {
  Echelon echelon;
  for (auto [i, column] : llvm::enumerate(columns))
    echelon.add(column, uint64_t(1) << i);
  return echelon;
}

uint64_t lowMask(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

} // namespace

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

std::optional<std::string> LinearLayout::verify(ArrayRef<InDim> ins,
                                                ArrayRef<OutDim> outs) {
  uint64_t outBits = 0, inBits = 0;
  for (auto [i, out] : llvm::enumerate(outs)) {
    outBits += out.bits;
    for (const OutDim &other : outs.take_front(i))
      if (other.name == out.name)
        return "output dimension '" + out.name + "' is named twice";
  }
  if (outBits > 63)
    return "the outputs have " + std::to_string(outBits) +
           " bits together; a layout has at most 63";
  for (auto [i, in] : llvm::enumerate(ins)) {
    inBits += in.bases.size();
    for (const InDim &other : ins.take_front(i))
      if (other.name == in.name)
        return "input dimension '" + in.name + "' is named twice";
    for (auto [bit, basis] : llvm::enumerate(in.bases))
      if ((basis & ~lowMask(outBits)) != 0)
        return "bit " + std::to_string(bit) + " of '" + in.name + "' goes to " +
               std::to_string(basis) + ", outside the outputs' " +
               std::to_string(outBits) + " bits";
  }
  if (inBits > 63)
    return "the inputs have " + std::to_string(inBits) +
           " bits together; a layout has at most 63";
  return std::nullopt;
}

LinearLayout::LinearLayout(ArrayRef<InDim> ins, ArrayRef<OutDim> outs)
    : ins(ins), outs(outs) {
  assert(!verify(ins, outs) && "arguments of a layout must verify");
}

LinearLayout LinearLayout::identity(StringRef in, StringRef out,
                                    unsigned bits) {
  return strided(in, out, bits, 0);
}

LinearLayout LinearLayout::strided(StringRef in, StringRef out, unsigned bits,
                                   unsigned shift) {
  InDim dim{in.str(), {}};
  for (unsigned i = 0; i < bits; ++i)
    dim.bases.push_back(uint64_t(1) << (i + shift));
  return LinearLayout({dim}, {OutDim{out.str(), bits + shift}});
}

LinearLayout LinearLayout::zeros(StringRef in, unsigned bits, StringRef out,
                                 unsigned outBits) {
  InDim dim{in.str(), SmallVector<uint64_t>(bits, 0)};
  return LinearLayout({dim}, {OutDim{out.str(), outBits}});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

unsigned LinearLayout::getInBits() const {
  unsigned bits = 0;
  for (const InDim &in : ins)
    bits += in.bases.size();
  return bits;
}

unsigned LinearLayout::getOutBits() const {
  unsigned bits = 0;
  for (const OutDim &out : outs)
    bits += out.bits;
  return bits;
}

unsigned LinearLayout::getInBits(StringRef in) const {
  for (const InDim &dim : ins)
    if (dim.name == in)
      return dim.bases.size();
  return 0;
}

unsigned LinearLayout::getOutBits(StringRef out) const {
  for (const OutDim &dim : outs)
    if (dim.name == out)
      return dim.bits;
  return 0;
}

bool LinearLayout::hasIn(StringRef in) const {
  return llvm::any_of(ins, [&](const InDim &d) { return d.name == in; });
}

bool LinearLayout::hasOut(StringRef out) const {
  return llvm::any_of(outs, [&](const OutDim &d) { return d.name == out; });
}

unsigned LinearLayout::getInShift(StringRef in) const {
  unsigned shift = 0;
  for (const InDim &dim : llvm::reverse(ins)) {
    if (dim.name == in)
      return shift;
    shift += dim.bases.size();
  }
  return shift;
}

unsigned LinearLayout::getOutShift(StringRef out) const {
  unsigned shift = 0;
  for (const OutDim &dim : llvm::reverse(outs)) {
    if (dim.name == out)
      return shift;
    shift += dim.bits;
  }
  return shift;
}

uint64_t LinearLayout::getBasis(StringRef in, unsigned bit) const {
  for (const InDim &dim : ins)
    if (dim.name == in && bit < dim.bases.size())
      return dim.bases[bit];
  return 0;
}

uint64_t LinearLayout::getBasis(StringRef in, unsigned bit,
                                StringRef out) const {
  return (getBasis(in, bit) >> getOutShift(out)) & lowMask(getOutBits(out));
}

SmallVector<uint64_t> LinearLayout::getColumns() const {
  SmallVector<uint64_t> columns;
  for (const InDim &dim : llvm::reverse(ins))
    columns.append(dim.bases.begin(), dim.bases.end());
  return columns;
}

uint64_t LinearLayout::applyFlat(uint64_t in) const {
  uint64_t out = 0;
  for (const InDim &dim : llvm::reverse(ins))
    for (uint64_t basis : dim.bases) {
      if (in & 1)
        out ^= basis;
      in >>= 1;
    }
  return out;
}

SmallVector<uint64_t> LinearLayout::apply(ArrayRef<uint64_t> in) const {
  return unflattenOut(applyFlat(flattenIn(in)));
}

SmallVector<uint64_t> LinearLayout::unflattenOut(uint64_t flat) const {
  SmallVector<uint64_t> coords(outs.size());
  for (unsigned d = outs.size(); d-- > 0;) {
    coords[d] = flat & lowMask(outs[d].bits);
    flat >>= outs[d].bits;
  }
  return coords;
}

uint64_t LinearLayout::flattenOut(ArrayRef<uint64_t> coords) const {
  assert(coords.size() == outs.size() && "one number an output dimension");
  uint64_t flat = 0;
  for (auto [out, coord] : llvm::zip(outs, coords))
    flat = (flat << out.bits) | (coord & lowMask(out.bits));
  return flat;
}

SmallVector<uint64_t> LinearLayout::unflattenIn(uint64_t flat) const {
  SmallVector<uint64_t> coords(ins.size());
  for (unsigned d = ins.size(); d-- > 0;) {
    coords[d] = flat & lowMask(ins[d].bases.size());
    flat >>= ins[d].bases.size();
  }
  return coords;
}

uint64_t LinearLayout::flattenIn(ArrayRef<uint64_t> coords) const {
  assert(coords.size() == ins.size() && "one number an input dimension");
  uint64_t flat = 0;
  for (auto [in, coord] : llvm::zip(ins, coords))
    flat = (flat << in.bases.size()) | (coord & lowMask(in.bases.size()));
  return flat;
}

unsigned LinearLayout::getRank() const {
  return echelonOf(getColumns()).rows.size();
}

bool LinearLayout::isEquivalent(const LinearLayout &other) const {
  SmallVector<StringRef> inNames, outNames;
  for (const InDim &dim : ins)
    inNames.push_back(dim.name);
  for (const InDim &dim : other.ins)
    if (!hasIn(dim.name))
      inNames.push_back(dim.name);
  for (const OutDim &dim : outs)
    outNames.push_back(dim.name);
  for (const OutDim &dim : other.outs)
    if (!hasOut(dim.name))
      outNames.push_back(dim.name);
  return reorder(inNames, outNames) == other.reorder(inNames, outNames);
}

std::string LinearLayout::str() const {
  std::string text;
  for (const InDim &dim : ins) {
    text += (text.empty() ? "" : ", ") + dim.name + "=[";
    for (auto [i, basis] : llvm::enumerate(dim.bases)) {
      text += i ? ", [" : "[";
      for (auto [d, coord] : llvm::enumerate(unflattenOut(basis)))
        text += (d ? ", " : "") + std::to_string(coord);
      text += "]";
    }
    text += "]";
  }
  text += " ->";
  for (auto [d, dim] : llvm::enumerate(outs))
    text += (d ? ", " : " ") + dim.name + ": " +
            std::to_string(uint64_t(1) << dim.bits);
  return text;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::reorder(ArrayRef<StringRef> inNames,
                                   ArrayRef<StringRef> outNames) const {
  assert(llvm::all_of(ins,
                      [&](const InDim &d) {
                        return llvm::is_contained(inNames, StringRef(d.name));
                      }) &&
         llvm::all_of(outs,
                      [&](const OutDim &d) {
                        return llvm::is_contained(outNames, StringRef(d.name));
                      }) &&
         "every dimension must be named");
  SmallVector<OutDim> newOuts;
  for (StringRef name : outNames)
    newOuts.push_back({name.str(), getOutBits(name)});
  SmallVector<InDim> newIns;
  for (StringRef name : inNames) {
    InDim dim{name.str(), {}};
    for (unsigned bit = 0, e = getInBits(name); bit < e; ++bit) {
      uint64_t basis = 0;
      for (const OutDim &out : newOuts)
        basis = (basis << out.bits) | getBasis(name, bit, out.name);
      dim.bases.push_back(basis);
    }
    newIns.push_back(dim);
  }
  return LinearLayout(newIns, newOuts);
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  assert(outs.size() == outer.ins.size() && "outputs must be outer's inputs");
  SmallVector<StringRef> inNames, outNames;
  for (const InDim &dim : ins)
    inNames.push_back(dim.name);
  for (const InDim &dim : outer.ins) {
    assert(hasOut(dim.name) && getOutBits(dim.name) == dim.bases.size() &&
           "outputs must be outer's inputs");
    outNames.push_back(dim.name);
  }
  LinearLayout inner = reorder(inNames, outNames);
  for (InDim &dim : inner.ins)
    for (uint64_t &basis : dim.bases)
      basis = outer.applyFlat(basis);
  return LinearLayout(inner.ins, outer.outs);
}

LinearLayout LinearLayout::product(const LinearLayout &high) const {
  SmallVector<OutDim> newOuts(outs);
  for (OutDim &out : newOuts)
    out.bits += high.getOutBits(out.name);
  for (const OutDim &out : high.outs)
    if (!hasOut(out.name))
      newOuts.push_back(out);
  // The flat output of a basis of one factor, in the product's bits.
  auto place = [&](const LinearLayout &from, uint64_t basis, bool isHigh) {
    SmallVector<uint64_t> coords = from.unflattenOut(basis);
    uint64_t flat = 0;
    for (const OutDim &out : newOuts) {
      uint64_t coord = 0;
      for (auto [d, dim] : llvm::enumerate(from.outs))
        if (dim.name == out.name)
          coord = coords[d] << (isHigh ? getOutBits(out.name) : 0);
      flat = (flat << out.bits) | coord;
    }
    return flat;
  };
  SmallVector<InDim> newIns;
  for (const InDim &dim : ins) {
    newIns.push_back({dim.name, {}});
    for (uint64_t basis : dim.bases)
      newIns.back().bases.push_back(place(*this, basis, false));
  }
  for (const InDim &dim : high.ins) {
    auto it = llvm::find_if(newIns,
                            [&](const InDim &d) { return d.name == dim.name; });
    if (it == newIns.end()) {
      newIns.push_back({dim.name, {}});
      it = std::prev(newIns.end());
    }
    for (uint64_t basis : dim.bases)
      it->bases.push_back(place(high, basis, true));
  }
  return LinearLayout(newIns, newOuts);
}

/// The candidate quotient of `whole` by a factor: `inSkip` and `outSkip` bits
/// of each dimension are cut off, at the low end or at the high end.
static LinearLayout cutFactor(const LinearLayout &whole,
                              const LinearLayout &factor, bool lowEnd) {
  SmallVector<LinearLayout::OutDim> outs;
  for (const LinearLayout::OutDim &out : whole.getOuts())
    outs.push_back({out.name, out.bits - factor.getOutBits(out.name)});
  SmallVector<LinearLayout::InDim> ins;
  for (const LinearLayout::InDim &in : whole.getIns()) {
    LinearLayout::InDim dim{in.name, {}};
    unsigned cut = factor.getInBits(in.name);
    unsigned first = lowEnd ? cut : 0;
    unsigned last = in.bases.size() - (lowEnd ? 0 : cut);
    for (unsigned bit = first; bit < last; ++bit) {
      uint64_t flat = 0;
      for (const LinearLayout::OutDim &out : outs) {
        uint64_t coord = whole.getBasis(in.name, bit, out.name);
        if (lowEnd)
          coord >>= factor.getOutBits(out.name);
        flat = (flat << out.bits) | (coord & lowMask(out.bits));
      }
      dim.bases.push_back(flat);
    }
    ins.push_back(dim);
  }
  return LinearLayout(ins, outs);
}

static bool fits(const LinearLayout &whole, const LinearLayout &factor) {
  return llvm::all_of(factor.getIns(),
                      [&](const LinearLayout::InDim &d) {
                        return whole.getInBits(d.name) >= d.bases.size();
                      }) &&
         llvm::all_of(factor.getOuts(), [&](const LinearLayout::OutDim &d) {
           return whole.getOutBits(d.name) >= d.bits;
         });
}

std::optional<LinearLayout>
LinearLayout::divideLow(const LinearLayout &low) const {
  if (!fits(*this, low))
    return std::nullopt;
  LinearLayout q = cutFactor(*this, low, /*lowEnd=*/true);
  if (!low.product(q).isEquivalent(*this))
    return std::nullopt;
  return q;
}

std::optional<LinearLayout>
LinearLayout::divideHigh(const LinearLayout &high) const {
  if (!fits(*this, high))
    return std::nullopt;
  LinearLayout q = cutFactor(*this, high, /*lowEnd=*/false);
  if (!q.product(high).isEquivalent(*this))
    return std::nullopt;
  return q;
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (!isInvertible())
    return std::nullopt;
  return pseudoInvert();
}

LinearLayout LinearLayout::pseudoInvert() const {
  Echelon echelon = echelonOf(getColumns());
  // Reduce fully: no row keeps another row's highest bit. Then outputs are the
  // image plus the span of the other unit vectors, and those go to 0.
  llvm::sort(echelon.rows, [](const Echelon::Row &a, const Echelon::Row &b) {
    return a.vector < b.vector;
  });
  for (unsigned i = 0; i < echelon.rows.size(); ++i)
    for (unsigned j = i; j-- > 0;) {
      uint64_t pivot = uint64_t(1)
                       << (63 - llvm::countl_zero(echelon.rows[j].vector));
      if ((echelon.rows[i].vector & pivot) == 0)
        continue;
      echelon.rows[i].vector ^= echelon.rows[j].vector;
      echelon.rows[i].combination ^= echelon.rows[j].combination;
    }
  SmallVector<uint64_t> columns(getOutBits(), 0);
  for (const Echelon::Row &row : echelon.rows)
    columns[63 - llvm::countl_zero(row.vector)] = row.combination;
  SmallVector<InDim> newIns;
  for (const OutDim &out : outs) {
    InDim dim{out.name, {}};
    unsigned shift = getOutShift(out.name);
    for (unsigned bit = 0; bit < out.bits; ++bit)
      dim.bases.push_back(columns[shift + bit]);
    newIns.push_back(dim);
  }
  SmallVector<OutDim> newOuts;
  for (const InDim &in : ins)
    newOuts.push_back({in.name, unsigned(in.bases.size())});
  return LinearLayout(newIns, newOuts);
}

std::optional<uint64_t> LinearLayout::solve(uint64_t out) const {
  return echelonOf(getColumns()).solve(out);
}

SmallVector<uint64_t> LinearLayout::getKernel() const {
  Echelon echelon;
  SmallVector<uint64_t> kernel;
  for (auto [i, column] : llvm::enumerate(getColumns()))
    if (std::optional<uint64_t> zero = echelon.add(column, uint64_t(1) << i))
      kernel.push_back(*zero);
  return kernel;
}

uint64_t LinearLayout::getFreeBits() const {
  Echelon echelon;
  uint64_t free = 0;
  for (auto [i, column] : llvm::enumerate(getColumns()))
    if (echelon.add(column, uint64_t(1) << i))
      free |= uint64_t(1) << i;
  return free;
}

uint64_t LinearLayout::getFreeBits(StringRef in) const {
  return (getFreeBits() >> getInShift(in)) & lowMask(getInBits(in));
}

LinearLayout LinearLayout::dropOut(StringRef out) const {
  SmallVector<OutDim> newOuts;
  for (const OutDim &dim : outs)
    if (dim.name != out)
      newOuts.push_back(dim);
  unsigned shift = getOutShift(out), bits = getOutBits(out);
  SmallVector<InDim> newIns(ins);
  for (InDim &dim : newIns)
    for (uint64_t &basis : dim.bases)
      basis = (basis & lowMask(shift)) | ((basis >> (shift + bits)) << shift);
  return LinearLayout(newIns, newOuts);
}

LinearLayout LinearLayout::dropIn(StringRef in) const {
  SmallVector<InDim> newIns;
  for (const InDim &dim : ins)
    if (dim.name != in)
      newIns.push_back(dim);
  return LinearLayout(newIns, outs);
}

LinearLayout LinearLayout::dropFreeBits(StringRef in) const {
  uint64_t free = getFreeBits(in);
  SmallVector<InDim> newIns(ins);
  for (InDim &dim : newIns) {
    if (dim.name != in)
      continue;
    SmallVector<uint64_t> kept;
    for (auto [bit, basis] : llvm::enumerate(dim.bases))
      if (((free >> bit) & 1) == 0)
        kept.push_back(basis);
    dim.bases = kept;
  }
  return LinearLayout(newIns, outs);
}
