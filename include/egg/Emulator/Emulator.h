//===- Emulator.h - runs GPU kernels on the CPU and finds races ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EMULATOR_EMULATOR_H
#define EGG_EMULATOR_EMULATOR_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace egg {

/// How a module is emulated.
struct EmulatorOptions {
  /// Seed of every choice: the order of blocks, how many of them are resident,
  /// which warp goes on next and for how long, and the poison in memory that
  /// was not written.
  uint64_t seed = 0;
  /// Instructions of a warp, over all warps of the run, before it is given up.
  uint64_t maxInstructions = 200'000'000;
  /// Bytes that the host function and all resident blocks may hold at once.
  uint64_t maxBytes = uint64_t(1) << 30;
  /// Largest number of blocks that run interleaved; at least 1.
  unsigned maxResidentBlocks = 4;
};

/// What a run did; for tests and for progress.
struct EmulatorStatistics {
  uint64_t instructions = 0; ///< executed by a warp, whatever its active lanes
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t barriers = 0; ///< completed, counted once a block
};

/// One buffer in the host's memory: the bytes of a dense row-major tensor.
using EmulatedBuffer = std::vector<uint8_t>;

/// Runs the host function `@main` of \p module, kernels included.
///
/// The module has the form that comes out of kernel formation, before anything
/// is lowered to NVVM: a host function over static memrefs that allocates,
/// copies, loops and launches; and gpu.func kernels of arith, math, scf,
/// vector, memref, affine and gpu ops. \p arguments holds one buffer for each
/// argument of `@main`, in order, inputs and outputs alike; outputs are
/// poisoned by the caller if he wants to see which were written.
///
/// Reported as an error at the op that did it, with block and thread:
/// an access out of the bounds of a memref or its buffer; a misaligned vector
/// access; a read of memory that nothing wrote (shared or allocated memory);
/// two threads on one byte, one of them writing, with no barrier, warp
/// operation or atomic between them, within a block and across blocks; a
/// barrier that not all threads of a block reach; a shuffle that reads an
/// inactive lane; in a gpu.module with egg.index_bits = 32, an
/// index that needs more; a block that cannot go on (deadlock) or does not end;
/// an op the emulator does not know. Threads of one warp run in lockstep, but
/// are ordered only by warp operations: independent thread scheduling promises
/// no more.
mlir::LogicalResult emulate(mlir::ModuleOp module,
                            llvm::MutableArrayRef<EmulatedBuffer> arguments,
                            const EmulatorOptions &options = {},
                            EmulatorStatistics *statistics = nullptr);

} // namespace egg

#endif // EGG_EMULATOR_EMULATOR_H
