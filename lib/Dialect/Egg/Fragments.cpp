//===- Fragments.cpp - operands of tensor core instructions -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/Fragments.h"

#include <cassert>

using namespace egg;

// Every fragment is made of 8 x 8 cores: lane = 4 * row + column / 2, and the
// lowest register bit is the column's lowest bit.

LinearLayout egg::mmaFragmentA() {
  return LayoutBuilder({16, 16})
      .take(kRegister, 1, 1)
      .take(kLane, 1, 2)
      .take(kLane, 0, 3)
      .take(kRegister, 0, 1)
      .take(kRegister, 1, 1)
      .build();
}

LinearLayout egg::mmaFragmentB() {
  // The core of B is transposed: a lane holds two neighbours along K.
  return LayoutBuilder({16, 8})
      .take(kRegister, 0, 1)
      .take(kLane, 0, 2)
      .take(kLane, 1, 3)
      .take(kRegister, 0, 1)
      .build();
}

LinearLayout egg::mmaFragmentC() {
  return LayoutBuilder({16, 8})
      .take(kRegister, 1, 1)
      .take(kLane, 1, 2)
      .take(kLane, 0, 3)
      .take(kRegister, 0, 1)
      .build();
}

LinearLayout egg::wgmmaFragmentA() {
  return LayoutBuilder({64, 16})
      .take(kRegister, 1, 1)
      .take(kLane, 1, 2)
      .take(kLane, 0, 3)
      .take(kRegister, 0, 1)
      .take(kRegister, 1, 1)
      .take(kWarp, 0, 2)
      .build();
}

LinearLayout egg::wgmmaFragmentC(unsigned n) { return wgmmaTileC(4, n); }

LinearLayout egg::wgmmaTileC(unsigned warps, unsigned n) {
  assert(n % 8 == 0 && n >= 8 && n <= 256 && "n is a multiple of 8 up to 256");
  assert(warps % 4 == 0 && (warps & (warps - 1)) == 0 && "warp groups");
  LayoutBuilder builder({16 * int64_t(warps), int64_t(n)});
  builder.take(kRegister, 1, 1)
      .take(kLane, 1, 2)
      .take(kLane, 0, 3)
      .take(kRegister, 0, 1)
      .take(kWarp, 0, hullBits(warps));
  return builder.takeUpTo(kRegister, 1, builder.getLeft(1)).build();
}

std::optional<SharedLayout> egg::wgmmaSharedOperand(int64_t rows,
                                                    unsigned swizzleBytes,
                                                    unsigned elementBytes) {
  std::optional<Swizzle> swizzle = Swizzle::forBytes(swizzleBytes);
  if (!swizzle || swizzleBytes == 0 || elementBytes == 0 ||
      swizzleBytes % elementBytes != 0 || rows <= 0)
    return std::nullopt;
  SharedLayout layout = SharedLayout::dense(
      {rows, int64_t(swizzleBytes / elementBytes)}, elementBytes);
  layout.swizzle = *swizzle;
  return layout;
}
