//===- ConvertKernelsToNVVM.cpp - kernels in the NVVM dialect ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/LowerKernels.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "egg/Pipelines/Passes.h.inc"

/// What the host form promises: two memref operands of a launch overlap only
/// when both are read alone. It lets loads go through the read-only path.
static void markNoAlias(gpu::GPUModuleOp module) {
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    if (!kernel.isKernel())
      continue;
    for (unsigned i = 0, e = kernel.getFunctionType().getNumInputs(); i < e;
         ++i)
      if (isa<MemRefType>(kernel.getArgument(i).getType()))
        kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(module.getContext()));
  }
}

/// A buffer without elements has no strides that upstream's bare pointers know.
/// Nothing is read from it or written to it, whatever the code says, so its
/// extents of 0 may as well be 1.
static void widenEmptyArguments(gpu::GPUModuleOp module) {
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    FunctionType type = kernel.getFunctionType();
    SmallVector<Type> inputs(type.getInputs());
    for (auto [index, input] : llvm::enumerate(inputs)) {
      auto memref = dyn_cast<MemRefType>(input);
      if (!memref || !memref.hasStaticShape() || memref.getNumElements() != 0 ||
          !memref.getLayout().isIdentity())
        continue;
      SmallVector<int64_t> shape(memref.getShape());
      llvm::replace(shape, 0, 1);
      input = MemRefType::get(shape, memref.getElementType(), AffineMap(),
                              memref.getMemorySpace());
      kernel.getArgument(index).setType(input);
    }
    kernel.setFunctionType(
        FunctionType::get(module.getContext(), inputs, type.getResults()));
  }
}

/// The upstream lowering of dynamic workgroup memory is a private array of
/// length zero, which the back end moves into the kernel, where it is static.
static void makeDynamicMemoryExternal(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (!type || type.getNumElements() != 0 || global.getAddrSpace() != 3)
      continue;
    global.setLinkage(LLVM::Linkage::External);
    // The 128-byte swizzle of the tensor memory accelerator repeats every 1024.
    global.setAlignment(1024);
  }
}

LogicalResult convertKernelsToNVVM(gpu::GPUModuleOp module) {
  FailureOr<unsigned> indexBits = getIndexBits(module);
  if (failed(indexBits))
    return failure();
  markNoAlias(module);
  widenEmptyArguments(module);

  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(*indexBits);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);

  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(
      converter, patterns, /*reassociateFPReductions=*/false,
      /*force32BitVectorIndices=*/*indexBits == 32);
  populateGpuToNVVMConversionPatterns(converter, patterns);

  ConversionTarget target(*context);
  // Upstream's configureGpuToNVVMConversionLegality refuses the LLVM
  // intrinsics of float functions, which the math legalization makes.
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
  // Nothing may stay behind: the messages of a failed translation name no
  // place in the payload.
  target.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  makeDynamicMemoryExternal(module);
  return success();
}

} // namespace egg

namespace {
struct ConvertKernelsToNVVMPass
    : public egg::impl::ConvertKernelsToNVVMPassBase<ConvertKernelsToNVVMPass> {
  void runOnOperation() override {
    if (failed(egg::convertKernelsToNVVM(getOperation())))
      signalPassFailure();
  }
};
} // namespace
