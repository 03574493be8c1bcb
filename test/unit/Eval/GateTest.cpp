//===- GateTest.cpp - the gate's table --------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace egg;
using namespace egg::eval;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

OutputStats clean(uint64_t count = 1000) {
  OutputStats s;
  s.count = s.compared = count;
  s.normGolden = s.maxGolden = 1;
  return s;
}

OutputEvidence evidence(GateClass gateClass, int mantissaBits,
                        uint64_t count = 1000) {
  OutputEvidence e;
  e.gateClass = gateClass;
  e.mantissaBits = mantissaBits;
  e.candidate = e.rounded = clean(count);
  e.reference = clean(count);
  return e;
}

TEST(Gate, CleanOutputsPassInEveryClassAndType) {
  for (GateClass c :
       {GateClass::Exact, GateClass::Elementwise, GateClass::Accumulation})
    for (int bits : {52, 23, 10, 7, 0}) {
      Verdict v = judge(evidence(c, bits));
      EXPECT_TRUE(v.passed) << v.reason;
      EXPECT_TRUE(v.reason.empty());
      EXPECT_TRUE(judge(evidence(c, bits, 0)).passed);
    }
}

TEST(Gate, PoisonIsNotWrittenInEveryClass) {
  for (GateClass c :
       {GateClass::Exact, GateClass::Elementwise, GateClass::Accumulation}) {
    OutputEvidence e = evidence(c, 23);
    e.candidate.poisoned = 3;
    e.candidate.firstPoisoned = 17;
    Verdict v = judge(e);
    EXPECT_FALSE(v.passed);
    EXPECT_EQ(v.kind, ErrorKind::NotWritten);
    EXPECT_NE(v.reason.find("3 of 1000 elements, the first at 17"),
              std::string::npos);
  }
}

TEST(Gate, ExactMeansEveryBit) {
  OutputEvidence e = evidence(GateClass::Exact, 23);
  e.candidate.bitsDiffer = 1;
  e.candidate.firstBitsDiffer = 5;
  EXPECT_FALSE(judge(e).passed);
  EXPECT_EQ(judge(e).kind, ErrorKind::WrongResult);
  // Integers are exact whatever the plan calls them.
  for (GateClass c : {GateClass::Elementwise, GateClass::Accumulation}) {
    e = evidence(c, 0);
    e.candidate.bitsDiffer = 1;
    EXPECT_FALSE(judge(e).passed);
    e = evidence(c, 23);
    e.candidate.bitsDiffer = 1;
    EXPECT_TRUE(judge(e).passed);
  }
}

TEST(Gate, NonFiniteMustStandWhereItStands) {
  for (GateClass c : {GateClass::Elementwise, GateClass::Accumulation}) {
    OutputEvidence e = evidence(c, 23);
    e.candidate.nonFiniteMismatch = 1;
    e.candidate.firstNonFiniteMismatch = 0;
    EXPECT_FALSE(judge(e).passed);
    EXPECT_EQ(judge(e).kind, ErrorKind::WrongResult);
  }
}

TEST(Gate, ElementwiseAllowsTwoUlpOrTwiceTheReference) {
  OutputEvidence e = evidence(GateClass::Elementwise, 23);
  e.candidate.maxUlp = 2;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.maxUlp = 2.001;
  EXPECT_FALSE(judge(e).passed);
  e.reference->maxUlp = 3;
  e.candidate.maxUlp = 6;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.maxUlp = 6.001;
  EXPECT_FALSE(judge(e).passed);
  e.reference.reset();
  e.candidate.maxUlp = 2;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.maxUlp = 3;
  EXPECT_FALSE(judge(e).passed);
}

TEST(Gate, OneBadElementOfTheReferenceDoesNotExcuseAll) {
  OutputEvidence e = evidence(GateClass::Elementwise, 23);
  e.reference->maxUlp = 1e6; // cancellation in one element
  e.reference->meanUlp = 0.5;
  e.candidate.maxUlp = 8000; // an answer at TF32 grade
  e.candidate.meanUlp = 2000;
  EXPECT_FALSE(judge(e).passed);
  e.candidate.meanUlp = 1.5;
  EXPECT_TRUE(judge(e).passed);
}

