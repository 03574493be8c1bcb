//===- VerifyKernels.cpp - the pass egg-verify-kernels ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/LowerKernels.h"
#include "egg/Pipelines/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace egg {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "egg/Pipelines/Passes.h.inc"

/// A name that PTX takes as it is and a person can read.
static bool isReadableName(StringRef name) {
  return !name.empty() && name.size() <= 255 && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The elements of a static memref, or nullopt where they overflow.
static std::optional<int64_t> countElements(MemRefType type) {
  int64_t count = 1;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

static LogicalResult verifyParameter(gpu::GPUFuncOp kernel,
                                     BlockArgument argument,
                                     unsigned indexBits) {
  Type type = argument.getType();
  if (type.isIndex() || type.isInteger(32) || type.isInteger(64))
    return success();
  auto refuse = [&]() -> InFlightDiagnostic {
    return kernel.emitOpError("has parameter ")
           << argument.getArgNumber() << " of type " << type;
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.hasStaticShape() || !memref.getLayout().isIdentity())
    return refuse() << "; a kernel takes memrefs of static shape and identity "
                       "layout, and scalars of type index, i32 and i64";
  std::optional<int64_t> elements = countElements(memref);
  if (!elements)
    return refuse() << ", whose element count is above 2^63";
  if (indexBits == 32 && *elements > INT32_MAX)
    return refuse() << " with " << *elements
                    << " elements where egg.index_bits is 32; use 64";
  return success();
}

static LogicalResult verifyWorkgroupMemory(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    std::optional<int64_t> elements =
        type.hasStaticShape() ? countElements(type) : std::nullopt;
    int64_t bits = type.getElementType().isIntOrFloat()
                       ? type.getElementTypeBitWidth()
                       : 64;
    int64_t size;
    if (!elements ||
        llvm::MulOverflow<int64_t>(*elements, llvm::divideCeil(bits, 8),
                                   size) ||
        llvm::AddOverflow(bytes, size, bytes))
      return kernel.emitOpError("has workgroup memory of type ")
             << type << ", whose size is not known or above 2^63";
  }
  if (bytes > kMaxStaticWorkgroupBytes)
    return kernel.emitOpError("has ")
           << bytes << " bytes of static workgroup memory; at most "
           << kMaxStaticWorkgroupBytes << " can be launched: use dynamic "
           << "workgroup memory";
  return success();
}

/// Vectors of i1 in memory pack eight to a byte, egg's buffers do not.
static bool accessesPackedBits(Operation *op) {
  if (op->getName().getDialectNamespace() != "vector")
    return false;
  bool bits = false, memory = false;
  auto look = [&](Type type) {
    if (auto memref = dyn_cast<MemRefType>(type)) {
      memory = true;
      bits |= getElementTypeOrSelf(memref.getElementType()).isInteger(1);
    }
  };
  llvm::for_each(op->getOperandTypes(), look);
  llvm::for_each(op->getResultTypes(), look);
  return memory && bits;
}

static LogicalResult verifyOp(Operation *op) {
  static const llvm::StringSet<> dialects = {
      "affine", "arith", "cf",   "gpu", "index", "llvm",  "math",
      "memref", "nvgpu", "nvvm", "scf", "ub",    "vector"};
  StringRef dialect = op->getName().getDialectNamespace();
  if (!dialects.contains(dialect))
    return op->emitOpError("is of the dialect ")
           << dialect << ", which kernels do not hold; lower it first";
  if (isa<memref::AllocOp, memref::ReallocOp, memref::DeallocOp>(op))
    return op->emitOpError("would call malloc in every thread; allocate on the "
                           "host or in workgroup memory");
  if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
    if (!alloca.getType().hasStaticShape())
      return op->emitOpError("has a size that is not static");
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
        alloca.getType().getMemorySpace());
    if (space && space.getValue() == gpu::AddressSpace::Workgroup)
      return op->emitOpError("in workgroup memory would become local memory; "
                             "use a workgroup attribution of the kernel");
  }
  if (isa<memref::CopyOp>(op))
    return op->emitOpError("would call a function of the host; copy by loads "
                           "and stores, or on the host");
  if (isa<gpu::PrintfOp, cf::AssertOp>(op))
    return op->emitOpError("would call a function of the driver; remove it");
  if (isa<CallOpInterface>(op) && dialect != "llvm")
    return op->emitOpError("calls a function; inline it");
  if (accessesPackedBits(op))
    return op->emitOpError("accesses vectors of i1, which would pack eight to "
                           "a byte; keep booleans in memory as i8");
  return success();
}

LogicalResult verifyKernels(gpu::GPUModuleOp module) {
  FailureOr<unsigned> indexBits = getIndexBits(module);
  if (failed(indexBits))
    return failure();
  if (!isReadableName(module.getName()))
    return module.emitOpError("has a name that PTX cannot keep; use letters, "
                              "digits and underscores");
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<gpu::GPUFuncOp>(op);
    if (!function)
      continue;
    if (!isReadableName(function.getName()))
      return function.emitOpError(
          "has a name that PTX cannot keep; use at most "
          "255 letters, digits and underscores");
    if (function.isKernel())
      for (BlockArgument argument :
           function.getArguments().take_front(function.getNumArguments()))
        if (failed(verifyParameter(function, argument, *indexBits)))
          return failure();
    if (failed(verifyWorkgroupMemory(function)))
      return failure();
    WalkResult walk = function.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { return WalkResult(verifyOp(op)); });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

} // namespace egg

namespace {
struct VerifyKernelsPass
    : public egg::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    if (failed(egg::verifyKernels(getOperation())))
      signalPassFailure();
  }
};
} // namespace
