//===- SharedLayoutTest.cpp - shared memory against enumeration -*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "egg/Dialect/Egg/SharedLayout.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <set>

using namespace egg;
using namespace egg::test;

TEST(SharedLayout, EveryElementHasItsOwnBytesInside) {
  for (llvm::SmallVector<int64_t> shape :
       {llvm::SmallVector<int64_t>{8, 64}, {5, 7, 3}, {58, 58}, {128}, {}})
    for (unsigned bytes : {1u, 2u, 4u, 8u})
      for (int64_t extra : {0, 1, 4})
        for (unsigned bits : {0u, 1u, 3u}) {
          SharedLayout l = SharedLayout::dense(shape, bytes);
          l.pitch += extra;
          l.swizzle.bits = bits;
          std::set<uint64_t> seen;
          int64_t count = 1;
          for (int64_t e : shape)
            count *= e;
          for (int64_t i = 0; i < count; ++i) {
            llvm::SmallVector<int64_t> coords(shape.size());
            int64_t rest = i;
            for (unsigned d = shape.size(); d-- > 0;) {
              coords[d] = rest % shape[d];
              rest /= shape[d];
            }
            uint64_t offset = l.getOffset(coords);
            EXPECT_EQ(offset % bytes, 0u);
            EXPECT_LE(offset + bytes, *l.getBytes());
            EXPECT_TRUE(seen.insert(offset).second);
          }
        }
}

TEST(SharedLayout, SizesAreCheckedForOverflow) {
  SharedLayout l = SharedLayout::dense({INT64_MAX / 2, 4}, 4);
  EXPECT_FALSE(l.getBytes());
  EXPECT_FALSE(l.asLinear());
  EXPECT_EQ(*SharedLayout::dense({3, 5}, 4).getBytes(), 60u);
  SharedLayout swizzled = SharedLayout::dense({3, 32}, 4);
  swizzled.swizzle = *Swizzle::forBytes(128);
  EXPECT_EQ(swizzled.swizzle.getAlignment(), 1024u);
  EXPECT_EQ(*swizzled.getBytes(), 1024u);
}

TEST(SharedLayout, Swizzles) {
  EXPECT_FALSE(Swizzle::forBytes(48));
  EXPECT_EQ(Swizzle::forBytes(0)->bits, 0u);
  // The 128-byte swizzle: the 16-byte unit is xored with the row modulo 8.
  Swizzle s = *Swizzle::forBytes(128);
  for (uint64_t row = 0; row < 16; ++row)
    for (uint64_t unit = 0; unit < 8; ++unit)
      EXPECT_EQ(s.apply(row * 128 + unit * 16),
                row * 128 + ((unit ^ (row % 8)) * 16));
  // The 64-byte one: rows of 64 bytes, xored with (row / 2) modulo 4.
  s = *Swizzle::forBytes(64);
  for (uint64_t row = 0; row < 16; ++row)
    for (uint64_t unit = 0; unit < 4; ++unit)
      EXPECT_EQ(s.apply(row * 64 + unit * 16),
                row * 64 + ((unit ^ (row / 2 % 4)) * 16));
}

TEST(SharedLayout, LinearFormAgrees) {
  struct Case {
    llvm::SmallVector<int64_t> shape;
    unsigned bytes;
    int64_t pitch;
    bool linear;
  };
  for (const Case &c :
       {Case{{16, 64}, 2, 64, true}, Case{{5, 4, 32}, 4, 32, true},
        Case{{4, 5, 32}, 4, 32, false}, Case{{16, 50}, 4, 64, true},
        Case{{16, 50}, 4, 50, false}, Case{{16, 50}, 4, 32, false},
        Case{{100}, 4, 128, true}, Case{{8, 8}, 3, 8, false}})
    for (unsigned bits : {0u, 2u, 3u}) {
      SharedLayout l = SharedLayout::dense(c.shape, c.bytes);
      l.pitch = c.pitch;
      l.swizzle.bits = bits;
      std::optional<LinearLayout> linear = l.asLinear();
      ASSERT_EQ(linear.has_value(), c.linear);
      if (!linear)
        continue;
      for (int64_t i = 0, e = int64_t(1) << linear->getInBits(); i < e; ++i) {
        llvm::SmallVector<int64_t> coords;
        for (uint64_t coord : linear->unflattenIn(i))
          coords.push_back(coord);
        EXPECT_EQ(linear->applyFlat(i), l.getOffset(coords));
      }
    }
}

