//===- Fragments.h - operands of tensor core instructions -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The register fragments of mma.sync m16n8k16 and wgmma m64nNk16 for 16-bit
// operands, as the PTX manual draws them ("Matrix Fragments for mma.m16n8k16",
// "Register Fragments for wgmma.mma_async.m64nNk16"), as linear layouts.
// Dimension 0 of a tile is M (A, accumulator) or K (B); the other is K or N.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_FRAGMENTS_H
#define EGG_DIALECT_EGG_FRAGMENTS_H

#include "egg/Dialect/Egg/LinearLayout.h"
#include "egg/Dialect/Egg/SharedLayout.h"

namespace egg {

/// A of mma.sync m16n8k16: [16, 16], 8 registers (elements) a lane.
LinearLayout mmaFragmentA();
/// B: [16, 8] (K, N), 4 elements a lane.
LinearLayout mmaFragmentB();
/// C and D: [16, 8], 4 elements a lane.
LinearLayout mmaFragmentC();

/// A from registers of wgmma: [64, 16], 8 elements a thread of 4 warps.
LinearLayout wgmmaFragmentA();
/// The accumulator: [64, hull of n], n a multiple of 8 from 8 to 256; n / 2
/// elements a thread exist, the lowest registers.
LinearLayout wgmmaFragmentC(unsigned n);

/// The accumulator of `warps` warps (a multiple of 4) each group of four
/// holding 64 rows: [16 * warps, hull of n].
LinearLayout wgmmaTileC(unsigned warps, unsigned n);

/// B, or A, of wgmma in shared memory, K-major: `rows` rows of exactly
/// `swizzleBytes` (32, 64 or 128) bytes of K. The first extent is rows.
std::optional<SharedLayout>
wgmmaSharedOperand(int64_t rows, unsigned swizzleBytes, unsigned elementBytes);

} // namespace egg

#endif // EGG_DIALECT_EGG_FRAGMENTS_H
