//===- Confine.cpp - a process gives up what it does not need ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Confine.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace egg;

#if defined(__x86_64__)
static const uint32_t thisArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const uint32_t thisArch = AUDIT_ARCH_AARCH64;
#else
static const uint32_t thisArch = 0;
#endif

/// Calls that are allowed with any arguments. What is missing here is refused:
/// exec, fork, sockets, io_uring, ptrace, mounts, and everything that makes,
/// renames or removes a file.
// clang-format off
static const long plainCalls[] = {
    // Descriptors that are open.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek,
    SYS_close, SYS_fstat, SYS_fcntl, SYS_dup, SYS_ppoll,
#ifdef SYS_poll
    SYS_poll,
#endif
    // Looking at files.
    SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64,
    SYS_getcwd, SYS_statfs, SYS_fstatfs,
#ifdef SYS_stat
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
    // Memory.
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk,
    SYS_mincore,
    // Threads, and the end.
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_membarrier, SYS_exit,
    SYS_exit_group, SYS_restart_syscall,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
    // Signals.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_rt_sigpending, SYS_rt_sigtimedwait,
    // Facts about the process and the machine.
    SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getppid, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_times, SYS_getcpu,
    // Time and random numbers.
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_nanosleep,
    SYS_clock_nanosleep, SYS_getrandom,
};
// clang-format on

namespace {
/// Assembles the filter. Each check ends in a return, so that no jump is longer
/// than its own check.
class FilterBuilder {
public:
  void load(uint32_t offset) {
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  }
  void give(uint32_t verdict) {
    code.push_back(BPF_STMT(BPF_RET | BPF_K, verdict));
  }
  /// Jumps over `count` instructions if the loaded word is not `value`.
  void skipUnless(uint32_t value, uint8_t count) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
  }
  /// Jumps over `count` instructions if a bit of `mask` is set.
  void skipIfAny(uint32_t mask, uint8_t count) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, count, 0));
  }
  /// With the call's number loaded: allowed as it is.
  void allow(long call) {
    skipUnless(uint32_t(call), 1);
    give(SECCOMP_RET_ALLOW);
  }
  /// Fails with `error`.
  void refuse(long call, uint32_t error) {
    skipUnless(uint32_t(call), 1);
    give(SECCOMP_RET_ERRNO | error);
  }
  /// Allowed only while argument `index` has none of `mask`.
  void allowWithout(long call, unsigned index, uint32_t mask) {
    skipUnless(uint32_t(call), 4);
    load(argument(index));
    skipIfAny(mask, 1);
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_ERRNO | EPERM);
  }
  /// Allowed only while argument `index` has all of `bit` (one bit).
  void allowWith(long call, unsigned index, uint32_t bit) {
    skipUnless(uint32_t(call), 4);
    load(argument(index));
    skipIfAny(bit, 1);
    give(SECCOMP_RET_ERRNO | EPERM);
    give(SECCOMP_RET_ALLOW);
  }
  /// Allowed only while argument `index` is `value`.
  void allowEqual(long call, unsigned index, uint32_t value) {
    skipUnless(uint32_t(call), 4);
    load(argument(index));
    skipUnless(value, 1);
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_ERRNO | EPERM);
  }

  std::vector<sock_filter> code;

private:
  /// The low word of an argument; both architectures are little-endian, and
  /// every argument looked at is an int.
  static uint32_t argument(unsigned index) {
    return offsetof(seccomp_data, args) + 8 * index;
  }
};
} // namespace

Status egg::confineToCompute() {
  if (thisArch == 0)
    return {ErrorKind::Unsupported,
            "the compiler's process cannot be confined on this architecture: "
            "there is a list of system calls for x86-64 and AArch64 only"};

  FilterBuilder filter;
  // Another architecture's numbers, or x32's, mean other calls.
  filter.load(offsetof(seccomp_data, arch));
  filter.code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, thisArch, 1, 0));
  filter.give(SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  filter.skipIfAny(0x40000000, 1);
  filter.code.push_back(BPF_STMT(BPF_JMP | BPF_JA, 1));
  filter.give(SECCOMP_RET_KILL_PROCESS);
#endif

  for (long call : plainCalls)
    filter.allow(call);

  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND |
                           (O_TMPFILE & ~O_DIRECTORY);
#ifdef SYS_open
  filter.allowWithout(SYS_open, 1, writing);
#endif
  filter.allowWithout(SYS_openat, 2, writing);
  // A thread, not a process. The C library tries clone3 first, whose flags lie
  // in memory where no filter can see them; ENOSYS makes it fall back.
  filter.allowWith(SYS_clone, 0, CLONE_THREAD);
  filter.refuse(SYS_clone3, ENOSYS);
  // abort() and assertions signal the process itself; nobody else.
  filter.allowEqual(SYS_tgkill, 0, uint32_t(getpid()));
  filter.allowEqual(SYS_kill, 0, uint32_t(getpid()));
  // Limits may be read, or lowered, of this process only.
  filter.allowEqual(SYS_prlimit64, 0, 0);
  // The name of a thread or of a mapping.
  filter.allowEqual(SYS_prctl, 0, PR_SET_NAME);
  // isatty of an error stream.
  filter.allowEqual(SYS_ioctl, 1, 0x5401 /*TCGETS*/);
  filter.give(SECCOMP_RET_ERRNO | EPERM);

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return {ErrorKind::Unsupported,
            std::string("the compiler's process cannot give up privileges: ") +
                strerror(errno)};
  sock_fprog program = {static_cast<unsigned short>(filter.code.size()),
                        filter.code.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
    return {ErrorKind::Unsupported,
            std::string("the compiler's process cannot be confined; does this "
                        "kernel have seccomp? ") +
                strerror(errno)};
  return Status();
}
