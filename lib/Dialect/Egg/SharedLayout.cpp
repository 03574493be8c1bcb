//===- SharedLayout.cpp - tiles in shared memory ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/SharedLayout.h"
#include "egg/Dialect/Egg/RaggedTile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>
#include <array>
#include <cassert>

using namespace egg;
using llvm::ArrayRef;
using llvm::SmallVector;

std::optional<Swizzle> Swizzle::forBytes(int64_t bytes) {
  switch (bytes) {
  case 0:
    return Swizzle{0, 4, 3};
  case 32:
    return Swizzle{1, 4, 3};
  case 64:
    return Swizzle{2, 4, 3};
  case 128:
    return Swizzle{3, 4, 3};
  default:
    return std::nullopt;
  }
}

SharedLayout SharedLayout::dense(ArrayRef<int64_t> shape,
                                 unsigned elementBytes) {
  SharedLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  layout.elementBytes = elementBytes;
  layout.pitch = shape.empty() ? 1 : shape.back();
  return layout;
}

uint64_t SharedLayout::getOffset(ArrayRef<int64_t> coords) const {
  assert(coords.size() == shape.size() && "one coordinate a dimension");
  if (coords.empty())
    return 0;
  uint64_t row = 0;
  for (auto [coord, extent] : llvm::zip(coords.drop_back(), shape))
    row = row * extent + coord;
  return swizzle.apply((row * pitch + coords.back()) * elementBytes);
}

std::optional<uint64_t> SharedLayout::getBytes() const {
  int64_t rows = 1;
  if (shape.empty())
    return elementBytes;
  for (int64_t extent : ArrayRef<int64_t>(shape).drop_back()) {
    std::optional<int64_t> product = llvm::checkedMul<int64_t>(rows, extent);
    if (!product)
      return std::nullopt;
    rows = *product;
  }
  std::optional<int64_t> elements = llvm::checkedMul<int64_t>(rows, pitch);
  std::optional<int64_t> bytes =
      elements ? llvm::checkedMul<int64_t>(*elements, elementBytes)
               : std::nullopt;
  if (!bytes)
    return std::nullopt;
  int64_t unit = swizzle.bits ? int64_t(swizzle.getAlignment()) : 1;
  std::optional<int64_t> padded = llvm::checkedAdd<int64_t>(*bytes, unit - 1);
  if (!padded)
    return std::nullopt;
  return uint64_t(*padded / unit * unit);
}

std::optional<LinearLayout> SharedLayout::asLinear() const {
  if (!llvm::has_single_bit(elementBytes) || pitch <= 0 ||
      !llvm::has_single_bit(uint64_t(pitch)))
    return std::nullopt;
  // The first extent may be ragged, and the last one if the pitch covers its
  // hull; a ragged one between them would make the next row's offset a product.
  for (auto [d, extent] : llvm::enumerate(shape))
    if (d > 0 && d + 1 < shape.size() &&
        (extent <= 0 || !llvm::has_single_bit(uint64_t(extent))))
      return std::nullopt;
  if (shape.size() > 1 && (int64_t(1) << hullBits(shape.back())) > pitch)
    return std::nullopt;

  std::optional<uint64_t> bytes = getBytes();
  if (!bytes || *bytes >> 61 != 0)
    return std::nullopt;

  SmallVector<LinearLayout::InDim> ins(shape.size());
  unsigned stride = llvm::countr_zero(elementBytes), top = stride;
  for (unsigned d = shape.size(); d-- > 0;) {
    ins[d].name = tileDimName(d);
    for (unsigned bit = 0, e = hullBits(shape[d]); bit < e; ++bit)
      ins[d].bases.push_back(swizzle.apply(uint64_t(1) << (stride + bit)));
    top = stride + hullBits(shape[d]);
    stride = d + 1 == shape.size() ? stride + llvm::countr_zero(uint64_t(pitch))
                                   : top;
  }
  return LinearLayout(ins, {LinearLayout::OutDim{"offset", top}});
}

//===----------------------------------------------------------------------===//
// Bank conflicts
//===----------------------------------------------------------------------===//

static constexpr unsigned kBanks = 32, kBankBytes = 4;

/// Wavefronts of one group of lanes that the hardware serves together: the
/// most different words that one bank must deliver.
static unsigned groupWavefronts(ArrayRef<uint64_t> words) {
  std::array<SmallVector<uint64_t, 4>, kBanks> perBank;
  size_t most = 0;
  for (uint64_t word : words) {
    SmallVector<uint64_t, 4> &bank = perBank[word % kBanks];
    if (!llvm::is_contained(bank, word))
      bank.push_back(word);
    most = std::max(most, bank.size());
  }
  return most;
}

