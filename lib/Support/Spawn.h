//===- Spawn.h - Starting a child and ending its group ----------*- C++ -*-===//
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

#ifndef EGG_LIB_SUPPORT_SPAWN_H
#define EGG_LIB_SUPPORT_SPAWN_H

#include "egg/Support/File.h"
#include "egg/Support/Subprocess.h"

#include <optional>
#include <string>

struct sock_fprog;

namespace egg {

/// A started child: its pipes (this side never blocks) and its folder.
struct Spawned {
  int pid = -1;
  FileDescriptor in, out, err;
  std::string folder;
  std::optional<TempDir> ownFolder;
};

/// Starts the program; returns once it has been replaced by the program.
Result<Spawned> spawn(const ProcessOptions &options);

/// Whether the child has ended. It stays a zombie, so that the number of its
/// group cannot be given to somebody else before `endGroup`.
bool hasEnded(int pid);

/// Kills the group with SIGKILL, waits for the child and reaps it.
ProcessEnd endGroup(int pid);

/// Seconds of a clock that never jumps.
double now();

/// The system call filter behind ProcessLimits::forbidProcesses; null where
/// there is none. The memory is static.
const sock_fprog *noProcessFilter();

} // namespace egg

#endif // EGG_LIB_SUPPORT_SPAWN_H
