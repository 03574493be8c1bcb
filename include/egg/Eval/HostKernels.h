//===- HostKernels.h - the worker's kernels on the host ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same source as the PTX inside the worker, compiled for the host: what the
// tests' fake driver runs, and what shows that both give the same bits. Library
// EggEvalHostKernels.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_HOSTKERNELS_H
#define EGG_EVAL_HOSTKERNELS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace egg::eval {

/// One kernel of the worker.
struct HostKernel {
  /// The symbol in the PTX.
  std::string_view name;
  /// Size of its only parameter, a struct passed by value.
  size_t parameterBytes;
  /// Does what thread `thread` of a launch of `threads` does. Addresses in the
  /// parameter are the host's.
  void (*run)(const void *parameter, uint64_t thread, uint64_t threads);
};

/// The kernel of that name, or null.
const HostKernel *findHostKernel(std::string_view name);

} // namespace egg::eval

#endif // EGG_EVAL_HOSTKERNELS_H
