//===- Pending.cpp - requests whose parts are not in this build -*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requests.h"

using namespace egg;

Result<BuildAnswer> egg::answerRequest(const BuildRequest &request,
                                       const mlir::DialectRegistry &,
                                       const TextLimits &limits) {
  return Error(ErrorKind::Unsupported, "this egg-opt lowers nothing to PTX");
}
