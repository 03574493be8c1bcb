//===- RunCpuRequest.cpp - a payload's results from the CPU -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requests.h"

#include "RunPasses.h"

#include "egg/CpuRunner/CpuRunner.h"
#include "egg/Pipelines/Passes.h"
#include "egg/Serve/Payload.h"

using namespace egg;

Result<RunCpuAnswer> egg::answerRequest(const RunCpuRequest &request,
                                        const mlir::DialectRegistry &registry,
                                        const TextLimits &limits) {
  EGG_ASSIGN(ParsedPayload parsed,
             parsePayload(request.payload, registry, limits));
  if (request.promote == Promotion::F64)
    EGG_TRY(runPasses(*parsed.module, ErrorKind::Unsupported,
                      "promotion to f64", [](mlir::OpPassManager &passes) {
                        passes.addPass(createPromoteToF64());
                      }));
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < request.inputs.size(); ++i)
    inputs.push_back({request.inputs[i].type, request.inputs[i].shape,
                      request.inputBytes[i]});
  CpuRunOptions options;
  options.entry = parsed.entry.getName().str();
  EGG_ASSIGN(std::vector<HostTensor> results,
             runOnCpu(*parsed.module, inputs, options));
  RunCpuAnswer answer;
  for (HostTensor &result : results) {
    answer.results.push_back({result.type, result.shape});
    answer.resultBytes.push_back(std::move(result.bytes));
  }
  return answer;
}
