//===- Check.h - the gate on a device ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_CHECK_H
#define EGG_EVAL_CHECK_H

#include "InputSet.h"

#include "egg/Eval/Protocol.h"

namespace egg::eval {

/// What a check of one input set does.
struct CheckOptions {
  bool whole = false;
  bool deterministic = true;
};

/// Runs the candidate on a set that is evidence and applies the gate and the
/// memory checks. The whole gate runs a second time on other fillings and
/// against unmapped pages. Fails with the kind that docs/evaluation.md gives.
Result<SetReport> checkCandidate(const DeviceKernels &kernels,
                                 const Executable &candidate,
                                 const InputSet &set,
                                 const CheckOptions &options);

/// Judges the results of a run that has ended.
Result<std::vector<ResultReport>> judgeResults(const DeviceKernels &kernels,
                                               const Run &run,
                                               const InputSet &set,
                                               bool checkPoison);

/// Fails with `input-modified` when the candidate updates arguments in place
/// that the payload (its plan in its own types) does not.
Status checkTies(const LaunchPlan &payload, const LaunchPlan &candidate);

/// The first two arguments that may be one buffer: same type, shape and range,
/// neither updated in place.
std::optional<std::pair<size_t, size_t>>
aliasPair(const LaunchPlan &plan, const std::vector<IntegerRange> &integers);

/// Spoils right answers in each way that fits and has the gate judge them.
/// `sets` are those that are evidence.
Result<std::vector<MutantReport>>
runMutants(const DeviceKernels &kernels, const Executable &golden,
           const std::vector<const InputSet *> &sets,
           const std::optional<LastTile> &lastTile);

} // namespace egg::eval

#endif // EGG_EVAL_CHECK_H