/// Wavefronts counted another way: per group of lanes, words are served bank by
/// bank until none is left.
static uint64_t bruteWavefronts(const LinearLayout &layout,
                                const SharedLayout &shared, unsigned bytes) {
  unsigned elements = std::max(1u, bytes / shared.elementBytes);
  unsigned perGroup = 32 / std::max(1u, bytes / 4);
  uint64_t total = 0;
  for (uint64_t warp = 0; warp < (1u << layout.getInBits(kWarp)); ++warp)
    for (uint64_t reg = 0; reg < (1u << layout.getInBits(kRegister));
         reg += elements)
      for (unsigned group = 0; group < 32 / perGroup; ++group) {
        std::set<uint64_t> words;
        for (unsigned k = 0; k < perGroup; ++k) {
          llvm::SmallVector<int64_t> coords;
          bool inside = true;
          for (auto [coord, extent] :
               llvm::zip(layout.apply({0, warp, group * perGroup + k, reg}),
                         shared.shape)) {
            coords.push_back(coord);
            inside &= int64_t(coord) < extent;
          }
          for (unsigned b = 0; inside && b < bytes; b += 4)
            words.insert((shared.getOffset(coords) + b) / 4);
        }
        while (!words.empty()) {
          ++total;
          std::set<uint64_t> banks;
          for (auto it = words.begin(); it != words.end();)
            it =
                banks.insert(*it % 32).second ? words.erase(it) : std::next(it);
        }
      }
  return total;
}

TEST(SharedLayout, BankConflictsAgainstEnumeration) {
  for (llvm::SmallVector<int64_t> shape :
       {llvm::SmallVector<int64_t>{32, 64}, {16, 50}, {64, 32}})
    for (unsigned vector : {0u, 1u, 2u})
      for (int64_t extra : {0, 1, 4})
        for (unsigned bits : {0u, 3u})
          for (bool turned : {false, true}) {
            LinearLayout l = rowLayout(shape, vector, 1);
            if (turned)
              l = transposeTile(rowLayout({shape[1], shape[0]}, vector, 1),
                                {1, 0});
            SharedLayout s = SharedLayout::dense(shape, 4);
            s.pitch += extra;
            s.swizzle.bits = bits;
            unsigned bytes = sharedAccessBytes(l, s);
            BankConflicts c = countBankConflicts(l, s, bytes);
            EXPECT_EQ(c.wavefronts, bruteWavefronts(l, s, bytes));
            EXPECT_GE(c.wavefronts, c.ideal);
            EXPECT_GT(c.ideal, 0u);
          }
}

TEST(SharedLayout, KnownConflicts) {
  // Reading a column of a 32 x 32 tile of f32: 32-way; a pitch of 33, none.
  LinearLayout column = transposeTile(rowLayout({32, 32}, 0, 0), {1, 0});
  SharedLayout s = SharedLayout::dense({32, 32}, 4);
  EXPECT_EQ(countBankConflicts(column, s, 4).wavefronts, 32u * 32u);
  s.pitch = 33;
  EXPECT_EQ(countBankConflicts(column, s, 4).getConflicts(), 0u);
  // 16-byte accesses in a row go in four quarters of 128 bytes.
  LinearLayout row = rowLayout({8, 128}, 2, 0);
  BankConflicts c =
      countBankConflicts(row, SharedLayout::dense({8, 128}, 4), 16);
  EXPECT_EQ(c.wavefronts, 8u * 4u);
  EXPECT_EQ(c.getConflicts(), 0u);
}

TEST(SharedLayout, ChoiceIsFreeOfConflicts) {
  struct Case {
    llvm::SmallVector<int64_t> shape;
    unsigned bytes, vector;
  };
  for (const Case &c : {Case{{64, 64}, 4, 0}, Case{{32, 32}, 4, 0},
                        Case{{64, 64}, 2, 3}, Case{{64, 32}, 4, 2}}) {
    LinearLayout rows = rowLayout(c.shape, c.vector, 2);
    LinearLayout columns =
        transposeTile(rowLayout({c.shape[1], c.shape[0]}, 0, 2), {1, 0});
    SharedLayout dense = SharedLayout::dense(c.shape, c.bytes);
    EXPECT_GT(countBankConflicts(columns, dense, c.bytes).getConflicts(), 0u);
    for (bool pitch : {false, true}) {
      SharedLayout s =
          chooseSharedLayout(c.shape, c.bytes, {rows, columns}, pitch);
      BankConflicts w = countBankConflicts(rows, s, sharedAccessBytes(rows, s));
      BankConflicts r = countBankConflicts(columns, s, c.bytes);
      if (c.bytes == 4 && c.vector == 0) {
        EXPECT_EQ(w.getConflicts() + r.getConflicts(), 0u);
        // A swizzle costs no bytes.
        EXPECT_EQ(*s.getBytes(), *dense.getBytes());
      }
      EXPECT_LT(r.wavefronts,
                countBankConflicts(columns, dense, c.bytes).wavefronts);
    }
  }
  // Nothing to win: stay dense.
  SharedLayout s =
      chooseSharedLayout({64, 64}, 4, {rowLayout({64, 64}, 2, 2)}, true);
  EXPECT_EQ(s.swizzle.bits, 0u);
  EXPECT_EQ(s.pitch, 64);
}

TEST(SharedLayout, WgmmaOperand) {
  std::optional<SharedLayout> s = wgmmaSharedOperand(128, 128, 2);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->shape, (llvm::SmallVector<int64_t>{128, 64}));
  EXPECT_EQ(*s->getBytes(), 128u * 128u);
  EXPECT_FALSE(wgmmaSharedOperand(128, 0, 2));
  EXPECT_FALSE(wgmmaSharedOperand(128, 100, 2));
  EXPECT_FALSE(wgmmaSharedOperand(0, 128, 2));
}
