//===- LayoutBuilder.cpp - layouts from shapes ------------------*- C++ -*-===//
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

static constexpr llvm::StringLiteral hardware[] = {kBlock, kWarp, kLane,
                                                   kRegister};

static unsigned hardwareIndex(StringRef name) {
  for (auto [i, known] : llvm::enumerate(hardware))
    if (known == name)
      return i;
  assert(false && "block, warp, lane or register");
  return 3;
}

LayoutBuilder::LayoutBuilder(ArrayRef<int64_t> shape)
    : shape(shape), next(shape.size(), 0) {
  for (int64_t extent : shape)
    hull.push_back(hullBits(extent));
}

LayoutBuilder &LayoutBuilder::takeUpTo(StringRef in, unsigned d, unsigned bits,
                                       unsigned *taken) {
  for (; bits > 0 && getLeft(d) > 0; --bits) {
    assigned[hardwareIndex(in)].push_back({int(d), next[d]++});
    if (taken)
      ++*taken;
  }
  return *this;
}

LayoutBuilder &LayoutBuilder::copies(StringRef in, unsigned bits) {
  assigned[hardwareIndex(in)].append(bits, {-1, 0});
  return *this;
}

LayoutBuilder &LayoutBuilder::take(StringRef in, unsigned d, unsigned bits) {
  unsigned taken = 0;
  takeUpTo(in, d, bits, &taken);
  return copies(in, bits - taken);
}

LayoutBuilder &LayoutBuilder::restToRegisters(ArrayRef<unsigned> order) {
  for (bool ragged : {false, true})
    for (unsigned d : order)
      if ((shape[d] > 0 && llvm::has_single_bit(uint64_t(shape[d]))) != ragged)
        takeUpTo(kRegister, d, getLeft(d));
  return *this;
}

LinearLayout LayoutBuilder::build() const {
  SmallVector<LinearLayout::OutDim> outs;
  SmallVector<unsigned> shift(hull.size(), 0);
  unsigned total = 0;
  for (unsigned d = hull.size(); d-- > 0;) {
    shift[d] = total;
    total += hull[d];
  }
  for (auto [d, bits] : llvm::enumerate(hull))
    outs.push_back({tileDimName(d), bits});
  SmallVector<LinearLayout::InDim> ins;
  for (auto [i, name] : llvm::enumerate(hardware)) {
    LinearLayout::InDim dim{name.str(), {}};
    for (auto [d, bit] : assigned[i])
      dim.bases.push_back(d < 0 ? 0 : uint64_t(1) << (shift[d] + bit));
    ins.push_back(dim);
  }
  return LinearLayout(ins, outs);
}

static SmallVector<unsigned> fastestFirst(size_t rank) {
  SmallVector<unsigned> order;
  for (unsigned d = rank; d-- > 0;)
    order.push_back(d);
  return order;
}

LinearLayout egg::rowLayout(ArrayRef<int64_t> shape, unsigned vectorBits,
                            unsigned warpBits, unsigned laneBits) {
  LayoutBuilder builder(shape);
  SmallVector<unsigned> order = fastestFirst(shape.size());
  if (!order.empty())
    builder.takeUpTo(kRegister, order.front(), vectorBits);
  auto spread = [&](StringRef in, unsigned bits) {
    unsigned taken = 0;
    for (unsigned d : order)
      builder.takeUpTo(in, d, bits - taken, &taken);
    builder.copies(in, bits - taken);
  };
  spread(kLane, laneBits);
  spread(kWarp, warpBits);
  return builder.restToRegisters(order).build();
}

LinearLayout egg::blockedLayout(ArrayRef<int64_t> shape,
                                ArrayRef<unsigned> registerBits,
                                ArrayRef<unsigned> laneBits,
                                ArrayRef<unsigned> warpBits,
                                ArrayRef<unsigned> order) {
  LayoutBuilder builder(shape);
  // Registers that a small tile cannot fill are left out; lanes and warps are
  // there in any case and hold copies.
  for (unsigned d : order)
    builder.takeUpTo(kRegister, d, registerBits[d]);
  for (unsigned d : order)
    builder.take(kLane, d, laneBits[d]);
  for (unsigned d : order)
    builder.take(kWarp, d, warpBits[d]);
  return builder.restToRegisters(order).build();
}
