//===- Builder.cpp - from a payload to an artifact --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Builder.h"

#include "egg/Support/Hash.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace egg;

/// Machine code that is kept at most, in bytes.
static const uint64_t maxCachedBytes = uint64_t(256) << 20;

Builder::~Builder() = default;

struct LocalBuilder::State {
  std::shared_ptr<Compiler> compiler;
  CudaTools tools;
  DeviceSpec device;

  std::mutex mutex;
  /// By SHA-256 of the PTX; the chip and ptxas are the same for all.
  std::map<std::string, Assembly> cache;
  uint64_t cachedBytes = 0;

  Result<Assembly> assembled(const std::string &ptx);
};

LocalBuilder::LocalBuilder(std::shared_ptr<Compiler> compiler, CudaTools tools,
                           DeviceSpec device)
    : state(std::make_unique<State>()) {
  state->compiler = std::move(compiler);
  state->tools = std::move(tools);
  state->device = std::move(device);
}

LocalBuilder::~LocalBuilder() = default;

Result<Assembly> LocalBuilder::State::assembled(const std::string &ptx) {
  std::string key = sha256Hex(ptx);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = cache.find(key); found != cache.end())
      return found->second;
  }
  EGG_ASSIGN(Assembly assembly, assemble(tools, ptx, device.chip));
  std::lock_guard<std::mutex> lock(mutex);
  if (cachedBytes + assembly.cubin.size() > maxCachedBytes) {
    cache.clear();
    cachedBytes = 0;
  }
  if (cache.emplace(key, assembly).second)
    cachedBytes += assembly.cubin.size();
  return assembly;
}

/// See CompiledPayload::ptxHash.
static std::string hashPtx(const std::vector<BuiltModule> &modules) {
  Sha256 hash;
  for (const BuiltModule &module : modules) {
    std::string length(8, '\0');
    for (int i = 0; i < 8; ++i)
      length[i] = char(uint64_t(module.ptx.size()) >> (8 * i));
    hash.update(length);
    hash.update(module.ptx);
  }
  return toHex(hash.finish());
}

Result<CompiledPayload> LocalBuilder::compile(const BuildJob &job) {
  BuildRequest request;
  request.payload = job.payload;
  request.device = deviceToJson(state->device);
  request.libdevice = state->tools.libdevice;
  request.promote = job.promote;
  request.emitMlir = job.emitMlir;
  EGG_ASSIGN(BuildAnswer answer, state->compiler->build(request));

  CompiledPayload compiled;
  // The child read the text of others: what it says is checked as theirs.
  Result<LaunchPlan> plan = planFromJson(answer.plan);
  if (!plan)
    return Error(ErrorKind::Lower,
                 "the compiler's launch plan: " + plan.error().message);
  compiled.plan = plan.take();
  std::vector<uint64_t> constantBytes;
  for (const std::string &constant : answer.constants)
    constantBytes.push_back(constant.size());
  Status sound =
      verifyPlan(compiled.plan, uint32_t(answer.modules.size()), constantBytes);
  if (!sound)
    return Error(sound.error().kind == ErrorKind::Limit ? ErrorKind::Limit
                                                        : ErrorKind::Lower,
                 "the compiler's launch plan: " + sound.error().message);
  compiled.modules = std::move(answer.modules);
  compiled.constants = std::move(answer.constants);
  compiled.remarks = std::move(answer.remarks);
  compiled.mlir = std::move(answer.mlir);
  compiled.llvmVersion = std::move(answer.llvmVersion);
  compiled.ptxHash = hashPtx(compiled.modules);
  return compiled;
}

/// The resources of a plan's kernel, out of what ptxas said of its module.
static Result<KernelResources>
resourcesOf(const PlanKernel &kernel, const std::vector<Assembly> &assemblies,
            const std::vector<BuiltModule> &modules) {
  const std::vector<KernelResources> &known = assemblies[kernel.module].kernels;
  auto found = std::find_if(known.begin(), known.end(),
                            [&](const KernelResources &resources) {
                              return resources.symbol == kernel.symbol;
                            });
  if (found == known.end())
    return Error(ErrorKind::Lower,
                 "the launch plan names the kernel " + kernel.symbol +
                     ", which the PTX of module " +
                     modules[kernel.module].name + " does not hold");
  return *found;
}

Result<BuiltPayload> LocalBuilder::build(const BuildJob &job) {
  BuiltPayload built;
  EGG_ASSIGN(built.compiled, compile(job));
  const CompiledPayload &compiled = built.compiled;
  std::vector<Assembly> assemblies;
  for (const BuiltModule &module : compiled.modules) {
    EGG_ASSIGN(Assembly assembly, state->assembled(module.ptx));
    built.cubins.push_back(assembly.cubin);
    assemblies.push_back(std::move(assembly));
  }
  for (const PlanKernel &kernel : compiled.plan.kernels) {
    EGG_ASSIGN(KernelResources resources,
               resourcesOf(kernel, assemblies, compiled.modules));
    built.kernels.push_back(std::move(resources));
  }

  Artifact artifact;
  artifact.chip = state->device.chip;
  artifact.toolchain = {EGG_VERSION, compiled.llvmVersion,
                        state->tools.ptxasVersion, state->tools.libdeviceHash};
  artifact.plan = compiled.plan;
  artifact.cubins = built.cubins;
  artifact.constants = compiled.constants;
  EGG_ASSIGN(built.artifact, packArtifact(artifact));
  built.artifactHash = artifactHash(built.artifact);
  return built;
}
