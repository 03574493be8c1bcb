//===- PayloadWork.h - what a payload has to do at least --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SERVE_PAYLOADWORK_H
#define EGG_LIB_SERVE_PAYLOADWORK_H

#include "egg/Proposal/CompilerProtocol.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace egg {

/// The numbers of the arguments of which every element is read: by the linalg
/// operations of the function's own body, also through reshapes, under maps
/// that leave none out. An argument that only a slice or a gather, a loop or a
/// called function reads is not among them.
std::vector<int64_t> wholeArguments(mlir::func::FuncOp function);

/// The work of the contractions in the function's own body, two operations an
/// iteration, by the type of their narrower input; the same contraction twice
/// counts once, one that nobody uses not at all. Nullopt when the module has
/// contractions or convolutions anywhere else, whose number of runs is not
/// plain.
std::optional<std::vector<ContractionWork>>
contractionWork(mlir::func::FuncOp function);

} // namespace egg

#endif // EGG_LIB_SERVE_PAYLOADWORK_H
