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

#endif // EGG_TRANSFORMS_BLOCKPROGRAM_PASSES
