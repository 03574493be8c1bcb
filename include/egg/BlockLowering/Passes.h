//===- Passes.h - the lowering of block programs ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_BLOCKLOWERING_PASSES_H
#define EGG_BLOCKLOWERING_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace egg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "egg/BlockLowering/Passes.h.inc"

} // namespace egg

#endif // EGG_BLOCKLOWERING_PASSES_H
