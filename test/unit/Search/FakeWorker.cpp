//===- FakeWorker.cpp - a worker that behaves as it is told -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FakeWorker BEHAVIOUR LOG [worker]: writes a line to LOG when it starts, then
// answers each request with a median of as many milliseconds as it has
// answered. BEHAVIOUR: answer, error, die (by a signal), hang.
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Protocol.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace egg;

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  std::string behaviour = argv[1];
  // A key must not travel to the machine of a launcher.
  bool leaked = getenv("OPENAI_API_KEY") || !getenv("EGG_FAKE_ARCH");
  std::ofstream(argv[2], std::ios::app)
      << (leaked ? "leaked\n\n" : "started\n");
  int answered = 0;
  while (true) {
    Result<std::optional<Frame>> frame =
        readFrame(STDIN_FILENO, eval::requestLimits());
    if (!frame || !*frame)
      return frame ? 0 : 1;
    Nonce nonce = (*frame)->nonce;
    Result<eval::Request> request = eval::decodeRequest(std::move(**frame));
    if (behaviour == "die") {
      fprintf(stderr, "CUDA says no\n");
      raise(SIGKILL);
    }
    if (behaviour == "hang")
      pause();
    Frame reply;
    if (!request) {
      reply = eval::encodeAnswer(request.error(), nonce);
    } else if (behaviour == "error") {
      reply = eval::encodeAnswer(
          Error(ErrorKind::WrongResult, "result 0 is off"), nonce);
    } else {
      eval::TimeAnswer answer;
      answer.ms = ++answered;
      answer.samples = {answer.ms};
      reply = eval::encodeAnswer(answer, nonce);
    }
    if (!writeFrame(STDOUT_FILENO, reply))
      return 1;
  }
}
