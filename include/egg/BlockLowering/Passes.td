//===- Passes.td - the lowering of block programs ----------*- tablegen -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_BLOCKLOWERING_PASSES
#define EGG_BLOCKLOWERING_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"egg-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Give every tile of a block program a register layout";
  let description = [{
    Writes a layout into the encoding of every tile type of the function's grid
    stages. Fixed points are `egg.place` ops with a layout and contractions with
    an instruction; what is left starts at the largest tile, in rows: 16 bytes a
    thread, then lanes, then warps, along the last dimension first. Layouts then
    propagate through elementwise ops, broadcasts, reductions and loops. Where
    two meet that differ, an `egg.place ... to registers` with the wanted layout
    is inserted: a conversion. The result still runs on a CPU.
  }];
  let options = [
    Option<"threads", "threads", "unsigned", "256",
           "Threads of a block where the stage's grid attribute names none">
  ];
  let dependentDialects = ["::egg::ir::EggDialect"];
}

def LowerBlockProgramPass : Pass<"egg-lower-block-program", "::mlir::ModuleOp"> {
  let summary = "Turn the grid stages of @main into kernels and a host function";
  let description = [{
    Takes a module whose `@main` is a sequence of grid stages on tensors, laid
    out by `egg-assign-layouts`, and makes of it the form that
    `egg-emulate-kernels` runs and the PTX path compiles: a host function over
    static memrefs, arguments first, then results, that allocates, copies and
    launches; and a `gpu.module` with one kernel a stage.

    Each thread holds the registers of its layout as vectors. Elementwise code is
    made on demand, some chunks of 16 bytes at a time through the whole chain of
    ops, so that loads come together and values die soon. Accesses carry the
    alignment that is proven; elements outside a ragged tile or a source are
    masked, with an unmasked version behind one uniform branch for full tiles.
  }];
  let options = [
    Option<"batchChunks", "batch-chunks", "unsigned", "4",
           "Chunks that are loaded before the first one is used">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // EGG_BLOCKLOWERING_PASSES
