//===- Session.h - a device and what was prepared on it ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What egg-eval-worker keeps between requests: the context, the kernels, and
// input sets with their golden results, so that a search pays for them once.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_SESSION_H
#define EGG_EVAL_SESSION_H

#include "egg/Eval/Protocol.h"
#include "egg/Support/Result.h"

#include <memory>

namespace egg::eval {

/// Answers requests on one device. Not for several threads at once.
class Session {
public:
  /// Opens the driver and the device's context. Fails with `no-device`, `mps`,
  /// `device-busy`, `wrong-arch` and what the driver says.
  static Result<Session> open(unsigned device);
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  unsigned device() const;

  Result<InfoAnswer> info() const;
  /// The gate. A candidate that does not pass is an error of the kind that
  /// says why.
  Result<CheckAnswer> check(const Request &request);
  /// Times the candidate and, with a golden, judges what the timed launches
  /// left behind.
  Result<TimeAnswer> time(const Request &request);
  /// One launch on drawn inputs: for profilers and sanitizers.
  Status once(const Request &request);
  /// The candidate on given inputs.
  Result<RunAnswer> run(const Request &request);

  /// The answer's frame for any request. Sets `ended` when the context can no
  /// longer be trusted: the process has to end.
  Frame answer(const Request &request, const Nonce &nonce, bool &ended);

private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// True for errors after which CUDA gives only errors.
bool endsContext(ErrorKind kind);

} // namespace egg::eval

#endif // EGG_EVAL_SESSION_H
