//===- Check.cpp - the gate on a device -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include <algorithm>

using namespace egg;
using namespace egg::eval;

namespace {

/// "result 2 on wide inputs (seed 7)".
std::string describe(const InputSet &set, size_t result) {
  const InputSpec &spec = set.spec();
  std::string text = "result " + std::to_string(result) + " on " +
                     std::string(toString(spec.distribution)) +
                     " inputs (seed " + std::to_string(spec.seed);
  if (spec.alias)
    text += ", arguments " + std::to_string(spec.alias->first) + " and " +
            std::to_string(spec.alias->second) + " in one buffer";
  return text + ")";
}

/// One run from a fresh filling, with the checks of memory.
Status runChecked(const DeviceKernels &kernels, const Run &run,
                  const InputSet &set, uint32_t pattern) {
  EGG_TRY(run.reset(kernels, pattern));
  EGG_TRY(run.launch(kernels));
  EGG_TRY(kernels.stream().synchronize());
  EGG_TRY(checkGuards(kernels, run.buffers()));
  return set.checkUnchanged(kernels);
}

/// Two runs on the same inputs must not differ, and what shows both fillings
/// was never written.
Status compareRuns(const DeviceKernels &kernels, const Run &first,
                   const Run &second, const InputSet &set, bool deterministic) {
  for (size_t r = 0; r < set.answers().size(); ++r) {
    const RightAnswer &a = set.answers()[r];
    EGG_ASSIGN(Difference d, kernels.differ(first.result(r), second.result(r),
                                            a.type, a.count));
    if (d.unwritten)
      return Error(
          ErrorKind::NotWritten,
          describe(set, r) + ": " + std::to_string(d.unwritten) + " of " +
              std::to_string(a.count) + " elements, the first at " +
              std::to_string(d.firstUnwritten) + ", were never written");
    if (d.differ && deterministic)
      return Error(ErrorKind::Nondeterministic,
                   describe(set, r) + ": " + std::to_string(d.differ) + " of " +
                       std::to_string(a.count) + " elements, the first at " +
                       std::to_string(d.firstDiffer) +
                       ", differ between two runs on the same inputs (results "
                       "and workspace were filled with other bytes)");
  }
  return Status();
}

/// Keeps the larger figures of two judgements of the same results.
void keepWorst(std::vector<ResultReport> &worst,
               const std::vector<ResultReport> &other) {
  for (size_t r = 0; r < worst.size(); ++r)
    if (other[r].error > worst[r].error)
      worst[r] = other[r];
}

} // namespace

Result<std::vector<ResultReport>>
egg::eval::judgeResults(const DeviceKernels &kernels, const Run &run,
                        const InputSet &set, bool checkPoison) {
  std::vector<ResultReport> reports;
  for (size_t r = 0; r < set.answers().size(); ++r) {
    EGG_ASSIGN(OutputEvidence evidence,
               set.judgeable(kernels, r, run.result(r), checkPoison));
    Verdict verdict = judge(evidence);
    if (!verdict.passed)
      return Error(verdict.kind, describe(set, r) + ": " + verdict.reason);
    ResultReport report;
    report.error = verdict.error;
    report.limit = verdict.limit;
    report.maxUlp = evidence.candidate.maxUlp;
    report.normError = evidence.candidate.normError;
    report.maxError = evidence.candidate.maxError;
    if (evidence.reference) {
      OutputEvidence today = evidence;
      today.candidate = *evidence.reference;
      report.referenceError = judge(today).error;
    }
    reports.push_back(report);
  }
  return reports;
}

Result<SetReport> egg::eval::checkCandidate(const DeviceKernels &kernels,
                                            const Executable &candidate,
                                            const InputSet &set,
                                            const CheckOptions &options) {
  SetReport report;
  report.distribution = set.spec().distribution;
  report.aliased = set.spec().alias.has_value();
  EGG_ASSIGN(Run first,
             Run::create(kernels, candidate, set.pointers(), Placement::Zones));
  EGG_TRY(runChecked(kernels, first, set, nanPattern));
  EGG_ASSIGN(report.results, judgeResults(kernels, first, set, true));
  if (options.whole) {
    EGG_ASSIGN(Run second, Run::create(kernels, candidate, set.pointers(),
                                       Placement::Unmapped));
    EGG_TRY(runChecked(kernels, second, set, finitePattern));
    EGG_TRY(compareRuns(kernels, first, second, set, options.deterministic));
    EGG_ASSIGN(std::vector<ResultReport> again,
               judgeResults(kernels, second, set, false));
    keepWorst(report.results, again);
  }
  // A recipe that declares that its bits may change: the worst of ten.
  for (int i = options.whole ? 2 : 1; !options.deterministic && i < 10; ++i) {
    EGG_TRY(runChecked(kernels, first, set, nanPattern));
    EGG_ASSIGN(std::vector<ResultReport> again,
               judgeResults(kernels, first, set, true));
    keepWorst(report.results, again);
  }
  return report;
}

Status egg::eval::checkTies(const LaunchPlan &payload,
                            const LaunchPlan &candidate) {
  std::vector<std::optional<size_t>> right = tiesOf(payload);
  std::vector<std::optional<size_t>> mine = tiesOf(candidate);
  for (size_t r = 0; r < mine.size(); ++r)
    if (mine[r] && mine[r] != right[r])
      return Error(ErrorKind::InputModified,
                   "the candidate's plan updates argument " +
                       std::to_string(*mine[r]) + " in place as result " +
                       std::to_string(r) + "; the payload does not");
  return Status();
}

std::optional<std::pair<size_t, size_t>>
egg::eval::aliasPair(const LaunchPlan &plan,
                     const std::vector<IntegerRange> &integers) {
  std::vector<bool> tied(plan.arguments.size());
  for (const std::optional<size_t> &tie : tiesOf(plan))
    if (tie)
      tied[*tie] = true;
  auto ranged = [&integers](size_t a) {
    return std::any_of(integers.begin(), integers.end(),
                       [a](const IntegerRange &r) { return r.argument == a; });
  };
  for (size_t i = 0; i < plan.arguments.size(); ++i)
    for (size_t j = i + 1; j < plan.arguments.size(); ++j)
      if (!tied[i] && !tied[j] && !ranged(i) && !ranged(j) &&
          plan.arguments[i].type == plan.arguments[j].type &&
          plan.arguments[i].shape == plan.arguments[j].shape)
        return std::make_pair(i, j);
  return std::nullopt;
}
