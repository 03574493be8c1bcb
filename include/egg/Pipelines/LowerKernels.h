//===- LowerKernels.h - kernels to the NVVM dialect -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_LOWERKERNELS_H
#define EGG_PIPELINES_LOWERKERNELS_H

#include "egg/Pipelines/LegalizeMath.h"

#include "mlir/Pass/PassManager.h"

namespace egg {

/// The most workgroup memory that a kernel may hold statically; a launch of
/// more fails although ptxas accepts it.
inline constexpr int64_t kMaxStaticWorkgroupBytes = 49152;

/// Checks the kernels of `module` as the pass egg-verify-kernels says.
mlir::LogicalResult verifyKernels(mlir::gpu::GPUModuleOp module);

/// Rewrites composed ops as the pass egg-expand-kernel-ops says.
mlir::LogicalResult expandKernelOps(mlir::gpu::GPUModuleOp module);

/// Converts the kernels as the pass egg-convert-kernels-to-nvvm says. No op
/// outside the LLVM, NVVM and gpu.module is left; fails with a diagnostic at
/// the op that has no conversion.
mlir::LogicalResult convertKernelsToNVVM(mlir::gpu::GPUModuleOp module);

/// Adds to `pm`, a pass manager for builtin.module, everything between kernels
/// as a mapping made them and gpu.modules in the NVVM dialect with a line
/// table: egg-verify-kernels, egg-expand-kernel-ops, egg-legalize-math,
/// lowerings of affine, memref views and scf, egg-convert-kernels-to-nvvm.
/// Registered as the pipeline egg-lower-kernels.
void buildLowerKernelsPipeline(mlir::OpPassManager &pm,
                               const MathLegalization &math = {});

/// Registers the pipelines of this room by name.
void registerPipelines();

} // namespace egg

#endif // EGG_PIPELINES_LOWERKERNELS_H
