//===- Layouts.h - layouts for tests, good and strange ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TEST_UNIT_DIALECT_LAYOUTS_H
#define EGG_TEST_UNIT_DIALECT_LAYOUTS_H

#include "egg/Dialect/Egg/Fragments.h"
#include "egg/Dialect/Egg/LinearLayout.h"

#include <random>

namespace egg::test {

/// A random map with up to `inBits` and exactly `outBits` bits; a low `density`
/// gives many zero bases, and few bits on one side maps that are not injective
/// or not surjective.
inline LinearLayout randomLayout(std::mt19937 &rng, unsigned rank,
                                 unsigned maxIn, unsigned maxOut) {
  llvm::SmallVector<LinearLayout::OutDim> outs;
  unsigned outBits = 0;
  for (unsigned d = 0; d < rank; ++d) {
    unsigned bits = rng() % (maxOut + 1);
    outs.push_back({tileDimName(d), bits});
    outBits += bits;
  }
  llvm::SmallVector<LinearLayout::InDim> ins;
  for (llvm::StringRef name : {kBlock, kWarp, kLane, kRegister}) {
    LinearLayout::InDim dim{name.str(), {}};
    for (unsigned i = 0, e = rng() % (maxIn + 1); i < e; ++i) {
      uint64_t basis = rng() & ((uint64_t(1) << outBits) - 1);
      switch (rng() % 4) {
      case 0: // one bit
        basis = outBits ? uint64_t(1) << (rng() % outBits) : 0;
        break;
      case 1: // a copy
        basis = rng() % 3 ? basis : 0;
        break;
      default:
        break;
      }
      dim.bases.push_back(basis);
    }
    ins.push_back(dim);
  }
  return LinearLayout(ins, outs);
}

/// Layouts that kernels use, on shapes that are powers of two and not.
inline llvm::SmallVector<LinearLayout> structuredLayouts() {
  return {LinearLayout(),
          rowLayout({4, 64}, 2, 1),
          rowLayout({8, 96}, 2, 0),
          rowLayout({7, 7}, 0, 0),
          rowLayout({1}, 3, 1),
          rowLayout({3, 5, 9}, 1, 1),
          blockedLayout({16, 32}, {1, 2}, {3, 2}, {0, 1}, {1, 0}),
          blockedLayout({16, 32}, {2, 0}, {2, 3}, {1, 0}, {0, 1}),
          LayoutBuilder({128, 7, 7})
              .take(kLane, 0, 5)
              .take(kWarp, 0, 2)
              .restToRegisters({2, 1, 0})
              .build(),
          mmaFragmentA(),
          mmaFragmentB(),
          mmaFragmentC(),
          wgmmaFragmentA(),
          wgmmaFragmentC(24),
          wgmmaTileC(8, 8)};
}

} // namespace egg::test

#endif // EGG_TEST_UNIT_DIALECT_LAYOUTS_H
