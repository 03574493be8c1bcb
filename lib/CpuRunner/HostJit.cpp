//===- HostJit.cpp - LLVM's JIT behind a closed symbol map ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostJit.h"

#include "Execution.h"
#include "Lowering.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace egg;

static constexpr const char *kPackedEntry = "egg.packed";

HostJit::HostJit(std::unique_ptr<llvm::orc::LLJIT> jit, Entry code)
    : jit(std::move(jit)), code(code) {}
HostJit::~HostJit() = default;

static Error lowerError(llvm::Error error) {
  return Error(ErrorKind::Lower,
               "compiling for the CPU: " + llvm::toString(std::move(error)));
}

/// Adds `void egg.packed(ptr array)`, which loads `arguments` pointers and
/// passes them on to the entry point.
static void addPackedEntry(llvm::Module &module, size_t arguments) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *ptr = builder.getPtrTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {ptr}, false),
      llvm::GlobalValue::ExternalLinkage, kPackedEntry, module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::SmallVector<llvm::Value *> values;
  for (size_t i = 0; i < arguments; ++i) {
    llvm::Value *place =
        builder.CreateConstGEP1_64(ptr, function->getArg(0), i);
    values.push_back(builder.CreateLoad(ptr, place));
  }
  llvm::FunctionCallee target = module.getOrInsertFunction(
      std::string("_mlir_ciface_") + kEntryPoint,
      llvm::FunctionType::get(builder.getVoidTy(),
                              llvm::SmallVector<llvm::Type *>(arguments, ptr),
                              false));
  builder.CreateCall(target, values);
  builder.CreateRetVoid();
}

Result<std::unique_ptr<HostJit>>
HostJit::compile(mlir::ModuleOp module, size_t arguments, unsigned optLevel) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;

  // The baseline CPU of the architecture: the same instructions, and so the
  // same roundings, on every machine.
  llvm::orc::JITTargetMachineBuilder machine(llvm::Triple(LLVM_HOST_TRIPLE));
  machine.setCodeGenOptLevel(optLevel == 0 ? llvm::CodeGenOptLevel::None
                                           : llvm::CodeGenOptLevel::Default);
  auto target = machine.createTargetMachine();
  if (!target)
    return lowerError(target.takeError());

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(module, *context);
  if (!code)
    return Error(ErrorKind::Lower, "the translation to LLVM IR failed");
  code->setDataLayout((*target)->createDataLayout());
  code->setTargetTriple((*target)->getTargetTriple());
  addPackedEntry(*code, arguments);
  if (optLevel > 0)
    if (llvm::Error error = mlir::makeOptimizingTransformer(
            optLevel, /*sizeLevel=*/0, target->get())(code.get()))
      return lowerError(std::move(error));

  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(machine)
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return lowerError(jit.takeError());
  // What is returned names the functions that could not be made, what is
  // reported the symbols that are missing.
  std::string reported;
  (*jit)->getExecutionSession().setErrorReporter([&](llvm::Error error) {
    reported += llvm::toString(std::move(error)) + "; ";
  });

  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : hostSymbols())
    symbols[(*jit)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported};
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return lowerError(std::move(error));
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(context))))
    return lowerError(std::move(error));
  auto address = (*jit)->lookup(kPackedEntry);
  (*jit)->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  if (!address)
    return Error(ErrorKind::Lower, "compiling for the CPU: " + reported +
                                       llvm::toString(address.takeError()));
  return std::unique_ptr<HostJit>(
      new HostJit(std::move(*jit), address->toPtr<Entry>()));
}
