//===- Compiler.cpp - the compiler, asked as a child process ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Compiler.h"

#include "egg/Support/File.h"
#include "egg/Support/Subprocess.h"

#include <cstdlib>
#include <mutex>
#include <vector>

using namespace egg;

Compiler::~Compiler() = default;

namespace {
/// A child that waits for its next request.
struct IdleChild {
  Child child;
  unsigned answered = 0;
};
} // namespace

struct CompilerProcesses::State {
  CompilerOptions options;
  std::mutex mutex;
  std::vector<IdleChild> idle;

  Result<IdleChild> take();
};

Result<std::unique_ptr<CompilerProcesses>>
CompilerProcesses::create(const CompilerOptions &options) {
  auto state = std::make_unique<State>();
  state->options = options;
  const char *named = std::getenv("EGG_OPT");
  std::string name = !options.program.empty() ? options.program
                     : named && *named        ? named
                                              : "egg-opt";
  EGG_ASSIGN(state->options.program, findProgram(name, programFolder()));
  return std::unique_ptr<CompilerProcesses>(
      new CompilerProcesses(std::move(state)));
}

CompilerProcesses::CompilerProcesses(std::unique_ptr<State> state)
    : state(std::move(state)) {}

CompilerProcesses::~CompilerProcesses() = default;

Result<IdleChild> CompilerProcesses::State::take() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      IdleChild child = std::move(idle.back());
      idle.pop_back();
      return child;
    }
  }
  ProcessOptions process;
  process.arguments = {options.program, "--egg-serve"};
  process.environment = {{"LC_ALL", "C"}};
  // Where the shared MLIR library may be.
  if (const char *path = std::getenv("LD_LIBRARY_PATH"))
    process.environment.emplace_back("LD_LIBRARY_PATH", path);
  process.limits.addressSpaceBytes = options.addressSpaceBytes;
  process.limits.cpuSeconds = options.cpuSeconds;
  // It confines itself as well; this holds from the first instruction.
  process.limits.forbidProcesses = true;
  process.limits.fileBytes = 1;
  process.limits.openFiles = 64;
  EGG_ASSIGN(Child child, Child::start(process));
  return IdleChild{std::move(child), 0};
}

Result<Frame> CompilerProcesses::ask(Frame question) {
  EGG_ASSIGN(IdleChild taken, state->take());
  Result<Frame> answer =
      taken.child.ask(std::move(question), state->options.deadline);
  if (!answer) {
    // The stream is out of step now; the destructor kills the child.
    if (answer.error().kind == ErrorKind::Timeout)
      return Error(ErrorKind::Timeout,
                   "the compiler was not done after " +
                       std::to_string(int64_t(state->options.deadline)) + " s");
    return Error(ErrorKind::BuilderDied,
                 "the compiler's process: " + answer.error().message);
  }
  if (++taken.answered < state->options.requestsPerChild) {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->idle.push_back(std::move(taken));
  }
  return answer;
}

Result<VerifyAnswer> CompilerProcesses::verify(const VerifyRequest &request) {
  EGG_ASSIGN(Frame answer, ask(encodeRequest(request)));
  return decodeVerifyAnswer(answer);
}

Result<BuildAnswer> CompilerProcesses::build(const BuildRequest &request) {
  EGG_ASSIGN(Frame answer, ask(encodeRequest(request)));
  return decodeBuildAnswer(answer);
}

Result<RunCpuAnswer> CompilerProcesses::runCpu(const RunCpuRequest &request) {
  EGG_ASSIGN(Frame answer, ask(encodeRequest(request)));
  return decodeRunCpuAnswer(answer);
}
