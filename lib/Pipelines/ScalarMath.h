//===- ScalarMath.h - one float function on scalars -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_PIPELINES_SCALARMATH_H
#define EGG_LIB_PIPELINES_SCALARMATH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace egg {

/// Emits the exact-grade scalar form of math and arith ops inside one
/// gpu.module, declaring the libdevice functions it needs there.
class ScalarMath {
public:
  ScalarMath(mlir::gpu::GPUModuleOp module, unsigned indexBits)
      : module(module), indexBits(indexBits), builder(module.getContext()) {}

  /// True when ops of this kind, with these types, are replaced by `emit`.
  static bool handles(mlir::Operation *op);

  /// Emits `op` on scalar `operands` at `builder`'s insertion point and appends
  /// one scalar a result. `op` gives the kind, the attributes and the constant
  /// operands only. Fails with a diagnostic at `op`.
  mlir::LogicalResult emit(mlir::Operation *op, mlir::ValueRange operands,
                           llvm::SmallVectorImpl<mlir::Value> &results);

  mlir::OpBuilder &getBuilder() { return builder; }

private:
  mlir::Value libdevice(mlir::Location loc, llvm::StringRef base,
                        mlir::ValueRange operands);
  mlir::Value
  inWiderFloat(mlir::Location loc, mlir::ValueRange operands,
               llvm::function_ref<mlir::Value(mlir::ValueRange)> compute);
  mlir::Value floatConstant(mlir::Location loc, mlir::Type type, double value);
  mlir::Value intConstant(mlir::Location loc, mlir::Type type, int64_t value);
  mlir::Value classify(mlir::Operation *op, mlir::Value x);
  mlir::Value bits(mlir::Location loc, mlir::Value x);
  mlir::Value absf(mlir::Location loc, mlir::Value x);
  mlir::Value copysign(mlir::Location loc, mlir::Value x, mlir::Value sign);
  mlir::Value countBits(mlir::Operation *op, mlir::Value x);
  mlir::Value fpowi(mlir::Operation *op, mlir::Value x, mlir::Value n);
  mlir::Value ipowi(mlir::Location loc, mlir::Value x, mlir::Value n);
  mlir::Value toBF16(mlir::Location loc, mlir::Value x, bool isSigned);

  mlir::gpu::GPUModuleOp module;
  unsigned indexBits;
  mlir::OpBuilder builder;
};

} // namespace egg

#endif // EGG_LIB_PIPELINES_SCALARMATH_H
