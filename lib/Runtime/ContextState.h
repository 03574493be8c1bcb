//===- ContextState.h - A retained context ----------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Runtime library.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_RUNTIME_CONTEXTSTATE_H
#define EGG_LIB_RUNTIME_CONTEXTSTATE_H

#include "egg/Runtime/Driver.h"

namespace egg {
namespace detail {

/// A context, kept until the last object made from it dies.
struct ContextState {
  Driver driver;
  DeviceInfo info;
  cuda::Device device = 0;
  cuda::ContextHandle handle = nullptr;
  /// A retained primary context; a caller's context is only borrowed.
  bool retained = false;

  explicit ContextState(Driver driver) : driver(std::move(driver)) {}
  ~ContextState() {
    if (retained)
      driver.functions().cuDevicePrimaryCtxRelease_v2(device);
  }
  const CudaFunctions &functions() const { return driver.functions(); }
};

/// Makes the context current in this thread until the end of the scope.
class ContextScope {
public:
  explicit ContextScope(const ContextState &state) : state(state) {
    cuda::ContextHandle current = nullptr;
    if (state.functions().cuCtxGetCurrent(&current) == cuda::Success &&
        current == state.handle)
      return;
    status =
        state.driver.check(state.functions().cuCtxPushCurrent_v2(state.handle),
                           "cannot make the context current");
    pushed = status.ok();
  }
  ~ContextScope() {
    cuda::ContextHandle popped;
    if (pushed)
      state.functions().cuCtxPopCurrent_v2(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  Status status;

private:
  const ContextState &state;
  bool pushed = false;
};

} // namespace detail
} // namespace egg

/// Makes `state`'s context current or returns the error from this function.
#define EGG_IN_CONTEXT(state)                                                  \
  ::egg::detail::ContextScope eggScope(state);                                 \
  if (!eggScope.status)                                                        \
  return eggScope.status.error()

#endif // EGG_LIB_RUNTIME_CONTEXTSTATE_H
