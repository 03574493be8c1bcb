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

def VerifyPayload : Pass<"egg-verify-payload", "::mlir::ModuleOp"> {
  let summary = "Refuse what is not a payload, with the op, type or dimension";
  let description = [{
    A payload is a module of functions over tensors of static shape, with one
    entry function (`@main`, or the only public one). The pass changes nothing.
    See `egg/Pipelines/VerifyPayload.h` for the list of what is allowed.
  }];
}

def NormalizePayload : Pass<"egg-normalize-payload", "::mlir::ModuleOp"> {
  let summary = "One function @main of linalg.generic ops, reshapes and loops";
  let description = [{
    Named linalg ops become generic ones, calls are inlined, all tensor ops but
    reshapes and tensor.empty become generic ones, scalar computation moves into
    the bodies that use it, and branches become selects. What is left in @main
    is listed in `egg/Pipelines/NormalizePayload.h`. Assumes a payload that
    `egg-verify-payload` accepts.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def PromoteToF64 : Pass<"egg-promote-to-f64", "::mlir::ModuleOp"> {
  let summary = "Compute every float value in f64: the golden of a payload";
  let description = [{
    Every float type inside becomes f64, constants are converted value by value,
    `arith.extf` and `arith.truncf` become the identity, integers are unchanged.
    The arguments of the entry function keep their types and are widened on
    entry; its float results are f64. A bitcast between floats and integers has
    no meaning after promotion and is an error. Fast-math flags are dropped.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def FormPlainKernels : Pass<"egg-form-plain-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn a normalized payload into kernels and a host function";
  let description = [{
    Each linalg.generic becomes one kernel, one thread a point of its parallel
    space, or several where a long reduction is split. The result is the
    interface that `egg/Pipelines/PlainKernels.h` states.
  }];
  let options = [
    Option<"blockSize", "block-size", "int64_t", "256",
           "threads in a block, 1 to 1024">,
    Option<"sequentialLimit", "sequential-limit", "int64_t", "1024",
           "the longest reduction that is not split">,
    Option<"chunk", "chunk", "int64_t", "512",
           "elements in a leaf of the tree that a long reduction is split in">,
    Option<"enoughPoints", "enough-points", "int64_t", "65536",
           "points from which on a split reduction stays in one thread">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SerializeKernels : Pass<"egg-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace launches by loops over blocks and threads, for tests";
  let description = [{
    Runs kernels without barriers or shared memory on a CPU: each
    gpu.launch_func becomes a nest of loops around the kernel's body. A kernel
    that needs more is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // EGG_PIPELINES_PASSES
