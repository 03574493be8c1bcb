//===- Passes.h - passes on block programs ----------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TRANSFORMS_BLOCKPROGRAM_PASSES_H
#define EGG_TRANSFORMS_BLOCKPROGRAM_PASSES_H

#include "egg/Transforms/BlockProgram/LowerToLoops.h"

#include "mlir/Pass/Pass.h"

namespace egg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "egg/Transforms/BlockProgram/Passes.h.inc"

} // namespace egg

#endif // EGG_TRANSFORMS_BLOCKPROGRAM_PASSES_H
