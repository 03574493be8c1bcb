//===- Mutants.cpp - is the gate able to refuse? ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include <algorithm>

using namespace egg;
using namespace egg::eval;

namespace {

/// Space for a right answer in the payload's type and for a spoilt one.
struct Bench {
  DeviceBuffer right, spoilt;
};

kernels::MutateParams paramsFor(const RightAnswer &a, DevicePtr in,
                                DevicePtr out) {
  kernels::MutateParams p = {};
  p.in = reinterpret_cast<const void *>(uintptr_t(in));
  p.out = reinterpret_cast<void *>(uintptr_t(out));
  p.count = a.count;
  p.columns = a.shape.empty() ? 1 : uint64_t(a.shape.back());
  p.inner = 1;
  p.type = uint32_t(a.type);
  return p;
}

struct Mutant {
  const char *name;
  kernels::Mutation mutation;
};
constexpr Mutant mutants[] = {{"zeros", kernels::MutateConstant},
                              {"mean", kernels::MutateConstant},
                              {"shift", kernels::MutateShift}};

/// True when the mutant differs in kind from a right answer of this shape.
bool fits(const std::string &name, const RightAnswer &a) {
  if (a.count == 0)
    return false;
  if (name == "mean")
    return a.count > 1 && isFloat(a.type);
  if (name == "shift")
    return !a.shape.empty() && a.shape.back() > 1;
  return true;
}

Result<bool> isRefused(const DeviceKernels &kernels, const InputSet &set,
                       size_t r, DevicePtr spoilt) {
  EGG_ASSIGN(OutputEvidence evidence, set.judgeable(kernels, r, spoilt, false));
  return !judge(evidence).passed;
}

/// True when some set refuses the mutant of result `r`.
Result<bool> kills(const DeviceKernels &kernels, const Mutant &mutant,
                   const std::vector<const InputSet *> &sets, size_t r,
                   const Bench &bench) {
  for (const InputSet *set : sets) {
    const RightAnswer &a = set->answers()[r];
    EGG_TRY(kernels.narrow(a.golden.pointer(), bench.right.pointer(), a.type,
                           a.count));
    kernels::MutateParams p =
        paramsFor(a, bench.right.pointer(), bench.spoilt.pointer());
    p.mutation = mutant.mutation;
    p.value = std::string_view(mutant.name) == "mean" ? a.mean : 0;
    EGG_TRY(kernels.mutate(p));
    EGG_ASSIGN(bool refused,
               isRefused(kernels, *set, r, bench.spoilt.pointer()));
    if (refused)
      return true;
  }
  return false;
}

/// The tile that is left out unless the request names one: of the first float
/// argument whose last dimension can be split, a quarter and at most 32.
std::optional<LastTile> defaultTile(const LaunchPlan &plan) {
  for (size_t a = 0; a < plan.arguments.size(); ++a) {
    const PlanArgument &argument = plan.arguments[a];
    if (!isFloat(argument.type) || argument.shape.empty() ||
        argument.shape.back() < 2 ||
        elementCount(argument.shape).value_or(0) == 0)
      continue;
    LastTile tile;
    tile.argument = a;
    tile.dim = argument.shape.size() - 1;
    tile.count =
        std::clamp<uint64_t>(uint64_t(argument.shape.back()) / 4, 1, 32);
    return tile;
  }
  return std::nullopt;
}

Status checkTile(const LastTile &tile, const LaunchPlan &plan) {
  if (tile.argument >= plan.arguments.size() ||
      tile.dim >= plan.arguments[tile.argument].shape.size() ||
      tile.count > uint64_t(plan.arguments[tile.argument].shape[tile.dim]) ||
      elementCount(plan.arguments[tile.argument].shape).value_or(0) == 0)
    return Error(ErrorKind::Verify,
                 "last_tile names " + std::to_string(tile.count) +
                     " slices of dimension " + std::to_string(tile.dim) +
                     " of argument " + std::to_string(tile.argument) +
                     ", which the plan does not have");
  return Status();
}

/// True when the gate refuses, on that set, the golden of other arguments.
Result<bool> refusesGoldenOf(const DeviceKernels &kernels,
                             const Executable &golden, const InputSet &set,
                             std::vector<DevicePtr> arguments) {
  EGG_ASSIGN(Run run, Run::create(kernels, golden, std::move(arguments),
                                  Placement::Zones));
  EGG_TRY(run.reset(kernels, nanPattern));
  EGG_TRY(run.launch(kernels));
  for (size_t r = 0; r < set.answers().size(); ++r) {
    const RightAnswer &a = set.answers()[r];
    if (a.count == 0)
      continue;
    EGG_ASSIGN(DeviceBuffer spoilt,
               kernels.context().allocate(a.count * elementBytes(a.type)));
    EGG_TRY(kernels.narrow(run.result(r), spoilt.pointer(), a.type, a.count));
    EGG_ASSIGN(bool refused, isRefused(kernels, set, r, spoilt.pointer()));
    if (refused)
      return true;
  }
  return false;
}

/// A copy of argument `a` of a set, spoilt as `params` say.
Result<DeviceBuffer> spoilArgument(const DeviceKernels &kernels,
                                   const LaunchPlan &plan, const InputSet &set,
                                   size_t a, kernels::MutateParams params) {
  const PlanArgument &argument = plan.arguments[a];
  params.count = uint64_t(elementCount(argument.shape).value_or(0));
  params.type = uint32_t(argument.type);
  EGG_ASSIGN(
      DeviceBuffer copy,
      kernels.context().allocate(params.count * elementBytes(argument.type)));
  params.in = reinterpret_cast<const void *>(uintptr_t(set.pointers()[a]));
  params.out = reinterpret_cast<void *>(uintptr_t(copy.pointer()));
  EGG_TRY(kernels.mutate(params));
  return copy;
}

/// What an answer that forgot the tile would be.
Result<bool> killsLastTile(const DeviceKernels &kernels,
                           const Executable &golden, const InputSet &set,
                           const LastTile &tile) {
  const std::vector<int64_t> &shape =
      golden.plan().arguments[tile.argument].shape;
  kernels::MutateParams p = {};
  p.mutation = kernels::MutateZeroTail;
  p.columns = uint64_t(shape[tile.dim]);
  p.inner = 1;
  for (size_t d = tile.dim + 1; d < shape.size(); ++d)
    p.inner *= uint64_t(shape[d]);
  p.keep = p.columns - tile.count;
  EGG_ASSIGN(DeviceBuffer cut,
             spoilArgument(kernels, golden.plan(), set, tile.argument, p));
  std::vector<DevicePtr> arguments = set.pointers();
  arguments[tile.argument] = cut.pointer();
  return refusesGoldenOf(kernels, golden, set, std::move(arguments));
}

bool isWide(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64;
}

/// True where rounding inputs to TF32 changes what a result can hold.
bool fitsTf32(const LaunchPlan &plan, const std::vector<RightAnswer> &answers) {
  bool inputs = false, results = false;
  for (const PlanArgument &argument : plan.arguments)
    inputs |=
        isWide(argument.type) && elementCount(argument.shape).value_or(0) > 0;
  for (const RightAnswer &a : answers)
    results |= isWide(a.type) && a.count > 0;
  return inputs && results;
}

/// What tensor cores give that read their operands as TF32.
Result<bool> killsTf32(const DeviceKernels &kernels, const Executable &golden,
                       const InputSet &set) {
  std::vector<DevicePtr> arguments = set.pointers();
  std::vector<DeviceBuffer> copies;
  kernels::MutateParams p = {};
  p.mutation = kernels::MutateTf32;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (!isWide(golden.plan().arguments[a].type))
      continue;
    EGG_ASSIGN(DeviceBuffer copy,
               spoilArgument(kernels, golden.plan(), set, a, p));
    if (copy.bytes())
      arguments[a] = copy.pointer();
    copies.push_back(std::move(copy));
  }
  return refusesGoldenOf(kernels, golden, set, std::move(arguments));
}

} // namespace

