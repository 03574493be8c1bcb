//===- Requests.h - one function a kind of request --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SERVE_REQUESTS_H
#define EGG_LIB_SERVE_REQUESTS_H

#include "egg/Proposal/CompilerProtocol.h"
#include "egg/Support/TextGuard.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace egg {

Result<VerifyAnswer> answerRequest(const VerifyRequest &request,
                                   const mlir::DialectRegistry &registry,
                                   const TextLimits &limits);

Result<BuildAnswer> answerRequest(const BuildRequest &request,
                                  const mlir::DialectRegistry &registry,
                                  const TextLimits &limits);

Result<RunCpuAnswer> answerRequest(const RunCpuRequest &request,
                                   const mlir::DialectRegistry &registry,
                                   const TextLimits &limits);

} // namespace egg

#endif // EGG_LIB_SERVE_REQUESTS_H
