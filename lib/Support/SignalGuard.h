//===- SignalGuard.h - No SIGPIPE while writing -----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Support library.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SUPPORT_SIGNALGUARD_H
#define EGG_LIB_SUPPORT_SIGNALGUARD_H

#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <signal.h>

namespace egg {

/// Holds SIGPIPE back in this thread, so that a write to a reader that has gone
/// away returns EPIPE. A SIGPIPE raised meanwhile is swallowed; one that was
/// already pending stays, and the program's own handlers are left alone.
class SigpipeGuard {
public:
  SigpipeGuard() {
    sigemptyset(&pipeOnly);
    sigaddset(&pipeOnly, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    wasPending = sigismember(&pending, SIGPIPE);
    if (!wasPending)
      pthread_sigmask(SIG_BLOCK, &pipeOnly, &before);
  }
  ~SigpipeGuard() {
    if (wasPending)
      return;
    int code = errno;
    timespec now = {0, 0};
    while (sigtimedwait(&pipeOnly, nullptr, &now) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = code;
  }
  SigpipeGuard(const SigpipeGuard &) = delete;
  SigpipeGuard &operator=(const SigpipeGuard &) = delete;

private:
  sigset_t pipeOnly;
  sigset_t before;
  bool wasPending;
};

} // namespace egg

#endif // EGG_LIB_SUPPORT_SIGNALGUARD_H
