//===- EggDialect.cpp - the egg dialect -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/EggDialect.h"

#include "egg/Dialect/Egg/EggDialect.cpp.inc"

void egg::ir::EggDialect::initialize() {}
