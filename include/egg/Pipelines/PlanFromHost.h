//===- PlanFromHost.h - the launch plan of a host function ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_PLANFROMHOST_H
#define EGG_PIPELINES_PLANFROMHOST_H

#include "egg/Runtime/LaunchPlan.h"
#include "egg/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace egg {

/// A launch plan and what it refers to by number.
struct HostPlan {
  LaunchPlan plan;
  /// The names of the gpu.modules, in the order of the plan's module numbers.
  std::vector<std::string> modules;
  /// The bytes of each constant.
  std::vector<std::string> constants;
};

/// Reads the plan off the @main of a module in the form of PlainKernels.h.
/// Allocations get places in one workspace, each aligned to 256; two that are
/// never live at once may share theirs. Changes nothing. Fails with `lower` and
/// the place of an op that is not of that form.
Result<HostPlan> planFromHost(mlir::ModuleOp module);

} // namespace egg

#endif // EGG_PIPELINES_PLANFROMHOST_H
