//===- EmulateKernelsPass.cpp - the SIMT emulator as a pass -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Emulator/Passes.h"

#include "Machine.h"
#include "egg/Emulator/Emulator.h"
#include "egg/Support/Float16.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Format.h"
#include <cstring>

namespace egg {
#define GEN_PASS_DEF_EMULATEKERNELSPASS
#include "egg/Emulator/Passes.h.inc"
} // namespace egg

using namespace mlir;
using namespace egg;
using emulator::ScalarType;

/// The bits of a small number in a type; exact.
static uint64_t encode(double value, ScalarType type) {
  switch (type.kind) {
  case ScalarType::F64:
    return llvm::bit_cast<uint64_t>(value);
  case ScalarType::F32:
    return bitsOf(float(value));
  case ScalarType::F16:
    return floatToHalf(float(value));
  case ScalarType::BF16:
    return floatToBfloat(float(value));
  case ScalarType::Integer:
    return emulator::truncateBits(uint64_t(int64_t(value)), type.bits);
  }
  llvm_unreachable("every kind is handled");
}

static void printElement(raw_ostream &os, uint64_t bits, ScalarType type) {
  switch (type.kind) {
  case ScalarType::F64:
    os << llvm::format("%.17g", llvm::bit_cast<double>(bits));
    return;
  case ScalarType::F32:
    os << llvm::format("%.9g", double(floatOf(uint32_t(bits))));
    return;
  case ScalarType::F16:
    os << llvm::format("%.5g", double(halfToFloat(uint16_t(bits))));
    return;
  case ScalarType::BF16:
    os << llvm::format("%.4g", double(bfloatToFloat(uint16_t(bits))));
    return;
  case ScalarType::Integer:
    if (type.bits == 1)
      os << (bits & 1);
    else
      os << emulator::signExtend(bits, type.bits);
  }
}

namespace {

struct EmulateKernelsPass
    : public egg::impl::EmulateKernelsPassBase<EmulateKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto host = module.lookupSymbol<func::FuncOp>("main");
    if (!host) {
      module.emitError("has no host function @main to emulate");
      return signalPassFailure();
    }
    llvm::SmallVector<ScalarType> types;
    std::vector<EmulatedBuffer> initial;
    for (Type type : host.getArgumentTypes()) {
      auto memref = dyn_cast<MemRefType>(type);
      FailureOr<ScalarType> element = failure();
      if (memref && memref.hasStaticShape())
        element = emulator::getScalarType(memref.getElementType());
      if (failed(element)) {
        host.emitError("has an argument of type ")
            << type << "; the emulator needs static memrefs of scalars";
        return signalPassFailure();
      }
      unsigned bytes = element->bytes();
      EmulatedBuffer buffer(memref.getNumElements() * bytes);
      for (int64_t i = 0; i < memref.getNumElements(); ++i) {
        int64_t number = (7 * i + 3) % 16 - 8;
        if (irregular) // Knuth's multiplicative hash
          number = int64_t(uint32_t(i + 1) * 2654435761u >> 12) % 61 - 30;
        uint64_t bits =
            encode(element->kind == ScalarType::Integer ? double(number)
                                                        : double(number) / 4,
                   *element);
        std::memcpy(&buffer[i * bytes], &bits, bytes);
      }
      types.push_back(*element);
      initial.push_back(std::move(buffer));
    }

    std::vector<EmulatedBuffer> first;
    for (unsigned run = 0; run < std::max(1u, schedules.getValue()); ++run) {
      EmulatorOptions options;
      options.seed = seed + run;
      options.maxInstructions = maxInstructions;
      std::vector<EmulatedBuffer> buffers = initial;
      if (failed(emulate(module, buffers, options)))
        return signalPassFailure();
      if (run == 0)
        first = std::move(buffers);
      else if (first != buffers) {
        host.emitError("gives other results with seed ")
            << options.seed << " than with seed " << seed
            << ": they depend on the order of blocks and warps";
        return signalPassFailure();
      }
    }

    for (auto [index, buffer] : llvm::enumerate(first)) {
      unsigned bytes = types[index].bytes();
      size_t count = buffer.size() / bytes;
      llvm::outs() << "argument " << index << ": [";
      for (size_t i = 0; i < std::min<size_t>(count, printLimit); ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, &buffer[i * bytes], bytes);
        llvm::outs() << (i ? ", " : "");
        printElement(llvm::outs(), bits, types[index]);
      }
      llvm::outs() << (count > printLimit ? ", ...]\n" : "]\n");
    }
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};

} // namespace
