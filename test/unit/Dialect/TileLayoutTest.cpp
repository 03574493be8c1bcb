//===- TileLayoutTest.cpp - tiles, conversions, fragments -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "egg/Dialect/Egg/RaggedTile.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <set>

using namespace egg;
using namespace egg::test;

static uint64_t inSize(const LinearLayout &l) {
  return uint64_t(1) << l.getInBits();
}

TEST(TileLayout, TransposeSliceExpandReshape) {
  std::mt19937 rng(3);
  for (int i = 0; i < 100; ++i) {
    LinearLayout l = randomLayout(rng, 3, 2, 2);
    LinearLayout t = transposeTile(l, {2, 0, 1});
    LinearLayout s = sliceTile(l, 1);
    LinearLayout e = expandTile(l, 1);
    unsigned bits = l.getOutBits();
    LinearLayout r = reshapeTile(l, {bits / 2, bits - bits / 2});
    for (uint64_t in = 0; in < inSize(l); ++in) {
      llvm::SmallVector<uint64_t> c = l.apply(l.unflattenIn(in));
      using V = llvm::SmallVector<uint64_t>;
      ASSERT_EQ(t.apply(t.unflattenIn(in)), (V{c[2], c[0], c[1]}));
      ASSERT_EQ(s.apply(s.unflattenIn(in)), (V{c[0], c[2]}));
      ASSERT_EQ(e.apply(e.unflattenIn(in)), (V{c[0], 0, c[1], c[2]}));
      ASSERT_EQ(r.applyFlat(in), l.applyFlat(in));
    }
    EXPECT_EQ(s.getOuts()[1].name, "dim1");
  }
}

/// The largest power of two of registers that hold consecutive elements along
/// dimension d, in every thread and from an aligned start, by enumeration.
static uint64_t bruteContiguous(const LinearLayout &l, unsigned d) {
  uint64_t best = 1;
  for (uint64_t v = 2; v <= uint64_t(1) << l.getInBits(kRegister); v *= 2) {
    for (uint64_t in = 0; in < inSize(l); in += v) {
      llvm::SmallVector<uint64_t> first = l.apply(l.unflattenIn(in));
      if (first[d] % v != 0)
        return best;
      for (uint64_t k = 1; k < v; ++k) {
        llvm::SmallVector<uint64_t> expected = first;
        expected[d] += k;
        if (l.apply(l.unflattenIn(in + k)) != expected)
          return best;
      }
    }
    best = v;
  }
  return best;
}

TEST(TileLayout, ContiguousElements) {
  std::mt19937 rng(5);
  std::vector<LinearLayout> layouts;
  for (const LinearLayout &l : structuredLayouts())
    layouts.push_back(l);
  for (int i = 0; i < 300; ++i)
    layouts.push_back(randomLayout(rng, 2, 2, 3));
  // A row layout whose lanes are disturbed in low bits.
  layouts.push_back(
      LinearLayout({{"lane", {4, 9}}, {"register", {1, 2}}}, {{"dim0", 4}}));
  unsigned wide = 0;
  for (const LinearLayout &l : layouts)
    for (unsigned d = 0; d < l.getOuts().size(); ++d) {
      uint64_t brute = bruteContiguous(l, d);
      EXPECT_EQ(contiguousElements(l, d), brute) << l.str() << " along " << d;
      wide += brute > 1;
    }
  EXPECT_GT(wide, 10u);
}

TEST(TileLayout, VectorBytes) {
  LinearLayout l = rowLayout({4, 1024}, 3, 2);
  EXPECT_EQ(vectorBytes(l, 1, 16, 1024, 1024), 16u);
  EXPECT_EQ(vectorBytes(l, 1, 32, 1024, 1024), 16u);
  EXPECT_EQ(vectorBytes(l, 1, 32, 1024, 1024, 8), 8u);
  // Rows of 4095 floats start at odd places; rows of 1002 at even ones.
  EXPECT_EQ(vectorBytes(l, 1, 32, 1024, 4095), 4u);
  EXPECT_EQ(vectorBytes(l, 1, 32, 1002, 1024), 8u);
  EXPECT_EQ(vectorBytes(l, 1, 8, 1024, 1024), 8u);
  EXPECT_EQ(vectorBytes(l, 1, 1, 1024, 1024), 0u);
  EXPECT_EQ(vectorBytes(l, 1, 32, 0, 1024), 4u);
  EXPECT_EQ(vectorBytes(l, 0, 32, 4, 4), 4u);
}

