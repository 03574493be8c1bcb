//===- FakeKernels.cpp - Kernels for the fake CUDA driver -----------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named by EGG_FAKE_KERNELS in a test.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstring>

struct egg_fake_dim3 {
  unsigned x, y, z;
};

namespace {
struct Params {
  int64_t *out;
  int64_t factor;
};
} // namespace

// One struct parameter: stores the number of threads times the factor.
extern "C" int egg_fake_kernel_test_threads(const egg_fake_dim3 *grid,
                                            const egg_fake_dim3 *block,
                                            void **params) {
  Params p;
  std::memcpy(&p, params[0], sizeof p);
  *p.out = int64_t(grid->x) * block->x * p.factor;
  return 0;
}
