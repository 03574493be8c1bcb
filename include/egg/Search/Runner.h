//===- Runner.h - artifacts judged and timed by a worker --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SEARCH_RUNNER_H
#define EGG_SEARCH_RUNNER_H

#include "egg/Eval/Protocol.h"
#include "egg/Support/Result.h"

#include <memory>
#include <string>
#include <vector>

namespace egg {

/// Whoever answers the worker protocol (docs/evaluation.md). One request at a
/// time: a device is not shared by two measurements.
class Runner {
public:
  virtual ~Runner();

  /// Each fails with what the worker answered, with `worker-died` when it died
  /// over the request, and with `timeout`. `request.kind` is set by the call.
  virtual Result<eval::InfoAnswer> info(eval::Request request) = 0;
  virtual Result<eval::CheckAnswer> check(eval::Request request) = 0;
  virtual Result<eval::TimeAnswer> time(eval::Request request) = 0;
  /// Launches the candidate once and says whether that worked.
  virtual Status once(eval::Request request) = 0;
  virtual Result<eval::RunAnswer> run(eval::Request request) = 0;
};

struct RunnerOptions {
  /// Path of egg-eval-worker as the launcher sees it. Empty:
  /// $EGG_EVAL_WORKER, else beside the running tool, else PATH; with a prefix
  /// it is searched here only if it is not given.
  std::string program;
  /// What stands before the worker's command: srun, ssh with a host, a queue.
  /// An argument vector, handed over as it is, without a shell. All data goes
  /// through standard input and output.
  std::vector<std::string> prefix;
  /// Keep the worker (its context, inputs and golden) for the next request. A
  /// worker is always replaced after a failed request, since an error of CUDA's
  /// poisons the context.
  bool pool = true;
  /// Seconds that the answer may take beyond the request's own deadline, which
  /// the worker keeps itself. Then the worker's process group is killed.
  double graceSeconds = 30;
};

/// egg-eval-worker as a child process.
class WorkerRunner : public Runner {
public:
  /// Finds the programs; starts nothing yet. Fails with `missing-tool`.
  static Result<std::unique_ptr<WorkerRunner>>
  create(const RunnerOptions &options = {});
  ~WorkerRunner() override;

  Result<eval::InfoAnswer> info(eval::Request request) override;
  Result<eval::CheckAnswer> check(eval::Request request) override;
  Result<eval::TimeAnswer> time(eval::Request request) override;
  Status once(eval::Request request) override;
  Result<eval::RunAnswer> run(eval::Request request) override;

private:
  struct State;
  explicit WorkerRunner(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace egg

#endif // EGG_SEARCH_RUNNER_H
