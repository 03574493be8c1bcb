//===- LinearLayoutTest.cpp - the algebra against enumeration ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace egg;
using namespace egg::test;

static uint64_t inSize(const LinearLayout &l) {
  return uint64_t(1) << l.getInBits();
}
static uint64_t outSize(const LinearLayout &l) {
  return uint64_t(1) << l.getOutBits();
}

/// Every operation is checked on these.
static std::vector<LinearLayout> allLayouts() {
  std::vector<LinearLayout> layouts;
  for (const LinearLayout &l : structuredLayouts())
    layouts.push_back(l);
  std::mt19937 rng(7);
  for (int i = 0; i < 150; ++i)
    layouts.push_back(randomLayout(rng, rng() % 4, 2, 3));
  return layouts;
}

TEST(LinearLayout, ApplyIsTheXorOfBasesInEveryCoordinate) {
  for (const LinearLayout &l : allLayouts())
    for (uint64_t in = 0; in < inSize(l); ++in) {
      llvm::SmallVector<uint64_t> ins = l.unflattenIn(in);
      EXPECT_EQ(l.flattenIn(ins), in);
      llvm::SmallVector<uint64_t> expected(l.getOuts().size(), 0);
      for (auto [dim, value] : llvm::zip(l.getIns(), ins))
        for (unsigned bit = 0; bit < dim.bases.size(); ++bit)
          if (value >> bit & 1)
            for (auto [d, out] : llvm::enumerate(l.getOuts()))
              expected[d] ^= l.getBasis(dim.name, bit, out.name);
      llvm::SmallVector<uint64_t> outs = l.apply(ins);
      ASSERT_EQ(outs, expected) << l.str();
      ASSERT_EQ(l.flattenOut(outs), l.applyFlat(in));
    }
}

TEST(LinearLayout, FlatNumbersAreRowMajor) {
  LinearLayout l({}, {{"dim0", 2}, {"dim1", 3}});
  EXPECT_EQ(l.flattenOut({1, 2}), 8u + 2u);
  LinearLayout r = rowLayout({4, 256}, 2, 2);
  // Register 3 of lane 2: elements come four a lane.
  EXPECT_EQ(r.apply({0, 0, 2, 3}), (llvm::SmallVector<uint64_t>{0, 11}));
  // The warp's bits follow the lanes', from the row's end on in rows.
  EXPECT_EQ(r.apply({0, 1, 0, 0}), (llvm::SmallVector<uint64_t>{0, 128}));
  EXPECT_EQ(r.apply({0, 2, 0, 0}), (llvm::SmallVector<uint64_t>{1, 0}));
}

TEST(LinearLayout, RankSurjectiveInjectiveAgainstTheImage) {
  bool sawNot[2] = {false, false};
  for (const LinearLayout &l : allLayouts()) {
    std::set<uint64_t> image;
    for (uint64_t in = 0; in < inSize(l); ++in)
      image.insert(l.applyFlat(in));
    EXPECT_EQ(image.size(), uint64_t(1) << l.getRank()) << l.str();
    EXPECT_EQ(l.isSurjective(), image.size() == outSize(l));
    EXPECT_EQ(l.isInjective(), image.size() == inSize(l));
    sawNot[0] |= !l.isSurjective();
    sawNot[1] |= !l.isInjective();
  }
  EXPECT_TRUE(sawNot[0] && sawNot[1]);
}

TEST(LinearLayout, SolveAndPseudoInverse) {
  for (const LinearLayout &l : allLayouts()) {
    std::set<uint64_t> image;
    for (uint64_t in = 0; in < inSize(l); ++in)
      image.insert(l.applyFlat(in));
    LinearLayout g = l.pseudoInvert();
    ASSERT_EQ(g.getInBits(), l.getOutBits());
    ASSERT_EQ(g.getOutBits(), l.getInBits());
    for (uint64_t out = 0; out < outSize(l); ++out) {
      std::optional<uint64_t> in = l.solve(out);
      ASSERT_EQ(in.has_value(), image.count(out) == 1);
      if (!in)
        continue;
      EXPECT_EQ(l.applyFlat(*in), out);
      EXPECT_EQ(l.applyFlat(g.applyFlat(out)), out) << l.str();
    }
  }
}

TEST(LinearLayout, SolvePrefersLowBits) {
  for (const LinearLayout &l : allLayouts())
    for (uint64_t in = 0; in < inSize(l); ++in) {
      uint64_t found = *l.solve(l.applyFlat(in));
      // If some answer needs only the lowest k bits, so does the one given.
      for (unsigned k = 0; k <= l.getInBits(); ++k)
        if (in < (uint64_t(1) << k)) {
          EXPECT_LT(found, uint64_t(1) << k) << l.str();
          break;
        }
    }
}

