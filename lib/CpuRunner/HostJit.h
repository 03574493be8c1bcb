//===- HostJit.h - LLVM's JIT behind a closed symbol map --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_CPURUNNER_HOSTJIT_H
#define EGG_LIB_CPURUNNER_HOSTJIT_H

#include "egg/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace egg {

/// Machine code of one module. It may name the symbols of `hostSymbols` and no
/// other: neither the process nor any library is searched.
class HostJit {
public:
  /// Compiles `module` (LLVM's dialect), whose function `kEntryPoint` takes
  /// `arguments` memrefs through its C interface. Fails with `lower`; the
  /// sentence names a symbol that is not in the map.
  static Result<std::unique_ptr<HostJit>>
  compile(mlir::ModuleOp module, size_t arguments, unsigned optLevel);
  ~HostJit();

  /// Takes an array of pointers to memref descriptors.
  using Entry = void (*)(void **);
  Entry entry() const { return code; }

private:
  HostJit(std::unique_ptr<llvm::orc::LLJIT> jit, Entry code);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  Entry code;
};

} // namespace egg

#endif // EGG_LIB_CPURUNNER_HOSTJIT_H
