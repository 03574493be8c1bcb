//===- Lowering.h - From a payload to LLVM's dialect, for the CPU -*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of `runOnCpu` that rewrite the module, in their order.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_CPURUNNER_LOWERING_H
#define EGG_LIB_CPURUNNER_LOWERING_H

#include "egg/CpuRunner/CpuRunner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace egg {

/// Loads every dialect whose ops the steps below create.
void loadLoweringDialects(mlir::MLIRContext &context);

/// The name of the function that `addEntryPoint` makes.
inline constexpr const char *kEntryPoint = "egg.entry";

/// The function that a run starts in; see CpuRunOptions::entry.
Result<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                     llvm::StringRef name);

/// Type and shape of a value at the edge of the payload, with no bytes.
Result<HostTensor> describeType(mlir::Type type);

/// Renames every function of the payload out of the way of the symbols of the
/// lowering, makes it private, and adds the function `kEntryPoint`, which takes
/// one memref an argument and one a result of `entry` and only reads the
/// former.
void addEntryPoint(mlir::ModuleOp module, mlir::func::FuncOp entry);

/// On tensors: softmax and its like become generics, pack and unpack become
/// pad, transpose and reshape; flags that allow inexact or undefined results
/// (fast-math, nsw, nuw, exact) are dropped.
mlir::LogicalResult normalizeForCpu(mlir::ModuleOp module);

/// On buffers: each scf.forall becomes one loop over all its iterations, in the
/// order that `options` names.
mlir::LogicalResult lowerForalls(mlir::ModuleOp module,
                                 const CpuRunOptions &options);

/// On buffers: copies become loops, and divisions of integers give a value
/// rather than a trap for a divisor of zero or a quotient that overflows.
mlir::LogicalResult lowerCopies(mlir::ModuleOp module);
mlir::LogicalResult guardDivisions(mlir::ModuleOp module);

/// All steps, from tensors to LLVM's dialect. Diagnostics say what refused.
mlir::LogicalResult lowerForCpu(mlir::ModuleOp module,
                                const CpuRunOptions &options);

} // namespace egg

#endif // EGG_LIB_CPURUNNER_LOWERING_H
