//===- Builder.h - from a payload to an artifact ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SEARCH_BUILDER_H
#define EGG_SEARCH_BUILDER_H

#include "egg/Device/DeviceSpec.h"
#include "egg/Proposal/CompilerProtocol.h"
#include "egg/Runtime/Artifact.h"
#include "egg/Search/Compiler.h"
#include "egg/Search/CudaTools.h"
#include "egg/Support/Result.h"

#include <memory>
#include <string>
#include <vector>

namespace egg {

/// What is to be built.
struct BuildJob {
  PayloadText payload;
  Promotion promote = Promotion::None;
  /// Whether the lowered MLIR comes back too.
  bool emitMlir = false;
};

/// What the compiler made, before ptxas.
struct CompiledPayload {
  LaunchPlan plan;
  std::vector<BuiltModule> modules;
  std::vector<std::string> constants;
  std::vector<BuildRemark> remarks;
  std::string mlir;
  /// Version of the LLVM that compiled it.
  std::string llvmVersion;
  /// SHA-256 of the modules' PTX texts in order, each after its length as 8
  /// bytes, little-endian.
  std::string ptxHash;
};

/// Everything that a launch needs, and what is known about it.
struct BuiltPayload {
  CompiledPayload compiled;
  /// One a module.
  std::vector<std::string> cubins;
  /// One a kernel of the plan, in its order.
  std::vector<KernelResources> kernels;
  /// The artifact's file, and the hash that stands in it.
  std::string artifact, artifactHash;
};

/// Whoever builds artifacts. Every call may come from several threads at once.
class Builder {
public:
  virtual ~Builder();
  virtual Result<BuiltPayload> build(const BuildJob &job) = 0;
};

/// Builds with a compiler and ptxas on this machine. Machine code is kept in
/// memory by the hash of its PTX: candidates often differ in one kernel only.
class LocalBuilder : public Builder {
public:
  LocalBuilder(std::shared_ptr<Compiler> compiler, CudaTools tools,
               DeviceSpec device);
  ~LocalBuilder() override;

  /// Fails with what the compiler answers, with `ptxas`, with `missing-tool`,
  /// or with `lower` when the compiler's plan and its PTX do not belong
  /// together.
  Result<BuiltPayload> build(const BuildJob &job) override;

  /// Only the compiler's part: needs libdevice, but no ptxas.
  Result<CompiledPayload> compile(const BuildJob &job);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace egg

#endif // EGG_SEARCH_BUILDER_H
