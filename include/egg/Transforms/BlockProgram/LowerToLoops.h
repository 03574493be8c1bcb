//===- LowerToLoops.h - block programs as plain tensor code -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TRANSFORMS_BLOCKPROGRAM_LOWERTOLOOPS_H
#define EGG_TRANSFORMS_BLOCKPROGRAM_LOWERTOLOOPS_H

#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace egg {

/// In which order the iterations of a grid run on a CPU. None may change a
/// result.
enum class GridRunOrder { forward, reversed, shuffled };

struct LowerToLoopsOptions {
  GridRunOrder order = GridRunOrder::forward;
  /// Fill shared_outs that start as tensor.empty with NaN or bytes of 0xA5.
  bool poison = false;
  /// Assert the promises of reads without a fill and of index tensors.
  bool checkBounds = false;
};

/// Drops layouts from the types of tensors in `root`, functions' included.
void dropLayouts(mlir::Operation *root);

/// Each replaces one op by linalg, scf, tensor and arith ops on tensors.
void lowerRead(mlir::RewriterBase &rewriter, ir::ReadOp op, bool checkBounds);
void lowerScan(mlir::RewriterBase &rewriter, ir::ScanOp op);

/// Emits what `op` does to `dest`, the current value of its shared_out, with
/// operands looked up in `mapping`; returns the new value.
mlir::Value emitWrite(mlir::OpBuilder &builder, ir::WriteOp op,
                      mlir::Value dest, const mlir::IRMapping &mapping,
                      bool checkBounds);

/// Replaces a grid loop on tensors by a sequential one. Fails, with an error,
/// on a terminator that holds ops other than egg.write and
/// tensor.parallel_insert_slice.
mlir::LogicalResult lowerForall(mlir::RewriterBase &rewriter,
                                mlir::scf::ForallOp op,
                                const LowerToLoopsOptions &options);

/// All of these on everything in `root`. Afterwards no op, layout or `egg.*`
/// attribute (but those of functions' arguments) and no scf.forall on tensors
/// is left.
mlir::LogicalResult lowerOpsToLoops(mlir::Operation *root,
                                    const LowerToLoopsOptions &options);

} // namespace egg

#endif // EGG_TRANSFORMS_BLOCKPROGRAM_LOWERTOLOOPS_H
