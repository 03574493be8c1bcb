//===- Subprocess.cpp - Child processes with limits -----------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop over poll feeds and drains all pipes, so that no side ever waits for
// the other.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Subprocess.h"

#include "SignalGuard.h"
#include "Spawn.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <poll.h>
#include <unistd.h>

using namespace egg;

namespace {
constexpr size_t errorTailBytes = 65536;

/// Appends what can be read now. False at the end of the stream.
bool drain(int fd, std::string &text, uint64_t most) {
  char buffer[65536];
  while (text.size() <= most) {
    ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, size_t(count));
      continue;
    }
    if (count < 0 && errno == EINTR)
      continue;
    return count < 0 && errno == EAGAIN;
  }
  return true;
}

/// Reads what can be read now into a buffer that keeps its last bytes.
bool drainTail(int fd, std::string &text) {
  char buffer[16384];
  while (true) {
    ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, size_t(count));
      if (text.size() > 2 * errorTailBytes)
        text.erase(0, text.size() - errorTailBytes);
      continue;
    }
    if (count < 0 && errno == EINTR)
      continue;
    return count < 0 && errno == EAGAIN;
  }
}

/// Milliseconds for poll: at least 1 while time is left, at most `most`.
int pollTime(double secondsLeft, double most) {
  double wait = std::min(secondsLeft * 1e3, most);
  return wait <= 0 ? 0 : int(std::ceil(wait));
}

std::string secondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", seconds);
  return text;
}
} // namespace

std::string ProcessEnd::describe() const {
  switch (how) {
  case How::Exited:
    return "exited with code " + std::to_string(code);
  case How::TimedOut:
    return "was killed at its deadline";
  case How::OutputLimit:
    return "was killed because it wrote too much";
  case How::Signalled:
    break;
  }
  const char *name = ::strsignal(code);
  return "was ended by signal " + std::to_string(code) + " (" +
         (name ? name : "unknown") + ")";
}

Result<ProcessResult> egg::runProcess(const ProcessOptions &options,
                                      const RunOptions &run) {
  double start = now();
  EGG_ASSIGN(Spawned child, spawn(options));
  SigpipeGuard guard;
  ProcessResult result;
  std::string_view input = run.input;
  bool outOpen = true, errOpen = true, timedOut = false, tooMuch = false;
  if (input.empty())
    child.in.reset();

  while (true) {
    if (hasEnded(child.pid))
      break;
    double left = start + run.deadline - now();
    if (left <= 0) {
      timedOut = true;
      break;
    }
    pollfd list[3] = {{child.in ? child.in.get() : -1, POLLOUT, 0},
                      {outOpen ? child.out.get() : -1, POLLIN, 0},
                      {errOpen ? child.err.get() : -1, POLLIN, 0}};
    // The end of the child closes its pipes and so wakes the poll; a
    // grandchild that holds them open is found at the next tick.
    ::poll(list, 3, pollTime(left, outOpen || errOpen ? 20 : 1));
    if (child.in && list[0].revents) {
      ssize_t count = ::write(child.in.get(), input.data(),
                              std::min<size_t>(input.size(), size_t(1) << 20));
      if (count > 0)
        input.remove_prefix(size_t(count));
      // A child that does not read its input is the child's affair.
      if (input.empty() || (count < 0 && errno != EAGAIN && errno != EINTR))
        child.in.reset();
    }
    if (outOpen && list[1].revents)
      outOpen = drain(child.out.get(), result.out, run.maxOutputBytes);
    if (errOpen && list[2].revents) {
      errOpen = drain(child.err.get(), result.err, run.maxErrorBytes);
      if (result.err.size() > run.maxErrorBytes) {
        result.err.resize(run.maxErrorBytes);
        result.errTruncated = true;
        std::string dropped;
        errOpen = drainTail(child.err.get(), dropped);
      }
    }
    if (result.out.size() > run.maxOutputBytes) {
      tooMuch = true;
      break;
    }
  }
  result.end = endGroup(child.pid);
  if (outOpen)
    drain(child.out.get(), result.out, run.maxOutputBytes);
  if (errOpen)
    drain(child.err.get(), result.err, run.maxErrorBytes);
  if (result.out.size() > run.maxOutputBytes) {
    tooMuch = true;
    result.out.resize(run.maxOutputBytes);
  }
  if (result.err.size() > run.maxErrorBytes) {
    result.errTruncated = true;
    result.err.resize(run.maxErrorBytes);
  }
  if (timedOut)
    result.end.how = ProcessEnd::How::TimedOut;
  else if (tooMuch)
    result.end.how = ProcessEnd::How::OutputLimit;
  result.seconds = now() - start;
  return result;
}

struct Child::State {
  Spawned child;
  std::string errors;
  std::optional<ProcessEnd> end;

  ~State() {
    if (!end)
      endGroup(child.pid);
  }

  void readErrors() {
    if (child.err && !drainTail(child.err.get(), errors))
      child.err.reset();
  }

  void reap() {
    if (end)
      return;
    end = endGroup(child.pid);
    readErrors();
  }

