//===- Options.h - the command line of egg-run ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TOOLS_EGG_RUN_OPTIONS_H
#define EGG_TOOLS_EGG_RUN_OPTIONS_H

#include "egg/Eval/Inputs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace egg {

struct ToolOptions {
  std::string payload;
  std::string device;
  unsigned gpu = 0;

  bool check = false, time = false, once = false, cpu = false;
  bool listDispatches = false, json = false, verbose = false, quiet = false;
  /// "", mlir, ptx, plan, cubin, sass or artifact.
  std::string emit;
  std::string output = "-";

  bool wholeGate = false, graph = false, f64 = false;
  uint64_t seed = 1;
  std::vector<eval::IntegerRange> integers;
  double deadline = 120;

  std::string ptxas, libdevice, worker;
  std::vector<std::string> workerPrefix;
};

/// Reads the command line. A value is the exit status with which the tool ends
/// at once: after --help, or for a wrong option, whose message has been
/// printed.
std::optional<int> parseOptions(int argc, char **argv, ToolOptions &options);

} // namespace egg

#endif // EGG_TOOLS_EGG_RUN_OPTIONS_H
