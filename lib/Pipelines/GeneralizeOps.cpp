//===- GeneralizeOps.cpp - every linalg op as a generic ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

std::string egg::describeGeneric(linalg::GenericOp op) {
  Operation *yielded = op.getBody()->getTerminator();
  Operation *last = yielded->getNumOperands()
                        ? yielded->getOperand(0).getDefiningOp()
                        : nullptr;
  if (!last || last->getBlock() != op.getBody())
    return op.getNumReductionLoops() ? "generic" : "copy";
  if (op.getNumReductionLoops() > 0)
    return ("reduce_" + last->getName().stripDialect()).str();
  // The first transcendental function tells more than the arithmetic around.
  for (Operation &inner : *op.getBody())
    if (isa<math::MathDialect>(inner.getDialect()))
      return inner.getName().stripDialect().str();
  return last->getName().stripDialect().str();
}

/// Decomposes what is no structured op: softmax, pack, unpack and Winograd's
/// transforms. Results are named or generic ops, slices, pads and reshapes.
static LogicalResult decompose(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<linalg::AggregatedOpInterface, linalg::PackOp, linalg::UnPackOp>(
            op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      if (failed(linalg::lowerPack(rewriter, pack)))
        return op->emitOpError("cannot be lowered to pads and transposes");
    } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      if (failed(linalg::lowerUnPack(rewriter, unpack)))
        return op->emitOpError("cannot be lowered to slices and transposes");
    } else {
      FailureOr<SmallVector<Value>> values =
          cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter);
      if (failed(values))
        return op->emitOpError("cannot be decomposed");
      rewriter.replaceOp(op, *values);
    }
  }
  RewritePatternSet patterns(module.getContext());
  linalg::populateDecomposeWinogradOpsPatterns(patterns);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyPatternsGreedily(
      module, std::move(patterns),
      GreedyRewriteConfig().enableFolding(false).setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled));
}

LogicalResult egg::generalizeOps(ModuleOp module) {
  if (failed(decompose(module)))
    return failure();
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    auto function = op->getParentOfType<func::FuncOp>();
    auto generic = dyn_cast<linalg::GenericOp>(*op);
    std::string name;
    if (generic) {
      name = describeGeneric(generic);
    } else {
      name = op->getName().stripDialect().str();
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return op.emitOpError("has no form as a linalg.generic");
      generic = *made;
    }
    for (char &c : name)
      if (!llvm::isAlnum(c))
        c = '_';
    if (!generic->hasAttr("egg.name"))
      generic->setAttr("egg.name",
                       rewriter.getStringAttr(function.getName() + "_" + name));
  }
  return success();
}
