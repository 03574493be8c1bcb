//===- Confine.h - a process gives up what it does not need -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform script can name a file to write and a program to run, and a JIT
// can call any function it finds. The child that interprets the texts of others
// therefore gives up both before it reads the first of them.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_CONFINE_H
#define EGG_SUPPORT_CONFINE_H

#include "egg/Support/Result.h"

namespace egg {

/// Lets the kernel refuse, from now on and for ever in this process and its
/// threads, all but a list of system calls (seccomp, a BPF filter). What
/// remains: memory, threads, signals to itself, time, and reading: files are
/// opened only for reading, descriptors that are open already stay as they are.
/// No program, no process, no socket, no file made, changed or removed. A
/// refused call fails with EPERM, it does not kill.
///
/// Also forbids new privileges. Fails with kind `unsupported` on a machine
/// whose kernel has no seccomp or whose architecture has no list here (x86-64
/// and AArch64 have one).
Status confineToCompute();

} // namespace egg

#endif // EGG_SUPPORT_CONFINE_H
