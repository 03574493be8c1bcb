//===- IndexBits.h - kernels whose indices fit into 32 bits -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_PIPELINES_INDEXBITS_H
#define EGG_LIB_PIPELINES_INDEXBITS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace egg {

/// Moves the kernels of `kernels` (egg.index_bits = 64) in which every value of
/// type index is proven to fit into 32 signed bits, and every memref to have
/// fewer than 2^31 elements, to a new gpu.module @egg_kernels_32 and corrects
/// the launches. An i64 that is only cast to address memory counts as proven:
/// the access is inside a small memref or undefined. Erases a module that is
/// left empty. Fails if the range analysis does.
llvm::LogicalResult splitByIndexBits(mlir::ModuleOp module,
                                     mlir::gpu::GPUModuleOp kernels);

} // namespace egg

#endif // EGG_LIB_PIPELINES_INDEXBITS_H
