//===- Subprocess.h - Child processes with limits ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are started with an argument vector, never through a shell, with
// exactly the environment that is given, in a process group of their own that
// is killed as a whole and always reaped.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_SUBPROCESS_H
#define EGG_SUPPORT_SUBPROCESS_H

#include "egg/Support/Frame.h"
#include "egg/Support/Result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace egg {

/// What the system holds a child to; 0 means no limit. Core dumps are always
/// off.
struct ProcessLimits {
  uint64_t addressSpaceBytes = 0;
  uint64_t cpuSeconds = 0;
  /// The largest file that the child may write.
  uint64_t fileBytes = 0;
  uint64_t openFiles = 0;
  /// The system counts all processes of the user, and none of root: use
  /// `forbidProcesses` to be sure.
  uint64_t processes = 0;
  /// A system call filter: the child can start threads but no process. It can
  /// still replace itself (see `forbidNewPrograms`).
  bool forbidProcesses = false;
};

/// How to start a program.
struct ProcessOptions {
  /// The program's path (not searched in PATH), then its arguments.
  std::vector<std::string> arguments;
  /// The whole environment of the child.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Where it runs. Empty: a new folder of mode 0700, removed at the end; it is
  /// TMPDIR as well, unless the environment names one.
  std::string folder;
  ProcessLimits limits;
};

/// How a program ended.
struct ProcessEnd {
  enum class How { Exited, Signalled, TimedOut, OutputLimit };
  How how = How::Exited;
  /// The exit code (Exited), else the number of the signal that ended it.
  int code = 0;

  bool success() const { return how == How::Exited && code == 0; }
  /// For example "exited with code 1" or "was ended by signal 11 (Segmentation
  /// fault)".
  std::string describe() const;
};

/// What a program wrote and how it ended.
struct ProcessResult {
  ProcessEnd end;
  std::string out;
  /// The first `maxErrorBytes` bytes; the rest is dropped.
  std::string err;
  bool errTruncated = false;
  double seconds = 0;
};

/// What `runProcess` feeds and allows.
struct RunOptions {
  /// All of standard input.
  std::string input;
  /// Seconds until the group is killed.
  double deadline = 60;
  /// More output than this kills the group (OutputLimit).
  uint64_t maxOutputBytes = uint64_t(64) << 20;
  uint64_t maxErrorBytes = uint64_t(1) << 20;
};

/// Runs a program to its end. Fails with `missing-tool` when it cannot be
/// started for want of a file, else with `internal`; a program that ran is a
/// result, however it ended. Nothing of its process group is left behind.
Result<ProcessResult> runProcess(const ProcessOptions &options,
                                 const RunOptions &run = {});

/// A child that lives on and answers frames (docs/formats.md), for pools. Not
/// for two threads at once.
class Child {
public:
  static Result<Child> start(const ProcessOptions &options);
  Child(Child &&) noexcept;
  Child &operator=(Child &&) noexcept;
  /// Kills and reaps what still runs.
  ~Child();

  /// Writes one request within `deadline` seconds. Fails with `timeout`, or
  /// with `worker-died` and how the child ended.
  Status send(const Frame &frame, double deadline);

  /// Reads one answer within `deadline` seconds. Fails with `timeout` (the
  /// child still runs: kill it), `worker-died` (with how it ended and the end
  /// of what it wrote to standard error), `parse` or `limit`. After any failure
  /// the stream is out of step: kill the child.
  Result<Frame> receive(double deadline, const FrameLimits &limits = {});

  /// `send`, then `receive`, then a check of the nonce; one deadline for all.
  /// An empty nonce in `frame` is replaced by a new one.
  Result<Frame> ask(Frame frame, double deadline,
                    const FrameLimits &limits = {});

  /// Closes its standard input and waits for its own end; kills it after
  /// `deadline` seconds.
  ProcessEnd finish(double deadline);

  /// Kills the group at once and reaps it.
  ProcessEnd kill();

  /// False once the child has ended; reaps it then.
  bool running();

  /// The last 64 KiB of what it wrote to standard error so far.
  std::string errorText();

  int pid() const;
  /// The folder that it runs in.
  const std::string &folder() const;

private:
  struct State;
  explicit Child(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// From now on this process and its threads can neither start a process nor
/// replace themselves by another program, nor open a socket. Cannot be undone.
/// Fails with `unsupported` where the system has no such filter.
Status forbidNewPrograms();

} // namespace egg

#endif // EGG_SUPPORT_SUBPROCESS_H
