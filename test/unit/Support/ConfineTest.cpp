//===- ConfineTest.cpp - what a confined process cannot do ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Confine.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace egg;

/// Runs `body` in a child that has confined itself; its exit status, 100 when
/// confining failed, or minus the signal that ended it.
static int inConfinedChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0) {
    if (!confineToCompute())
      _exit(100);
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// 0 when the call that returned `result` was refused with EPERM.
static int refused(long result) {
  return result == -1 && errno == EPERM ? 0 : 1;
}

TEST(Confine, RefusesPrograms) {
  EXPECT_EQ(inConfinedChild([] {
              char name[] = "/bin/true";
              char *arguments[] = {name, nullptr};
              return refused(execv(name, arguments));
            }),
            0);
  EXPECT_EQ(inConfinedChild([] { return std::system("true") != 0 ? 0 : 1; }),
            0);
}

TEST(Confine, RefusesProcesses) {
  EXPECT_EQ(inConfinedChild([] {
              pid_t pid = fork();
              if (pid == 0)
                _exit(0);
              return refused(pid);
            }),
            0);
}

TEST(Confine, RefusesSockets) {
  EXPECT_EQ(
      inConfinedChild([] { return refused(socket(AF_INET, SOCK_STREAM, 0)); }),
      0);
}

TEST(Confine, RefusesWriting) {
  std::string path =
      testing::TempDir() + "egg-confine-" + std::to_string(getpid());
  auto open1 = [&](int flags) {
    return inConfinedChild(
        [&] { return refused(open(path.c_str(), flags, 0600)); });
  };
  EXPECT_EQ(open1(O_WRONLY | O_CREAT), 0);
  EXPECT_EQ(open1(O_RDONLY | O_CREAT), 0);
  EXPECT_EQ(open1(O_RDWR), 0);
  EXPECT_EQ(open1(O_RDONLY | O_TRUNC), 0);
  EXPECT_EQ(inConfinedChild([&] {
              return refused(open("/tmp", O_TMPFILE | O_RDWR, 0600));
            }),
            0);
  EXPECT_EQ(inConfinedChild([&] { return refused(unlink(path.c_str())); }), 0);
  EXPECT_EQ(inConfinedChild([&] { return refused(mkdir(path.c_str(), 0700)); }),
            0);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Confine, RefusesSignalsToOthers) {
  EXPECT_EQ(inConfinedChild([] { return refused(kill(getppid(), 0)); }), 0);
  EXPECT_EQ(inConfinedChild([]() -> int { abort(); }), -SIGABRT);
}

TEST(Confine, LeavesMemoryThreadsAndReading) {
  EXPECT_EQ(inConfinedChild([] {
              int file = open("/proc/self/status", O_RDONLY);
              char byte = 0;
              return file >= 0 && read(file, &byte, 1) == 1 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(inConfinedChild([] {
              int answer = 1;
              std::thread([&] { answer = 0; }).join();
              return answer;
            }),
            0);
  EXPECT_EQ(inConfinedChild([] {
              void *code = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return mprotect(code, 4096, PROT_READ | PROT_EXEC);
            }),
            0);
}

TEST(Confine, HoldsInThreads) {
  EXPECT_EQ(inConfinedChild([] {
              int answer = 1;
              std::thread([&] {
                answer = refused(socket(AF_UNIX, SOCK_STREAM, 0));
              }).join();
              return answer;
            }),
            0);
}
