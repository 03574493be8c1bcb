//===- LegalizeMathPass.cpp - the pass egg-legalize-math --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/LegalizeMath.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace egg {
#define GEN_PASS_DEF_LEGALIZEMATHPASS
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

namespace {
struct LegalizeMathPass
    : public egg::impl::LegalizeMathPassBase<LegalizeMathPass> {
  using LegalizeMathPassBase::LegalizeMathPassBase;

  void runOnOperation() override {
    egg::MathLegalization options;
    options.maxVectorElements = maxVectorElements;
    if (failed(egg::legalizeMath(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
