//===- egg-eval-worker.cpp - checks and times kernels on a GPU --*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers the requests of docs/evaluation.md, frame by frame, from standard
// input to standard output. Needs nothing at run time but libc; CUDA's driver
// is opened when the first request comes.
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Session.h"

#include "egg/Support/Frame.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace egg;
using namespace egg::eval;

namespace {

/// The process ends with these where it cannot go on.
enum ExitCode { BadInput = 1, ContextEnded = 2, DeadlinePassed = 3 };

/// Writes answers; the first of the main thread and the watchdog wins.
class Answers {
public:
  explicit Answers(int fd) : fd(fd) {}

  /// From here on a request of that nonce is open.
  void open(const Nonce &nonce) {
    std::lock_guard<std::mutex> lock(mutex);
    pending = nonce;
  }

  /// Answers the open request, if it still is. False when nobody reads.
  bool write(const Frame &frame) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!pending)
      return true;
    pending.reset();
    return writeFrame(fd, frame).ok();
  }

private:
  int fd;
  std::mutex mutex;
  std::optional<Nonce> pending;
};

/// Ends the process when a request takes longer than its deadline: a kernel
/// that hangs cannot be stopped in any other way.
class Watchdog {
public:
  explicit Watchdog(Answers &answers)
      : answers(answers), thread([this] { loop(); }) {}

  ~Watchdog() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      closing = true;
    }
    changed.notify_all();
    thread.join();
  }

  /// Starts the time of a request.
  void start(const Nonce &nonce, double seconds) {
    std::lock_guard<std::mutex> lock(mutex);
    this->nonce = nonce;
    this->seconds = seconds;
    end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(seconds));
    changed.notify_all();
  }

  void stop() {
    std::lock_guard<std::mutex> lock(mutex);
    end.reset();
    changed.notify_all();
  }

private:
  using Clock = std::chrono::steady_clock;

  void loop() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!closing) {
      if (!end) {
        changed.wait(lock);
      } else if (changed.wait_until(lock, *end) == std::cv_status::timeout &&
                 end && Clock::now() >= *end) {
        char text[128];
        snprintf(text, sizeof text,
                 "the request was not done after %g seconds; the worker ends",
                 seconds);
        answers.write(encodeAnswer(Error(ErrorKind::Timeout, text), nonce));
        _exit(DeadlinePassed);
      }
    }
  }

  Answers &answers;
  std::mutex mutex;
  std::condition_variable changed;
  bool closing = false;
  std::optional<Clock::time_point> end;
  Nonce nonce = {};
  double seconds = 0;
  /// Last: it uses all of the above.
  std::thread thread;
};

/// Opens the device of a request, unless it is open.
Status openDevice(std::optional<Session> &session, unsigned device) {
  if (session && session->device() == device)
    return Status();
  session.reset();
  EGG_ASSIGN(Session opened, Session::open(device));
  session.emplace(std::move(opened));
  return Status();
}

int serve(int out) {
  Answers answers(out);
  Watchdog watchdog(answers);
  std::optional<Session> session;
  while (true) {
    Result<std::optional<Frame>> frame = readFrame(0, requestLimits());
    if (!frame) {
      fprintf(stderr, "egg-eval-worker: %s\n", frame.error().str().c_str());
      return BadInput;
    }
    if (!*frame)
      return 0;
    Nonce nonce = (*frame)->nonce;
    answers.open(nonce);
    Frame answer;
    bool ended = false;
    Result<Request> request = decodeRequest(std::move(**frame));
    if (!request) {
      answer = encodeAnswer(request.error(), nonce);
    } else {
      watchdog.start(nonce, request->deadlineSeconds);
      if (Status opened = openDevice(session, request->device); !opened) {
        answer = encodeAnswer(opened.error(), nonce);
        ended = endsContext(opened.error().kind);
      } else {
        answer = session->answer(*request, nonce, ended);
      }
      watchdog.stop();
    }
    if (!answers.write(answer))
      return BadInput;
    // CUDA's clean-up may wait for a kernel that never ends.
    if (ended)
      _exit(ContextEnded);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) {
    bool help = argc == 2 && std::string_view(argv[1]) == "--help";
    fprintf(help ? stdout : stderr,
            "usage: egg-eval-worker\n"
            "Reads framed requests on standard input and answers on standard "
            "output (docs/evaluation.md).\n"
            "EGG_CUDA_DRIVER names another driver library than "
            "libcuda.so.1.\n");
    return help ? 0 : BadInput;
  }
  signal(SIGPIPE, SIG_IGN);
  // What a library prints must not get between the frames.
  int out = dup(1);
  if (out < 0 || dup2(2, 1) < 0) {
    fprintf(stderr, "egg-eval-worker: no standard output: %s\n",
            strerror(errno));
    return BadInput;
  }
  return serve(out);
}
