//===- GridDiscipline.h - what keeps a grid free of races -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TRANSFORMS_BLOCKPROGRAM_GRIDDISCIPLINE_H
#define EGG_TRANSFORMS_BLOCKPROGRAM_GRIDDISCIPLINE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace egg {

/// A grid loop: an scf.forall that maps its variables to gpu.block.
bool isGridLoop(mlir::scf::ForallOp loop);

/// The rules below, each with an error at the op that breaks it. They are what
/// `egg-verify-grid` describes; run them after every change of a block program.

/// G1: iterations write different elements, and one iteration each once.
mlir::LogicalResult verifyWrites(mlir::scf::ForallOp loop);
/// G2: a shared_out is read only through what the iteration writes.
mlir::LogicalResult verifySharedReads(mlir::scf::ForallOp loop);
/// G3 and G4: shared_outs start as tensor.empty or as a tied argument, which is
/// used nowhere else and comes back as the result that it is tied to.
mlir::LogicalResult verifySharedInits(mlir::scf::ForallOp loop);
/// G5: what steers control flow of the block is the same in all its threads.
mlir::LogicalResult verifyUniformControl(mlir::scf::ForallOp loop);
/// A place with depth above 1 stands in a loop and reads what this grid does
/// not write.
mlir::LogicalResult verifyDepths(mlir::scf::ForallOp loop);
/// A loop with `egg.chain` only combines its carry.
mlir::LogicalResult verifyChains(mlir::scf::ForallOp loop);
/// `egg.join` fits what the stage reads of the stages before it.
mlir::LogicalResult verifyJoin(mlir::scf::ForallOp loop);

/// All of them on every grid loop in `root`; one error a loop and rule.
mlir::LogicalResult verifyGrid(mlir::Operation *root);

} // namespace egg

#endif // EGG_TRANSFORMS_BLOCKPROGRAM_GRIDDISCIPLINE_H
