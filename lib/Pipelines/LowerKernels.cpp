//===- LowerKernels.cpp - the pipeline egg-lower-kernels --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/LowerKernels.h"

#include "egg/Pipelines/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace egg {

void buildLowerKernelsPipeline(OpPassManager &pm,
                               const MathLegalization &math) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createVerifyKernelsPass());
  // Contractions become fused multiply-adds here, which the math legalization
  // then keeps fused: it comes second.
  kernels.addPass(createExpandKernelOpsPass());
  LegalizeMathPassOptions mathOptions;
  mathOptions.maxVectorElements = math.maxVectorElements;
  kernels.addPass(createLegalizeMathPass(mathOptions));
  kernels.addPass(affine::createAffineExpandIndexOpsPass());
  kernels.addPass(memref::createFoldMemRefAliasOpsPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertKernelsToNVVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // Directives only: a full line table makes LLVM write DWARF sections and the
  // target option `debug`, which turns ptxas's optimisations off.
  LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
}

void registerPipelines() {
  PassPipelineRegistration<>(
      "egg-lower-kernels",
      "Lower the gpu.modules of a module to the NVVM dialect",
      [](OpPassManager &pm) { buildLowerKernelsPipeline(pm); });
}

} // namespace egg
