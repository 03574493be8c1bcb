//===- LegalizeMath.h - exact-grade float math in kernels -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_LEGALIZEMATH_H
#define EGG_PIPELINES_LEGALIZEMATH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace egg {

/// The attribute on a gpu.module that says how wide `index` is in its kernels:
/// an i32 or i64 integer, 32 or 64. Absent means 64.
inline constexpr llvm::StringLiteral kIndexBitsAttr = "egg.index_bits";

/// The width of `index` in the kernels of `module`, 32 or 64. Fails with a
/// diagnostic on any other value of the attribute.
mlir::FailureOr<unsigned> getIndexBits(mlir::gpu::GPUModuleOp module);

struct MathLegalization {
  /// A function that has no vector form is unrolled over at most this many
  /// elements; a longer vector is refused.
  int64_t maxVectorElements = 4096;
};

/// Rewrites the math and arith ops of `module` as the pass egg-legalize-math
/// says. Afterwards no math op is left. Fails with a diagnostic on a float type
/// other than f64, f32, f16 and bf16, on an integer above 64 bits, on a
/// rounding mode other than to nearest even, and on a math op that it does not
/// know.
mlir::LogicalResult legalizeMath(mlir::gpu::GPUModuleOp module,
                                 const MathLegalization &options = {});

} // namespace egg

#endif // EGG_PIPELINES_LEGALIZEMATH_H
