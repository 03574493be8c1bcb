//===- Stats.h - adding up what comparisons found ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_KERNELS_STATS_H
#define EGG_EVAL_KERNELS_STATS_H

#include "KernelParams.h"

namespace egg::eval::kernels {

inline void mergeMax(double &best, U64 &at, double x, U64 i) {
  // Equal values keep the first place, whatever the order of merging.
  if (x > best || (x == best && i < at)) {
    best = x;
    at = i;
  }
}
inline void mergeMin(U64 &least, U64 i) {
  if (i < least)
    least = i;
}

inline Stats emptyStats() {
  Stats s = {};
  s.firstNonFiniteMismatch = s.firstBitsDiffer = s.firstPoisoned = ~0ull;
  s.maxUlpAt = s.maxErrorAt = ~0ull;
  return s;
}

inline void mergeStats(Stats &into, const Stats &s) {
  into.count += s.count;
  into.goldenNonFinite += s.goldenNonFinite;
  into.nonFiniteMismatch += s.nonFiniteMismatch;
  mergeMin(into.firstNonFiniteMismatch, s.firstNonFiniteMismatch);
  into.bitsDiffer += s.bitsDiffer;
  mergeMin(into.firstBitsDiffer, s.firstBitsDiffer);
  into.poisoned += s.poisoned;
  mergeMin(into.firstPoisoned, s.firstPoisoned);
  into.compared += s.compared;
  mergeMax(into.maxUlp, into.maxUlpAt, s.maxUlp, s.maxUlpAt);
  into.sumUlp += s.sumUlp;
  into.sumError2 += s.sumError2;
  into.sumScale2 += s.sumScale2;
  into.sumGolden2 += s.sumGolden2;
  into.sumGolden += s.sumGolden;
  mergeMax(into.maxError, into.maxErrorAt, s.maxError, s.maxErrorAt);
  if (s.maxGolden > into.maxGolden)
    into.maxGolden = s.maxGolden;
  if (s.maxScale > into.maxScale)
    into.maxScale = s.maxScale;
}

} // namespace egg::eval::kernels

#endif // EGG_EVAL_KERNELS_STATS_H
