//===- InitAll.h - one registration for every MLIR tool ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_INITALL_INITALL_H
#define EGG_INITALL_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace egg {

/// Registers the dialects that egg reads, writes and creates, with the
/// interfaces and extensions that its passes need. egg-opt, the plugin and the
/// child of the compiler protocol all call this one function, so that they
/// cannot come to differ.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers egg's passes and pipelines, and those of upstream's passes that
/// egg's tests and users combine with them.
void registerAllPasses();

} // namespace egg

#endif // EGG_INITALL_INITALL_H
