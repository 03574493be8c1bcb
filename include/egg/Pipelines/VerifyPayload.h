//===- VerifyPayload.h - what the plain lowering takes ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_VERIFYPAYLOAD_H
#define EGG_PIPELINES_VERIFYPAYLOAD_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace egg {

/// The bounds on a payload. Beyond them index arithmetic in 64 bits, launch
/// limits or the compiler's own time could give way.
struct PayloadLimits {
  /// Elements of one tensor.
  int64_t elements = int64_t(1) << 40;
  /// Iterations of one linalg op.
  int64_t iterations = int64_t(1) << 56;
  int64_t rank = 16;
  /// Ops, also after all calls are inlined.
  int64_t ops = 1000000;
};

/// The entry function: @main, or the only public one. Null if there is none.
mlir::func::FuncOp findPayloadEntry(mlir::ModuleOp module);

/// Whether `type` is one of the element types of docs/formats.md.
bool isPayloadElementType(mlir::Type type);

/// Succeeds on what the plain lowering takes: func, linalg, tensor, arith,
/// math, scf and affine on values and tensors of static shape and of the
/// element types above (index inside functions), functions with bodies of one
/// block, no recursion, one entry function. Else emits one diagnostic that
/// names op, type or dimension, and where. Changes nothing.
llvm::LogicalResult verifyPayload(mlir::ModuleOp module,
                                  const PayloadLimits &limits = {});

} // namespace egg

#endif // EGG_PIPELINES_VERIFYPAYLOAD_H
