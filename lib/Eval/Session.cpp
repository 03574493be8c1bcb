//===- Session.cpp - a device and what was prepared on it -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Session.h"

#include "Check.h"
#include "Pool.h"
#include "TimeRun.h"

#include "egg/Eval/Timing.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

using namespace egg;
using namespace egg::eval;

struct Session::State {
  State(unsigned device, DeviceKernels kernels)
      : device(device), kernels(std::move(kernels)) {}

  unsigned device;
  DeviceKernels kernels;
  Pool pool;
};

namespace {

/// The candidate, its payload and how inputs are drawn for both.
struct Loaded {
  Payload payload;
  std::shared_ptr<const Executable> candidate;
  InputSpec spec;
};

Result<Loaded> load(const DeviceKernels &kernels, Pool &pool,
                    const Request &request) {
  Loaded loaded;
  EGG_ASSIGN(Artifact artifact, unpackArtifact(request.candidate));
  uint64_t workspace = artifact.plan.workspaceBytes;
  if (request.maxWorkspaceBytes && workspace > request.maxWorkspaceBytes)
    return Error(ErrorKind::Limit,
                 "the plan needs a workspace of " + std::to_string(workspace) +
                     " bytes; the request allows " +
                     std::to_string(request.maxWorkspaceBytes));
  EGG_ASSIGN(Executable executable,
             Executable::load(kernels.context(), artifact));
  loaded.candidate = std::make_shared<const Executable>(std::move(executable));
  const LaunchPlan &plan = loaded.candidate->plan();
  const std::string *reference =
      request.reference ? &*request.reference : nullptr;
  EGG_ASSIGN(loaded.payload, pool.payload(kernels, request.golden, reference));
  uint64_t align = std::max<uint64_t>(16, largestAlign(plan));
  if (loaded.payload.golden) {
    const LaunchPlan &golden = loaded.payload.golden->plan();
    EGG_TRY(checkSameSignature(golden, plan, "the candidate"));
    align = std::max(align, largestAlign(golden));
    if (loaded.payload.reference) {
      const LaunchPlan &today = loaded.payload.reference->plan();
      EGG_TRY(checkSameSignature(golden, today, "the reference"));
      EGG_TRY(checkTies(today, plan));
      align = std::max(align, largestAlign(today));
    }
  }
  loaded.spec.seed = request.seed;
  loaded.spec.integers = request.integers;
  loaded.spec.align = align;
  return loaded;
}

/// After a candidate has failed: drops what it may have damaged. A golden that
/// has changed says that the failure is not of the kind it seems.
Error afterFailure(const DeviceKernels &kernels, Pool &pool,
                   const InputSet &set, Error error) {
  bool wrote = error.kind == ErrorKind::InputModified ||
               error.kind == ErrorKind::OutOfBoundsWrite;
  if (!endsContext(error.kind) && !wrote) {
    Result<bool> intact = set.answersIntact(kernels);
    if (intact && !*intact) {
      wrote = true;
      error = Error(ErrorKind::OutOfBoundsWrite,
                    "the worker's own memory, far from every buffer of the "
                    "candidate, was overwritten; then: " +
                        error.message);
    }
  }
  if (wrote)
    pool.makeRoom();
  return error;
}

/// Inputs without zeros, repetition or extremes: the whole gate needs one set
/// of these.
bool isDense(Distribution distribution) {
  return distribution == Distribution::Normal ||
         distribution == Distribution::Uniform ||
         distribution == Distribution::Wide;
}

std::string noEvidence(const Request &request) {
  std::string names;
  for (Distribution d : request.distributions)
    names += (names.empty() ? "" : ", ") + std::string(toString(d));
  return "no input set says enough: of " + names +
         " inputs too many give a result of which more than 1 % is NaN or "
         "infinite";
}

} // namespace

bool egg::eval::endsContext(ErrorKind kind) {
  return kind == ErrorKind::Launch || kind == ErrorKind::IllegalAccess ||
         kind == ErrorKind::DeviceLost || kind == ErrorKind::Timeout ||
         kind == ErrorKind::Internal;
}