  Error died(const std::string &when) {
    // The pipe closes a moment before the child can be waited for.
    for (int tick = 0; tick < 200 && !end && !hasEnded(child.pid); ++tick)
      ::poll(nullptr, 0, 1);
    bool alone = !end && hasEnded(child.pid);
    if (!end && !alone)
      return Error(ErrorKind::WorkerDied,
                   "the child closed its pipe " + when + " but still runs");
    reap();
    std::string text = "the child " + end->describe() + " " + when;
    if (!errors.empty()) {
      size_t bytes = std::min<size_t>(errors.size(), 2000);
      text += "; it wrote at last: " + errors.substr(errors.size() - bytes);
    }
    return Error(ErrorKind::WorkerDied, text);
  }

  /// Waits until `fd` is ready or the time is over, reading errors meanwhile.
  Status waitFor(int fd, short events, double end, double deadline,
                 const char *what) {
    while (true) {
      double left = end - now();
      if (left <= 0)
        return Error(ErrorKind::Timeout, std::string("the child did not ") +
                                             what + " within " +
                                             secondsText(deadline) + " s");
      pollfd list[2] = {{fd, events, 0},
                        {child.err ? child.err.get() : -1, POLLIN, 0}};
      ::poll(list, 2, pollTime(left, 1000));
      if (list[1].revents)
        readErrors();
      if (list[0].revents)
        return Status();
    }
  }
};

Child::Child(std::unique_ptr<State> state) : state(std::move(state)) {}
Child::Child(Child &&) noexcept = default;
Child &Child::operator=(Child &&) noexcept = default;
Child::~Child() = default;

Result<Child> Child::start(const ProcessOptions &options) {
  auto state = std::make_unique<State>();
  // Reaping is armed only once there is a child.
  state->end = ProcessEnd();
  EGG_ASSIGN(state->child, spawn(options));
  state->end.reset();
  return Child(std::move(state));
}

Status Child::send(const Frame &frame, double deadline) {
  if (state->end || !state->child.in)
    return state->died("before a request was written");
  SigpipeGuard guard;
  double end = now() + deadline;
  auto writeAll = [&](std::string_view bytes) -> Status {
    while (!bytes.empty()) {
      ssize_t count = ::write(state->child.in.get(), bytes.data(),
                              std::min<size_t>(bytes.size(), size_t(1) << 20));
      if (count > 0) {
        bytes.remove_prefix(size_t(count));
        continue;
      }
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0 && errno != EAGAIN)
        return state->died("while a request was written");
      EGG_TRY(state->waitFor(state->child.in.get(), POLLOUT, end, deadline,
                             "read a request"));
    }
    return Status();
  };
  EGG_TRY(writeAll(encodeFrameHead(frame)));
  for (const std::string &blob : frame.blobs)
    EGG_TRY(writeAll(blob));
  return Status();
}

Result<Frame> Child::receive(double deadline, const FrameLimits &limits) {
  if (state->end || !state->child.out)
    return state->died("before it answered");
  double end = now() + deadline;
  auto read = [&](char *data, size_t bytes) -> Result<size_t> {
    while (true) {
      ssize_t count = ::read(state->child.out.get(), data, bytes);
      if (count > 0)
        return size_t(count);
      if (count < 0 && errno == EINTR)
        continue;
      if (count == 0 || errno != EAGAIN)
        return state->died("before it answered");
      EGG_TRY(state->waitFor(state->child.out.get(), POLLIN, end, deadline,
                             "answer"));
    }
  };
  EGG_ASSIGN(std::optional<Frame> frame, readFrame(ByteReader(read), limits));
  return std::move(*frame);
}

Result<Frame> Child::ask(Frame frame, double deadline,
                         const FrameLimits &limits) {
  if (frame.nonce == Nonce{})
    frame.nonce = makeNonce();
  double start = now();
  EGG_TRY(send(frame, deadline));
  EGG_ASSIGN(Frame answer, receive(start + deadline - now(), limits));
  EGG_TRY(checkNonce(answer, frame.nonce));
  return answer;
}

ProcessEnd Child::finish(double deadline) {
  state->child.in.reset();
  double end = now() + deadline;
  std::string dropped;
  bool outOpen = true;
  while (!state->end && !hasEnded(state->child.pid) && now() < end) {
    pollfd list[2] = {
        {outOpen ? state->child.out.get() : -1, POLLIN, 0},
        {state->child.err ? state->child.err.get() : -1, POLLIN, 0}};
    ::poll(list, 2, 5);
    outOpen = outOpen && drainTail(state->child.out.get(), dropped);
    state->readErrors();
  }
  bool late = !state->end && !hasEnded(state->child.pid);
  state->reap();
  if (late)
    state->end->how = ProcessEnd::How::TimedOut;
  return *state->end;
}

ProcessEnd Child::kill() {
  state->reap();
  return *state->end;
}

bool Child::running() {
  if (state->end)
    return false;
  if (!hasEnded(state->child.pid))
    return true;
  state->reap();
  return false;
}

std::string Child::errorText() {
  state->readErrors();
  size_t bytes = std::min(state->errors.size(), errorTailBytes);
  return state->errors.substr(state->errors.size() - bytes);
}

int Child::pid() const { return state->child.pid; }

const std::string &Child::folder() const { return state->child.folder; }
