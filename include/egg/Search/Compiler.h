//===- Compiler.h - the compiler, asked as a child process ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SEARCH_COMPILER_H
#define EGG_SEARCH_COMPILER_H

#include "egg/Proposal/CompilerProtocol.h"
#include "egg/Support/Result.h"

#include <cstdint>
#include <memory>
#include <string>

namespace egg {

/// Whoever answers the compiler protocol. Every call may come from several
/// threads at once.
class Compiler {
public:
  virtual ~Compiler();

  /// Each fails with what the compiler answered, with `builder-died` when it
  /// died over the request, and with `timeout`.
  virtual Result<VerifyAnswer> verify(const VerifyRequest &request) = 0;
  virtual Result<BuildAnswer> build(const BuildRequest &request) = 0;
  virtual Result<RunCpuAnswer> runCpu(const RunCpuRequest &request) = 0;
};

struct CompilerOptions {
  /// Path of egg-opt. Empty: $EGG_OPT, else beside the running tool, else PATH.
  std::string program;
  /// Seconds that one request may take.
  double deadline = 300;
  /// Address space of a child; a run on the CPU holds its tensors in it.
  uint64_t addressSpaceBytes = uint64_t(24) << 30;
  /// CPU seconds of a child, over all its requests.
  uint64_t cpuSeconds = 3600;
  /// A child is replaced after so many requests, so that what one of them left
  /// behind (memory, a corrupted heap) does not live for long.
  unsigned requestsPerChild = 32;
};

/// egg-opt --egg-serve, one child for each request that is in the works. A
/// child lives on for later requests until it fails or has answered
/// `requestsPerChild` of them. A signal, a fatal error of LLVM or a malformed
/// answer is `builder-died` with the end of what the child said.
class CompilerProcesses : public Compiler {
public:
  /// Finds the program; starts nothing yet. Fails with `missing-tool`.
  static Result<std::unique_ptr<CompilerProcesses>>
  create(const CompilerOptions &options = {});
  ~CompilerProcesses() override;

  Result<VerifyAnswer> verify(const VerifyRequest &request) override;
  Result<BuildAnswer> build(const BuildRequest &request) override;
  Result<RunCpuAnswer> runCpu(const RunCpuRequest &request) override;

private:
  struct State;
  explicit CompilerProcesses(std::unique_ptr<State> state);

  Result<Frame> ask(Frame question);

  std::unique_ptr<State> state;
};

} // namespace egg

#endif // EGG_SEARCH_COMPILER_H
