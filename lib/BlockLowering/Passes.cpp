//===- Passes.cpp - the lowering of block programs as passes ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/BlockLowering/Passes.h"

#include "egg/BlockLowering/BlockLowering.h"
#include "egg/Dialect/Egg/EggDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace egg {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#define GEN_PASS_DEF_LOWERBLOCKPROGRAMPASS
#include "egg/BlockLowering/Passes.h.inc"
} // namespace egg

using namespace mlir;

namespace {

struct AssignLayoutsPass
    : public egg::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(egg::assignLayouts(getOperation(), threads)))
      signalPassFailure();
  }
};

struct LowerBlockProgramPass
    : public egg::impl::LowerBlockProgramPassBase<LowerBlockProgramPass> {
  using Base::Base;
  void runOnOperation() override {
    egg::BlockLoweringOptions options;
    options.batchChunks = batchChunks;
    if (failed(egg::lowerBlockProgram(getOperation(), options)))
      signalPassFailure();
  }
};

} // namespace
