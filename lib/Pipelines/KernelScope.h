//===- KernelScope.h - one plain kernel under construction ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_PIPELINES_KERNELSCOPE_H
#define EGG_LIB_PIPELINES_KERNELSCOPE_H

#include "KernelEmitter.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace egg {

/// A kernel with one thread a point of a space of static extents, the last one
/// running fastest over threads. Arguments are added as they are needed.
class KernelScope {
public:
  /// Opens the kernel. `extents` have a product from 1 to 2^40.
  KernelScope(KernelEmitter &emitter, mlir::OpBuilder &host, mlir::Location loc,
              llvm::StringRef hint, llvm::ArrayRef<int64_t> extents);

  /// Builds inside the guard that holds for the points of the space.
  mlir::OpBuilder &body() { return builder; }
  /// The coordinates of this thread's point, of type index.
  mlir::ValueRange point() { return coordinates; }
  mlir::Location loc() { return location; }

  mlir::Value constant(mlir::OpBuilder &b, int64_t value);
  /// The element of `source` at `indices`, in the payload's element type.
  mlir::Value load(mlir::OpBuilder &b, const TensorSource &source,
                   mlir::ValueRange indices);
  void store(mlir::OpBuilder &b, mlir::Value value, const TensorSource &target,
             mlir::ValueRange indices);
  /// A host scalar of type i32 or i64 as an index inside the kernel.
  mlir::Value hostIndex(mlir::Value scalar);

  /// Closes the kernel and emits its launch.
  void finish();

private:
  mlir::Value argument(mlir::Value hostValue);
  mlir::Value view(const TensorSource &source);

  KernelEmitter &emitter;
  mlir::OpBuilder &host;
  mlir::Location location;
  mlir::gpu::GPUFuncOp func;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> coordinates;
  llvm::SmallVector<mlir::Value> operands;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> views;
  int64_t gridSize = 1;
  int64_t blockSize = 1;
};

} // namespace egg

#endif // EGG_LIB_PIPELINES_KERNELSCOPE_H
