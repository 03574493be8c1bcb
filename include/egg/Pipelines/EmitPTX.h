//===- EmitPTX.h - kernels in the NVVM dialect to PTX text ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_EMITPTX_H
#define EGG_PIPELINES_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace egg {

/// What PTX is made for.
struct PTXTarget {
  /// The name that ptxas knows, such as `sm_90a`.
  std::string chip = "sm_90a";
  /// The version of the PTX language, major * 10 + minor: 86 is 8.6.
  unsigned ptxVersion = 86;
  /// The path of libdevice.10.bc. Needed only by kernels that call a function
  /// of it.
  std::string libdevicePath;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
};

/// The number in a chip's name (90 for `sm_90a`), or nullopt for a name that
/// the back end does not know.
std::optional<unsigned> chipNumber(llvm::StringRef chip);

/// Checks that the back end knows the chip and the PTX version and that they go
/// together (a wrong pair would end the process), and that the optimisation
/// level exists. Reports through `emitError`.
mlir::LogicalResult
verifyPTXTarget(const PTXTarget &target,
                llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Translates a gpu.module in the NVVM dialect to LLVM IR, links the libdevice
/// functions it calls, optimises and writes PTX. libdevice's switches are set
/// to IEEE square roots and divisions and no flushing of subnormals. Products
/// and sums keep their own rounding unless both carry `contract`. Starts no
/// program. Fails with a diagnostic when the target is wrong, libdevice cannot
/// be read or a called function is in neither module.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module,
                                     const PTXTarget &target);

/// What verifyPTX demands.
struct PTXChecks {
  /// The most local memory (stack) a kernel may have. The argument reduction
  /// of the sine of a large f64 needs 40 bytes.
  uint64_t maxLocalBytes = 4096;
  /// Each kernel has at least one .loc directive.
  bool requireLines = true;
};

/// Checks PTX text before it goes to ptxas: no unresolved external function or
/// variable (dynamic workgroup memory is the exception), no call that is not
/// defined in the text, local and static workgroup memory within the limits, no
/// product or sum that ptxas may contract, and line information back to the
/// payload. Reports through `emitError`, one error a problem.
mlir::LogicalResult
verifyPTX(llvm::StringRef ptx, const PTXChecks &checks,
          llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace egg

#endif // EGG_PIPELINES_EMITPTX_H
