//===- EmitPTX.cpp - kernels in the NVVM dialect to PTX text ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/EmitPTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace egg {

namespace {
/// A chip of the back end with the first PTX version that knows it. The back
/// end ends the process on an earlier one, so the table is ours.
struct KnownChip {
  llvm::StringLiteral name;
  unsigned number, minPTX;
};
} // namespace

static constexpr KnownChip kChips[] = {
    {"sm_80", 80, 70},   {"sm_86", 86, 71},    {"sm_87", 87, 74},
    {"sm_89", 89, 78},   {"sm_90", 90, 78},    {"sm_90a", 90, 80},
    {"sm_100", 100, 86}, {"sm_100a", 100, 86}, {"sm_100f", 100, 88},
    {"sm_103", 103, 88}, {"sm_103a", 103, 88}, {"sm_103f", 103, 88},
    {"sm_120", 120, 87}, {"sm_120a", 120, 87}, {"sm_120f", 120, 88},
    {"sm_121", 121, 88}, {"sm_121a", 121, 88}, {"sm_121f", 121, 88},
};
static constexpr unsigned kPTXVersions[] = {
    70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

/// libdevice.10.bc is half a megabyte.
static constexpr uint64_t kMaxLibdeviceBytes = 64 << 20;

static const KnownChip *findChip(StringRef name) {
  for (const KnownChip &chip : kChips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

std::optional<unsigned> chipNumber(StringRef chip) {
  if (const KnownChip *known = findChip(chip))
    return known->number;
  return std::nullopt;
}

LogicalResult verifyPTXTarget(const PTXTarget &target,
                              function_ref<InFlightDiagnostic()> emitError) {
  const KnownChip *chip = findChip(target.chip);
  if (!chip) {
    InFlightDiagnostic error = emitError() << "the chip \"" << target.chip
                                           << "\" is not one of";
    for (const KnownChip &known : kChips)
      error << " " << known.name;
    return error;
  }
  auto version = [](unsigned number) {
    return std::to_string(number / 10) + "." + std::to_string(number % 10);
  };
  if (!llvm::is_contained(kPTXVersions, target.ptxVersion))
    return emitError() << "PTX version " << version(target.ptxVersion)
                       << " is not one that the back end writes: 7.0 to 9.0";
  if (target.ptxVersion < chip->minPTX)
    return emitError() << chip->name << " needs PTX version "
                       << version(chip->minPTX) << "; the target asks for "
                       << version(target.ptxVersion);
  if (target.optLevel > 3)
    return emitError() << "the optimisation level is " << target.optLevel
                       << "; it must be 0 to 3";
  return success();
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(const PTXTarget &target, std::string &error) {
  static bool initialized = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backEnd =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backEnd)
    return nullptr;
  llvm::TargetOptions options;
  // Only a product and a sum that both carry `contract` are fused.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  auto level = static_cast<llvm::CodeGenOptLevel>(target.optLevel);
  return std::unique_ptr<llvm::TargetMachine>(backEnd->createTargetMachine(
      triple, target.chip, "+ptx" + std::to_string(target.ptxVersion), options,
      std::nullopt, std::nullopt, level));
}

/// Replaces libdevice's questions to the compiler by answers. LLVM's own pass
/// answers 0 to __CUDA_PREC_SQRT: approximate square roots in sqrtf and hypotf.
static void answerReflection(llvm::Module &library, unsigned chip) {
  llvm::Function *reflect = library.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<llvm::CallInst>(user);
    if (!call || call->arg_size() != 1)
      continue;
    StringRef question;
    auto *text = dyn_cast<llvm::GlobalVariable>(
        call->getArgOperand(0)->stripPointerCasts());
    if (text && text->hasInitializer())
      if (auto *data =
              dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
          data && data->isCString())
        question = data->getAsCString();
    unsigned answer = 0;
    if (question == "__CUDA_PREC_SQRT" || question == "__CUDA_PREC_DIV")
      answer = 1;
    else if (question == "__CUDA_ARCH")
      answer = chip * 10;
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answer));
    call->eraseFromParent();
  }
}

