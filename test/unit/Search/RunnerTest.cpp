//===- RunnerTest.cpp - the worker as a child process -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Runner.h"

#include "FakeTools.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace egg;
using egg::test::FakeTools;

namespace {
class RunnerTest : public testing::Test {
protected:
  std::unique_ptr<WorkerRunner> runner(const std::string &behaviour,
                                       RunnerOptions options = {}) {
    // The fake stands where a launcher would.
    options.prefix = {FAKE_WORKER_PROGRAM, behaviour, fake.path("log")};
    options.program = "egg-eval-worker";
    return WorkerRunner::create(options).take();
  }
  void SetUp() override {
    setenv("OPENAI_API_KEY", "secret", 1);
    setenv("EGG_FAKE_ARCH", "90", 1);
  }
  /// Workers started so far.
  int started() const {
    Result<std::string> log = readFile(fake.path("log"), 65536);
    return log ? int(std::count(log->begin(), log->end(), '\n')) : 0;
  }

  FakeTools fake;
};
} // namespace

static eval::Request request() {
  eval::Request request;
  request.candidate = "EGGARTF1";
  request.golden = "EGGARTF1";
  request.deadlineSeconds = 5;
  return request;
}

TEST_F(RunnerTest, KeepsItsWorker) {
  auto pool = runner("answer");
  EXPECT_EQ(pool->time(request()).take().ms, 1);
  EXPECT_EQ(pool->time(request()).take().ms, 2);
  EXPECT_EQ(started(), 1);
  EXPECT_EQ(readFile(fake.path("log"), 65536).take(), "started\n");
}

TEST_F(RunnerTest, StartsAFreshOneWithoutAPool) {
  RunnerOptions options;
  options.pool = false;
  auto fresh = runner("answer", options);
  EXPECT_EQ(fresh->time(request()).take().ms, 1);
  EXPECT_EQ(fresh->time(request()).take().ms, 1);
  EXPECT_EQ(started(), 2);
}

TEST_F(RunnerTest, ReplacesAWorkerAfterAnError) {
  auto pool = runner("error");
  for (int times = 1; times <= 2; ++times) {
    Result<eval::TimeAnswer> answer = pool->time(request());
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error(), Error(ErrorKind::WrongResult, "result 0 is off"));
    EXPECT_EQ(started(), times);
  }
}

TEST_F(RunnerTest, SaysHowAWorkerDied) {
  auto pool = runner("die");
  for (int times = 1; times <= 2; ++times) {
    Result<eval::CheckAnswer> answer = pool->check(request());
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().kind, ErrorKind::WorkerDied);
    EXPECT_NE(answer.error().message.find("signal 9"), std::string::npos)
        << answer.error().message;
    EXPECT_NE(answer.error().message.find("CUDA says no"), std::string::npos);
    EXPECT_EQ(started(), times);
  }
}

TEST_F(RunnerTest, KillsAWorkerThatHangs) {
  RunnerOptions options;
  options.graceSeconds = 0.1;
  auto pool = runner("hang", options);
  eval::Request short1 = request();
  short1.deadlineSeconds = 0.2;
  Result<eval::TimeAnswer> answer = pool->time(short1);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::Timeout);
}

TEST_F(RunnerTest, SaysWhatIsMissing) {
  RunnerOptions options;
  options.program = "/none/egg-eval-worker";
  EXPECT_EQ(WorkerRunner::create(options).error().kind, ErrorKind::MissingTool);
  options.prefix = {"no-such-launcher"};
  EXPECT_EQ(WorkerRunner::create(options).error().kind, ErrorKind::MissingTool);
}