Result<std::vector<MutantReport>>
egg::eval::runMutants(const DeviceKernels &kernels, const Executable &golden,
                      const std::vector<const InputSet *> &sets,
                      const std::optional<LastTile> &lastTile) {
  std::vector<MutantReport> reports;
  if (sets.empty())
    return reports;
  const std::vector<RightAnswer> &answers = sets.front()->answers();
  for (const Mutant &mutant : mutants) {
    bool made = false, killed = true;
    for (size_t r = 0; r < answers.size(); ++r) {
      const RightAnswer &a = answers[r];
      if (!fits(mutant.name, a))
        continue;
      Bench bench;
      uint64_t bytes = a.count * elementBytes(a.type);
      EGG_ASSIGN(bench.right, kernels.context().allocate(bytes));
      EGG_ASSIGN(bench.spoilt, kernels.context().allocate(bytes));
      EGG_ASSIGN(bool refused, kills(kernels, mutant, sets, r, bench));
      made = true;
      killed &= refused;
    }
    if (made)
      reports.push_back({mutant.name, killed});
  }

  std::optional<LastTile> tile =
      lastTile ? lastTile : defaultTile(golden.plan());
  if (tile) {
    EGG_TRY(checkTile(*tile, golden.plan()));
    bool killed = false;
    for (size_t s = 0; s < sets.size() && !killed; ++s) {
      EGG_ASSIGN(killed, killsLastTile(kernels, golden, *sets[s], *tile));
    }
    reports.push_back({"last-tile", killed});
  }
  if (fitsTf32(golden.plan(), answers)) {
    bool killed = false;
    for (size_t s = 0; s < sets.size() && !killed; ++s) {
      EGG_ASSIGN(killed, killsTf32(kernels, golden, *sets[s]));
    }
    reports.push_back({"tf32", killed});
  }
  return reports;
}