Session::Session(std::unique_ptr<State> state) : state(std::move(state)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(unsigned device) {
  EGG_ASSIGN(Driver driver, Driver::open());
  EGG_ASSIGN(Context context, Context::create(driver, int(device)));
  EGG_ASSIGN(DeviceKernels kernels, DeviceKernels::load(context));
  return Session(std::make_unique<State>(device, std::move(kernels)));
}

unsigned Session::device() const { return state->device; }

Result<InfoAnswer> Session::info() const {
  const Context &context = state->kernels.context();
  const egg::DeviceInfo &device = context.device();
  EGG_ASSIGN(auto memory, context.memory());
  InfoAnswer info;
  info.name = device.name;
  info.computeCapability = unsigned(10 * device.major + device.minor);
  info.driverVersion = device.driverVersion;
  info.memoryBytes = device.memoryBytes;
  info.freeBytes = memory.first;
  info.l2Bytes = device.l2Bytes;
  info.multiprocessors = unsigned(device.multiprocessors);
  return info;
}

Result<CheckAnswer> Session::check(const Request &request) {
  auto start = std::chrono::steady_clock::now();
  const DeviceKernels &kernels = state->kernels;
  Pool &pool = state->pool;
  EGG_ASSIGN(Loaded loaded, load(kernels, pool, request));
  const Executable &candidate = *loaded.candidate;
  bool whole = request.gate == GateLevel::Whole;
  CheckOptions options = {whole, request.deterministic};
  CheckAnswer answer;
  answer.workspaceBytes = candidate.plan().workspaceBytes;
  if (whole && !kernels.context().device().virtualMemory)
    answer.notes.push_back("the device has no virtual memory management: "
                           "buffers lie between zones of NaN instead of "
                           "against unmapped pages");

  std::vector<InputSpec> specs;
  for (Distribution d : request.distributions) {
    loaded.spec.distribution = d;
    loaded.spec.placement = whole ? Placement::Unmapped : Placement::Zones;
    specs.push_back(loaded.spec);
  }
  const LaunchPlan &ties = loaded.payload.reference
                               ? loaded.payload.reference->plan()
                               : candidate.plan();
  std::optional<std::pair<size_t, size_t>> pair =
      aliasPair(ties, request.integers);
  if (whole && pair) {
    specs.push_back(specs.front());
    specs.back().alias = pair;
  }

  std::vector<InputSpec> good;
  for (const InputSpec &spec : specs) {
    EGG_ASSIGN(std::shared_ptr<const InputSet> set,
               pool.set(kernels, loaded.payload, candidate.plan(), spec));
    if (!set->evidence()) {
      SetReport report;
      report.distribution = spec.distribution;
      report.aliased = spec.alias.has_value();
      report.evidence = false;
      answer.sets.push_back(report);
      continue;
    }
    Result<SetReport> report =
        checkCandidate(kernels, candidate, *set, options);
    if (!report && report.error().kind == ErrorKind::OutOfMemory &&
        pool.makeRoom(set))
      report = checkCandidate(kernels, candidate, *set, options);
    if (!report)
      return afterFailure(kernels, pool, *set, report.error());
    answer.sets.push_back(*report);
    if (!spec.alias)
      good.push_back(spec);
  }
  bool enough =
      std::any_of(good.begin(), good.end(), [whole](const InputSpec &spec) {
        return !whole || isDense(spec.distribution);
      });
  if (!enough)
    return Error(ErrorKind::Unsupported, noEvidence(request));

  if (request.mutants) {
    std::vector<std::shared_ptr<const InputSet>> kept;
    std::vector<const InputSet *> sets;
    for (const InputSpec &spec : good) {
      EGG_ASSIGN(std::shared_ptr<const InputSet> set,
                 pool.set(kernels, loaded.payload, candidate.plan(), spec));
      kept.push_back(set);
      sets.push_back(set.get());
    }
    EGG_ASSIGN(answer.mutants, runMutants(kernels, *loaded.payload.golden, sets,
                                          request.lastTile));
  }
  answer.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return answer;
}

Result<TimeAnswer> Session::time(const Request &request) {
  DeviceKernels &kernels = state->kernels;
  EGG_ASSIGN(Loaded loaded, load(kernels, state->pool, request));
  loaded.spec.distribution = request.distributions.front();
  EGG_ASSIGN(std::shared_ptr<const InputSet> set,
             state->pool.set(kernels, loaded.payload, loaded.candidate->plan(),
                             loaded.spec));
  Result<TimeAnswer> answer =
      timeCandidate(kernels, *loaded.candidate, *set, request);
  if (!answer && answer.error().kind == ErrorKind::OutOfMemory &&
      state->pool.makeRoom(set))
    answer = timeCandidate(kernels, *loaded.candidate, *set, request);
  if (!answer)
    return afterFailure(kernels, state->pool, *set, answer.error());
  return answer;
}

Status Session::once(const Request &request) {
  const DeviceKernels &kernels = state->kernels;
  EGG_ASSIGN(Loaded loaded, load(kernels, state->pool, request));
  loaded.spec.distribution = request.distributions.front();
  EGG_ASSIGN(std::shared_ptr<const InputSet> set,
             state->pool.set(kernels, loaded.payload, loaded.candidate->plan(),
                             loaded.spec));
  EGG_ASSIGN(Run run, Run::create(kernels, *loaded.candidate, set->pointers(),
                                  Placement::Zones));
  EGG_TRY(run.reset(kernels, nanPattern));
  EGG_TRY(run.launch(kernels));
  return kernels.stream().synchronize();
}

Result<RunAnswer> Session::run(const Request &request) {
  const DeviceKernels &kernels = state->kernels;
  EGG_ASSIGN(Loaded loaded, load(kernels, state->pool, request));
  const LaunchPlan &plan = loaded.candidate->plan();
  if (request.inputs.size() != plan.arguments.size())
    return Error(ErrorKind::Verify, std::to_string(request.inputs.size()) +
                                        " inputs are given; the plan takes " +
                                        std::to_string(plan.arguments.size()));
  uint64_t resultBytes = 0;
  for (const PlanResult &result : plan.results) {
    uint64_t bytes =
        tensorBytes(result.type, result.shape).value_or(UINT64_MAX);
    if (bytes > maxRunBytes || (resultBytes += bytes) > maxRunBytes)
      return Error(ErrorKind::Limit, "the results are larger than the " +
                                         std::to_string(maxRunBytes) +
                                         " bytes that a run request moves");
  }
  std::vector<GuardedBuffer> arguments;
  std::vector<DevicePtr> pointers;
  for (size_t a = 0; a < plan.arguments.size(); ++a) {
    const PlanArgument &argument = plan.arguments[a];
    const std::string &input = request.inputs[a];
    std::optional<uint64_t> bytes = tensorBytes(argument.type, argument.shape);
    if (!bytes || *bytes != input.size())
      return Error(ErrorKind::Verify, "input " + std::to_string(a) + " has " +
                                          std::to_string(input.size()) +
                                          " bytes; argument " +
                                          std::to_string(a) + " has " +
                                          std::to_string(bytes.value_or(0)));
    EGG_ASSIGN(GuardedBuffer buffer,
               GuardedBuffer::create(kernels, *bytes, loaded.spec.align,
                                     Placement::Zones,
                                     "argument " + std::to_string(a)));
    if (*bytes)
      EGG_TRY(kernels.stream().copyToDevice(buffer.pointer(), input.data(),
                                            *bytes));
    pointers.push_back(buffer.pointer());
    arguments.push_back(std::move(buffer));
  }
  EGG_ASSIGN(Run run, Run::create(kernels, *loaded.candidate, pointers,
                                  Placement::Zones));
  EGG_TRY(run.reset(kernels, nanPattern));
  EGG_TRY(run.launch(kernels));
  EGG_TRY(kernels.stream().synchronize());
  std::vector<const GuardedBuffer *> all = run.buffers();
  for (const GuardedBuffer &buffer : arguments)
    all.push_back(&buffer);
  EGG_TRY(checkGuards(kernels, all));
  RunAnswer answer;
  std::vector<DeviceSpan> spans = run.resultSpans();
  for (size_t r = 0; r < spans.size(); ++r) {
    RunAnswer::Output output;
    output.type = std::string(toString(plan.results[r].type));
    for (int64_t extent : plan.results[r].shape)
      output.shape.push_back(uint64_t(extent));
    output.bytes.resize(spans[r].bytes);
    if (spans[r].bytes)
      EGG_TRY(kernels.stream().copyToHost(output.bytes.data(), spans[r].pointer,
                                          spans[r].bytes));
    answer.outputs.push_back(std::move(output));
  }
  EGG_TRY(kernels.stream().synchronize());
  return answer;
}

Frame Session::answer(const Request &request, const Nonce &nonce, bool &ended) {
  auto pack = [&](auto &&result) {
    if (result)
      return encodeAnswer(result.take(), nonce);
    ended = endsContext(result.error().kind);
    return encodeAnswer(result.error(), nonce);
  };
  try {
    switch (request.kind) {
    case RequestKind::Info:
      return pack(info());
    case RequestKind::Check:
      return pack(check(request));
    case RequestKind::Time:
      return pack(time(request));
    case RequestKind::Run:
      return pack(run(request));
    case RequestKind::Once:
      break;
    }
    if (Status done = once(request); !done) {
      ended = endsContext(done.error().kind);
      return encodeAnswer(done.error(), nonce);
    }
    return encodeDone(nonce);
  } catch (const std::bad_alloc &) {
    ended = true;
    return encodeAnswer(
        Error(ErrorKind::OutOfMemory, "the worker's host memory is used up"),
        nonce);
  } catch (const std::exception &failure) {
    ended = true;
    return encodeAnswer(Error(ErrorKind::Internal, failure.what()), nonce);
  }
}
