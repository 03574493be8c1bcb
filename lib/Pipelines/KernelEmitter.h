//===- KernelEmitter.h - gpu.func and launch from a generic -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_PIPELINES_KERNELEMITTER_H
#define EGG_LIB_PIPELINES_KERNELEMITTER_H

#include "egg/Pipelines/PlainKernels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace egg {

/// Where the elements of a tensor of static shape come from: a host buffer
/// that holds them in row-major order, or one constant for all of them.
struct TensorSource {
  /// A base memref of the host function; its shape may differ from the
  /// tensor's (reshapes are free), its element count does not.
  mlir::Value buffer;
  /// Set instead of `buffer`: an IntegerAttr or FloatAttr of the element type.
  mlir::TypedAttr splat;
  mlir::RankedTensorType type;
};

/// The element type in memory: i8 for i1, i64 for index, else itself.
mlir::Type bufferElementType(mlir::Type elementType);

/// The memref (static, identity) that holds a tensor of this type.
mlir::MemRefType bufferType(mlir::RankedTensorType type);

/// Emits kernels into a gpu.module and their launches at a host builder.
class KernelEmitter {
public:
  using SourceFn = llvm::function_ref<TensorSource(mlir::Value)>;
  using IndexFn = llvm::function_ref<mlir::Value(mlir::Value)>;

  KernelEmitter(mlir::gpu::GPUModuleOp kernels,
                const PlainKernelOptions &options)
      : kernels(kernels), options(options) {}

  /// Emits `op` on tensors. `source` gives the buffer of each tensor operand
  /// or captured tensor, `index` the host value of a captured induction
  /// variable; `results` are buffers that nothing else overlaps. Fails with a
  /// diagnostic at a captured value of any other kind.
  llvm::LogicalResult emitGeneric(mlir::OpBuilder &host,
                                  mlir::linalg::GenericOp op, SourceFn source,
                                  IndexFn index,
                                  llvm::ArrayRef<TensorSource> results);

  /// Emits the copy of all elements, between types of one element count.
  void emitCopy(mlir::OpBuilder &host, mlir::Location loc, TensorSource from,
                TensorSource to);

private:
  friend class KernelScope;
  friend class GenericEmitter;
  std::string uniqueName(llvm::StringRef hint);

  mlir::gpu::GPUModuleOp kernels;
  const PlainKernelOptions &options;
  unsigned nextKernel = 0;
};

} // namespace egg

#endif // EGG_LIB_PIPELINES_KERNELEMITTER_H