TEST(LinearLayout, InvertIsExactOnInvertibleMaps) {
  unsigned count = 0;
  for (const LinearLayout &l : allLayouts()) {
    std::optional<LinearLayout> inverse = l.invert();
    ASSERT_EQ(inverse.has_value(), l.isInvertible());
    if (!inverse)
      continue;
    ++count;
    for (uint64_t in = 0; in < inSize(l); ++in)
      EXPECT_EQ(inverse->applyFlat(l.applyFlat(in)), in);
    EXPECT_EQ(inverse->invert(), l);
  }
  EXPECT_GT(count, 5u);
}

TEST(LinearLayout, Compose) {
  std::mt19937 rng(11);
  for (const LinearLayout &l : allLayouts()) {
    llvm::SmallVector<LinearLayout::InDim> ins;
    for (const LinearLayout::OutDim &out : llvm::reverse(l.getOuts())) {
      LinearLayout::InDim dim{out.name, {}};
      for (unsigned i = 0; i < out.bits; ++i)
        dim.bases.push_back(rng() % 32);
      ins.push_back(dim);
    }
    LinearLayout outer(ins, {{"a", 2}, {"b", 3}});
    LinearLayout both = l.compose(outer);
    for (uint64_t in = 0; in < inSize(l); ++in) {
      llvm::SmallVector<uint64_t> mid = l.apply(l.unflattenIn(in));
      std::reverse(mid.begin(), mid.end()); // outer lists them backwards
      ASSERT_EQ(both.apply(both.unflattenIn(in)), outer.apply(mid)) << l.str();
    }
  }
}

TEST(LinearLayout, ProductAndDivide) {
  std::mt19937 rng(13);
  for (int i = 0; i < 200; ++i) {
    LinearLayout low = randomLayout(rng, 2, 2, 2);
    LinearLayout high = randomLayout(rng, 3, 1, 2);
    LinearLayout both = low.product(high);
    auto value = [](const LinearLayout &l, llvm::ArrayRef<uint64_t> coords,
                    llvm::StringRef name) -> uint64_t {
      for (auto [d, out] : llvm::enumerate(l.getOuts()))
        if (out.name == name)
          return coords[d];
      return 0;
    };
    for (uint64_t a = 0; a < inSize(low); ++a)
      for (uint64_t b = 0; b < inSize(high); ++b) {
        llvm::SmallVector<uint64_t> in;
        llvm::SmallVector<uint64_t> ia = low.unflattenIn(a),
                                    ib = high.unflattenIn(b);
        for (auto [d, dim] : llvm::enumerate(both.getIns()))
          in.push_back(ia[d] | ib[d] << low.getInBits(dim.name));
        llvm::SmallVector<uint64_t> oa = low.apply(ia), ob = high.apply(ib);
        llvm::SmallVector<uint64_t> out = both.apply(in);
        for (auto [d, dim] : llvm::enumerate(both.getOuts()))
          ASSERT_EQ(out[d],
                    value(low, oa, dim.name) | value(high, ob, dim.name)
                                                   << low.getOutBits(dim.name));
      }
    std::optional<LinearLayout> q = both.divideLow(low);
    ASSERT_TRUE(q);
    EXPECT_TRUE(q->isEquivalent(high)) << q->str() << " / " << high.str();
    std::optional<LinearLayout> p = both.divideHigh(high);
    ASSERT_TRUE(p);
    EXPECT_TRUE(p->isEquivalent(low));
    // Whatever divides, divides: the product gives the whole back.
    LinearLayout other = randomLayout(rng, 2, 2, 2);
    if (std::optional<LinearLayout> r = other.divideLow(low))
      EXPECT_TRUE(low.product(*r).isEquivalent(other));
    if (std::optional<LinearLayout> r = other.divideHigh(low))
      EXPECT_TRUE(r->product(low).isEquivalent(other));
  }
}

TEST(LinearLayout, DivideRefuses) {
  // A swizzled pair of bits is no product.
  LinearLayout l({{"register", {1, 3}}}, {{"dim0", 2}});
  EXPECT_FALSE(l.divideLow(LinearLayout::identity("register", "dim0", 1)));
  EXPECT_TRUE(LinearLayout::identity("register", "dim0", 2)
                  .divideLow(LinearLayout::identity("register", "dim0", 1)));
  EXPECT_FALSE(l.divideLow(LinearLayout::identity("lane", "dim0", 1)));
  EXPECT_FALSE(l.divideLow(LinearLayout::identity("register", "dim0", 3)));
}

