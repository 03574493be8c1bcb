//===- LegalizeMath.cpp - exact-grade float math in kernels -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/LegalizeMath.h"

#include "ScalarMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace egg {

FailureOr<unsigned> getIndexBits(gpu::GPUModuleOp module) {
  Attribute attr = module->getAttr(kIndexBitsAttr);
  if (!attr)
    return 64u;
  auto bits = dyn_cast<IntegerAttr>(attr);
  if (!bits || (bits.getValue() != 32 && bits.getValue() != 64)) {
    module.emitError("attribute egg.index_bits is ")
        << attr << "; it must be the integer 32 or 64";
    return failure();
  }
  return static_cast<unsigned>(bits.getValue().getZExtValue());
}

/// The element types that a kernel's arithmetic may have.
static LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element) && !element.isF64() && !element.isF32() &&
        !element.isF16() && !element.isBF16())
      return op->emitOpError("computes in ")
             << element << "; kernels compute in f64, f32, f16 and bf16";
    if (auto integer = dyn_cast<IntegerType>(element);
        integer && integer.getWidth() > 64)
      return op->emitOpError("computes in ")
             << element << "; kernels compute in integers of at most 64 bits";
    return success();
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  if (auto rounding = dyn_cast<arith::ArithRoundingModeInterface>(op)) {
    auto mode = rounding.getRoundingModeAttr();
    if (mode && mode.getValue() != arith::RoundingMode::to_nearest_even)
      return op->emitOpError("rounds ")
             << arith::stringifyRoundingMode(mode.getValue())
             << "; kernels round to_nearest_even";
  }
  return success();
}

/// Drops all fast-math flags but `contract`: the others let LLVM reassociate,
/// approximate or assume, which is for tagged rewrites alone.
static void keepOnlyContract(Operation *op) {
  auto fastmath = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fastmath || !fastmath.getFastMathFlagsAttr())
    return;
  auto flags = fastmath.getFastMathFlagsAttr().getValue();
  op->setAttr(fastmath.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(
                  op->getContext(), flags & arith::FastMathFlags::contract));
}

/// The positions of all elements of `shape`, innermost dimension fastest.
static SmallVector<SmallVector<int64_t>> allPositions(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<SmallVector<int64_t>> positions;
  for (int64_t i = 0, e = computeProduct(shape); i < e; ++i)
    positions.push_back(delinearize(i, strides));
  return positions;
}

static LogicalResult checkUnrolling(Operation *op, VectorType type,
                                    int64_t maxElements) {
  if (type.isScalable())
    return op->emitOpError("has the scalable type ")
           << type << "; the device has vectors of fixed size only";
  if (type.getNumElements() > maxElements)
    return op->emitOpError("would be unrolled over the ")
           << type.getNumElements() << " elements of " << type
           << "; the limit is " << maxElements << ": use smaller vectors";
  return success();
}

/// Replaces a vector op by its scalar form on each element.
static LogicalResult unrollVectorOp(Operation *op, VectorType type,
                                    ScalarMath &scalar) {
  OpBuilder &b = scalar.getBuilder();
  Location loc = op->getLoc();
  SmallVector<Value> whole;
  for (Type resultType : op->getResultTypes())
    whole.push_back(ub::PoisonOp::create(b, loc, resultType));
  for (const auto &position : allPositions(type.getShape())) {
    SmallVector<Value> elements, results;
    for (Value operand : op->getOperands())
      elements.push_back(vector::ExtractOp::create(b, loc, operand, position));
    if (failed(scalar.emit(op, elements, results)))
      return failure();
    for (auto [vector, result] : llvm::zip_equal(whole, results))
      vector = vector::InsertOp::create(b, loc, result, vector, position);
  }
  op->replaceAllUsesWith(whole);
  return success();
}

/// An fma as the intrinsic with one rounding, row by row. (vector.fma would
/// become llvm.fmuladd, which may round twice.)
static LogicalResult replaceFma(Operation *op, OpBuilder &b,
                                int64_t maxElements) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0), y = op->getOperand(1), z = op->getOperand(2);
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (type && failed(checkUnrolling(op, type, maxElements)))
    return failure();
  if (!type || type.getRank() == 1) {
    op->getResult(0).replaceAllUsesWith(
        LLVM::FMAOp::create(b, loc, x, y, z).getResult());
    return success();
  }
  Value whole = ub::PoisonOp::create(b, loc, type);
  ArrayRef<int64_t> outer =
      type.getRank() == 0 ? ArrayRef<int64_t>() : type.getShape().drop_back();
  for (const auto &position : allPositions(outer)) {
    auto row = [&](Value v) -> Value {
      return vector::ExtractOp::create(b, loc, v, position);
    };
    Value fma = LLVM::FMAOp::create(b, loc, row(x), row(y), row(z));
    whole = vector::InsertOp::create(b, loc, fma, whole, position);
  }
  op->getResult(0).replaceAllUsesWith(whole);
  return success();
}

LogicalResult legalizeMath(gpu::GPUModuleOp module,
                           const MathLegalization &options) {
  FailureOr<unsigned> indexBits = getIndexBits(module);
  if (failed(indexBits))
    return failure();
  for (auto symbol : module.getOps<SymbolOpInterface>())
    if (symbol.getName().starts_with("__nv_") && !symbol.isDeclaration())
      return symbol->emitError("the name ")
             << symbol.getName()
             << " is kept for the device library; rename it";

  SmallVector<Operation *> handled;
  WalkResult walk = module.walk([&](Operation *op) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         vector::VectorDialect>(op->getDialect()))
      return WalkResult::advance();
    if (failed(checkTypes(op)))
      return WalkResult::interrupt();
    keepOnlyContract(op);
    if (ScalarMath::handles(op) || isa<math::FmaOp, vector::FMAOp>(op))
      handled.push_back(op);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  ScalarMath scalar(module, *indexBits);
  for (Operation *op : handled) {
    scalar.getBuilder().setInsertionPoint(op);
    if (isa<math::FmaOp, vector::FMAOp>(op)) {
      if (failed(
              replaceFma(op, scalar.getBuilder(), options.maxVectorElements)))
        return failure();
    } else if (auto type = dyn_cast<VectorType>(op->getOperand(0).getType())) {
      if (failed(checkUnrolling(op, type, options.maxVectorElements)) ||
          failed(unrollVectorOp(op, type, scalar)))
        return failure();
    } else {
      if (isa<TensorType>(op->getOperand(0).getType()))
        return op->emitOpError("works on a tensor inside a kernel; lower it "
                               "to scalars or vectors first");
      SmallVector<Value> results;
      if (failed(scalar.emit(op, op->getOperands(), results)))
        return failure();
      op->replaceAllUsesWith(results);
    }
    op->erase();
  }
  return success();
}

} // namespace egg
