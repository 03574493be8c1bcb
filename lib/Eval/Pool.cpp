//===- Pool.cpp - input sets and goldens kept across requests ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "egg/Support/Hash.h"

using namespace egg;
using namespace egg::eval;

static constexpr size_t mostSets = 16;
static constexpr size_t mostExecutables = 32;

static std::string keyOf(const Payload &payload, const LaunchPlan &plan,
                         const InputSpec &spec) {
  std::string key = payload.key;
  auto add = [&key](const std::string &part) { key += " " + part; };
  add(std::string(toString(spec.distribution)));
  add(std::to_string(spec.seed));
  add(std::to_string(int(spec.placement)));
  add(std::to_string(spec.align));
  if (spec.alias)
    add("alias " + std::to_string(spec.alias->first) + " " +
        std::to_string(spec.alias->second));
  for (const IntegerRange &r : spec.integers)
    add("range " + std::to_string(r.argument) + " " + std::to_string(r.low) +
        " " + std::to_string(r.high));
  // Without a golden the plan alone says what is drawn.
  for (const PlanArgument &a : plan.arguments) {
    add(std::string(toString(a.type)));
    for (int64_t extent : a.shape)
      key += "x" + std::to_string(extent);
  }
  return key;
}

Result<Payload> Pool::payload(const DeviceKernels &kernels,
                              const std::string &golden,
                              const std::string *reference) {
  Payload payload;
  auto load = [&](const std::string &bytes, const char *what,
                  std::shared_ptr<const Executable> &into) -> Status {
    std::string hash = sha256Hex(bytes);
    payload.key += std::string(what) + " " + hash + " ";
    auto found = executables.find(hash);
    if (found != executables.end()) {
      into = found->second;
      return Status();
    }
    Result<Artifact> artifact = unpackArtifact(bytes);
    if (!artifact)
      return artifact.error().withContext(what);
    Result<Executable> loaded = Executable::load(kernels.context(), *artifact);
    if (!loaded)
      return loaded.error().withContext(what);
    if (executables.size() >= mostExecutables)
      executables.clear();
    into = std::make_shared<const Executable>(loaded.take());
    executables.emplace(hash, into);
    return Status();
  };
  if (!golden.empty())
    EGG_TRY(load(golden, "the golden", payload.golden));
  if (reference)
    EGG_TRY(load(*reference, "the reference", payload.reference));
  return payload;
}

bool Pool::makeRoom(const std::shared_ptr<const InputSet> &keep) {
  size_t before = sets.size();
  sets.remove_if([&keep](const Entry &entry) { return entry.set != keep; });
  return sets.size() < before;
}

Result<std::shared_ptr<const InputSet>> Pool::set(const DeviceKernels &kernels,
                                                  const Payload &payload,
                                                  const LaunchPlan &plan,
                                                  const InputSpec &spec) {
  std::string key = keyOf(payload, plan, spec);
  for (auto entry = sets.begin(); entry != sets.end(); ++entry)
    if (entry->key == key) {
      sets.splice(sets.end(), sets, entry);
      return sets.back().set;
    }
  while (true) {
    Result<InputSet> made = InputSet::create(
        kernels, plan, spec, payload.golden.get(), payload.reference.get());
    if (!made) {
      // Large workloads fill the device with the sets of other distributions.
      if (made.error().kind == ErrorKind::OutOfMemory && makeRoom())
        continue;
      return made.error();
    }
    if (sets.size() >= mostSets)
      sets.pop_front();
    sets.push_back({key, std::make_shared<const InputSet>(made.take())});
    return sets.back().set;
  }
}
