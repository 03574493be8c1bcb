//===- NormalizePayload.h - a payload in few kinds of op --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A normalized payload is a module with one function @main, over tensors of
// static shape (scalar arguments and results have become tensors of rank 0),
// whose body holds only
//
// - linalg.generic on tensors, without scalar operands; its body may read host
//   tensors by tensor.extract, and captures no scalars but constants and the
//   induction variables of host loops. The attribute egg.name (a string) says
//   which function and op it comes from. Its arithmetic has no fast-math,
//   overflow or exact flags, and divides integers by nothing that is 0 or -1
//   where that is undefined.
// - arith.constant; tensor constants are dense
// - tensor.empty, tensor.expand_shape, tensor.collapse_shape
// - scf.for with constant bounds of type index that carries tensors
// - func.return
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_NORMALIZEPAYLOAD_H
#define EGG_PIPELINES_NORMALIZEPAYLOAD_H

#include "mlir/IR/BuiltinOps.h"

namespace egg {

/// Brings a payload that verifyPayload accepts into the form above. Fails with
/// a diagnostic at host control flow that depends on data and at ops that have
/// no plain lowering. Removes cf.assert with a remark.
llvm::LogicalResult normalizePayload(mlir::ModuleOp module);

} // namespace egg

#endif // EGG_PIPELINES_NORMALIZEPAYLOAD_H
