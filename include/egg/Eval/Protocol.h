//===- Protocol.h - what is asked of egg-eval-worker ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both sides of the worker protocol (docs/evaluation.md): requests and answers
// as structs, and the frames that carry them. Reading is strict: an unknown or
// missing field, or a number out of range, is an error that names the field.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_PROTOCOL_H
#define EGG_EVAL_PROTOCOL_H

#include "egg/Eval/Inputs.h"
#include "egg/Support/Frame.h"
#include "egg/Support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace egg::eval {

/// `kind` of a request.
enum class RequestKind { Info, Check, Time, Once, Run };
/// How much a check does: `pool` is for search, `whole` for what is reported.
enum class GateLevel { Pool, Whole };
/// What one sample of a timing is: a launch as a user makes it, or the replay
/// of a CUDA graph.
enum class TimeMode { Launch, Graph };

/// Rates that no kernel can pass on this device: for the roofline.
struct Peak {
  /// Of the fastest instruction class that the plan may use.
  double flopsPerSecond = 0;
  /// Device memory, from the datasheet.
  double bytesPerSecond = 0;
};

/// One request. Which fields are sent depends on the kind; the rest keep their
/// defaults. Artifacts are files of `EGGARTF1` as they lie on disk.
struct Request {
  RequestKind kind = RequestKind::Info;
  /// Number of the device, as CUDA counts them.
  unsigned device = 0;
  /// Seconds from the start of the work until the worker answers `timeout` and
  /// ends. At most a day.
  double deadlineSeconds = 60;

  /// Check, Time, Once, Run: what is judged.
  std::string candidate;
  /// All that run the candidate: it is refused when its plan asks for a larger
  /// workspace than this. 0: no limit but the device's memory.
  uint64_t maxWorkspaceBytes = 0;
  /// Check, Time: the payload promoted to f64 (Time: empty, no check).
  std::string golden;
  /// Check, Time: the payload in its own types, what a user has today.
  std::optional<std::string> reference;
  /// Check, Time, Once: how inputs are drawn. Time and Once use the first.
  uint64_t seed = 1;
  std::vector<Distribution> distributions = {Distribution::Normal};
  std::vector<IntegerRange> integers;
  /// Check, Time: false for a candidate that declares that its bits may change
  /// from run to run; it is then judged by the worst of ten.
  bool deterministic = true;

  /// Check.
  GateLevel gate = GateLevel::Pool;
  bool mutants = false;
  std::optional<LastTile> lastTile;

  /// Time.
  TimeMode mode = TimeMode::Launch;
  /// Least milliseconds of all samples together.
  double minMs = 50;
  uint64_t minSamples = 10;
  uint64_t maxSamples = 10000;
  /// Drive the inputs out of the L2 cache before each sample.
  bool flush = true;
  /// Back-to-back runs after timing whose results must all be equal.
  uint64_t replays = 0;
  std::optional<Peak> peak;

  /// Run: one blob an argument, dense and row-major.
  std::vector<std::string> inputs;
};

/// Limits on what a Run request moves: inputs and results together.
constexpr uint64_t maxRunBytes = uint64_t(256) << 20;

/// Limits for reading a request's frame.
FrameLimits requestLimits();

/// The frame of a request, with `nonce`.
Frame encodeRequest(const Request &request, const Nonce &nonce);

/// Reads a request; fails with `parse` or `limit`, naming the field.
Result<Request> decodeRequest(Frame frame);

struct InfoAnswer {
  std::string name;
  /// Compute capability, 90 for 9.0.
  unsigned computeCapability = 0;
  /// 13000 for CUDA 13.0.
  int driverVersion = 0;
  uint64_t memoryBytes = 0;
  uint64_t freeBytes = 0;
  uint64_t l2Bytes = 0;
  unsigned multiprocessors = 0;
};

/// One result on one input set.
struct ResultReport {
  /// The figure that decides (see Verdict), and its limit.
  double error = 0, limit = 0;
  /// The reference's figure; not there without a reference.
  std::optional<double> referenceError;
  double maxUlp = 0;
  double normError = 0, maxError = 0;
};

struct SetReport {
  Distribution distribution = Distribution::Normal;
  /// True for the set in which two arguments are one buffer.
  bool aliased = false;
  /// False: too much of the golden is not finite, nothing was judged.
  bool evidence = true;
  std::vector<ResultReport> results;
};

struct MutantReport {
  /// `zeros`, `mean`, `shift`, `last-tile`, `tf32`.
  std::string name;
  bool killed = false;
};

struct CheckAnswer {
  std::vector<SetReport> sets;
  /// Empty unless asked for; those that can be made for this payload.
  std::vector<MutantReport> mutants;
  /// What was not done, in sentences.
  std::vector<std::string> notes;
  /// Largest workspace of a launch of the candidate.
  uint64_t workspaceBytes = 0;
  double seconds = 0;
};

/// What NVML said while samples were taken.
struct ClockReport {
  /// The multiprocessors' clock.
  unsigned leastMhz = 0, mostMhz = 0;
  /// Why it was not higher: the bits of nvmlClocksEventReasons, without idle.
  uint64_t reasons = 0;
};

struct TimeAnswer {
  /// Milliseconds of each sample, in the order taken, and their median.
  std::vector<double> samples;
  double ms = 0;
  /// What the plan's own work needs at the peak, if that was given.
  std::optional<double> floorMs;
  /// The outputs of the timed launches passed the gate.
  bool gated = false;
  uint64_t replays = 0;
  uint64_t workspaceBytes = 0;
  /// Not there without NVML.
  std::optional<ClockReport> clocks;
};

struct RunAnswer {
  struct Output {
    std::string type;
    std::vector<uint64_t> shape;
    std::string bytes;
  };
  std::vector<Output> outputs;
};

/// An answer's frame, with the nonce of its request.
Frame encodeAnswer(const Error &error, const Nonce &nonce);
Frame encodeAnswer(const InfoAnswer &info, const Nonce &nonce);
Frame encodeAnswer(const CheckAnswer &answer, const Nonce &nonce);
Frame encodeAnswer(const TimeAnswer &answer, const Nonce &nonce);
Frame encodeAnswer(RunAnswer answer, const Nonce &nonce);
/// The answer to Once: nothing but that it ran.
Frame encodeDone(const Nonce &nonce);

/// Reads an answer of the kind that was asked for. The error of an error answer
/// is returned as it is; an answer that cannot be read is `worker-died`.
Result<InfoAnswer> decodeInfo(const Frame &frame);
Result<CheckAnswer> decodeCheck(const Frame &frame);
Result<TimeAnswer> decodeTime(const Frame &frame);
Result<RunAnswer> decodeRun(Frame frame);
Status decodeDone(const Frame &frame);

} // namespace egg::eval

#endif // EGG_EVAL_PROTOCOL_H
