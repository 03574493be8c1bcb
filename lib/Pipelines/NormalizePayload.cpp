//===- NormalizePayload.cpp - a payload in few kinds of op ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/NormalizePayload.h"
#include "NormalizeSteps.h"
#include "egg/Pipelines/Passes.h"
#include "egg/Pipelines/ResultClass.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_NORMALIZEPAYLOAD
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

LogicalResult egg::normalizePayload(ModuleOp module) {
  if (failed(generalizeOps(module)) || failed(expandLoops(module)) ||
      failed(normalizeTensorOps(module)) || failed(inlineToMain(module)) ||
      failed(normalizeControlFlow(module)) || failed(sinkScalars(module)))
    return failure();
  defineArithmetic(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto [i, value] : llvm::enumerate(classifyResults(main)))
    main.setResultAttr(i, "egg.result_class",
                       StringAttr::get(module.getContext(), name(value)));
  return success();
}

namespace {
struct NormalizePayloadPass
    : egg::impl::NormalizePayloadBase<NormalizePayloadPass> {
  void runOnOperation() override {
    if (failed(egg::normalizePayload(getOperation())))
      signalPassFailure();
  }
};
} // namespace
