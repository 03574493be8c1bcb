//===- NormalizeSteps.h - the steps of normalizePayload ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_PIPELINES_NORMALIZESTEPS_H
#define EGG_LIB_PIPELINES_NORMALIZESTEPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace egg {

/// Makes every linalg op a linalg.generic, elementwise arith and math ops on
/// tensors too, and names each generic after its function and op (egg.name).
llvm::LogicalResult generalizeOps(mlir::ModuleOp module);

/// The name of a kernel for a generic: what its body is mostly about.
std::string describeGeneric(mlir::linalg::GenericOp op);

} // namespace egg

#endif // EGG_LIB_PIPELINES_NORMALIZESTEPS_H