TEST(Gate, NaNOrInfiniteErrorsNeverPass) {
  for (double bad : {inf, nan}) {
    OutputEvidence e = evidence(GateClass::Elementwise, 23);
    e.candidate.maxUlp = bad;
    EXPECT_FALSE(judge(e).passed);
    e = evidence(GateClass::Elementwise, 23);
    e.candidate.meanUlp = bad;
    EXPECT_FALSE(judge(e).passed);
    e = evidence(GateClass::Accumulation, 23);
    e.candidate.normError = bad;
    EXPECT_FALSE(judge(e).passed);
    e = evidence(GateClass::Accumulation, 23);
    e.candidate.maxError = bad;
    EXPECT_FALSE(judge(e).passed);
    // Nor does a reference or a rounding of that kind allow anything.
    e = evidence(GateClass::Accumulation, 23);
    e.candidate.normError = e.candidate.maxError = 1;
    e.reference->normError = e.reference->maxError = bad;
    e.rounded.normError = e.rounded.maxError = e.rounded.maxGolden = bad;
    EXPECT_FALSE(judge(e).passed);
    e = evidence(GateClass::Elementwise, 23);
    e.candidate.maxUlp = 100;
    e.reference->maxUlp = e.reference->meanUlp = bad;
    EXPECT_FALSE(judge(e).passed);
  }
}

TEST(Gate, AccumulationHasAFloorForF32) {
  OutputEvidence e = evidence(GateClass::Accumulation, 23);
  e.candidate.normError = e.candidate.maxError = 2.5e-7;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.normError = 2.6e-7;
  EXPECT_FALSE(judge(e).passed);
  e.candidate.normError = 1e-7;
  e.candidate.maxError = 2.6e-7;
  EXPECT_FALSE(judge(e).passed);
}

TEST(Gate, AccumulationAllowsTwiceTheReferenceInNormAndMaximum) {
  OutputEvidence e = evidence(GateClass::Accumulation, 23);
  e.reference->normError = 1e-5;
  e.reference->maxError = 1e-4;
  e.candidate.normError = 2e-5;
  e.candidate.maxError = 2e-4;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.normError = 2.01e-5;
  EXPECT_FALSE(judge(e).passed);
  e.candidate.normError = 2e-5;
  e.candidate.maxError = 2.01e-4;
  EXPECT_FALSE(judge(e).passed);
}

TEST(Gate, AccumulationAllowsRoundingToASmallType) {
  OutputEvidence e = evidence(GateClass::Accumulation, 10);
  e.rounded.normError = 2e-4;
  e.rounded.maxError = 4.8e-4;
  e.candidate.normError = 2.9e-4;
  e.candidate.maxError = 7e-4;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.normError = 3.1e-4;
  EXPECT_FALSE(judge(e).passed);
}

TEST(Gate, FewElementsMayHaveBeenRoundedByLuck) {
  OutputEvidence e = evidence(GateClass::Accumulation, 10, 1);
  // The golden happened to be an f16; half a spacing of error is ordinary.
  e.candidate.normError = e.candidate.maxError = 0x1p-11;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.normError = e.candidate.maxError = 0x1p-10;
  EXPECT_FALSE(judge(e).passed);
  // Where much cancelled, half a spacing of what is left is little.
  e = evidence(GateClass::Accumulation, 10, 1);
  e.rounded.normGolden = e.rounded.maxGolden = 1e-3;
  e.candidate.normError = e.candidate.maxError = 0x1p-11;
  EXPECT_FALSE(judge(e).passed);
  e = evidence(GateClass::Accumulation, 10, 1000);
  e.candidate.normError = 0x1p-11;
  EXPECT_FALSE(judge(e).passed);
}

TEST(Gate, F64IsJudgedByItsOwnPrecision) {
  OutputEvidence e = evidence(GateClass::Accumulation, 52);
  e.candidate.normError = e.candidate.maxError = 1e-13;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.normError = 6e-8; // an answer at f32 grade
  EXPECT_FALSE(judge(e).passed);
  e = evidence(GateClass::Elementwise, 52);
  e.candidate.maxUlp = 4;
  EXPECT_TRUE(judge(e).passed);
  e.candidate.maxUlp = 5;
  EXPECT_FALSE(judge(e).passed);
}

TEST(Gate, MostlyNonFiniteGoldensAreNoEvidence) {
  OutputEvidence e = evidence(GateClass::Accumulation, 23);
  e.rounded.goldenNonFinite = 10;
  EXPECT_TRUE(isEvidence(e));
  e.rounded.goldenNonFinite = 11;
  EXPECT_FALSE(isEvidence(e));
  e.mantissaBits = 0;
  EXPECT_TRUE(isEvidence(e));
  e = evidence(GateClass::Accumulation, 23);
  e.reference->compared = 980; // overflowed where the golden did not
  EXPECT_FALSE(isEvidence(e));
  EXPECT_TRUE(isEvidence(evidence(GateClass::Accumulation, 23, 0)));
  e = evidence(GateClass::Accumulation, 23, 1);
  e.rounded.goldenNonFinite = 1;
  EXPECT_FALSE(isEvidence(e));
}

} // namespace
