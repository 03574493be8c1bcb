//===- CpuRunner.h - A payload executed on the CPU --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numeric oracle: linalg on tensors, and block programs, run sequentially
// through LLVM's JIT. It shares no step with the lowering to the GPU. Runs in
// the child process, under its limits on memory and time.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_CPURUNNER_CPURUNNER_H
#define EGG_CPURUNNER_CPURUNNER_H

#include "egg/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
}

namespace egg {

/// A dense row-major tensor in the parent's terms (docs/formats.md): `type` is
/// an element type as spelt there, an i1 takes one byte of value 0 or 1, and a
/// rank-0 tensor has one element.
struct HostTensor {
  std::string type;
  std::vector<int64_t> shape;
  std::string bytes;
};

/// In which order the iterations of an scf.forall are run. A legal block
/// program gives the same result in every order.
enum class ForallOrder { Forward, Reversed, Shuffled };

/// What may be chosen about a run on the CPU.
struct CpuRunOptions {
  /// Name of the entry function; empty means the module's only public function
  /// with a body, or `main` where there are several.
  std::string entry;
  /// `Shuffled` draws a permutation of each loop's iterations from `seed`.
  ForallOrder order = ForallOrder::Forward;
  uint64_t seed = 0;
  /// The byte that new buffers hold before they are written, shared outputs of
  /// loops among them. 0xff reads as NaN in each float type, 0x7f as a large
  /// number (NaN in f16).
  uint8_t poison = 0xff;
  /// Ends the run with `out-of-bounds-write` or `illegal-access` where an index
  /// lies outside its tensor, instead of reading or writing beyond it.
  bool checkBounds = true;
  /// Bytes that the run's own buffers may hold at once, inputs and results
  /// excluded.
  uint64_t memoryLimit = uint64_t(4) << 30;
  /// 0 compiles fastest; 2 runs LLVM's -O2 first, for large shapes. No level
  /// changes a result: fast-math flags are dropped before.
  unsigned optLevel = 0;
};

/// Adds what `runOnCpu` needs of a context: dialects of its lowering and the
/// external models of their interfaces.
void registerCpuRunner(mlir::DialectRegistry &registry);

/// Runs the entry function of `module` on `inputs` and returns its results.
/// `module` stays as it is. Arguments and results are tensors of static shape
/// or scalars (a scalar is a rank-0 HostTensor) of the element types of
/// docs/formats.md.
/// Fails with `verify` when `inputs` do not match the function's arguments or
/// the module declares a function without a body, with `unsupported` for types
/// that are not in docs/formats.md, with `lower` and the compiler's diagnostic
/// when a step of the lowering refuses, with `illegal-access` when the run
/// leaves its buffers or fails an assertion, with `out-of-memory` beyond
/// `memoryLimit`.
Result<std::vector<HostTensor>> runOnCpu(mlir::ModuleOp module,
                                         llvm::ArrayRef<HostTensor> inputs,
                                         const CpuRunOptions &options = {});

/// `runOnCpu` on text: parses `text` in a context of its own first. The text
/// must have passed the checks on untrusted text. Fails with `parse` as well.
Result<std::vector<HostTensor>>
runCpuRequest(llvm::StringRef text, const CpuRunOptions &options,
              llvm::ArrayRef<HostTensor> inputs);

/// Bytes of one element of `type` in memory; 0 for a type that is not in
/// docs/formats.md.
unsigned elementBytes(llvm::StringRef type);

} // namespace egg

#endif // EGG_CPURUNNER_CPURUNNER_H
