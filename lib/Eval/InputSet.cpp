//===- InputSet.cpp - inputs with their right answers -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputSet.h"

#include <algorithm>
#include <cmath>

using namespace egg;
using namespace egg::eval;

namespace {

/// Bits of mantissa after the point; 0 for integers.
int mantissaBits(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 52;
  case ElementType::F32:
    return 23;
  case ElementType::F16:
    return 10;
  case ElementType::BF16:
    return 7;
  default:
    return 0;
  }
}

GateClass gateClassOf(ResultClass resultClass) {
  switch (resultClass) {
  case ResultClass::Exact:
    return GateClass::Exact;
  case ResultClass::Elementwise:
    return GateClass::Elementwise;
  default:
    return GateClass::Accumulation;
  }
}

std::string describe(ElementType type, const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + std::string(toString(type));
}

/// Runs `executable` once and hands its result buffers back.
Result<std::vector<GuardedBuffer>> runOnce(const DeviceKernels &kernels,
                                           const Executable &executable,
                                           std::vector<DevicePtr> arguments) {
  EGG_ASSIGN(Run run, Run::create(kernels, executable, std::move(arguments),
                                  Placement::Zones));
  EGG_TRY(run.reset(kernels, nanPattern));
  EGG_TRY(run.launch(kernels));
  EGG_TRY(kernels.stream().synchronize());
  EGG_TRY(checkGuards(kernels, run.buffers()));
  std::vector<GuardedBuffer> results;
  for (size_t r = 0; r < executable.plan().results.size(); ++r)
    results.push_back(run.takeResult(r));
  return results;
}

Status checkRange(const IntegerRange &range, const LaunchPlan &plan) {
  if (range.argument >= plan.arguments.size())
    return Error(ErrorKind::Verify, "a range is given for argument " +
                                        std::to_string(range.argument) +
                                        "; the plan has " +
                                        std::to_string(plan.arguments.size()));
  ElementType type = plan.arguments[range.argument].type;
  int bits = type == ElementType::I1 ? 1 : int(8 * elementBytes(type));
  // i1 is 0 or 1, the others are signed.
  int64_t most = bits == 1    ? 1
                 : bits == 64 ? INT64_MAX
                              : (int64_t(1) << (bits - 1)) - 1;
  int64_t least = bits == 1 ? 0 : -most - 1;
  if (isFloat(type) || range.low < least || range.high > most)
    return Error(ErrorKind::Verify,
                 "argument " + std::to_string(range.argument) + " of type " +
                     std::string(toString(type)) + " cannot take values from " +
                     std::to_string(range.low) + " to " +
                     std::to_string(range.high));
  return Status();
}

} // namespace

Status egg::eval::checkSameSignature(const LaunchPlan &golden,
                                     const LaunchPlan &plan, const char *what) {
  auto differs = [what](std::string text) {
    return Error(ErrorKind::Verify, std::string(what) + " " + text);
  };
  if (golden.arguments.size() != plan.arguments.size() ||
      golden.results.size() != plan.results.size())
    return differs("has " + std::to_string(plan.arguments.size()) +
                   " arguments and " + std::to_string(plan.results.size()) +
                   " results, the golden " +
                   std::to_string(golden.arguments.size()) + " and " +
                   std::to_string(golden.results.size()));
  for (size_t a = 0; a < plan.arguments.size(); ++a) {
    const PlanArgument &mine = plan.arguments[a], &right = golden.arguments[a];
    if (mine.type != right.type || mine.shape != right.shape)
      return differs("takes " + describe(mine.type, mine.shape) +
                     " as argument " + std::to_string(a) + ", the golden " +
                     describe(right.type, right.shape));
  }
  for (size_t r = 0; r < plan.results.size(); ++r) {
    const PlanResult &mine = plan.results[r], &right = golden.results[r];
    ElementType want = isFloat(mine.type) ? ElementType::F64 : mine.type;
    if (right.type != want || mine.shape != right.shape)
      return differs("gives " + describe(mine.type, mine.shape) +
                     " as result " + std::to_string(r) +
                     ", for which the golden must give " +
                     describe(want, mine.shape) + " and gives " +
                     describe(right.type, right.shape));
  }
  return Status();
}

