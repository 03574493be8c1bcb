//===- ExpandKernelOps.cpp - the pass egg-expand-kernel-ops -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/LowerKernels.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_EXPANDKERNELOPSPASS
#include "egg/Pipelines/Passes.h.inc"

/// Transfers of several dimensions first: the patterns of the second round do
/// not take them apart.
static LogicalResult expandTransfers(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());
  return applyPatternsGreedily(module, std::move(patterns));
}

static LogicalResult expandVectors(gpu::GPUModuleOp module, bool index32) {
  RewritePatternSet patterns(module.getContext());
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::Dot);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorShuffleLoweringPatterns(patterns);
  vector::populateVectorScanLoweringPatterns(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorMaskMaterializationPatterns(patterns, index32);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult expandKernelOps(gpu::GPUModuleOp module) {
  FailureOr<unsigned> indexBits = getIndexBits(module);
  if (failed(indexBits))
    return failure();
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  populateGpuRewritePatterns(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))) ||
      failed(expandTransfers(module)) ||
      failed(expandVectors(module, *indexBits == 32)))
    return module.emitOpError("has composed ops whose expansion does not end");
  return success();
}

} // namespace egg

namespace {
struct ExpandKernelOpsPass
    : public egg::impl::ExpandKernelOpsPassBase<ExpandKernelOpsPass> {
  void runOnOperation() override {
    if (failed(egg::expandKernelOps(getOperation())))
      signalPassFailure();
  }
};
} // namespace
