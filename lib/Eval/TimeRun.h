//===- TimeRun.h - times a candidate on a device ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_TIMERUN_H
#define EGG_EVAL_TIMERUN_H

#include "InputSet.h"

#include "egg/Eval/Protocol.h"

namespace egg::eval {

/// Warms up, takes samples as the request says, judges what they left in the
/// results (where the set has a golden), replays, and refuses a time below the
/// roofline.
Result<TimeAnswer> timeCandidate(DeviceKernels &kernels,
                                 const Executable &candidate,
                                 const InputSet &set, const Request &request);

} // namespace egg::eval

#endif // EGG_EVAL_TIMERUN_H
