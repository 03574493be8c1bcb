//===- egg-plugin.cpp - egg as a plugin of a stock mlir-opt -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// mlir-opt --load-dialect-plugin=libegg-plugin.so --load-pass-plugin=...
//          --pass-pipeline="builtin.module(egg-...)"
// Passes of a plugin are reachable through --pass-pipeline alone: their flags
// do not exist yet when mlir-opt reads its command line.
//
//===----------------------------------------------------------------------===//

#include "egg/InitAll/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "egg", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            egg::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "egg", LLVM_VERSION_STRING,
          [] { egg::registerAllPasses(); }};
}
