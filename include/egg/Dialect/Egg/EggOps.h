//===- EggOps.h - ops of the egg dialect ------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGOPS_H
#define EGG_DIALECT_EGG_EGGOPS_H

#include "egg/Dialect/Egg/EggDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "egg/Dialect/Egg/EggOps.h.inc"

#endif // EGG_DIALECT_EGG_EGGOPS_H
