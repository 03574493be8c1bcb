//===- EggDialect.cpp - the egg dialect -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/EggDialect.h"
#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace egg::ir;

#include "egg/Dialect/Egg/EggDialect.cpp.inc"

namespace {
/// Layouts are long: print each once.
struct EggAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void EggDialect::initialize() {
  addInterfaces<EggAsmInterface>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "egg/Dialect/Egg/EggOps.cpp.inc"
      >();
}

/// The op that an attribute belongs to, by name, so that the dialect need not
/// link the op's own.
static LogicalResult verifyHome(Operation *op, NamedAttribute attribute,
                                ArrayRef<StringRef> homes) {
  StringRef name = op->getName().getStringRef();
  for (StringRef home : homes)
    if (home.ends_with(".") ? name.starts_with(home) : name == home)
      return success();
  InFlightDiagnostic diag = op->emitOpError() << "cannot carry '"
                                              << attribute.getName().getValue()
                                              << "', which belongs on ";
  for (auto [i, home] : llvm::enumerate(homes))
    diag << (i ? " or " : "") << (home.ends_with(".") ? "an op of " : "")
         << (home.ends_with(".") ? home.drop_back() : home);
  return diag;
}

template <typename Attr>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute,
                                StringRef form) {
  if (isa<Attr>(attribute.getValue()))
    return success();
  return op->emitOpError() << "has '" << attribute.getName().getValue()
                           << "' = " << attribute.getValue()
                           << ", which must be " << form;
}

LogicalResult EggDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kGridAttr)
    return failure(
        failed(verifyKind<GridAttr>(op, attribute, "#egg.grid<...>")) ||
        failed(verifyHome(op, attribute, {"scf.forall"})));
  if (name == kJoinAttr)
    return failure(
        failed(verifyKind<JoinAttr>(op, attribute, "#egg.join<...>")) ||
        failed(verifyHome(op, attribute, {"scf.forall"})));
  if (name == kContractAttr)
    return failure(
        failed(verifyKind<ContractAttr>(op, attribute, "#egg.contract<...>")) ||
        failed(verifyHome(op, attribute, {"linalg."})));
  if (name == kChainAttr)
    return failure(failed(verifyKind<ChainAttr>(op, attribute, "#egg.chain")) ||
                   failed(verifyHome(op, attribute, {"scf.for"})));
  if (name == kRolesAttr)
    return failure(
        failed(verifyKind<RolesAttr>(op, attribute, "#egg.roles<...>")) ||
        failed(verifyHome(op, attribute, {"scf.for", "scf.forall"})));
  if (name == kNeutralAttr) {
    if (failed(verifyKind<ArrayAttr>(op, attribute,
                                     "an array with one typed attribute a "
                                     "result")) ||
        failed(verifyHome(op, attribute, {"linalg.reduce"})))
      return failure();
    auto values = cast<ArrayAttr>(attribute.getValue());
    if (values.size() != op->getNumResults())
      return op->emitOpError()
             << "has " << values.size() << " neutral values for "
             << op->getNumResults() << " results";
    for (auto [i, value] : llvm::enumerate(values)) {
      Type element = getElementTypeOrSelf(op->getResult(i).getType());
      auto typed = dyn_cast<TypedAttr>(value);
      if (!typed || typed.getType() != element)
        return op->emitOpError()
               << "has neutral value " << value << " for result " << i
               << ", whose elements are " << element;
    }
  }
  return success();
}

LogicalResult EggDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
  auto describe = [&] {
    return op->emitOpError() << "argument " << argIndex << " has '" << name
                             << "' = " << attribute.getValue() << ", which ";
  };
  if (name == kInoutAttr) {
    if (!integer || integer.getValue().isNegative())
      return describe() << "must be the number of a result, as an integer";
  } else if (name == kAlignAttr) {
    if (!integer || !integer.getValue().isStrictlyPositive() ||
        !integer.getValue().isPowerOf2())
      return describe() << "must be a number of bytes that is a power of two";
  } else if (name == kNoaliasAttr) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return describe() << "must have no value";
  } else if (name == kRangeAttr) {
    auto range = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!range || range.size() != 2 || range[0] > range[1])
      return describe() << "must be array<i64: least, most>";
  }
  return success();
}
