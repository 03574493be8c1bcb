//===- Pool.h - input sets and goldens kept across requests -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_POOL_H
#define EGG_EVAL_POOL_H

#include "InputSet.h"

#include <list>
#include <map>
#include <memory>
#include <string>

namespace egg::eval {

/// The golden and the reference of a workload, loaded; either may be null.
struct Payload {
  std::shared_ptr<const Executable> golden, reference;
  /// Hashes of both, for the key of its input sets.
  std::string key;
};

/// Keeps executables of goldens and references, and input sets; gives memory
/// back, oldest set first, when the device is short of it.
class Pool {
public:
  /// Loads both artifacts, or takes those loaded before. Empty bytes: null.
  Result<Payload> payload(const DeviceKernels &kernels,
                          const std::string &golden,
                          const std::string *reference);

  /// The set of that payload and spec, drawn for a plan of those arguments.
  /// Valid until the pool makes room.
  Result<std::shared_ptr<const InputSet>> set(const DeviceKernels &kernels,
                                              const Payload &payload,
                                              const LaunchPlan &plan,
                                              const InputSpec &spec);

  /// Drops every set but `keep`. True when something was dropped.
  bool makeRoom(const std::shared_ptr<const InputSet> &keep = nullptr);

private:
  struct Entry {
    std::string key;
    std::shared_ptr<const InputSet> set;
  };
  /// Most recently used last.
  std::list<Entry> sets;
  std::map<std::string, std::shared_ptr<const Executable>> executables;
};

} // namespace egg::eval

#endif // EGG_EVAL_POOL_H
