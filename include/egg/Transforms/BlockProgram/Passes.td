//===- Passes.td - passes on block programs ----------------*- tablegen -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TRANSFORMS_BLOCKPROGRAM_PASSES
#define EGG_TRANSFORMS_BLOCKPROGRAM_PASSES

include "mlir/Pass/PassBase.td"

def LowerOpsToLoopsPass : Pass<"egg-lower-ops-to-loops"> {
  let summary = "Turn a block program into plain tensor code for a CPU";
  let description = [{
    Replaces `egg.place` by its operand, `egg.read`, `egg.write` and `egg.scan`
    by linalg and scf on tensors, each `scf.forall` on tensors by a sequential
    `scf.for` over its iterations, and drops layouts from tensor types. What is
    left bufferizes with upstream's passes (allow-return-allocs-from-loops).

    A grid's iterations may run in any order on a device, so a check runs them
    `forward`, `reversed` and `shuffled`, with shared_outs that start as
    tensor.empty filled with `poison` (NaN, or bytes of 0xA5).
  }];
  let options = [
    Option<"order", "order", "::egg::GridRunOrder",
           "::egg::GridRunOrder::forward", "In which order a grid's iterations run",
           [{::llvm::cl::values(
             clEnumValN(::egg::GridRunOrder::forward, "forward", "as written"),
             clEnumValN(::egg::GridRunOrder::reversed, "reversed", "last first"),
             clEnumValN(::egg::GridRunOrder::shuffled, "shuffled",
                        "in a fixed permutation"))}]>,
    Option<"poison", "poison", "bool", "false",
           "Fill shared_outs that start as tensor.empty with poison">,
    Option<"checkBounds", "check-bounds", "bool", "false",
           "Assert that reads without a fill, and index tensors, stay inside">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def VerifyGridPass : Pass<"egg-verify-grid"> {
  let summary = "Refuse a block program that breaks the grid discipline";
  let description = [{
    Checks every `scf.forall` with a block mapping. Run in order on a CPU, a
    program that breaks these rules gives right results; on a device it races.

    - G1: each grid variable of more than one trip tells apart what iterations
      write: some dimension of every slice written has it in its offset, as
      `c * iv` with a size of at most `c * step`, or as `iv floordiv step` with
      size 1; or the write combines. A write with index tensors must combine. A
      write with a map must be provably injective over all grid variables.
    - G2: a shared_out is read only through the slice that this iteration writes.
    - G3: an argument tied to a result (`egg.inout`) is read only through that
      shared_out.
    - G4: a shared_out starts as `tensor.empty` or as a tied argument.
    - G5: bounds of block-level loops and conditions of branches come from
      induction variables, constants, shapes or scalars that every thread of the
      block has alike.
    - Places with `depth` above 1 stand in a loop and copy what no iteration of
      this grid writes: an argument of the function or an earlier stage's result.
    - `egg.join` fits the stage it is on.
  }];
}

def NormalizeBlockProgramPass : Pass<"egg-normalize-block-program"> {
  let summary = "Bring the bodies of grid loops into normal form";
  let description = [{
    The first step of the lowering, in every `scf.forall` with a block mapping:

    - slices of arguments and of earlier stages' results become `egg.read`, and
      `tensor.parallel_insert_slice` becomes `egg.write`;
    - a `linalg.generic` that reduces over whole dimensions and is no contraction
      becomes an elementwise op and a `linalg.reduce`;
    - elementwise named ops become `linalg.generic`, and chains of them over one
      iteration space, used nowhere else, become one;
    - slices that do nothing go.

    Ops with `egg.*` attributes are left as they are. The result runs on a CPU as
    before.
  }];
  let dependentDialects = [
    "::egg::ir::EggDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // EGG_TRANSFORMS_BLOCKPROGRAM_PASSES
