//===- SubprocessTest.cpp - Tests of children with limits -----------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the program TestChild.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Subprocess.h"
#include "egg/Support/File.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace egg;

namespace {
ProcessOptions child(std::vector<std::string> arguments) {
  ProcessOptions options;
  options.arguments = {programFolder() + "/Inputs/egg-test-child"};
  for (std::string &text : arguments)
    options.arguments.push_back(std::move(text));
  return options;
}

ProcessResult run(const ProcessOptions &options, const RunOptions &run = {}) {
  auto result = runProcess(options, run);
  EXPECT_TRUE(result.ok()) << result.error().str();
  return result ? *result : ProcessResult();
}

Frame frame(std::string header) {
  Frame made;
  made.header = std::move(header);
  return made;
}
} // namespace

TEST(Subprocess, PassesArgumentsAsTheyAre) {
  ProcessResult result = run(child({"arguments", "a b", "", "$HOME;`x`", "*"}));
  EXPECT_EQ(result.out, "[a b][][$HOME;`x`][*]");
  EXPECT_TRUE(result.end.success());
}

TEST(Subprocess, PassesOnlyTheGivenEnvironment) {
  ::setenv("EGG_TEST_SECRET", "1", 1);
  ProcessOptions options = child({"environment"});
  options.folder = "/";
  options.environment = {{"A", "b=c"}};
  EXPECT_EQ(run(options).out, "A=b=c\n");
  options.environment = {{"A=", "x"}};
  EXPECT_FALSE(runProcess(options).ok());
}

TEST(Subprocess, RunsInAPrivateFolderThatIsRemoved) {
  ProcessResult result = run(child({"folder"}));
  size_t space = result.out.rfind(' ');
  ASSERT_NE(space, std::string::npos);
  EXPECT_EQ(result.out.substr(space + 1), "700");
  struct stat info;
  EXPECT_NE(::stat(result.out.substr(0, space).c_str(), &info), 0);
}

TEST(Subprocess, StartsWithACleanState) {
  // Neither what this program ignores or blocks, nor its open files.
  int leak = ::open("/dev/null", O_RDONLY);
  ::signal(SIGPIPE, SIG_IGN);
  ProcessResult result = run(child({"state"}));
  ::signal(SIGPIPE, SIG_DFL);
  ::close(leak);
  EXPECT_EQ(result.out, "leader 1 blocked 0 default 1 leaked 0");
}

TEST(Subprocess, FeedsAndDrainsMoreThanAPipeHolds) {
  RunOptions options;
  options.input = std::string(5 << 20, 'y');
  EXPECT_EQ(run(child({"echo"}), options).out, options.input);
}

TEST(Subprocess, AChildThatDoesNotReadIsNoError) {
  RunOptions options;
  options.input = std::string(5 << 20, 'y');
  EXPECT_EQ(run(child({"exit", "7"}), options).end.code, 7);
}

TEST(Subprocess, KillsAtTheDeadline) {
  RunOptions options;
  options.deadline = 0.2;
  ProcessResult result = run(child({"spin"}), options);
  EXPECT_EQ(result.end.how, ProcessEnd::How::TimedOut);
  EXPECT_LT(result.seconds, 10);
}

