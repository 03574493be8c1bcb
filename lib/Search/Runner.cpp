//===- Runner.cpp - artifacts judged and timed by a worker ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Runner.h"

#include "egg/Support/File.h"
#include "egg/Support/Subprocess.h"

#include <cstdlib>
#include <mutex>
#include <optional>
#include <unistd.h>

using namespace egg;

/// Environment variables that the worker, its launcher and CUDA may need, whole
/// names or, with an underscore at the end, beginnings; and no others: keys of
/// model providers stay here.
static const char *const passedOn[] = {
    "PATH",      "HOME",      "USER",       "LOGNAME",       "LANG",
    "LC_ALL",    "TERM",      "TMPDIR",     "SLURM_",        "CUDA_",
    "EGG_CUDA_", "EGG_FAKE_", "KRB5CCNAME", "SSH_AUTH_SOCK", "LD_LIBRARY_PATH"};

static bool isPassedOn(std::string_view name) {
  for (std::string_view known : passedOn)
    if (known.back() == '_' ? name.substr(0, known.size()) == known
                            : name == known)
      return true;
  return false;
}

Runner::~Runner() = default;

struct WorkerRunner::State {
  RunnerOptions options;
  ProcessOptions process;
  /// Held over a whole request.
  std::mutex mutex;
  std::optional<Child> worker;

  Result<Frame> ask(eval::Request &request, eval::RequestKind kind);

  /// Asks and reads the answer with `decode`. Every failure costs the worker
  /// its life: after an error of CUDA's its context is no longer to be trusted.
  template <typename Decode>
  auto measure(eval::Request &request, eval::RequestKind kind, Decode &&decode)
      -> decltype(decode(std::declval<Frame>())) {
    std::lock_guard<std::mutex> lock(mutex);
    Result<Frame> frame = ask(request, kind);
    if (!frame) {
      worker.reset();
      return frame.error();
    }
    auto answer = decode(frame.take());
    if (!answer || !options.pool)
      worker.reset();
    return answer;
  }
};

Result<std::unique_ptr<WorkerRunner>>
WorkerRunner::create(const RunnerOptions &options) {
  auto state = std::make_unique<State>();
  state->options = options;
  ProcessOptions &process = state->process;
  if (!options.prefix.empty()) {
    process.arguments = options.prefix;
    EGG_ASSIGN(process.arguments[0], findProgram(options.prefix[0]));
  }
  const char *named = std::getenv("EGG_EVAL_WORKER");
  std::string program = !options.program.empty() ? options.program
                        : named && *named        ? named
                                                 : "egg-eval-worker";
  // Behind a launcher a given path is the other machine's.
  if (options.prefix.empty() || options.program.empty()) {
    EGG_ASSIGN(program, findProgram(program, programFolder()));
  }
  process.arguments.push_back(program);
  for (char **variable = environ; *variable; ++variable) {
    std::string_view text(*variable);
    size_t equals = text.find('=');
    if (equals != text.npos && isPassedOn(text.substr(0, equals)))
      process.environment.emplace_back(text.substr(0, equals),
                                       text.substr(equals + 1));
  }
  return std::unique_ptr<WorkerRunner>(new WorkerRunner(std::move(state)));
}

WorkerRunner::WorkerRunner(std::unique_ptr<State> state)
    : state(std::move(state)) {}

WorkerRunner::~WorkerRunner() = default;

Result<Frame> WorkerRunner::State::ask(eval::Request &request,
                                       eval::RequestKind kind) {
  request.kind = kind;
  if (!worker) {
    EGG_ASSIGN(Child started, Child::start(process));
    worker.emplace(std::move(started));
  }
  double deadline = request.deadlineSeconds + options.graceSeconds;
  Nonce nonce = makeNonce();
  Result<Frame> answer =
      worker->ask(eval::encodeRequest(request, nonce), deadline);
  if (answer)
    return answer;
  if (answer.error().kind == ErrorKind::Timeout)
    return Error(ErrorKind::Timeout,
                 "the worker did not answer within " +
                     std::to_string(int64_t(deadline)) +
                     " s and was killed with all it had started");
  return Error(ErrorKind::WorkerDied, answer.error().message);
}

Result<eval::InfoAnswer> WorkerRunner::info(eval::Request request) {
  return state->measure(request, eval::RequestKind::Info,
                        [](Frame frame) { return eval::decodeInfo(frame); });
}

Result<eval::CheckAnswer> WorkerRunner::check(eval::Request request) {
  return state->measure(request, eval::RequestKind::Check,
                        [](Frame frame) { return eval::decodeCheck(frame); });
}

Result<eval::TimeAnswer> WorkerRunner::time(eval::Request request) {
  return state->measure(request, eval::RequestKind::Time,
                        [](Frame frame) { return eval::decodeTime(frame); });
}

Status WorkerRunner::once(eval::Request request) {
  return state->measure(request, eval::RequestKind::Once,
                        [](Frame frame) { return eval::decodeDone(frame); });
}

Result<eval::RunAnswer> WorkerRunner::run(eval::Request request) {
  return state->measure(request, eval::RequestKind::Run, [](Frame frame) {
    return eval::decodeRun(std::move(frame));
  });
}
