//===- PlanJson.h - The launch plan as a JSON value -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Runtime library: the plan inside an artifact's header.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_RUNTIME_PLANJSON_H
#define EGG_LIB_RUNTIME_PLANJSON_H

#include "egg/Runtime/LaunchPlan.h"
#include "egg/Support/Json.h"

namespace egg {

/// Reads a plan; throws JsonError.
LaunchPlan readPlan(const JsonValue &value, const PlanLimits &limits);

/// The plan as JSON.
Json writePlan(const LaunchPlan &plan);

} // namespace egg

#endif // EGG_LIB_RUNTIME_PLANJSON_H
