//===- VerifyPayload.cpp - what the plain lowering takes --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/VerifyPayload.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_VERIFYPAYLOAD
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

bool egg::isPayloadElementType(Type type) {
  return type.isF64() || type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(64) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(1);
}

func::FuncOp egg::findPayloadEntry(ModuleOp module) {
  func::FuncOp only;
  unsigned publics = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getName() == "main")
      return function;
    if (function.isPublic()) {
      ++publics;
      only = function;
    }
  }
  return publics == 1 ? only : func::FuncOp();
}

namespace {

/// One walk over a payload; the first breach is reported.
class PayloadVerifier {
public:
  explicit PayloadVerifier(const egg::PayloadLimits &limits) : limits(limits) {}
  LogicalResult run(ModuleOp module);

private:
  /// `what` names the value ("argument 0 of @main"), lower case.
  LogicalResult verifyType(Operation *at, const Twine &what, Type type,
                           bool allowIndex);
  LogicalResult verifyFunction(func::FuncOp function, bool isEntry);
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyConstant(Operation *op);
  LogicalResult verifyCalls(ModuleOp module, func::FuncOp entry);

  const egg::PayloadLimits &limits;
};

} // namespace

LogicalResult PayloadVerifier::verifyType(Operation *at, const Twine &what,
                                          Type type, bool allowIndex) {
  auto fail = [&]() {
    return at->emitError() << what.str() << " has type " << type << ": ";
  };
  Type element = type;
  if (isa<UnrankedTensorType>(type))
    return fail() << "its rank is not known; egg compiles static shapes only";
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    for (int64_t d = 0; d < tensor.getRank(); ++d)
      if (tensor.isDynamicDim(d))
        return fail() << "dimension " << d << " is dynamic; egg compiles "
                      << "static shapes only, so give it a number";
    if (tensor.getEncoding())
      return fail() << "a payload's tensors have no encoding";
    if (tensor.getRank() > limits.rank)
      return fail() << "rank " << tensor.getRank() << " is above the limit of "
                    << limits.rank;
    int64_t elements = 1;
    for (int64_t extent : tensor.getShape()) {
      if (extent != 0 && elements > limits.elements / extent)
        return fail() << "it has more than " << limits.elements << " elements";
      elements *= extent;
    }
  } else if (isa<ShapedType>(type)) {
    return fail() << "a payload holds tensors and scalars only";
  }
  if (!egg::isPayloadElementType(element) && !(allowIndex && element.isIndex()))
    return fail() << "element type " << element << " is not supported; use "
                  << "f64, f32, f16, bf16, i64, i32, i16, i8 or i1";
  return success();
}

LogicalResult PayloadVerifier::verifyConstant(Operation *op) {
  for (NamedAttribute attribute : op->getAttrs()) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(attribute.getValue());
    if (!resource)
      continue;
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    int64_t width =
        resource.getElementType().isInteger(1)
            ? 8
            : std::max<int64_t>(
                  8, resource.getElementType().getIntOrFloatBitWidth());
    uint64_t bytes =
        static_cast<uint64_t>(resource.getType().getNumElements()) * width / 8;
    if (!blob)
      return op->emitError()
             << "the resource '" << resource.getRawHandle().getKey()
             << "' has no data in this module";
    if (blob->getData().size() != bytes)
      return op->emitError()
             << "the resource '" << resource.getRawHandle().getKey() << "' has "
             << blob->getData().size() << " bytes; its type "
             << resource.getType() << " needs " << bytes;
  }
  return success();
}