TEST(Subprocess, KillsTheWholeGroup) {
  auto start = std::chrono::steady_clock::now();
  ProcessResult result = run(child({"grandchild"}));
  EXPECT_TRUE(result.end.success());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  int pid = std::atoi(result.out.c_str());
  ASSERT_GT(pid, 1);
  // Somebody else reaps it; its state must not be "running" for long.
  bool gone = false;
  for (int tick = 0; tick < 500 && !gone; ++tick) {
    auto stat = readFile("/proc/" + std::to_string(pid) + "/stat", 4096);
    gone = !stat || stat->find(") Z") != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(gone);
}

TEST(Subprocess, CapsOutput) {
  RunOptions options;
  options.maxOutputBytes = 100000;
  ProcessResult result = run(child({"flood"}), options);
  EXPECT_EQ(result.end.how, ProcessEnd::How::OutputLimit);
  EXPECT_EQ(result.out.size(), 100000u);
}

TEST(Subprocess, DropsErrorsOverTheCap) {
  RunOptions options;
  options.maxErrorBytes = 1000;
  ProcessResult result = run(child({"flood", "2"}), options);
  EXPECT_TRUE(result.end.success()) << result.end.describe();
  EXPECT_EQ(result.err.size(), 1000u);
  EXPECT_TRUE(result.errTruncated);
}

TEST(Subprocess, HoldsAddressSpace) {
  ProcessOptions options = child({"memory"});
  EXPECT_EQ(run(options).out, "allowed");
  options.limits.addressSpaceBytes = uint64_t(1) << 30;
  EXPECT_EQ(run(options).out, "refused");
}

TEST(Subprocess, HoldsProcessorTime) {
  ProcessOptions options = child({"spin"});
  options.limits.cpuSeconds = 1;
  ProcessResult result = run(options);
  EXPECT_EQ(result.end.how, ProcessEnd::How::Signalled);
  EXPECT_NE(result.end.describe().find("signal"), std::string::npos);
}

TEST(Subprocess, HoldsFileSize) {
  ProcessOptions options = child({"file"});
  EXPECT_TRUE(run(options).end.success());
  options.limits.fileBytes = 1 << 20;
  EXPECT_EQ(run(options).end.code, SIGXFSZ);
}

TEST(Subprocess, ForbidsProcessesButNotThreads) {
  ProcessOptions options = child({"programs"});
  EXPECT_EQ(run(options).out, "thread allowed, fork allowed");
  options.limits.forbidProcesses = true;
  EXPECT_EQ(run(options).out, "thread allowed, fork refused");
}

TEST(Subprocess, ForbidsNewPrograms) {
  EXPECT_EQ(run(child({"no-programs"})).out,
            "thread allowed, fork refused, exec refused, socket refused");
}

TEST(Subprocess, NamesAMissingProgram) {
  ProcessOptions options;
  options.arguments = {"/nowhere/no-such-program"};
  auto result = runProcess(options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::MissingTool);
  EXPECT_NE(result.error().message.find("no-such-program"), std::string::npos);
  // Nothing is left to be reaped.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Child, AnswersManyRequests) {
  auto pool = Child::start(child({"serve"}));
  ASSERT_TRUE(pool.ok()) << pool.error().str();
  for (int i = 0; i < 20; ++i) {
    Frame request = frame("request " + std::to_string(i));
    request.blobs = {std::string(i * 50000, 'b'), ""};
    auto answer = pool->ask(request, 20);
    ASSERT_TRUE(answer.ok()) << answer.error().str();
    EXPECT_EQ(answer->header, request.header);
    EXPECT_EQ(answer->blobs, request.blobs);
  }
  EXPECT_TRUE(pool->running());
  EXPECT_TRUE(pool->finish(20).success());
  EXPECT_FALSE(pool->running());
}

TEST(Child, DrainsErrorsWhileItWaits) {
  auto pool = Child::start(child({"serve"}));
  ASSERT_TRUE(pool.ok());
  EXPECT_TRUE(pool->ask(frame("noise"), 20).ok());
  EXPECT_GT(pool->errorText().size(), 1000u);
  EXPECT_LE(pool->errorText().size(), 65536u);
}

TEST(Child, TimesOutAndIsKilled) {
  auto pool = Child::start(child({"serve"}));
  ASSERT_TRUE(pool.ok());
  auto answer = pool->ask(frame("hang"), 0.2);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::Timeout);
  EXPECT_TRUE(pool->running());
  EXPECT_EQ(pool->kill().code, SIGKILL);
}

TEST(Child, TellsHowItDied) {
  auto pool = Child::start(child({"serve"}));
  ASSERT_TRUE(pool.ok());
  auto answer = pool->ask(frame("crash"), 20);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::WorkerDied);
  EXPECT_NE(answer.error().message.find("signal 11"), std::string::npos)
      << answer.error().message;
  EXPECT_NE(answer.error().message.find("about to crash"), std::string::npos)
      << answer.error().message;
  auto again = pool->ask(frame("x"), 20);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::WorkerDied);
}

TEST(Child, RefusesGarbageAndAForeignNonce) {
  auto pool = Child::start(child({"serve"}));
  ASSERT_TRUE(pool.ok());
  auto answer = pool->ask(frame("other nonce"), 20);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::Parse);
  answer = pool->ask(frame("garbage"), 20);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::Parse);
}
