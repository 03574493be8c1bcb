//===- TileLayout.cpp - layouts of tiles and conversions --------*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// `layout` with its outputs renamed to dim0, dim1, ...
static LinearLayout renumber(const LinearLayout &layout) {
  SmallVector<LinearLayout::OutDim> outs(layout.getOuts());
  for (auto [d, out] : llvm::enumerate(outs))
    out.name = tileDimName(d);
  return LinearLayout(layout.getIns(), outs);
}

static SmallVector<StringRef> inNames(const LinearLayout &layout) {
  SmallVector<StringRef> names;
  for (const LinearLayout::InDim &dim : layout.getIns())
    names.push_back(dim.name);
  return names;
}

LinearLayout egg::transposeTile(const LinearLayout &layout,
                                ArrayRef<int64_t> perm) {
  assert(perm.size() == layout.getOuts().size() && "one entry a dimension");
  SmallVector<StringRef> outNames;
  for (int64_t d : perm)
    outNames.push_back(layout.getOuts()[d].name);
  return renumber(layout.reorder(inNames(layout), outNames));
}

LinearLayout egg::sliceTile(const LinearLayout &layout, unsigned d) {
  assert(d < layout.getOuts().size() && "no such dimension");
  return renumber(layout.dropOut(layout.getOuts()[d].name));
}

LinearLayout egg::expandTile(const LinearLayout &layout, unsigned d) {
  assert(d <= layout.getOuts().size() && "no such place");
  SmallVector<LinearLayout::OutDim> outs(layout.getOuts());
  outs.insert(outs.begin() + d, {"new", 0});
  return renumber(LinearLayout(layout.getIns(), outs));
}

LinearLayout egg::reshapeTile(const LinearLayout &layout,
                              ArrayRef<unsigned> hull) {
  SmallVector<LinearLayout::OutDim> outs;
  for (auto [d, bits] : llvm::enumerate(hull))
    outs.push_back({tileDimName(d), bits});
  LinearLayout result(layout.getIns(), outs);
  assert(result.getOutBits() == layout.getOutBits() && "other number of bits");
  return result;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

uint64_t egg::contiguousElements(const LinearLayout &layout, unsigned d) {
  std::string name = tileDimName(d);
  unsigned shift = layout.getOutShift(name);
  unsigned bits = 0, most = std::min(layout.getInBits(kRegister),
                                     layout.getOutBits(name));
  while (bits < most &&
         layout.getBasis(kRegister, bits) == uint64_t(1) << (shift + bits))
    ++bits;
  // Every other bit must leave the group whole: its image keeps clear of the
  // low bits, or the group would start in its own middle.
  for (const LinearLayout::InDim &in : layout.getIns())
    for (auto [bit, basis] : llvm::enumerate(in.bases)) {
      if (in.name == kRegister && bit < bits)
        continue;
      uint64_t coord = layout.getBasis(in.name, bit, name);
      if (coord != 0)
        bits = std::min<unsigned>(bits, llvm::countr_zero(coord));
    }
  return uint64_t(1) << bits;
}

unsigned egg::vectorBytes(const LinearLayout &layout, unsigned d,
                          unsigned elementBits, int64_t extent, int64_t pitch,
                          unsigned maxBytes) {
  if (elementBits == 0 || elementBits % 8 != 0)
    return 0;
  unsigned elementBytes = elementBits / 8;
  uint64_t elements = contiguousElements(layout, d);
  if (extent <= 0 || pitch <= 0)
    elements = 1;
  while (elements > 1 &&
         (elements * elementBytes > maxBytes || extent % elements != 0 ||
          pitch % elements != 0 || !llvm::has_single_bit(elementBytes)))
    elements /= 2;
  return elements * elementBytes;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

StringRef egg::stringify(Conversion kind) {
  switch (kind) {
  case Conversion::none:
    return "none";
  case Conversion::registers:
    return "registers";
  case Conversion::lanes:
    return "lanes";
  case Conversion::shared:
    return "shared";
  case Conversion::blocks:
    return "blocks";
  case Conversion::impossible:
    return "impossible";
  }
  return "";
}

static LinearLayout canonical(const LinearLayout &layout) {
  SmallVector<StringRef> outNames;
  for (const LinearLayout::OutDim &dim : layout.getOuts())
    outNames.push_back(dim.name);
  return layout.reorder({kBlock, kWarp, kLane, kRegister}, outNames);
}

static bool isHardware(const LinearLayout &layout) {
  return llvm::all_of(layout.getIns(), [](const LinearLayout::InDim &dim) {
    return dim.name == kRegister || dim.name == kLane || dim.name == kWarp ||
           dim.name == kBlock;
  });
}

std::optional<LinearLayout> egg::conversionMap(const LinearLayout &rawFrom,
                                               const LinearLayout &rawTo) {
  if (!isHardware(rawFrom) || !isHardware(rawTo) ||
      rawFrom.getOuts() != rawTo.getOuts())
    return std::nullopt;
  LinearLayout from = canonical(rawFrom), to = canonical(rawTo);
  for (StringRef name : {kLane, kWarp, kBlock})
    if (from.getInBits(name) != to.getInBits(name))
      return std::nullopt;

  // Each input bit of `to` first stays where it is, if `from` has that bit, and
  // the difference is made up by low bits. By linearity it is enough to do so
  // for each bit.
  SmallVector<LinearLayout::InDim> ins;
  SmallVector<LinearLayout::OutDim> outs;
  for (const LinearLayout::InDim &dim : from.getIns())
    outs.push_back({dim.name, unsigned(dim.bases.size())});
  for (const LinearLayout::InDim &dim : to.getIns()) {
    LinearLayout::InDim image{dim.name, {}};
    for (auto [bit, basis] : llvm::enumerate(dim.bases)) {
      uint64_t stay = 0;
      // A register keeps its place only if it holds the very element.
      bool hasPlace =
          bit < from.getInBits(dim.name) &&
          (dim.name != kRegister || from.getBasis(dim.name, bit) == basis);
      if (hasPlace)
        stay = uint64_t(1) << (from.getInShift(dim.name) + bit);
      std::optional<uint64_t> move = from.solve(basis ^ from.applyFlat(stay));
      if (!move)
        return std::nullopt;
      image.bases.push_back(stay ^ *move);
    }
    ins.push_back(image);
  }
  return LinearLayout(ins, outs);
}

Conversion egg::classifyConversion(const LinearLayout &from,
                                   const LinearLayout &to) {
  std::optional<LinearLayout> map = conversionMap(from, to);
  if (!map)
    return Conversion::impossible;
  // Does every thread along `name` read from the same place along `name`?
  auto stays = [&](StringRef name) {
    for (const LinearLayout::InDim &in : map->getIns())
      for (unsigned bit = 0, e = in.bases.size(); bit < e; ++bit) {
        uint64_t own = in.name == name ? uint64_t(1) << bit : 0;
        if (map->getBasis(in.name, bit, name) != own)
          return false;
      }
    return true;
  };
  if (!stays(kBlock))
    return Conversion::blocks;
  if (!stays(kWarp))
    return Conversion::shared;
  if (!stays(kLane))
    return Conversion::lanes;
  bool same =
      from.getInBits(kRegister) == to.getInBits(kRegister) && stays(kRegister);
  return same ? Conversion::none : Conversion::registers;
}
