//===- PlainPipeline.cpp - from a payload to kernels ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/PlainPipeline.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void egg::buildPlainPipeline(mlir::OpPassManager &manager,
                             const PlainPipelineOptions &options) {
  manager.addPass(createVerifyPayload());
  manager.addPass(createNormalizePayload());
  if (options.promote)
    manager.addPass(createPromoteToF64());
  FormPlainKernelsOptions kernels;
  kernels.blockSize = options.blockSize;
  kernels.sequentialLimit = options.sequentialLimit;
  kernels.chunk = options.chunk;
  kernels.enoughPoints = options.enoughPoints;
  manager.addPass(createFormPlainKernels(kernels));
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

void egg::registerPlainPipeline() {
  mlir::PassPipelineRegistration<PlainPipelineOptions>(
      "egg-lower-to-plain-kernels",
      "From a payload to plain kernels and a host function, no choices in it",
      buildPlainPipeline);
}
