//===- BuildRequest.cpp - PTX and a launch plan of a payload ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requests.h"
#include "RunPasses.h"

#include "egg/Device/DeviceSpec.h"
#include "egg/Pipelines/EmitPTX.h"
#include "egg/Pipelines/LowerKernels.h"
#include "egg/Pipelines/PlainPipeline.h"
#include "egg/Pipelines/PlanFromHost.h"
#include "egg/Serve/Payload.h"

#include "llvm/Config/llvm-config.h"

using namespace egg;
using namespace mlir;

Result<BuildAnswer> egg::answerRequest(const BuildRequest &request,
                                       const DialectRegistry &registry,
                                       const TextLimits &limits) {
  EGG_ASSIGN(DeviceSpec device, deviceFromJson(request.device));
  EGG_ASSIGN(ParsedPayload parsed,
             parsePayload(request.payload, registry, limits));
  ModuleOp module = *parsed.module;
  EGG_TRY(runPasses(module, ErrorKind::Unsupported, "the plain lowering",
                    [&](OpPassManager &passes) {
                      PlainPipelineOptions plain;
                      plain.promote = request.promote == Promotion::F64;
                      buildPlainPipeline(passes, plain);
                    }));

  BuildAnswer answer;
  answer.llvmVersion = LLVM_VERSION_STRING;
  EGG_ASSIGN(HostPlan host, planFromHost(module));
  answer.plan = planToJson(host.plan);
  answer.constants = std::move(host.constants);
  if (request.emitMlir)
    llvm::raw_string_ostream(answer.mlir) << module;

  EGG_TRY(runPasses(
      module, ErrorKind::Lower, "lowering the kernels",
      [](OpPassManager &passes) { buildLowerKernelsPipeline(passes); }));
  PTXTarget target;
  target.chip = device.chip;
  target.ptxVersion = unsigned(device.ptxVersion);
  target.libdevicePath = request.libdevice;
  for (const std::string &name : host.modules) {
    DiagnosticCollector diagnostics(module.getContext());
    auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(name);
    FailureOr<std::string> ptx =
        kernels ? emitPTX(kernels, target) : FailureOr<std::string>();
    if (failed(ptx) || failed(verifyPTX(*ptx, PTXChecks(),
                                        [&] { return kernels.emitError(); })))
      return diagnostics.error(ErrorKind::Lower,
                               "the module " + name + " gave no PTX");
    answer.modules.push_back({name, std::move(*ptx)});
  }
  return answer;
}
