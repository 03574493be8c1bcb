//===- BlockLowering.h - block programs to kernels --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_BLOCKLOWERING_BLOCKLOWERING_H
#define EGG_BLOCKLOWERING_BLOCKLOWERING_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace egg {

/// Gives every tile of the function's grid stages a register layout, as the
/// encoding of its type, and inserts conversions where two layouts meet.
/// \p defaultThreads, a multiple of 32 up to 1024, is the block size of stages
/// whose grid attribute names none. Fails with an error at the op for a tile
/// that cannot be laid out.
mlir::LogicalResult assignLayouts(mlir::func::FuncOp function,
                                  unsigned defaultThreads);

struct BlockLoweringOptions {
  /// Chunks of up to 16 bytes that are loaded before the first is used.
  unsigned batchChunks = 4;
};

/// Lowers the grid stages of `@main` (on tensors, laid out) to kernels and
/// `@main` itself to a host function on memrefs. Fails with an error at the op
/// for whatever the lowering does not know; the module is then left in pieces.
mlir::LogicalResult lowerBlockProgram(mlir::ModuleOp module,
                                      const BlockLoweringOptions &options);

} // namespace egg

#endif // EGG_BLOCKLOWERING_BLOCKLOWERING_H