std::vector<DevicePtr>
InputSet::pointersInto(const std::vector<GuardedBuffer> &buffers) const {
  std::vector<DevicePtr> pointers;
  for (size_t place : places)
    pointers.push_back(buffers[place].pointer());
  return pointers;
}

Status InputSet::draw(const DeviceKernels &kernels, const LaunchPlan &plan,
                      bool absolute, std::vector<GuardedBuffer> &into) const {
  for (size_t a = 0; a < plan.arguments.size(); ++a) {
    const PlanArgument &argument = plan.arguments[a];
    // An alias has no buffer of its own.
    bool own = places[a] == a;
    std::optional<uint64_t> bytes =
        own ? tensorBytes(argument.type, argument.shape) : 0;
    if (!bytes)
      return Error(ErrorKind::Limit, "argument " + std::to_string(a) +
                                         " is larger than 2^63 bytes");
    EGG_ASSIGN(GuardedBuffer buffer,
               GuardedBuffer::create(kernels, *bytes, how.align, how.placement,
                                     "argument " + std::to_string(a)));
    const IntegerRange *range = nullptr;
    for (const IntegerRange &r : how.integers)
      if (r.argument == a)
        range = &r;
    if (own && *bytes)
      EGG_TRY(kernels.draw(buffer.pointer(), argument.type,
                           uint64_t(*elementCount(argument.shape)),
                           how.distribution, how.seed, a, absolute, range));
    into.push_back(std::move(buffer));
  }
  return Status();
}

Result<InputSet> InputSet::create(const DeviceKernels &kernels,
                                  const LaunchPlan &plan, const InputSpec &spec,
                                  const Executable *golden,
                                  const Executable *reference) {
  InputSet set;
  set.how = spec;
  for (const IntegerRange &range : spec.integers)
    EGG_TRY(checkRange(range, plan));
  for (size_t a = 0; a < plan.arguments.size(); ++a)
    set.places.push_back(
        spec.alias && a == spec.alias->second ? spec.alias->first : a);
  EGG_TRY(set.draw(kernels, plan, false, set.arguments));
  std::vector<DeviceSpan> spans;
  for (const GuardedBuffer &buffer : set.arguments)
    spans.push_back(buffer.span());
  EGG_ASSIGN(set.sums, kernels.checksums(spans));
  if (golden)
    EGG_TRY(set.answer(kernels, *golden, reference, plan));
  return set;
}

Status InputSet::answer(const DeviceKernels &kernels, const Executable &golden,
                        const Executable *reference, const LaunchPlan &plan) {
  auto of = [](const char *what, const Error &error) {
    return error.withContext(what);
  };
  Result<std::vector<GuardedBuffer>> goldens =
      runOnce(kernels, golden, pointers());
  if (!goldens)
    return of("the golden", goldens.error());
  right.resize(plan.results.size());
  bool needsScale = false;
  for (size_t r = 0; r < right.size(); ++r) {
    RightAnswer &a = right[r];
    a.type = plan.results[r].type;
    a.shape = plan.results[r].shape;
    a.count = uint64_t(elementCount(a.shape).value_or(0));
    a.resultClass = golden.plan().results[r].resultClass;
    a.golden = std::move((*goldens)[r]);
    needsScale |= a.resultClass == ResultClass::Accumulation && isFloat(a.type);
  }
  if (reference) {
    Result<std::vector<GuardedBuffer>> references =
        runOnce(kernels, *reference, pointers());
    if (!references)
      return of("the reference", references.error());
    for (size_t r = 0; r < right.size(); ++r)
      right[r].reference = std::move((*references)[r]);
  }
  if (needsScale) {
    std::vector<GuardedBuffer> absolutes;
    EGG_TRY(draw(kernels, plan, true, absolutes));
    Result<std::vector<GuardedBuffer>> scales =
        runOnce(kernels, golden, pointersInto(absolutes));
    if (!scales)
      return of("the golden on absolute values", scales.error());
    for (size_t r = 0; r < right.size(); ++r)
      if (right[r].resultClass == ResultClass::Accumulation &&
          isFloat(right[r].type))
        right[r].scale = std::move((*scales)[r]);
  }
  for (RightAnswer &a : right)
    EGG_TRY(measure(kernels, a));
  EGG_ASSIGN(answerSums, kernels.checksums(answerSpans()));
  return checkUnchanged(kernels);
}

