//===- Passes.td - the passes of the lowering -------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_PASSES
#define EGG_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def LegalizeMathPass : Pass<"egg-legalize-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give every math op of a kernel an exact-grade lowering";
  let description = [{
    Replaces the `math` ops of a `gpu.module`, and the `arith` ops that the
    NVPTX back end would approximate or round twice, by calls of libdevice
    functions, LLVM intrinsics with IEEE results and plain arithmetic.

    - f64, f32, f16 and bf16 are handled; f16 and bf16 functions are computed in
      f32 and rounded once. Other float types and integers above 64 bits are
      refused.
    - sqrt and division are IEEE; rsqrt is 1/sqrt; remf is exact.
    - fast-math flags other than `contract` are dropped: without `contract` a
      product that feeds a sum stays two roundings.
    - vector ops become scalar ops where the function has no vector form.

    The libdevice functions are declared in the `gpu.module`; they are resolved
    when PTX is made.
  }];
  let options = [
    Option<"maxVectorElements", "max-vector-elements", "int64_t", "4096",
           "Refuse to unroll a function over a vector with more elements">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // EGG_PIPELINES_PASSES
