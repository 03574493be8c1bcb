//===- Exports.h - What the fake CUDA driver exports ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prototypes of the exported functions, from the same table that the
// runtime looks them up by.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TEST_LIB_FAKECUDA_EXPORTS_H
#define EGG_TEST_LIB_FAKECUDA_EXPORTS_H

#include "FakeCuda.h"

extern "C" {
namespace cuda = egg::cuda;
#define EGG_EXPORT(name, parameters)                                           \
  __attribute__((visibility("default"))) egg::cuda::Result name parameters;
EGG_CUDA_FUNCTIONS(EGG_EXPORT)
EGG_CUDA_OPTIONAL_FUNCTIONS(EGG_EXPORT)
#undef EGG_EXPORT
}

/// Returns the error of an earlier kernel, as every call of CUDA does.
#define EGG_FAKE_ENTER()                                                       \
  if (::egg::cuda::Result sticky = ::fake::stickyError)                        \
  return sticky

#endif // EGG_TEST_LIB_FAKECUDA_EXPORTS_H
