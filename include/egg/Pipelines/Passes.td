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

def VerifyKernelsPass : Pass<"egg-verify-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse what has no right meaning in a kernel";
  let description = [{
    The check before kernels are lowered, with the place in the payload in each
    message. Refused are

    - parameters that are not memrefs of static shape and identity layout, nor
      scalars of type index, i32 or i64
    - a memref of more than 2^31 - 1 elements where `egg.index_bits` is 32
    - memref.alloc (it would be a malloc per thread), memref.alloca in workgroup
      memory (it would be local memory), memref.copy, calls, gpu.printf and
      cf.assert (they would be calls of the host's or the driver's functions)
    - vector accesses to i1 in memory (they would pack eight to a byte)
    - static workgroup memory above 49152 bytes: ptxas accepts it, a launch
      does not
    - ops outside the dialects that the lowering knows, and names that a PTX
      symbol cannot have.
  }];
}

def ExpandKernelOpsPass
    : Pass<"egg-expand-kernel-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower composed vector, gpu and arith ops of kernels";
  let description = [{
    Vector ops on several dimensions become ops on one, multi-dimensional and
    out-of-bounds transfers become one-dimensional ones under branches,
    contractions and multi-reductions become reductions and fused
    multiply-adds; gpu.all_reduce, gpu.global_id and the rounding integer
    divisions become the ops they are made of.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelsToNVVMPass
    : Pass<"egg-convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert the kernels of a gpu.module to the NVVM dialect";
  let description = [{
    One conversion with one type converter for all dialects left in kernels, so
    that no cast between two widths of index stays behind. `index` has the width
    of the attribute `egg.index_bits`. A memref parameter is a bare pointer,
    marked noalias: two memref operands of a launch overlap only when both are
    read alone. Block sizes known to the function (`known_block_size`) become
    the launch bounds. Dynamic workgroup memory is an external array, aligned to
    1024 bytes.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def EmitPTXPass : Pass<"egg-emit-ptx", "::mlir::ModuleOp"> {
  let summary = "Replace each gpu.module in the NVVM dialect by its PTX";
  let description = [{
    Translates, links the libdevice functions that are called, optimises and
    writes PTX, which a `gpu.binary` of the same name then holds. Starts no
    program: assembling is for the process that asked.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"",
           "The chip's name as ptxas knows it">,
    Option<"ptxVersion", "ptx", "unsigned", "86",
           "The PTX version, major * 10 + minor">,
    Option<"libdevice", "libdevice", "std::string", "",
           "The path of libdevice.10.bc">,
    Option<"optLevel", "opt-level", "unsigned", "3",
           "LLVM's optimisation level, 0 to 3">,
    Option<"print", "print", "bool", "false",
           "Print the PTX on standard output as well">
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def VerifyPTXPass : Pass<"egg-verify-ptx", "::mlir::ModuleOp"> {
  let summary = "Check the PTX in gpu.binary ops before it is assembled";
  let description = [{
    Refuses unresolved externals and calls, local and static shared memory above
    the limits, float products and sums that ptxas could contract, and kernels
    without line information.
  }];
  let options = [
    Option<"maxLocalBytes", "max-local-bytes", "uint64_t", "4096",
           "The most local memory of a kernel">,
    Option<"requireLines", "require-lines", "bool", "true",
           "Each kernel must have a .loc directive">
  ];
}

#endif // EGG_PIPELINES_PASSES
