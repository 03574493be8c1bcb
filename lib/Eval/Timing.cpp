//===- Timing.cpp - figures of a timing -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Timing.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace egg;
using namespace egg::eval;

double egg::eval::median(std::vector<double> samples) {
  if (samples.empty())
    return 0;
  std::sort(samples.begin(), samples.end());
  size_t middle = samples.size() / 2;
  return samples.size() % 2 ? samples[middle]
                            : (samples[middle - 1] + samples[middle]) / 2;
}

namespace {

struct Work {
  double flops = 0, bytes = 0;
};

/// Adds the work of `nodes`, run `times` times. Doubles: no trip count
/// overflows them.
void addWork(const LaunchPlan &plan, const std::vector<PlanNode> &nodes,
             double times, double cached, Work &work) {
  for (const PlanNode &node : nodes) {
    if (node.op == PlanNode::Op::Loop) {
      addWork(plan, node.body, times * double(node.trips), cached, work);
    } else if (node.op == PlanNode::Op::Launch) {
      const PlanKernel &kernel = plan.kernels[node.kernel];
      work.flops += times * double(kernel.flops);
      work.bytes += times * std::max(0.0, double(kernel.bytes) - cached);
    }
  }
}

} // namespace

double egg::eval::leastMs(const LaunchPlan &plan, const Peak &peak,
                          uint64_t l2Bytes) {
  Work work;
  // Read from the cache at the start, and left in it at the end.
  addWork(plan, plan.nodes, 1, 2 * double(l2Bytes), work);
  double seconds = 0;
  if (peak.flopsPerSecond > 0)
    seconds = std::max(seconds, work.flops / peak.flopsPerSecond);
  if (peak.bytesPerSecond > 0)
    seconds = std::max(seconds, work.bytes / peak.bytesPerSecond);
  return seconds * 1e3;
}

Status egg::eval::checkRoofline(double ms, double floorMs) {
  constexpr double eventError = 0.001;
  if (ms + eventError >= floorMs)
    return Status();
  char text[256];
  snprintf(text, sizeof text,
           "the median of %.6g ms is below the %.6g ms that the plan's own "
           "flops and bytes need at the device's peak: the measurement or the "
           "plan's figures are wrong",
           ms, floorMs);
  return Error(ErrorKind::RooflineFault, text);
}

bool egg::eval::enoughSamples(const std::vector<double> &samples, double minMs,
                              uint64_t minSamples, uint64_t maxSamples) {
  if (samples.size() >= maxSamples)
    return true;
  return samples.size() >= minSamples &&
         std::accumulate(samples.begin(), samples.end(), 0.0) >= minMs;
}
