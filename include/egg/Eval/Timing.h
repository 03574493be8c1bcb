//===- Timing.h - figures of a timing ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs no device: the median, when to stop, and the time below which a
// measurement is a fault.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_TIMING_H
#define EGG_EVAL_TIMING_H

#include "egg/Eval/Protocol.h"
#include "egg/Runtime/LaunchPlan.h"
#include "egg/Support/Result.h"

#include <cstdint>
#include <vector>

namespace egg::eval {

/// The middle sample, or the mean of the two middle ones; 0 without samples.
double median(std::vector<double> samples);

/// Milliseconds that one run of the plan needs at the least: its flops at the
/// peak rate, or the bytes of its kernels at the datasheet's bandwidth, less
/// for each launch what the L2 cache may have held when it began and may still
/// hold when it ends. Work that is not known counts nothing.
double leastMs(const LaunchPlan &plan, const Peak &peak, uint64_t l2Bytes);

/// Fails with `roofline-fault` when `ms` is below `floorMs` by more than what
/// two events can be off (1 microsecond).
Status checkRoofline(double ms, double floorMs);

/// True when samples are enough: at least `minSamples` that add up to `minMs`,
/// or `maxSamples`.
bool enoughSamples(const std::vector<double> &samples, double minMs,
                   uint64_t minSamples, uint64_t maxSamples);

} // namespace egg::eval

#endif // EGG_EVAL_TIMING_H
