//===- PlainKernels.h - a normalized payload as kernels ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the plain lowering hands to the code generation. After
// egg-form-plain-kernels a module holds
//
// - one host function @main without results. Its arguments are the memrefs of
//   the payload's arguments, then those of its results, all of static identity
//   layout. Each argument has the attributes
//     egg.element_type  TypeAttr: the payload's element type, which differs
//                       from the memref's for i1 (i8 in memory, 0 or 1)
//   and each result beside it
//     egg.result_index  i64: which result of the payload it is
//     egg.result_class  "exact", "elementwise" or "accumulation", see
//                       docs/formats.md
//   and what egg.* attributes the payload's argument had.
// - memref.global: private constants with dense initial values.
// - at most two gpu.modules, @egg_kernels_32 and @egg_kernels_64, with the
//   attribute egg.index_bits = 32 | 64: the width in which `index` may be
//   computed. In the first every value of type index is proven to fit into 32
//   signed bits.
//
// The body of @main holds only
//
// - memref.alloc (static, identity) and memref.dealloc after the last use
// - memref.get_global
// - memref.copy between whole base memrefs of one type
// - scf.for with constant bounds and no iter_args
// - arith.constant of index type, and arith.index_cast of an induction variable
//   to i32 or i64
// - gpu.launch_func with constant grid and block sizes, no dynamic shared
//   memory, whose operands are base memrefs (arguments, results, allocations,
//   globals; never views) and i32 or i64 casts of induction variables.
//
// A kernel is a gpu.func with known_block_size and known_grid_size; its body is
// arith, math, scf, memref.load, memref.store, memref.reinterpret_cast of its
// arguments (static) and gpu.thread_id, gpu.block_id. Its name is the payload
// function's and the op's with a running number: main_matmul_3. No two memref
// operands of a launch overlap, except for operands that are only read.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_PLAINKERNELS_H
#define EGG_PIPELINES_PLAINKERNELS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace egg {

/// How normalized payloads become kernels. The defaults are the plain
/// lowering; tests set small numbers to reach each path with small shapes.
struct PlainKernelOptions {
  /// Threads in a block, 1 to 1024.
  int64_t blockSize = 256;
  /// The longest reduction (iterations) that one loop nest runs in sequence.
  int64_t sequentialLimit = 1024;
  /// Iterations in a leaf of the tree that a longer reduction is split in.
  int64_t chunk = 512;
  /// From this many points on, the tree is walked inside one thread; below,
  /// leaves are spread over threads and their results pass through memory.
  int64_t enoughPoints = 65536;
};

/// Turns the @main of a normalized payload (see NormalizePayload.h) into the
/// form above. Fails with a diagnostic at an op that is not of that form.
llvm::LogicalResult formPlainKernels(mlir::ModuleOp module,
                                     const PlainKernelOptions &options = {});

} // namespace egg

#endif // EGG_PIPELINES_PLAINKERNELS_H