/// The cheapest conversion by looking for each element of each place of `to`.
static Conversion bruteConversion(const LinearLayout &from,
                                  const LinearLayout &to) {
  Conversion worst = Conversion::none;
  if (from.getInBits(kRegister) != to.getInBits(kRegister))
    worst = Conversion::registers;
  for (uint64_t in = 0; in < inSize(to); ++in) {
    llvm::SmallVector<uint64_t> want = to.unflattenIn(in);
    Conversion best = Conversion::impossible;
    for (uint64_t place = 0; place < inSize(from); ++place) {
      if (from.applyFlat(place) != to.applyFlat(in))
        continue;
      llvm::SmallVector<uint64_t> have = from.unflattenIn(place);
      Conversion kind = Conversion::none;
      if (have[0] != want[0])
        kind = Conversion::blocks;
      else if (have[1] != want[1])
        kind = Conversion::shared;
      else if (have[2] != want[2])
        kind = Conversion::lanes;
      else if (have[3] != want[3])
        kind = Conversion::registers;
      best = std::min(best, kind);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

TEST(TileLayout, ConversionsAreTheCheapestThatSuffice) {
  std::mt19937 rng(17);
  std::set<Conversion> seen;
  for (int i = 0; i < 4000; ++i) {
    LinearLayout from = randomLayout(rng, 1, 2, 3);
    llvm::SmallVector<LinearLayout::InDim> ins;
    for (const LinearLayout::InDim &dim : from.getIns()) {
      LinearLayout::InDim other{dim.name, {}};
      unsigned bits =
          dim.name == kRegister ? rng() % 3 : unsigned(dim.bases.size());
      for (unsigned b = 0; b < bits; ++b)
        // Often the same basis, or one that registers make up.
        if (b < dim.bases.size() && rng() % 3)
          other.bases.push_back(dim.bases[b] ^
                                (rng() % 2 ? from.getBasis(kRegister, 0) : 0));
        else
          other.bases.push_back(rng() &
                                ((uint64_t(1) << from.getOutBits()) - 1));
      ins.push_back(other);
    }
    LinearLayout to(ins, from.getOuts());
    Conversion kind = classifyConversion(from, to);
    ASSERT_EQ(stringify(kind).str(), stringify(bruteConversion(from, to)).str())
        << from.str() << " to " << to.str();
    seen.insert(kind);
    std::optional<LinearLayout> map = conversionMap(from, to);
    ASSERT_EQ(map.has_value(), kind != Conversion::impossible);
    for (uint64_t in = 0; map && in < inSize(to); ++in)
      ASSERT_EQ(from.applyFlat(map->applyFlat(in)), to.applyFlat(in));
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(TileLayout, ConversionsOfKernels) {
  // The accumulator of one product is the A operand of the next: registers
  // alone, as flash attention needs. Two m16n8 tiles make one k16.
  LinearLayout c =
      mmaFragmentC().product(LinearLayout::strided(kRegister, "dim1", 1, 0));
  EXPECT_EQ(classifyConversion(c, mmaFragmentA()), Conversion::none);
  LinearLayout rows = rowLayout({64, 64}, 2, 2);
  LinearLayout cols = transposeTile(rows, {1, 0});
  EXPECT_EQ(classifyConversion(rows, cols), Conversion::shared);
  EXPECT_EQ(classifyConversion(rows, rows), Conversion::none);
  // Another number of warps cannot be bridged.
  EXPECT_EQ(classifyConversion(rows, rowLayout({64, 64}, 2, 1)),
            Conversion::impossible);
  // A reduction over lanes leaves copies behind: nothing to move.
  LinearLayout s = sliceTile(rows, 1);
  EXPECT_EQ(classifyConversion(s.dropFreeBits(kRegister), s),
            Conversion::registers);
  EXPECT_EQ(s.getFreeBits(kLane), 15u);
}

TEST(RaggedTile, ExistenceAgainstEnumeration) {
  std::vector<std::pair<LinearLayout, llvm::SmallVector<int64_t>>> cases;
  auto add = [&](LinearLayout l, llvm::SmallVector<int64_t> shape) {
    cases.push_back({l, shape});
  };
  add(rowLayout({4, 1000}, 2, 1), {4, 1000});
  add(rowLayout({8, 96}, 2, 0), {8, 96});
  add(rowLayout({7, 7}, 0, 0), {7, 7});
  add(rowLayout({3, 5, 9}, 1, 1), {3, 5, 9});
  add(wgmmaFragmentC(192), {64, 192});
  add(wgmmaFragmentC(80), {64, 80});
  add(rowLayout({64}, 1, 0), {0});
  add(rowLayout({64}, 1, 0), {64});
  add(LayoutBuilder({32, 7, 7})
          .take(kLane, 0, 5)
          .restToRegisters({2, 1, 0})
          .build(),
      {32, 7, 7});
  std::mt19937 rng(23);
  while (cases.size() < 300) {
    LinearLayout l = randomLayout(rng, 2, 2, 3);
    llvm::SmallVector<int64_t> shape;
    for (const LinearLayout::OutDim &out : l.getOuts())
      shape.push_back(rng() % ((1 << out.bits) + 1));
    cases.push_back({l, shape});
  }
  for (auto &[l, shape] : cases) {
    // Existence element by element, then what it depends on: dimension k
    // decides if changing it alone changes existence somewhere.
    std::map<std::string, bool> decides;
    llvm::SmallVector<bool> all, some;
    all.resize(uint64_t(1) << l.getInBits(kRegister), true);
    some.resize(all.size(), false);
    for (uint64_t in = 0; in < inSize(l); ++in) {
      bool inside = true;
      for (auto [c, e] : llvm::zip(l.apply(l.unflattenIn(in)), shape))
        inside &= int64_t(c) < e;
      ASSERT_EQ(elementExists(l, shape, in), inside);
      uint64_t reg = in & (all.size() - 1);
      all[reg] = all[reg] && inside;
      some[reg] = some[reg] || inside;
      for (const LinearLayout::InDim &dim : l.getIns())
        for (unsigned b = 0; b < dim.bases.size(); ++b)
          if (elementExists(
                  l, shape,
                  in ^ (uint64_t(1) << (l.getInShift(dim.name) + b))) != inside)
            decides[dim.name] = true;
    }
    Raggedness r = getRaggedness(l, shape);
    bool exact = l.isSurjective();
    auto check = [&](bool said, llvm::StringRef name) {
      if (exact)
        EXPECT_EQ(said, decides[name.str()]) << l.str() << " " << name.str();
      else
        EXPECT_TRUE(said || !decides[name.str()]) << l.str();
    };
    check(r.registers, kRegister);
    check(r.lanes, kLane);
    check(r.warps, kWarp);
    check(r.blocks, kBlock);
    llvm::SmallVector<RegisterState> states = getRegisterStates(l, shape);
    ASSERT_EQ(states.size(), all.size());
    for (auto [reg, state] : llvm::enumerate(states))
      ASSERT_EQ(int(state), int(all[reg]    ? RegisterState::always
                                : some[reg] ? RegisterState::sometimes
                                            : RegisterState::never))
          << l.str();
  }
}

TEST(RaggedTile, KernelsThatNeedNoPredicate) {
  // 7x7 in one thread, head dimension 80 and 96, wgmma with n = 192.
  LinearLayout bmm = LayoutBuilder({128, 7, 7})
                         .take(kLane, 0, 5)
                         .take(kWarp, 0, 2)
                         .restToRegisters({2, 1, 0})
                         .build();
  EXPECT_TRUE(getRaggedness(bmm, {128, 7, 7}).isStatic());
  EXPECT_EQ(
      llvm::count(getRegisterStates(bmm, {128, 7, 7}), RegisterState::always),
      49);
  for (unsigned n : {80u, 96u, 192u}) {
    LinearLayout c = wgmmaFragmentC(n);
    EXPECT_TRUE(getRaggedness(c, {64, n}).isStatic());
    llvm::SmallVector<RegisterState> states = getRegisterStates(c, {64, n});
    // The lowest n / 2 registers exist, the rest never do.
    for (auto [reg, state] : llvm::enumerate(states))
      EXPECT_EQ(int(state), int(reg < n / 2 ? RegisterState::always
                                            : RegisterState::never));
  }
  // 1000 columns: all registers but those of the highest bit are full.
  LinearLayout row = rowLayout({4, 1000}, 2, 0);
  llvm::SmallVector<RegisterState> states = getRegisterStates(row, {4, 1000});
  EXPECT_TRUE(llvm::all_of(
      llvm::ArrayRef<RegisterState>(states).take_front(states.size() / 2),
      [](RegisterState s) { return s == RegisterState::always; }));
  EXPECT_FALSE(getRaggedness(row, {4, 1000}).isStatic());
}

TEST(Fragments, AgainstThePtxManual) {
  using V = llvm::SmallVector<uint64_t>;
  for (uint64_t lane = 0; lane < 32; ++lane) {
    uint64_t group = lane / 4, t = lane % 4;
    for (uint64_t i = 0; i < 8; ++i) {
      // PTX ISA, mma.m16n8k16, A: row = group (+8), col = t*2 + (i&1) (+8).
      uint64_t row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
      uint64_t col = t * 2 + (i & 1) + (i < 4 ? 0 : 8);
      EXPECT_EQ(mmaFragmentA().apply({0, 0, lane, i}), (V{row, col}));
    }
    for (uint64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(mmaFragmentB().apply({0, 0, lane, i}),
                (V{t * 2 + (i & 1) + (i < 2 ? 0 : 8), group}));
      EXPECT_EQ(mmaFragmentC().apply({0, 0, lane, i}),
                (V{i < 2 ? group : group + 8, t * 2 + (i & 1)}));
    }
    for (uint64_t warp = 0; warp < 4; ++warp) {
      for (uint64_t i = 0; i < 8; ++i) {
        uint64_t row = 16 * warp + group + (i % 4 < 2 ? 0 : 8);
        EXPECT_EQ(wgmmaFragmentA().apply({0, warp, lane, i}),
                  (V{row, t * 2 + (i & 1) + (i < 4 ? 0 : 8)}));
      }
      // d[i]: 4 registers a core column: (i / 4) * 8 + t * 2 + (i & 1).
      for (uint64_t i = 0; i < 96; ++i)
        EXPECT_EQ(wgmmaFragmentC(192).apply({0, warp, lane, i}),
                  (V{16 * warp + group + ((i / 2) % 2) * 8,
                     (i / 4) * 8 + t * 2 + (i & 1)}));
    }
  }
  // Two warp groups stack along M.
  EXPECT_EQ(wgmmaTileC(8, 256).apply({0, 4, 0, 0}), (V{64, 0}));
  for (const LinearLayout &l : {mmaFragmentA(), mmaFragmentB(), mmaFragmentC(),
                                wgmmaFragmentA(), wgmmaTileC(8, 256)})
    EXPECT_TRUE(l.isInvertible());
}

TEST(LayoutBuilder, CoversEveryShapeOnce) {
  std::mt19937 rng(29);
  for (int i = 0; i < 200; ++i) {
    llvm::SmallVector<int64_t> shape;
    for (unsigned d = 0; d < 1 + rng() % 3; ++d)
      shape.push_back(1 + rng() % 40);
    LinearLayout l = rowLayout(shape, rng() % 4, rng() % 4);
    EXPECT_TRUE(l.isSurjective()) << l.str();
    EXPECT_EQ(l.getInBits(kLane), 5u);
    // No register is wasted on a copy.
    EXPECT_EQ(l.getFreeBits(kRegister), 0u);
    llvm::SmallVector<unsigned> bits, order;
    for (unsigned d = 0; d < shape.size(); ++d) {
      bits.push_back(rng() % 3);
      order.push_back(d);
    }
    LinearLayout b = blockedLayout(shape, bits, bits, bits, order);
    EXPECT_TRUE(b.isSurjective());
    EXPECT_EQ(b.getInBits(kLane), b.getInBits(kWarp));
  }
}