LogicalResult PayloadVerifier::verifyOp(Operation *op) {
  static const llvm::StringSet<> dialects = {
      "linalg", "tensor", "arith", "math", "scf", "affine", "func"};
  StringRef name = op->getName().getStringRef();
  bool allowed = op->getDialect()
                     ? dialects.contains(op->getDialect()->getNamespace()) ||
                           name == "cf.assert"
                     : false;
  if (!allowed)
    return op->emitError() << "'" << name << "' cannot be part of a payload, "
                           << "which uses func, linalg, tensor, arith, math, "
                           << "scf and affine";
  if (isa<func::FuncOp>(op))
    return op->emitError() << "a function cannot be nested in another";
  if (isa<func::CallIndirectOp, func::ConstantOp>(op))
    return op->emitError() << "'" << name
                           << "': functions are not values in a payload";
  if (failed(verifyConstant(op)))
    return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifyType(op,
                          Twine("result ") + Twine(i) + " of '" + name + "'",
                          type, true)))
      return failure();
  for (Region &region : op->getRegions()) {
    if (region.getBlocks().size() > 1)
      return op->emitError() << "'" << name << "' has a region of several "
                             << "blocks; use scf.if and scf.for";
    for (BlockArgument argument : region.getArguments())
      if (failed(verifyType(op,
                            Twine("region argument ") +
                                Twine(argument.getArgNumber()) + " of '" +
                                name + "'",
                            argument.getType(), true)))
        return failure();
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    int64_t iterations = 1;
    for (int64_t range : structured.getStaticLoopRanges()) {
      if (ShapedType::isDynamic(range))
        return op->emitError() << "'" << name << "' has a loop whose length "
                               << "no operand's shape tells";
      if (range != 0 && iterations > limits.iterations / range)
        return op->emitError() << "'" << name << "' has more than "
                               << limits.iterations << " iterations";
      iterations *= range;
    }
  }
  return success();
}

LogicalResult PayloadVerifier::verifyFunction(func::FuncOp function,
                                              bool isEntry) {
  if (function.isExternal())
    return function.emitError() << "@" << function.getName()
                                << " has no body; a payload is complete";
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError() << "@" << function.getName() << " has "
                                << function.getBody().getBlocks().size()
                                << " blocks; use scf.if and scf.for";
  auto verifyTypes = [&](TypeRange types, StringRef kind) {
    for (auto [i, type] : llvm::enumerate(types))
      if (failed(verifyType(
              function, kind + " " + Twine(i) + " of @" + function.getName(),
              type, !isEntry)))
        return failure();
    return success();
  };
  if (failed(verifyTypes(function.getArgumentTypes(), "argument")) ||
      failed(verifyTypes(function.getResultTypes(), "result")))
    return failure();
  WalkResult result = function.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(verifyOp(op)); });
  return failure(result.wasInterrupted());
}

/// Refuses recursion and counts the ops that inlining makes.
LogicalResult PayloadVerifier::verifyCalls(ModuleOp module,
                                           func::FuncOp entry) {
  constexpr int64_t kOpen = -1;
  llvm::DenseMap<Operation *, int64_t> sizes;
  std::function<LogicalResult(func::FuncOp)> visit =
      [&](func::FuncOp function) -> LogicalResult {
    sizes[function] = kOpen;
    int64_t size = 0;
    WalkResult result = function.walk([&](Operation *op) {
      ++size;
      auto call = dyn_cast<func::CallOp>(op);
      if (!call)
        return WalkResult::advance();
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!callee) {
        call.emitError() << "@" << call.getCallee() << " is not a function of "
                         << "this module";
        return WalkResult::interrupt();
      }
      auto known = sizes.find(callee);
      if (known != sizes.end() && known->second == kOpen) {
        call.emitError() << "@" << call.getCallee() << " calls itself, "
                         << "directly or through others; recursion cannot be "
                         << "compiled";
        return WalkResult::interrupt();
      }
      if (known == sizes.end() && failed(visit(callee)))
        return WalkResult::interrupt();
      size += sizes[callee];
      if (size > limits.ops) {
        call.emitError() << "with all calls inlined @" << function.getName()
                         << " has more than " << limits.ops << " ops";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    sizes[function] = size;
    return failure(result.wasInterrupted());
  };
  return visit(entry);
}

LogicalResult PayloadVerifier::run(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<func::FuncOp>(op))
      return op.emitError() << "'" << op.getName() << "' cannot stand in a "
                            << "payload's module, which holds functions only";
  func::FuncOp entry = egg::findPayloadEntry(module);
  if (!entry)
    return module.emitError() << "there is no entry function: name one @main "
                              << "or make all others private";
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(verifyFunction(function, function == entry)))
      return failure();
  return verifyCalls(module, entry);
}

LogicalResult egg::verifyPayload(ModuleOp module, const PayloadLimits &limits) {
  return PayloadVerifier(limits).run(module);
}

namespace {
struct VerifyPayloadPass : egg::impl::VerifyPayloadBase<VerifyPayloadPass> {
  void runOnOperation() override {
    if (failed(egg::verifyPayload(getOperation())))
      signalPassFailure();
  }
};
} // namespace
