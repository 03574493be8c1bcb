//===- PromoteToF64.cpp - the golden of a payload ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/PromoteToF64.h"
#include "egg/Pipelines/Passes.h"
#include "egg/Pipelines/VerifyPayload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_PROMOTETOF64
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

static Type promoted(Type type) {
  Type f64 = Float64Type::get(type.getContext());
  if (isa<FloatType>(type))
    return f64;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (isa<FloatType>(tensor.getElementType()))
      return tensor.clone(f64);
  return type;
}

static APFloat widened(APFloat value) {
  bool inexact = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return value;
}

/// The attribute with its float values in f64; the same one if it has none.
static Attribute promoted(Attribute attribute) {
  if (auto type = dyn_cast<TypeAttr>(attribute))
    return TypeAttr::get(promoted(type.getValue()));
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return FloatAttr::get(promoted(value.getType()), widened(value.getValue()));
  if (auto values = dyn_cast<DenseFPElementsAttr>(attribute))
    return values.mapValues(
        Float64Type::get(attribute.getContext()),
        [](const APFloat &value) { return widened(value).bitcastToAPInt(); });
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || !isa<FloatType>(resource.getElementType()))
      return attribute;
    return promoted(DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                        blob->getData()));
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> values;
    for (Attribute value : array)
      values.push_back(promoted(value));
    return ArrayAttr::get(attribute.getContext(), values);
  }
  return attribute;
}

static bool isFloatLike(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// Refuses what would change its meaning. Runs before any type changes.
static LogicalResult verifyPromotable(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isa<arith::BitcastOp, tensor::BitcastOp>(op))
      return WalkResult::advance();
    Type from = op->getOperand(0).getType();
    Type to = op->getResult(0).getType();
    if (!isFloatLike(from) && !isFloatLike(to))
      return WalkResult::advance();
    op->emitError() << "a bitcast from " << from << " to " << to
                    << " has no meaning in f64, so this payload has no golden";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Widens an argument that keeps its type.
static Value widen(OpBuilder &b, BlockArgument argument, StringRef function) {
  Location loc = argument.getLoc();
  Type f64 = b.getF64Type();
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return arith::ExtFOp::create(b, loc, f64, argument);
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), f64);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange{argument}, empty,
      ArrayRef<AffineMap>{identity, identity}, parallel,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value wide = arith::ExtFOp::create(b, loc, f64, args[0]);
        linalg::YieldOp::create(b, loc, wide);
      });
  generic->setAttr("egg.name", b.getStringAttr(function + "_widen"));
  return generic.getResult(0);
}

LogicalResult egg::promoteToF64(ModuleOp module) {
  if (failed(verifyPromotable(module)))
    return failure();
  func::FuncOp entry = findPayloadEntry(module);
  if (!entry)
    return module.emitError("there is no entry function");
  SmallVector<Type> arguments(entry.getArgumentTypes());

  // Types, attributes and identities, everywhere.
  SmallVector<Operation *> identities;
  module.walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      identities.push_back(op);
    if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(flags.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(),
                                                arith::FastMathFlags::none));
    for (Value result : op->getResults())
      result.setType(promoted(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(promoted(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      auto all = [](TypeRange types) {
        return llvm::map_to_vector(types, [](Type t) { return promoted(t); });
      };
      function.setFunctionType(
          FunctionType::get(op->getContext(), all(function.getArgumentTypes()),
                            all(function.getResultTypes())));
      return;
    }
    // Properties are not seen by getAttrs; the one that holds floats is the
    // value of a constant.
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      constant.setValueAttr(cast<TypedAttr>(promoted(constant.getValue())));
      return;
    }
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      op->setDiscardableAttr(attribute.getName(),
                             promoted(attribute.getValue()));
  });
  for (Operation *op : identities) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }

  // The entry's arguments keep their types.
  OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
  for (auto [argument, type] :
       llvm::zip_equal(entry.getArguments(), arguments)) {
    if (argument.getType() == type)
      continue;
    argument.setType(type);
    Operation *place = nullptr;
    Value wide = widen(b, argument, entry.getName());
    place = wide.getDefiningOp();
    argument.replaceAllUsesExcept(wide, place);
  }
  entry.setFunctionType(FunctionType::get(module.getContext(), arguments,
                                          entry.getResultTypes()));
  return success();
}

namespace {
struct PromoteToF64Pass : egg::impl::PromoteToF64Base<PromoteToF64Pass> {
  void runOnOperation() override {
    if (failed(egg::promoteToF64(getOperation())))
      signalPassFailure();
  }
};
} // namespace
