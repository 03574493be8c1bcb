//===- SystemCallFilter.cpp - Children that start no program --------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Root ignores RLIMIT_NPROC, so a filter of system calls (seccomp) does it. The
// filters deny a few calls and allow the rest; they need no library.
//
//===----------------------------------------------------------------------===//

#include "Spawn.h"

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace egg;

#if defined(__x86_64__) && defined(AUDIT_ARCH_X86_64)
#define EGG_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(AUDIT_ARCH_AARCH64)
#define EGG_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef EGG_AUDIT_ARCH
namespace {
constexpr uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;

sock_filter load(uint32_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
}
sock_filter answer(uint32_t value) { return BPF_STMT(BPF_RET | BPF_K, value); }

/// Appends: if the loaded word is `value`, answer `result`.
void refuseIf(std::vector<sock_filter> &program, uint32_t value,
              uint32_t result = refuse) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
  program.push_back(answer(result));
}

std::vector<sock_filter> makeProgram(bool forbidExec) {
  std::vector<sock_filter> program;
  // Calls of another architecture (32-bit code) have other numbers: none.
  program.push_back(load(offsetof(seccomp_data, arch)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EGG_AUDIT_ARCH, 1, 0));
  program.push_back(answer(refuse));
  program.push_back(load(offsetof(seccomp_data, nr)));
#ifdef __x86_64__
  // The x32 numbers of the same calls.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  program.push_back(answer(refuse));
#endif
#ifdef SYS_fork
  refuseIf(program, SYS_fork);
  refuseIf(program, SYS_vfork);
#endif
#ifdef SYS_clone3
  // Its flags lie in memory, out of the filter's sight; "not there" makes the C
  // library fall back on clone.
  refuseIf(program, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
#endif
  if (forbidExec) {
    refuseIf(program, SYS_execve);
    refuseIf(program, SYS_execveat);
    refuseIf(program, SYS_socket);
    refuseIf(program, SYS_ptrace);
#ifdef SYS_io_uring_setup
    // A ring makes calls that the filter does not see.
    refuseIf(program, SYS_io_uring_setup);
#endif
  }
  // clone is allowed for threads only. Its flags are the first argument here
  // on both architectures; the low word of a little-endian 64.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0));
  program.push_back(answer(SECCOMP_RET_ALLOW));
  program.push_back(load(offsetof(seccomp_data, args)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
  program.push_back(answer(SECCOMP_RET_ALLOW));
  program.push_back(answer(refuse));
  return program;
}
} // namespace

const sock_fprog *egg::noProcessFilter() {
  static std::vector<sock_filter> program = makeProgram(/*forbidExec=*/false);
  static const sock_fprog filter = {static_cast<unsigned short>(program.size()),
                                    program.data()};
  return &filter;
}

Status egg::forbidNewPrograms() {
  static std::vector<sock_filter> program = makeProgram(/*forbidExec=*/true);
  static const sock_fprog filter = {static_cast<unsigned short>(program.size()),
                                    program.data()};
  // TSYNC: the threads that already run are held to it as well.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                &filter) != 0)
    return Error(ErrorKind::Unsupported,
                 "the system refuses a filter of system calls: " +
                     std::generic_category().message(errno));
  return Status();
}
#else
const sock_fprog *egg::noProcessFilter() { return nullptr; }

Status egg::forbidNewPrograms() {
  return Error(ErrorKind::Unsupported,
               "no filter of system calls is known for this architecture");
}
#endif
