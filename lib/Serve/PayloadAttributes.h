//===- PayloadAttributes.h - a payload carries no instructions --*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SERVE_PAYLOADATTRIBUTES_H
#define EGG_LIB_SERVE_PAYLOADATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"

namespace egg {

/// Refuses, with a diagnostic, every attribute that is not one of an
/// operation's own (inherent) ones, but `egg.inout`, `egg.align`, `egg.noalias`
/// and `egg.range` of arguments. Passes act on others: `passthrough` reaches
/// LLVM's functions, `linalg.memoized_indexing_maps` overrides an operation's
/// maps, `egg.*` steers the lowering. To be called after parsing and before
/// MLIR's verifier, which itself attaches such attributes; needs no valid
/// module.
mlir::LogicalResult verifyPayloadAttributes(mlir::ModuleOp module);

} // namespace egg

#endif // EGG_LIB_SERVE_PAYLOADATTRIBUTES_H