std::vector<DeviceSpan> InputSet::answerSpans() const {
  std::vector<DeviceSpan> spans;
  for (const RightAnswer &a : right) {
    spans.push_back(a.golden.span());
    if (a.reference)
      spans.push_back(a.reference->span());
    if (a.scale)
      spans.push_back(a.scale->span());
  }
  return spans;
}

Result<bool> InputSet::answersIntact(const DeviceKernels &kernels) const {
  EGG_ASSIGN(std::vector<uint64_t> now, kernels.checksums(answerSpans()));
  return now == answerSums;
}

Status InputSet::measure(const DeviceKernels &kernels, RightAnswer &a) {
  Comparison c;
  c.golden = a.golden.pointer();
  c.scale = a.scale ? a.scale->pointer() : 0;
  c.count = a.count;
  c.type = a.type;
  EGG_ASSIGN(Compared found, kernels.compare(c));
  if (isFloat(a.type)) {
    // A power of two near the largest scale keeps the squares in range.
    if (found.maxScale > 0 && std::isfinite(found.maxScale))
      a.unit =
          std::ldexp(1.0, -std::clamp(std::ilogb(found.maxScale), -1000, 1000));
    c.unit = a.unit;
    EGG_ASSIGN(found, kernels.compare(c));
    uint64_t finite = a.count - found.stats.goldenNonFinite;
    a.mean = finite ? found.sumGolden / double(finite) / a.unit : 0;
    if (a.scale) {
      // Where the payload on absolute values nearly cancels, as a mean that is
      // taken off can, an element's own scale says nothing.
      a.floor = std::ldexp(found.rmsScale, -10) / a.unit;
      c.floor = a.floor;
      EGG_ASSIGN(found, kernels.compare(c));
    }
  }
  a.rounded = found.stats;
  if (a.reference) {
    c.candidate = a.reference->pointer();
    EGG_ASSIGN(found, kernels.compare(c));
    a.referenceStats = found.stats;
  }
  return Status();
}

bool InputSet::evidence() const {
  for (const RightAnswer &a : right) {
    OutputEvidence e;
    e.mantissaBits = mantissaBits(a.type);
    e.rounded = a.rounded;
    e.reference = a.referenceStats;
    if (!isEvidence(e))
      return false;
  }
  return true;
}

Status InputSet::checkUnchanged(const DeviceKernels &kernels) const {
  std::vector<DeviceSpan> spans;
  std::vector<const GuardedBuffer *> buffers;
  for (const GuardedBuffer &buffer : arguments) {
    spans.push_back(buffer.span());
    buffers.push_back(&buffer);
  }
  EGG_ASSIGN(std::vector<uint64_t> now, kernels.checksums(spans));
  for (size_t a = 0; a < now.size(); ++a)
    if (now[a] != sums[a])
      return Error(ErrorKind::InputModified,
                   "argument " + std::to_string(a) +
                       " was changed by the run; no result is tied to it");
  return checkGuards(kernels, buffers);
}

Result<OutputEvidence> InputSet::judgeable(const DeviceKernels &kernels,
                                           size_t i, DevicePtr result,
                                           bool checkPoison) const {
  const RightAnswer &a = right[i];
  Comparison c;
  c.candidate = result;
  c.golden = a.golden.pointer();
  c.reference = a.reference ? a.reference->pointer() : 0;
  c.scale = a.scale ? a.scale->pointer() : 0;
  c.count = a.count;
  c.type = a.type;
  c.unit = a.unit;
  c.floor = a.floor;
  c.checkPoison = checkPoison;
  EGG_ASSIGN(Compared found, kernels.compare(c));
  OutputEvidence e;
  e.gateClass = gateClassOf(a.resultClass);
  e.mantissaBits = mantissaBits(a.type);
  e.candidate = found.stats;
  e.rounded = a.rounded;
  e.reference = a.referenceStats;
  return e;
}