/// Wavefronts that as many different words need if they spread evenly.
static unsigned idealWavefronts(ArrayRef<uint64_t> words) {
  SmallVector<uint64_t> sorted(words);
  llvm::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return (sorted.size() + kBanks - 1) / kBanks;
}

BankConflicts egg::countBankConflicts(const LinearLayout &layout,
                                      const SharedLayout &shared,
                                      unsigned accessBytes) {
  assert(layout.getOuts().size() == shared.shape.size() && "one rank");
  unsigned elements = std::max(1u, accessBytes / shared.elementBytes);
  unsigned bytes = elements * shared.elementBytes;
  // 16-byte accesses are served a quarter of a warp at a time, and so on.
  unsigned groups = std::max(1u, bytes / kBankBytes);
  uint64_t lanes = uint64_t(1) << layout.getInBits(kLane);
  uint64_t lanesAGroup = std::max<uint64_t>(1, lanes / groups);
  uint64_t registers = uint64_t(1) << layout.getInBits(kRegister);
  uint64_t warps = uint64_t(1) << layout.getInBits(kWarp);
  BankConflicts result;
  for (uint64_t warp = 0; warp < warps; ++warp)
    for (uint64_t reg = 0; reg < registers; reg += elements)
      for (uint64_t first = 0; first < lanes; first += lanesAGroup) {
        SmallVector<uint64_t> words;
        for (uint64_t lane = first; lane < first + lanesAGroup; ++lane) {
          uint64_t in = (warp << layout.getInShift(kWarp)) |
                        (lane << layout.getInShift(kLane)) |
                        (reg << layout.getInShift(kRegister));
          if (!elementExists(layout, shared.shape, in))
            continue;
          SmallVector<int64_t> coords;
          for (uint64_t coord : layout.unflattenOut(layout.applyFlat(in)))
            coords.push_back(coord);
          uint64_t offset = shared.getOffset(coords);
          for (unsigned b = 0; b < std::max(bytes, 1u); b += kBankBytes)
            words.push_back((offset + b) / kBankBytes);
        }
        if (words.empty())
          continue;
        result.wavefronts += groupWavefronts(words);
        result.ideal += idealWavefronts(words);
      }
  return result;
}

unsigned egg::sharedAccessBytes(const LinearLayout &layout,
                                const SharedLayout &shared) {
  if (shared.shape.empty())
    return shared.elementBytes;
  unsigned bytes =
      vectorBytes(layout, shared.shape.size() - 1, shared.elementBytes * 8,
                  shared.shape.back(), shared.pitch);
  // A swizzle moves units of 2^base bytes as wholes.
  if (shared.swizzle.bits != 0)
    while (bytes > (1u << shared.swizzle.base) && bytes > shared.elementBytes)
      bytes /= 2;
  return bytes;
}

SharedLayout egg::chooseSharedLayout(ArrayRef<int64_t> shape,
                                     unsigned elementBytes,
                                     ArrayRef<LinearLayout> layouts,
                                     bool allowPitch) {
  SharedLayout best = SharedLayout::dense(shape, elementBytes);
  auto cost = [&](const SharedLayout &candidate) {
    uint64_t wavefronts = 0;
    for (const LinearLayout &layout : layouts)
      wavefronts += countBankConflicts(layout, candidate,
                                       sharedAccessBytes(layout, candidate))
                        .wavefronts;
    return wavefronts;
  };
  auto size = [](const SharedLayout &candidate) {
    return candidate.getBytes().value_or(UINT64_MAX);
  };
  uint64_t bestCost = cost(best);
  auto consider = [&](const SharedLayout &candidate) {
    uint64_t candidateCost = cost(candidate);
    if (candidateCost > bestCost ||
        (candidateCost == bestCost && size(candidate) >= size(best)))
      return;
    best = candidate;
    bestCost = candidateCost;
  };
  SharedLayout dense = best;
  // A row of 128 bytes is swizzled by (3, 4, 3); longer rows bring their bits
  // from further up, and narrower accesses move smaller units.
  if (shape.size() >= 2 && shape.back() > 0 &&
      llvm::has_single_bit(uint64_t(shape.back())) &&
      llvm::has_single_bit(elementBytes)) {
    unsigned rowBits = llvm::countr_zero(uint64_t(shape.back()) * elementBytes);
    for (unsigned base = 4 + 1; base-- > 2;)
      for (unsigned bits = 1; bits <= 5 && base + bits <= 7; ++bits) {
        SharedLayout candidate = dense;
        candidate.swizzle = {bits, base, std::max(7u, rowBits) - base};
        consider(candidate);
      }
  }
  if (allowPitch && shape.size() >= 2)
    for (unsigned bytes = elementBytes; bytes <= 16; bytes += elementBytes) {
      SharedLayout candidate = dense;
      candidate.pitch += bytes / elementBytes;
      consider(candidate);
    }
  return best;
}
