//===- Execution.h - What a running payload may touch -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole world of compiled payload code: the functions in `hostSymbols`, and
// memory out of one arena. A fault, a failed assertion or a limit ends the run
// with an Error; all memory goes back either way.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_CPURUNNER_EXECUTION_H
#define EGG_LIB_CPURUNNER_EXECUTION_H

#include "egg/Support/Result.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace egg {

/// The symbols that compiled code may name, with their addresses: memory
/// helpers, libm, conversions of 16-bit floats, and the order of forall loops.
/// Nothing else of the process can be reached by name.
const std::vector<std::pair<const char *, void *>> &hostSymbols();

/// The function of the symbol map that maps iteration `i` of `n` to another
/// one, a permutation of [0, n) that `seed` picks.
inline constexpr const char *kShuffleSymbol = "egg.shuffle";

/// Calls `code(arguments)`. New buffers hold the byte `poison`; more than
/// `memoryLimit` bytes at once fail with `out-of-memory`, a fault or a failed
/// assertion with `illegal-access`. One run at a time in a process: the signal
/// handlers are the process's.
Status execute(void (*code)(void **), void **arguments, uint8_t poison,
               uint64_t memoryLimit);

} // namespace egg

#endif // EGG_LIB_CPURUNNER_EXECUTION_H
