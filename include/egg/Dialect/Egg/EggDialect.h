//===- EggDialect.h - the egg dialect ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGDIALECT_H
#define EGG_DIALECT_EGG_EGGDIALECT_H

#include "egg/Dialect/Egg/LinearLayout.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "egg/Dialect/Egg/EggDialect.h.inc"
#include "egg/Dialect/Egg/EggEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "egg/Dialect/Egg/EggAttrs.h.inc"

#endif // EGG_DIALECT_EGG_EGGDIALECT_H
