//===- EggDialect.h - the egg dialect ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGDIALECT_H
#define EGG_DIALECT_EGG_EGGDIALECT_H

#include "mlir/IR/Dialect.h"

#include "egg/Dialect/Egg/EggDialect.h.inc"

#endif // EGG_DIALECT_EGG_EGGDIALECT_H
