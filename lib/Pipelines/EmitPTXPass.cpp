//===- EmitPTXPass.cpp - the passes egg-emit-ptx, egg-verify-ptx *- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/EmitPTX.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_EMITPTXPASS
#define GEN_PASS_DEF_VERIFYPTXPASS
#include "egg/Pipelines/Passes.h.inc"
} // namespace egg

namespace {

struct EmitPTXPass : public egg::impl::EmitPTXPassBase<EmitPTXPass> {
  using EmitPTXPassBase::EmitPTXPassBase;

  void runOnOperation() override {
    egg::PTXTarget target;
    target.chip = chip;
    target.ptxVersion = ptxVersion;
    target.libdevicePath = libdevice;
    target.optLevel = optLevel;
    ModuleOp module = getOperation();
    for (auto kernels :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
      FailureOr<std::string> ptx = egg::emitPTX(kernels, target);
      if (failed(ptx))
        return signalPassFailure();
      if (print)
        llvm::outs() << *ptx;
      OpBuilder builder(kernels);
      auto object = gpu::ObjectAttr::get(
          &getContext(),
          NVVM::NVVMTargetAttr::get(&getContext(), target.optLevel,
                                    "nvptx64-nvidia-cuda", chip,
                                    "+ptx" + std::to_string(target.ptxVersion)),
          gpu::CompilationTarget::Assembly, builder.getStringAttr(*ptx),
          DictionaryAttr(), gpu::KernelTableAttr());
      gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                            /*offloadingHandler=*/nullptr,
                            ArrayRef<Attribute>{object});
      kernels.erase();
    }
  }
};

struct VerifyPTXPass : public egg::impl::VerifyPTXPassBase<VerifyPTXPass> {
  using VerifyPTXPassBase::VerifyPTXPassBase;

  void runOnOperation() override {
    egg::PTXChecks checks;
    checks.maxLocalBytes = maxLocalBytes;
    checks.requireLines = requireLines;
    for (auto binary : getOperation().getOps<gpu::BinaryOp>())
      for (Attribute attr : binary.getObjects()) {
        auto object = dyn_cast<gpu::ObjectAttr>(attr);
        if (object && object.getFormat() == gpu::CompilationTarget::Assembly &&
            failed(egg::verifyPTX(object.getObject().getValue(), checks, [&] {
              return mlir::emitError(binary.getLoc());
            })))
          signalPassFailure();
      }
  }
};

} // namespace
