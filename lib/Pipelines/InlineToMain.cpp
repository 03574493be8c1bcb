//===- InlineToMain.cpp - a payload as one function -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"
#include "egg/Pipelines/VerifyPayload.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

static LogicalResult expandAffine(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Clones bodies in place of calls until there are none. Ends, as
/// verifyPayload refuses recursion.
static void inlineCalls(ModuleOp module, func::FuncOp entry) {
  for (;;) {
    SmallVector<func::CallOp> calls;
    entry.walk([&](func::CallOp call) { calls.push_back(call); });
    if (calls.empty())
      return;
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      OpBuilder b(call);
      IRMapping map;
      map.map(callee.getArguments(), call.getOperands());
      Block &body = callee.getBody().front();
      for (Operation &op : body.without_terminator())
        b.clone(op, map);
      call->replaceAllUsesWith(llvm::map_to_vector(
          body.getTerminator()->getOperands(),
          [&](Value value) { return map.lookupOrDefault(value); }));
      call.erase();
    }
  }
}

/// Scalars cross the boundary as tensors of rank 0.
static void wrapScalars(func::FuncOp entry) {
  Block &body = entry.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    if (isa<TensorType>(argument.getType()))
      continue;
    argument.setType(RankedTensorType::get({}, argument.getType()));
    auto scalar =
        tensor::ExtractOp::create(b, argument.getLoc(), argument, ValueRange{});
    argument.replaceAllUsesExcept(scalar, scalar);
  }
  Operation *ret = body.getTerminator();
  b.setInsertionPoint(ret);
  for (OpOperand &operand : ret->getOpOperands()) {
    Value value = operand.get();
    if (isa<TensorType>(value.getType()))
      continue;
    auto type = RankedTensorType::get({}, value.getType());
    operand.set(egg::buildElements(
                    b, ret->getLoc(), type, "main_scalar",
                    [&](OpBuilder &, Location, ValueRange) { return value; })
                    ->getResult(0));
  }
  entry.setFunctionType(FunctionType::get(
      entry.getContext(), body.getArgumentTypes(), ret->getOperandTypes()));
}

LogicalResult egg::inlineToMain(ModuleOp module) {
  func::FuncOp entry = findPayloadEntry(module);
  if (!entry)
    return module.emitError("there is no entry function");
  if (failed(expandAffine(module)))
    return failure();
  inlineCalls(module, entry);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function != entry)
      function.erase();
  entry.setName("main");
  entry.setPublic();
  wrapScalars(entry);
  entry.walk([](Operation *op) {
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      assertion.emitRemark("the assertion '")
          << assertion.getMsg() << "' is removed: kernels do not check it";
      assertion.erase();
      return;
    }
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant)
      return;
    if (auto resource =
            dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        constant.setValueAttr(DenseElementsAttr::getFromRawBuffer(
            resource.getType(), blob->getData()));
  });
  return success();
}
