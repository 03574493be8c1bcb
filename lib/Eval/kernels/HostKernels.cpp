//===- HostKernels.cpp - the worker's kernels on the host -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads run one after another, so that the atomics are plain.
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/HostKernels.h"

#include "Random.h"
#include "Stats.h"

namespace egg::eval::kernels {

#define EGG_ATOMIC_ADD(place, x) (*(place) += (x))
#define EGG_ATOMIC_MIN(place, x) mergeMin(*(place), x)
#define EGG_KERNEL(name, Params)                                               \
  static void name##_body(const Params &p, U64 thread, U64 threads);           \
  static void name##_run(const void *p, uint64_t thread, uint64_t threads) {   \
    name##_body(*static_cast<const Params *>(p), thread, threads);             \
  }                                                                            \
  static constexpr HostKernel name##_kernel = {#name, sizeof(Params),          \
                                               name##_run};                    \
  static void name##_body(const Params &p, U64 thread, U64 threads)

#include "Kernels.inc"

static const HostKernel *const allKernels[] = {
    &egg_eval_fill_kernel,          &egg_eval_pattern_kernel,
    &egg_eval_check_pattern_kernel, &egg_eval_checksum_kernel,
    &egg_eval_differ_kernel,        &egg_eval_narrow_kernel,
    &egg_eval_mutate_kernel,        &egg_eval_compare_kernel,
    &egg_eval_merge_kernel,         &egg_eval_flush_kernel};

} // namespace egg::eval::kernels

const egg::eval::HostKernel *egg::eval::findHostKernel(std::string_view name) {
  for (const HostKernel *kernel : kernels::allKernels)
    if (kernel->name == name)
      return kernel;
  return nullptr;
}
