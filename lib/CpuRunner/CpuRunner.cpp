//===- CpuRunner.cpp - A payload executed on the CPU ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/CpuRunner/CpuRunner.h"

#include "Execution.h"
#include "HostJit.h"
#include "Lowering.h"

#include "egg/Dialect/Egg/EggDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/RuntimeOpVerification.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/RuntimeOpVerification.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <memory>

using namespace mlir;
using namespace egg;

void egg::registerCpuRunner(DialectRegistry &registry) {
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  memref::registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static std::string spell(const HostTensor &tensor) {
  std::string text;
  for (int64_t extent : tensor.shape)
    text += std::to_string(extent) + "x";
  return text + tensor.type;
}

/// A run takes what a payload or a block program may hold and nothing that
/// names addresses, symbols of the process or machine code.
static Status checkDialects(ModuleOp module) {
  static const llvm::StringRef allowed[] = {
      "affine", "arith", "builtin", "cf",     "egg", "func",
      "linalg", "math",  "scf",     "tensor", "ub"};
  Operation *foreign = nullptr;
  module.walk([&](Operation *op) {
    if (llvm::is_contained(allowed, op->getName().getDialectNamespace()))
      return WalkResult::advance();
    foreign = op;
    return WalkResult::interrupt();
  });
  if (!foreign)
    return Status();
  return Error(ErrorKind::Unsupported,
               "the payload holds the op " +
                   foreign->getName().getStringRef().str() +
                   "; a run on the CPU takes func, linalg, tensor, arith, "
                   "math, scf, affine and egg");
}

/// Bytes of a tensor of this type and shape, or an error beyond `limit`.
static Result<uint64_t> countBytes(const HostTensor &tensor, uint64_t limit) {
  uint64_t bytes = elementBytes(tensor.type);
  for (int64_t extent : tensor.shape)
    if (extent < 0 || (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes)))
      return Error(ErrorKind::Limit,
                   "a tensor of " + spell(tensor) + " has no size");
  if (bytes > limit)
    return Error(ErrorKind::Limit, "a tensor of " + spell(tensor) + " needs " +
                                       std::to_string(bytes) +
                                       " bytes; the limit of this run is " +
                                       std::to_string(limit));
  return bytes;
}

static Status checkInput(const HostTensor &given, const HostTensor &wanted,
                         size_t position, uint64_t limit) {
  std::string which = "input " + std::to_string(position);
  if (given.type != wanted.type || given.shape != wanted.shape)
    return Error(ErrorKind::Verify, which + " is " + spell(given) +
                                        "; the payload's argument is " +
                                        spell(wanted));
  EGG_ASSIGN(uint64_t bytes, countBytes(wanted, limit));
  if (given.bytes.size() != bytes)
    return Error(ErrorKind::Verify, which + " has " +
                                        std::to_string(given.bytes.size()) +
                                        " bytes; " + spell(wanted) + " takes " +
                                        std::to_string(bytes));
  if (wanted.type == "i1")
    for (char byte : given.bytes)
      if (byte != 0 && byte != 1)
        return Error(ErrorKind::Verify,
                     which + " is i1 and holds a byte other than 0 and 1");
  return Status();
}

/// A memref descriptor of rank known at run time: two pointers, the offset,
/// then sizes and strides.
static std::vector<int64_t> makeDescriptor(const HostTensor &tensor,
                                           char *data) {
  size_t rank = tensor.shape.size();
  std::vector<int64_t> words(3 + 2 * rank);
  words[0] = words[1] = reinterpret_cast<intptr_t>(data);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    words[3 + d] = tensor.shape[d];
    words[3 + rank + d] = stride;
    stride *= tensor.shape[d];
  }
  return words;
}

namespace {

/// Memory at the alignment that payload code may assume.
struct AlignedBytes {
  explicit AlignedBytes(uint64_t bytes)
      : data(static_cast<char *>(
            std::aligned_alloc(64, (bytes + 64) / 64 * 64))) {}
  ~AlignedBytes() { std::free(data); }
  AlignedBytes(AlignedBytes &&other) noexcept
      : data(std::exchange(other.data, nullptr)) {}
  char *data;
};

} // namespace

