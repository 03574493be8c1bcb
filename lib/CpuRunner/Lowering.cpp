//===- Lowering.cpp - From a payload to LLVM's dialect, for the CPU -*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "egg/Transforms/BlockProgram/LowerToLoops.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace egg;

static LogicalResult bufferize(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  return pm.run(module);
}

/// Frees what loops and calls leave behind: without it memory grows with the
/// number of iterations.
static LogicalResult insertDeallocations(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  return pm.run(module);
}

static LogicalResult lowerToBranches(ModuleOp module, bool checkBounds) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  if (checkBounds)
    pm.addPass(createGenerateRuntimeVerificationPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  if (failed(pm.run(module)))
    return failure();
  // Not the whole of arith-expand: its maximumf and minimumf lose the sign of a
  // zero.
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  walkAndApplyPatterns(module, std::move(patterns));
  return success();
}

static LogicalResult lowerMath(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToFuncs());
  if (failed(pm.run(module)))
    return failure();
  // The patterns and not the pass, which refuses what they leave (integers,
  // classification, copysign) to the conversion to LLVM.
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  // Greedily: a function of a 16-bit float becomes one of f32 first.
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(module, std::move(patterns), config);
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  SymbolTableCollection symbols;
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns, &symbols);
  populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

void egg::loadLoweringDialects(MLIRContext &context) {
  context
      .loadDialect<affine::AffineDialect, arith::ArithDialect,
                   bufferization::BufferizationDialect, cf::ControlFlowDialect,
                   func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                   math::MathDialect, memref::MemRefDialect, scf::SCFDialect>();
}

/// egg's own ops on tensors, and the layouts of their types, become plain
/// tensor code; so do the grid loops around them.
static LogicalResult lowerBlockProgram(ModuleOp module,
                                       const CpuRunOptions &options) {
  bool found = false;
  module.walk([&](Operation *op) {
    found |= isa_and_nonnull<ir::EggDialect>(op->getDialect());
  });
  if (!found)
    return success();
  LowerToLoopsOptions loops;
  loops.order = options.order == ForallOrder::Reversed ? GridRunOrder::reversed
                : options.order == ForallOrder::Shuffled
                    ? GridRunOrder::shuffled
                    : GridRunOrder::forward;
  loops.checkBounds = options.checkBounds;
  return lowerOpsToLoops(module, loops);
}

LogicalResult egg::lowerForCpu(ModuleOp module, const CpuRunOptions &options) {
  if (failed(lowerBlockProgram(module, options)) ||
      failed(normalizeForCpu(module)) || failed(bufferize(module)) ||
      failed(lowerForalls(module, options)) ||
      failed(insertDeallocations(module)) || failed(lowerCopies(module)) ||
      failed(lowerToBranches(module, options.checkBounds)) ||
      failed(guardDivisions(module)) || failed(lowerMath(module)))
    return failure();
  return lowerToLLVM(module);
}
