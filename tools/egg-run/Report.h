//===- Report.h - what egg-run says in the end ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TOOLS_EGG_RUN_REPORT_H
#define EGG_TOOLS_EGG_RUN_REPORT_H

#include "CpuTensors.h"
#include "Floor.h"

#include "egg/Eval/Protocol.h"
#include "egg/Search/Builder.h"

#include <optional>
#include <string>
#include <vector>

namespace egg {

/// Everything that one call of egg-run found out; what was not asked for is
/// not there.
struct Report {
  std::string payload;
  std::string chip, deviceName;
  /// With the artifact only if ptxas ran (`assembled`).
  std::optional<BuiltPayload> built;
  bool assembled = false, listDispatches = false;
  /// Of each kernel of the plan: threads that run at once over those that
  /// could; nullopt when the device's limits are not known.
  std::vector<std::optional<double>> occupancy;
  std::optional<eval::InfoAnswer> gpu;
  std::optional<eval::CheckAnswer> check;
  std::optional<eval::TimeAnswer> time;
  /// Of the payload; with `time`.
  std::optional<PayloadFloor> floor;
  bool graph = false, once = false;
  std::vector<TensorSignature> cpuResults;
  std::vector<TensorStatistics> cpuStatistics;
};

/// Lines for a person. Names out of the payload are stripped of control
/// characters.
std::string toText(const Report &report);

/// The same as one JSON object.
std::string toJson(const Report &report);

} // namespace egg

#endif // EGG_TOOLS_EGG_RUN_REPORT_H
