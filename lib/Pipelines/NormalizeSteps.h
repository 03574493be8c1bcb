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

/// Replaces the ops of the tensor dialect, but for reshapes, tensor.empty and
/// tensor.extract, by generics that read their sources by tensor.extract.
llvm::LogicalResult normalizeTensorOps(mlir::ModuleOp module);

/// One function: affine ops expanded, calls inlined (the entry is renamed to
/// @main, the rest erased), scalar arguments and results as tensors of rank 0,
/// resources as dense constants, cf.assert removed with a remark.
llvm::LogicalResult inlineToMain(mlir::ModuleOp module);

/// scf.forall, scf.index_switch and scf.execute_region as loops, branches and
/// their own ops.
llvm::LogicalResult expandLoops(mlir::ModuleOp module);

/// Whether an op with regions neither makes nor holds tensors (it may read
/// them): it runs inside a kernel.
bool computesScalars(mlir::Operation *op);

/// Host control flow: branches over tensors are evaluated both and selected
/// from, loops over tensors carry tensors only. Branches and loops of scalars
/// stay. Fails at loops whose number of trips depends on data.
llvm::LogicalResult normalizeControlFlow(mlir::ModuleOp module);

/// Moves the scalar computation of the host into the bodies that use it; longer
/// chains, branches and loops of scalars become generics of rank 0.
llvm::LogicalResult sinkScalars(mlir::ModuleOp module);

/// Takes the undefined cases out of the arithmetic of scalars: fast-math,
/// overflow and exact flags are dropped (a reduction that is split meets
/// sums that the payload never forms), and each integer division by what may be
/// 0 or -1 has a value, the CPU runner's: x / 0 = -1, x % 0 = x, the least
/// value / -1 is itself.
void defineArithmetic(mlir::ModuleOp module);

/// A generic without inputs over `type`; `element` builds the element at the
/// given indices.
mlir::linalg::GenericOp
buildElements(mlir::OpBuilder &b, mlir::Location loc,
              mlir::RankedTensorType type, llvm::StringRef name,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                             mlir::ValueRange)>
                  element);

/// The name of a kernel for a generic: what its body is mostly about.
std::string describeGeneric(mlir::linalg::GenericOp op);

} // namespace egg

#endif // EGG_LIB_PIPELINES_NORMALIZESTEPS_H
