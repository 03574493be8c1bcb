//===- Passes.h - the SIMT emulator as a pass -------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EMULATOR_PASSES_H
#define EGG_EMULATOR_PASSES_H

#include "mlir/Pass/Pass.h"

namespace egg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "egg/Emulator/Passes.h.inc"

} // namespace egg

#endif // EGG_EMULATOR_PASSES_H
