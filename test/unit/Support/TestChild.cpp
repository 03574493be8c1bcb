//===- TestChild.cpp - A child for the subprocess tests -------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does what its first argument says.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Frame.h"
#include "egg/Support/Subprocess.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace egg;

extern char **environ;

namespace {
/// Answers frames: the header says what to do.
int serve() {
  while (true) {
    auto frame = readFrame(0);
    if (!frame) {
      std::fprintf(stderr, "%s\n", frame.error().str().c_str());
      return 3;
    }
    if (!*frame)
      return 0;
    Frame answer = **frame;
    if (answer.header == "hang")
      ::pause();
    if (answer.header == "crash") {
      std::fprintf(stderr, "about to crash\n");
      std::fflush(stderr);
      ::raise(SIGSEGV);
    }
    if (answer.header == "noise") {
      std::string noise(1 << 20, 'n');
      std::fwrite(noise.data(), 1, noise.size(), stderr);
    }
    if (answer.header == "garbage") {
      std::printf("this is no frame at all");
      std::fflush(stdout);
      continue;
    }
    if (answer.header == "other nonce")
      answer.nonce[0] ^= 1;
    if (!writeFrame(1, answer))
      return 4;
  }
}

const char *allowed(bool worked) { return worked ? "allowed" : "refused"; }

/// Tries what a filter is to refuse.
void tryPrograms() {
  bool thread = false;
  std::thread([&] { thread = true; }).join();
  pid_t pid = ::fork();
  if (pid == 0)
    ::_exit(0);
  if (pid > 0)
    ::waitpid(pid, nullptr, 0);
  std::printf("thread %s, fork %s", allowed(thread), allowed(pid > 0));
}
} // namespace

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  if (what == "serve")
    return serve();
  if (what == "arguments") {
    for (int i = 2; i < argc; ++i)
      std::printf("[%s]", argv[i]);
  } else if (what == "environment") {
    for (char **entry = environ; *entry; ++entry)
      std::printf("%s\n", *entry);
  } else if (what == "folder") {
    char path[4096];
    struct stat info;
    if (!::getcwd(path, sizeof path) || ::stat(".", &info) != 0)
      return 1;
    std::printf("%s %o", path, unsigned(info.st_mode & 07777));
  } else if (what == "state") {
    // The group, the mask and the SIGPIPE handler of a fresh program.
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    struct sigaction action;
    ::sigaction(SIGPIPE, nullptr, &action);
    bool leaked = false;
    for (int fd = 3; fd < 64; ++fd)
      leaked |= ::fcntl(fd, F_GETFD) >= 0;
    std::printf("leader %d blocked %d default %d leaked %d",
                ::getpgrp() == ::getpid(), ::sigismember(&mask, SIGPIPE),
                action.sa_handler == SIG_DFL, leaked);
  } else if (what == "flood") {
    std::string block(65536, 'x');
    while (::write(argc > 2 ? 2 : 1, block.data(), block.size()) > 0 &&
           argc <= 2) {
    }
    for (int i = 0; i < 100 && argc > 2; ++i)
      std::fwrite(block.data(), 1, block.size(), stderr);
  } else if (what == "echo") {
    char buffer[4096];
    ssize_t count;
    while ((count = ::read(0, buffer, sizeof buffer)) > 0)
      std::fwrite(buffer, 1, size_t(count), stdout);
  } else if (what == "grandchild") {
    // Leaves a process of the group behind, which holds the pipes.
    pid_t pid = ::fork();
    if (pid == 0) {
      ::signal(SIGTERM, SIG_IGN);
      ::sleep(60);
      ::_exit(0);
    }
    std::printf("%d", int(pid));
  } else if (what == "memory") {
    void *block = ::mmap(nullptr, size_t(1) << 32, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    std::printf("%s", allowed(block != MAP_FAILED));
  } else if (what == "spin") {
    for (volatile unsigned i = 0;; i = i + 1) {
    }
  } else if (what == "file") {
    FILE *file = std::fopen("large", "w");
    std::string block(1 << 20, 'x');
    for (int i = 0; i < 8; ++i)
      std::fwrite(block.data(), 1, block.size(), file);
    std::fclose(file);
  } else if (what == "programs") {
    tryPrograms();
  } else if (what == "no-programs") {
    if (!forbidNewPrograms())
      return 1;
    tryPrograms();
    int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    ::execl("/bin/true", "true", static_cast<char *>(nullptr));
    std::printf(", exec %s, socket %s", allowed(errno != EPERM),
                allowed(fd >= 0));
  } else if (what == "exit") {
    return std::atoi(argv[2]);
  } else {
    return 99;
  }
  return 0;
}
