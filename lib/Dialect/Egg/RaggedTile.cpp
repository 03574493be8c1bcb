//===- RaggedTile.cpp - which elements of a hull exist ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/RaggedTile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cassert>

using namespace egg;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool isInside(const LinearLayout &layout, ArrayRef<int64_t> shape,
                     uint64_t flatOut) {
  for (auto [coord, extent] : llvm::zip(layout.unflattenOut(flatOut), shape))
    if (int64_t(coord) >= extent)
      return false;
  return true;
}

bool egg::elementExists(const LinearLayout &layout, ArrayRef<int64_t> shape,
                        uint64_t flatIn) {
  assert(shape.size() == layout.getOuts().size() && "one extent a dimension");
  return isInside(layout, shape, layout.applyFlat(flatIn));
}

/// The flat output bits that decide whether an element exists. With an extent
/// of m * 2^t, m odd, x is inside exactly when x >> t is below m: the bits from
/// t up decide, and each of them does for some x.
static uint64_t decidingBits(const LinearLayout &layout,
                             ArrayRef<int64_t> shape) {
  uint64_t mask = 0;
  for (auto [out, extent] : llvm::zip(layout.getOuts(), shape)) {
    uint64_t size = uint64_t(1) << out.bits;
    if (extent <= 0) // Nothing exists, and nothing decides it.
      return 0;
    if (uint64_t(extent) >= size)
      continue;
    uint64_t above = (size - 1) & ~((uint64_t(extent) & -uint64_t(extent)) - 1);
    mask |= above << layout.getOutShift(out.name);
  }
  return mask;
}

Raggedness egg::getRaggedness(const LinearLayout &layout,
                              ArrayRef<int64_t> shape) {
  assert(shape.size() == layout.getOuts().size() && "one extent a dimension");
  uint64_t mask = decidingBits(layout, shape);
  Raggedness result;
  for (const LinearLayout::InDim &in : layout.getIns()) {
    bool decides = llvm::any_of(
        in.bases, [&](uint64_t basis) { return (basis & mask) != 0; });
    if (in.name == kRegister)
      result.registers |= decides;
    else if (in.name == kLane)
      result.lanes |= decides;
    else if (in.name == kWarp)
      result.warps |= decides;
    else
      result.blocks |= decides;
  }
  return result;
}

SmallVector<RegisterState> egg::getRegisterStates(const LinearLayout &layout,
                                                  ArrayRef<int64_t> shape) {
  assert(shape.size() == layout.getOuts().size() && "one extent a dimension");
  // Threads that differ in nothing that decides need not be looked at twice.
  uint64_t mask = decidingBits(layout, shape);
  SmallVector<uint64_t> threads{0};
  for (const LinearLayout::InDim &in : layout.getIns()) {
    if (in.name == kRegister)
      continue;
    for (uint64_t basis : in.bases) {
      if ((basis & mask) == 0 && mask != 0)
        continue;
      if (mask == 0)
        break;
      for (size_t i = 0, e = threads.size(); i < e; ++i)
        threads.push_back(threads[i] ^ basis);
    }
  }
  uint64_t registers = uint64_t(1) << layout.getInBits(kRegister);
  unsigned shift = layout.getInShift(kRegister);
  SmallVector<RegisterState> states;
  for (uint64_t r = 0; r < registers; ++r) {
    uint64_t own = layout.applyFlat(r << shift);
    bool some = false, all = true;
    for (uint64_t thread : threads) {
      bool inside = isInside(layout, shape, own ^ thread);
      some |= inside;
      all &= inside;
    }
    states.push_back(
        all ? RegisterState::always
            : (some ? RegisterState::sometimes : RegisterState::never));
  }
  return states;
}
