//===- TimeRun.cpp - times a candidate on a device --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeRun.h"

#include "Check.h"
#include "Clocks.h"

#include "egg/Eval/Timing.h"

#include <algorithm>

using namespace egg;
using namespace egg::eval;

namespace {

/// Samples that are on the stream at once: the host stays ahead of the device,
/// as it does in a user's program.
constexpr size_t batch = 32;
constexpr int warmUps = 3;

/// How one sample is started: a launch of the plan or of its graph.
class Shot {
public:
  static Result<Shot> create(const DeviceKernels &kernels, const Run &run,
                             TimeMode mode) {
    Shot shot;
    shot.run = &run;
    if (mode == TimeMode::Graph) {
      EGG_ASSIGN(Graph graph, run.capture(kernels));
      EGG_TRY(kernels.stream().upload(graph));
      shot.graph = std::move(graph);
    }
    return shot;
  }

  Status fire(const DeviceKernels &kernels) const {
    return graph ? kernels.stream().launch(*graph) : run->launch(kernels);
  }

private:
  const Run *run = nullptr;
  std::optional<Graph> graph;
};

struct EventPair {
  Event begin, end;
};

Result<std::vector<double>> takeSamples(DeviceKernels &kernels, const Run &run,
                                        const Shot &shot,
                                        const Request &request,
                                        Clocks &clocks) {
  std::vector<EventPair> events;
  for (size_t i = 0; i < batch; ++i) {
    EGG_ASSIGN(Event begin, kernels.context().createEvent());
    EGG_ASSIGN(Event end, kernels.context().createEvent());
    events.push_back({std::move(begin), std::move(end)});
  }
  std::vector<double> samples;
  // The first rounds are short, so that a slow candidate is not run 32 times
  // where ten are asked for.
  size_t size = 1;
  while (!enoughSamples(samples, request.minMs, request.minSamples,
                        request.maxSamples)) {
    size_t n = std::min<uint64_t>(size, request.maxSamples - samples.size());
    for (size_t i = 0; i < n; ++i) {
      EGG_TRY(run.restore(kernels));
      if (request.flush)
        EGG_TRY(kernels.flush());
      EGG_TRY(kernels.stream().record(events[i].begin));
      EGG_TRY(shot.fire(kernels));
      EGG_TRY(kernels.stream().record(events[i].end));
    }
    clocks.read();
    EGG_TRY(kernels.stream().synchronize());
    for (size_t i = 0; i < n; ++i) {
      EGG_ASSIGN(double ms, events[i].end.millisecondsSince(events[i].begin));
      samples.push_back(ms);
    }
    size = std::min(batch, size * 2);
  }
  return samples;
}

/// Runs back to back and compares the sums of all results with the first's.
Status replay(const DeviceKernels &kernels, const Run &run, const Shot &shot,
              uint64_t replays) {
  std::vector<DeviceSpan> spans = run.resultSpans();
  uint64_t words = replays * spans.size();
  if (words == 0)
    return Status();
  EGG_ASSIGN(DeviceBuffer sums, kernels.context().allocate(8 * words));
  EGG_TRY(kernels.stream().fill(sums.pointer(), 0, 8 * words));
  for (uint64_t i = 0; i < replays; ++i) {
    EGG_TRY(run.restore(kernels));
    EGG_TRY(shot.fire(kernels));
    for (size_t r = 0; r < spans.size(); ++r)
      EGG_TRY(kernels.checksumInto(spans[r], sums.pointer() +
                                                 8 * (i * spans.size() + r)));
  }
  std::vector<uint64_t> found(words);
  EGG_TRY(kernels.stream().copyToHost(found.data(), sums.pointer(), 8 * words));
  EGG_TRY(kernels.stream().synchronize());
  uint64_t different = 0;
  for (uint64_t i = 1; i < replays; ++i)
    different += !std::equal(found.begin(), found.begin() + spans.size(),
                             found.begin() + i * spans.size());
  if (different)
    return Error(ErrorKind::Nondeterministic,
                 std::to_string(different) + " of " + std::to_string(replays) +
                     " back-to-back runs on the same inputs gave other bits "
                     "than the first");
  return Status();
}

} // namespace

Result<TimeAnswer> egg::eval::timeCandidate(DeviceKernels &kernels,
                                            const Executable &candidate,
                                            const InputSet &set,
                                            const Request &request) {
  EGG_ASSIGN(Run run,
             Run::create(kernels, candidate, set.pointers(), Placement::Zones));
  EGG_TRY(run.reset(kernels, nanPattern));
  EGG_ASSIGN(Shot shot, Shot::create(kernels, run, request.mode));
  EGG_TRY(kernels.context().resetPersistingL2());
  for (int i = 0; i < warmUps; ++i) {
    EGG_TRY(run.restore(kernels));
    EGG_TRY(shot.fire(kernels));
  }
  if (request.flush)
    EGG_TRY(kernels.flush());
  EGG_TRY(kernels.stream().synchronize());

  TimeAnswer answer;
  Clocks clocks(kernels.context().device().pciBusId);
  EGG_ASSIGN(answer.samples, takeSamples(kernels, run, shot, request, clocks));
  answer.clocks = clocks.report();
  answer.ms = median(answer.samples);
  answer.workspaceBytes = candidate.plan().workspaceBytes;
  EGG_TRY(checkGuards(kernels, run.buffers()));
  EGG_TRY(set.checkUnchanged(kernels));
  if (!set.answers().empty() && set.evidence()) {
    EGG_ASSIGN(auto reports, judgeResults(kernels, run, set, true));
    answer.gated = true;
  }
  if (request.replays && request.deterministic) {
    EGG_TRY(replay(kernels, run, shot, request.replays));
    answer.replays = request.replays;
  }
  if (request.peak) {
    answer.floorMs = leastMs(candidate.plan(), *request.peak,
                             kernels.context().device().l2Bytes);
    EGG_TRY(checkRoofline(answer.ms, *answer.floorMs));
  }
  return answer;
}