TEST(LinearLayout, KernelAndFreeBitsCountCopies) {
  for (const LinearLayout &l : allLayouts()) {
    std::map<uint64_t, llvm::SmallVector<uint64_t>> places;
    for (uint64_t in = 0; in < inSize(l); ++in)
      places[l.applyFlat(in)].push_back(in);
    llvm::SmallVector<uint64_t> kernel = l.getKernel();
    std::set<uint64_t> span{0};
    for (uint64_t vector : kernel) {
      std::set<uint64_t> old = span;
      for (uint64_t v : old)
        span.insert(v ^ vector);
    }
    std::set<uint64_t> zeros(places[0].begin(), places[0].end());
    ASSERT_EQ(span, zeros) << l.str();
    // Without the free bits, every element is held exactly once.
    uint64_t free = l.getFreeBits();
    std::set<uint64_t> held;
    uint64_t owners = 0;
    for (uint64_t in = 0; in < inSize(l); ++in)
      if ((in & free) == 0) {
        ++owners;
        held.insert(l.applyFlat(in));
      }
    EXPECT_EQ(owners, held.size());
    EXPECT_EQ(held.size(), places.size());
    LinearLayout dropped = l;
    for (llvm::StringRef name : {kRegister, kLane, kWarp, kBlock}) {
      dropped = dropped.dropFreeBits(name);
    }
    EXPECT_TRUE(dropped.isInjective());
    EXPECT_EQ(dropped.getRank(), l.getRank());
  }
}

TEST(LinearLayout, ReorderAndDrop) {
  for (const LinearLayout &l : allLayouts()) {
    llvm::SmallVector<llvm::StringRef> ins, outs;
    for (const LinearLayout::InDim &in : llvm::reverse(l.getIns()))
      ins.push_back(in.name);
    for (const LinearLayout::OutDim &out : llvm::reverse(l.getOuts()))
      outs.push_back(out.name);
    LinearLayout turned = l.reorder(ins, outs);
    EXPECT_TRUE(turned.isEquivalent(l));
    for (uint64_t in = 0; in < inSize(l); ++in) {
      llvm::SmallVector<uint64_t> coords = l.unflattenIn(in);
      llvm::SmallVector<uint64_t> expected = l.apply(coords);
      std::reverse(coords.begin(), coords.end());
      llvm::SmallVector<uint64_t> got = turned.apply(coords);
      std::reverse(got.begin(), got.end());
      ASSERT_EQ(got, expected);
      for (auto [d, out] : llvm::enumerate(l.getOuts())) {
        llvm::SmallVector<uint64_t> rest = expected;
        rest.erase(rest.begin() + d);
        ASSERT_EQ(l.dropOut(out.name).apply(l.unflattenIn(in)), rest);
      }
    }
    for (auto [d, dim] : llvm::enumerate(l.getIns())) {
      LinearLayout without = l.dropIn(dim.name);
      for (uint64_t in = 0; in < inSize(without); ++in) {
        llvm::SmallVector<uint64_t> coords = without.unflattenIn(in);
        coords.insert(coords.begin() + d, 0);
        ASSERT_EQ(without.applyFlat(in), l.applyFlat(l.flattenIn(coords)));
      }
    }
  }
}

TEST(LinearLayout, Builders) {
  LinearLayout s = LinearLayout::strided("lane", "dim0", 3, 2);
  for (uint64_t i = 0; i < 8; ++i)
    EXPECT_EQ(s.applyFlat(i), 4 * i);
  LinearLayout z = LinearLayout::zeros("lane", 2, "dim0", 3);
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(z.applyFlat(i), 0u);
  EXPECT_EQ(z.getFreeBits("lane"), 3u);
  EXPECT_TRUE(z.isEquivalent(LinearLayout::zeros("lane", 2, "dim0", 3)));
  EXPECT_FALSE(z.isEquivalent(s));
}

TEST(LinearLayout, VerifySaysWhatIsWrong) {
  EXPECT_EQ(*LinearLayout::verify({{"lane", {8}}}, {{"dim0", 3}}),
            "bit 0 of 'lane' goes to 8, outside the outputs' 3 bits");
  EXPECT_EQ(*LinearLayout::verify({{"lane", {}}, {"lane", {}}}, {}),
            "input dimension 'lane' is named twice");
  EXPECT_EQ(*LinearLayout::verify({}, {{"a", 1}, {"a", 1}}),
            "output dimension 'a' is named twice");
  EXPECT_EQ(*LinearLayout::verify({}, {{"a", 40}, {"b", 40}}),
            "the outputs have 80 bits together; a layout has at most 63");
  llvm::SmallVector<uint64_t> many(64, 0);
  EXPECT_EQ(*LinearLayout::verify({{"lane", many}}, {{"a", 1}}),
            "the inputs have 64 bits together; a layout has at most 63");
  EXPECT_FALSE(LinearLayout::verify({{"lane", {7}}}, {{"dim0", 3}}));
}