Result<std::vector<HostTensor>> egg::runOnCpu(ModuleOp module,
                                              llvm::ArrayRef<HostTensor> inputs,
                                              const CpuRunOptions &options) {
  DialectRegistry registry;
  registerCpuRunner(registry);
  module.getContext()->appendDialectRegistry(registry);
  loadLoweringDialects(*module.getContext());

  EGG_TRY(checkDialects(module));
  EGG_ASSIGN(func::FuncOp original, findEntry(module, options.entry));
  FunctionType type = original.getFunctionType();
  if (inputs.size() != type.getNumInputs())
    return Error(ErrorKind::Verify,
                 "the payload takes " + std::to_string(type.getNumInputs()) +
                     " inputs; " + std::to_string(inputs.size()) +
                     " are given");
  std::vector<HostTensor> results;
  std::vector<AlignedBytes> memory;
  std::vector<std::vector<int64_t>> descriptors;
  for (auto [position, input] : llvm::enumerate(inputs)) {
    EGG_ASSIGN(HostTensor wanted, describeType(type.getInput(position)));
    EGG_TRY(checkInput(input, wanted, position, options.memoryLimit));
    memory.emplace_back(input.bytes.size());
    if (!memory.back().data)
      return Error(ErrorKind::OutOfMemory, "no memory for the inputs");
    std::memcpy(memory.back().data, input.bytes.data(), input.bytes.size());
    descriptors.push_back(makeDescriptor(input, memory.back().data));
  }
  std::vector<uint64_t> resultBytes;
  for (Type resultType : type.getResults()) {
    EGG_ASSIGN(HostTensor result, describeType(resultType));
    EGG_ASSIGN(uint64_t bytes, countBytes(result, options.memoryLimit));
    memory.emplace_back(bytes);
    if (!memory.back().data)
      return Error(ErrorKind::OutOfMemory, "no memory for the results");
    std::memset(memory.back().data, options.poison, bytes);
    descriptors.push_back(makeDescriptor(result, memory.back().data));
    resultBytes.push_back(bytes);
    results.push_back(std::move(result));
  }

  OwningOpRef<ModuleOp> clone(module.clone());
  EGG_ASSIGN(func::FuncOp entry, findEntry(*clone, options.entry));
  addEntryPoint(*clone, entry);
  std::string diagnostics;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
      if (d.getSeverity() == DiagnosticSeverity::Error) {
        llvm::raw_string_ostream stream(diagnostics);
        stream << (diagnostics.empty() ? "" : "; ") << d.getLocation() << ": "
               << d;
      }
      return success();
    });
    if (failed(lowerForCpu(*clone, options)))
      return Error(ErrorKind::Lower,
                   diagnostics.empty()
                       ? "the lowering to the CPU failed without a message"
                       : diagnostics);
  }
  EGG_ASSIGN(std::unique_ptr<HostJit> jit,
             HostJit::compile(*clone, descriptors.size(), options.optLevel));
  std::vector<void *> arguments;
  for (auto &descriptor : descriptors)
    arguments.push_back(descriptor.data());
  EGG_TRY(execute(jit->entry(), arguments.data(), options.poison,
                  options.memoryLimit));

  for (size_t i = 0; i < inputs.size(); ++i)
    if (std::memcmp(memory[i].data, inputs[i].bytes.data(),
                    inputs[i].bytes.size()) != 0)
      return Error(ErrorKind::InputModified,
                   "the run on the CPU changed input " + std::to_string(i));
  for (size_t i = 0; i < results.size(); ++i)
    results[i].bytes.assign(memory[inputs.size() + i].data, resultBytes[i]);
  return results;
}

Result<std::vector<HostTensor>>
egg::runCpuRequest(llvm::StringRef text, const CpuRunOptions &options,
                   llvm::ArrayRef<HostTensor> inputs) {
  DialectRegistry registry;
  // Only these while the text is read: what the lowering needs comes after.
  // Of gpu, the attributes that map grid loops are meant; its ops are refused.
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  gpu::GPUDialect, ir::EggDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string diagnostics;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      llvm::raw_string_ostream stream(diagnostics);
      stream << (diagnostics.empty() ? "" : "; ") << d.getLocation() << ": "
             << d;
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context, "payload");
  }
  if (!module)
    return Error(ErrorKind::Parse, diagnostics);
  return runOnCpu(*module, inputs, options);
}