/// The functions that `module` calls and does not define.
static SmallVector<StringRef> unresolvedFunctions(const llvm::Module &module) {
  SmallVector<StringRef> names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      names.push_back(function.getName());
  return names;
}

static LogicalResult
linkLibdevice(llvm::Module &module, const llvm::TargetMachine &machine,
              const PTXTarget &target,
              function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<StringRef> needed = unresolvedFunctions(module);
  if (needed.empty())
    return success();
  if (target.libdevicePath.empty())
    return emitError() << "calls " << needed.front()
                       << ", a function of libdevice, and no path of "
                          "libdevice.10.bc is given";
  uint64_t bytes = 0;
  if (std::error_code code =
          llvm::sys::fs::file_size(target.libdevicePath, bytes))
    return emitError() << "needs libdevice, and cannot read it at "
                       << target.libdevicePath << ": " << code.message();
  if (bytes > kMaxLibdeviceBytes)
    return emitError() << "needs libdevice, which at " << target.libdevicePath
                       << " has " << bytes << " bytes; the limit is "
                       << kMaxLibdeviceBytes;
  auto buffer = llvm::MemoryBuffer::getFile(target.libdevicePath);
  if (!buffer)
    return emitError() << "needs libdevice, and cannot read it at "
                       << target.libdevicePath << ": "
                       << buffer.getError().message();
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::parseBitcodeFile((*buffer)->getMemBufferRef(), module.getContext());
  if (!library)
    return emitError() << "needs libdevice, and " << target.libdevicePath
                       << " is not LLVM bitcode: "
                       << llvm::toString(library.takeError());
  (*library)->setTargetTriple(machine.getTargetTriple());
  (*library)->setDataLayout(machine.createDataLayout());
  answerReflection(**library, *chipNumber(target.chip));
  bool failedToLink = llvm::Linker::linkModules(
      module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const llvm::StringSet<> &names) {
        llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
          return !value.hasName() || !names.contains(value.getName());
        });
      });
  if (failedToLink)
    return emitError() << "needs libdevice, and " << target.libdevicePath
                       << " does not link";
  needed = unresolvedFunctions(module);
  if (!needed.empty())
    return emitError() << "calls " << needed.front()
                       << ", which neither the kernels nor libdevice define";
  return success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned optLevel) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::OptimizationLevel level = levels[optLevel];
  llvm::ModulePassManager passes =
      level == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(level)
          : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

FailureOr<std::string> emitPTX(gpu::GPUModuleOp module,
                               const PTXTarget &target) {
  // Errors carry the place alone: an op's own emitError can print the op.
  Location loc = module.getLoc();
  auto emitError = [&] {
    return mlir::emitError(loc) << "the module " << module.getName() << " ";
  };
  if (failed(verifyPTXTarget(target, [&] { return mlir::emitError(loc); })))
    return failure();
  std::string message;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, message);
  if (!machine)
    return mlir::emitError(loc, "the NVPTX back end is not there: ") << message;

  // The translation reads the alignment of each access off the data layout:
  // LLVM's default would split 8-byte integers in two.
  module->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(module.getContext(),
                      machine->createDataLayout().getStringRepresentation()));

  // LLVM would print its errors and end the process.
  std::string problems;
  llvm::LLVMContext context;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *problems) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream stream(*static_cast<std::string *>(problems));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        if (stream.tell())
          stream << "; ";
        info->print(printer);
      },
      &problems);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return mlir::emitError(loc, "kernels do not translate to LLVM IR");
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  if (failed(linkLibdevice(*llvmModule, *machine, target, emitError)))
    return failure();
  optimize(*llvmModule, *machine, target.optLevel);

  SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return mlir::emitError(loc, "the NVPTX back end writes no assembly");
  passes.run(*llvmModule);
  if (!problems.empty())
    return mlir::emitError(loc, "the NVPTX back end fails: ") << problems;
  return std::string(text.str());
}

} // namespace egg
