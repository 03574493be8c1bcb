//===- PayloadAttributes.cpp - a payload carries no instructions *- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadAttributes.h"

#include "egg/Dialect/Egg/EggDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace egg;
using namespace mlir;

static bool isArgumentAttribute(StringRef name) {
  return name == ir::EggDialect::kInoutAttr ||
         name == ir::EggDialect::kAlignAttr ||
         name == ir::EggDialect::kNoaliasAttr ||
         name == ir::EggDialect::kRangeAttr;
}

static LogicalResult refuse(Operation *op, StringRef name, const Twine &of) {
  return op->emitError() << "the attribute '" << name << "' of " << of.str()
                         << " is refused: a payload has no attributes but its "
                            "operations' own, and on arguments egg.inout, "
                            "egg.align, egg.noalias and egg.range";
}

LogicalResult egg::verifyPayloadAttributes(ModuleOp module) {
  auto verifyOp = [](Operation *op) -> LogicalResult {
    for (NamedAttribute attribute : op->getDiscardableAttrDictionary())
      return refuse(op, attribute.getName(),
                    "'" + op->getName().getStringRef() + "'");
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return success();
    // The arrays may not fit the function yet: only what they hold counts.
    auto verifyArray = [&](ArrayAttr array, StringRef what,
                           bool allow) -> LogicalResult {
      if (!array)
        return success();
      for (auto [i, value] : llvm::enumerate(array))
        if (auto dictionary = dyn_cast<DictionaryAttr>(value))
          for (NamedAttribute attribute : dictionary)
            if (!allow || !isArgumentAttribute(attribute.getName()))
              return refuse(op, attribute.getName(), what + " " + Twine(i));
      return success();
    };
    if (failed(verifyArray(function.getArgAttrsAttr(), "argument", true)))
      return failure();
    return verifyArray(function.getResAttrsAttr(), "result", false);
  };
  return failure(module
                     ->walk<WalkOrder::PreOrder>([&](Operation *op) {
                       return WalkResult(verifyOp(op));
                     })
                     .wasInterrupted());
}
