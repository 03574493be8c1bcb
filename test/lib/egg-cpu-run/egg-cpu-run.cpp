//===- egg-cpu-run.cpp - Many runs on the CPU for the tests -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers `run-cpu` requests (docs/formats.md) on standard input. Each request
// runs in a process of its own, forked from one that has started everything, so
// that a run that dies costs its own answer alone. Beyond the fields of the
// protocol, `order` (forward, reversed, shuffled), `seed`, `poison` and `level`
// are read.
//
//===----------------------------------------------------------------------===//

#include "egg/CpuRunner/CpuRunner.h"
#include "egg/Support/Frame.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

using egg::Error;
using egg::ErrorKind;
using egg::Frame;
using egg::HostTensor;
using nlohmann::json;

static Frame answerError(const Frame &request, const Error &error) {
  Frame answer;
  answer.nonce = request.nonce;
  answer.header = json{{"protocol", 1},
                       {"error",
                        {{"kind", std::string(egg::toString(error.kind))},
                         {"message", error.message}}}}
                      .dump();
  return answer;
}

static Frame answer(const Frame &request) {
  json header = json::parse(request.header, nullptr, false);
  if (!header.is_object() || header.value("kind", "") != "run-cpu" ||
      !header.contains("inputs") || request.blobs.empty() ||
      request.blobs.size() != header["inputs"].size() + 1)
    return answerError(request,
                       {ErrorKind::Parse, "this is no run-cpu request"});
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < header["inputs"].size(); ++i) {
    const json &input = header["inputs"][i];
    inputs.push_back({input["type"].get<std::string>(),
                      input["shape"].get<std::vector<int64_t>>(),
                      request.blobs[i + 1]});
  }
  egg::CpuRunOptions options;
  std::string order = header.value("order", "forward");
  options.order = order == "reversed"   ? egg::ForallOrder::Reversed
                  : order == "shuffled" ? egg::ForallOrder::Shuffled
                                        : egg::ForallOrder::Forward;
  options.seed = header.value("seed", uint64_t(0));
  options.poison = uint8_t(header.value("poison", 0xff));
  options.optLevel = header.value("level", 0u);
  auto results = egg::runCpuRequest(request.blobs[0], options, inputs);
  if (!results)
    return answerError(request, results.error());
  Frame reply;
  reply.nonce = request.nonce;
  json list = json::array();
  for (HostTensor &result : *results) {
    list.push_back({{"type", result.type}, {"shape", result.shape}});
    reply.blobs.push_back(std::move(result.bytes));
  }
  reply.header = json{{"protocol", 1}, {"ok", {{"results", list}}}}.dump();
  return reply;
}

/// What is known of a child that ended without an answer.
static Error describeDeath(int status) {
  std::string how = WIFSIGNALED(status)
                        ? "signal " + std::to_string(WTERMSIG(status))
                        : "exit code " + std::to_string(WEXITSTATUS(status));
  return {ErrorKind::BuilderDied, "the run on the CPU ended with " + how};
}

int main() {
  // Starts LLVM and loads every library before the first fork.
  HostTensor one{"f32", {}, std::string(4, '\0')};
  auto started =
      egg::runCpuRequest("func.func @main(%a: tensor<f32>) -> tensor<f32> {"
                         "  return %a : tensor<f32> }",
                         {}, {one});
  if (!started) {
    std::fprintf(stderr, "egg-cpu-run: %s\n", started.error().str().c_str());
    return 2;
  }
  while (true) {
    auto request = egg::readFrame(STDIN_FILENO);
    if (!request) {
      std::fprintf(stderr, "egg-cpu-run: %s\n", request.error().str().c_str());
      return 1;
    }
    if (!*request)
      return 0;
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      _exit(egg::writeFrame(STDOUT_FILENO, answer(**request)) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    // A death after half of an answer is not told apart: the reader sees a
    // broken stream, and the test fails.
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
      if (!egg::writeFrame(STDOUT_FILENO,
                           answerError(**request, describeDeath(status))))
        return 1;
  }
}
