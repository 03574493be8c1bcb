//===- EggDialect.td - the egg dialect ---------------------*- tablegen -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGDIALECT
#define EGG_DIALECT_EGG_EGGDIALECT

include "mlir/IR/OpBase.td"

def Egg_Dialect : Dialect {
  let name = "egg";
  let cppNamespace = "::egg::ir";
  let summary = "The few ops that block programs need beside upstream's";
}

#endif // EGG_DIALECT_EGG_EGGDIALECT
