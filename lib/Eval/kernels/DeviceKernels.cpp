//===- DeviceKernels.cpp - the worker's kernels for nvptx64 -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled by clang to PTX when egg is built, with no headers of CUDA; the text
// becomes part of the worker. -ffp-contract=off: no fused multiply-add.
//
//===----------------------------------------------------------------------===//

#include "Random.h"
#include "Stats.h"

namespace egg::eval::kernels {

#define EGG_ATOMIC_ADD(place, x) __atomic_fetch_add(place, x, __ATOMIC_RELAXED)
#define EGG_ATOMIC_MIN(place, x) __atomic_fetch_min(place, x, __ATOMIC_RELAXED)
#define EGG_KERNEL(name, Params)                                               \
  static inline void name##_body(const Params &p, U64 thread, U64 threads);    \
  extern "C" __attribute__((nvptx_kernel)) void name(Params p) {               \
    U64 block = U64(__nvvm_read_ptx_sreg_ntid_x());                            \
    name##_body(p,                                                             \
                U64(__nvvm_read_ptx_sreg_ctaid_x()) * block +                  \
                    U64(__nvvm_read_ptx_sreg_tid_x()),                         \
                block * U64(__nvvm_read_ptx_sreg_nctaid_x()));                 \
  }                                                                            \
  static inline void name##_body(const Params &p, U64 thread, U64 threads)

#include "Kernels.inc"

} // namespace egg::eval::kernels
