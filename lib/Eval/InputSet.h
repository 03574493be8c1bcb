//===- InputSet.h - inputs with their right answers -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One draw of all arguments, the golden and the reference on them, and what the
// gate needs to know of both. Everything stays on the device.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_INPUTSET_H
#define EGG_EVAL_INPUTSET_H

#include "Memory.h"

#include "egg/Eval/Gate.h"
#include "egg/Eval/Inputs.h"
#include "egg/Runtime/Executable.h"

#include <optional>
#include <vector>

namespace egg::eval {

/// How an input set is drawn.
struct InputSpec {
  Distribution distribution = Distribution::Normal;
  uint64_t seed = 1;
  std::vector<IntegerRange> integers;
  Placement placement = Placement::Zones;
  /// What every plan that will run on the set assumes of pointers, at least.
  uint64_t align = 16;
  /// Arguments `first` and `second` are one buffer.
  std::optional<std::pair<size_t, size_t>> alias;
};

/// One result's right answer.
struct RightAnswer {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  uint64_t count = 0;
  ResultClass resultClass = ResultClass::Exact;
  /// f64 for float types, else the type itself.
  GuardedBuffer golden;
  /// The payload's type.
  std::optional<GuardedBuffer> reference;
  /// f64; there when the class is accumulation and the type a float.
  std::optional<GuardedBuffer> scale;
  double unit = 1, floor = 0;
  /// Mean of the finite golden values.
  double mean = 0;
  OutputStats rounded;
  std::optional<OutputStats> referenceStats;
};

/// The arguments and results that a plan must have: the golden's, with the
/// payload's types.
Status checkSameSignature(const LaunchPlan &golden, const LaunchPlan &plan,
                          const char *what);

/// Results of `plan` that are arguments updated in place: per result the number
/// of the argument, or nothing.
std::vector<std::optional<size_t>> tiesOf(const LaunchPlan &plan);

/// The largest alignment that a plan assumes of an argument.
uint64_t largestAlign(const LaunchPlan &plan);

/// One run of an executable on an input set: results and workspace with guards,
/// and private copies of arguments that are updated in place.
class Run {
public:
  /// Allocates. The memory of the arguments and the executable must outlive
  /// the run.
  static Result<Run> create(const DeviceKernels &kernels,
                            const Executable &executable,
                            std::vector<DevicePtr> arguments,
                            Placement placement);

  /// Fills results and workspace with a pattern and copies what is updated in
  /// place. Does not wait.
  Status reset(const DeviceKernels &kernels, uint32_t pattern) const;
  /// Only the copies.
  Status restore(const DeviceKernels &kernels) const;
  /// One run of the plan. Does not wait.
  Status launch(const DeviceKernels &kernels) const;
  Result<Graph> capture(const DeviceKernels &kernels) const;

  DevicePtr result(size_t i) const { return resultPointers[i]; }
  bool updatesInPlace() const { return !copies.empty(); }
  /// All buffers of the run.
  std::vector<const GuardedBuffer *> buffers() const;
  std::vector<DeviceSpan> resultSpans() const;
  /// The buffer of result `i`, moved out; the run is over.
  GuardedBuffer takeResult(size_t i);

private:
  struct Copy {
    GuardedBuffer buffer;
    DevicePtr original;
  };
  const Executable *executable = nullptr;
  /// One a result; empty where a copy is the result.
  std::vector<GuardedBuffer> results;
  std::vector<std::optional<size_t>> copyOf;
  GuardedBuffer workspace;
  std::vector<Copy> copies;
  std::vector<DevicePtr> argumentPointers, resultPointers;
};

class InputSet {
public:
  /// Draws inputs, runs `golden` and `reference` (either may be null) on them,
  /// and compares. Waits. Arguments are those of `plan`.
  static Result<InputSet> create(const DeviceKernels &kernels,
                                 const LaunchPlan &plan, const InputSpec &spec,
                                 const Executable *golden,
                                 const Executable *reference);

  const InputSpec &spec() const { return how; }
  /// One pointer an argument; two are equal for an alias.
  std::vector<DevicePtr> pointers() const { return pointersInto(arguments); }
  const std::vector<RightAnswer> &answers() const { return right; }
  /// True when every result is evidence.
  bool evidence() const;

  /// Waits. Fails with `input-modified` when a buffer's bytes have changed.
  Status checkUnchanged(const DeviceKernels &kernels) const;

  /// Waits. False when a golden, a scale or a reference has been written to
  /// since it was made: what a candidate that writes far outside of its buffers
  /// may do.
  Result<bool> answersIntact(const DeviceKernels &kernels) const;

  /// Waits. The gate's evidence for result `i` of a run.
  Result<OutputEvidence> judgeable(const DeviceKernels &kernels, size_t i,
                                   DevicePtr result, bool checkPoison) const;

private:
  std::vector<DevicePtr>
  pointersInto(const std::vector<GuardedBuffer> &buffers) const;
  Status draw(const DeviceKernels &kernels, const LaunchPlan &plan,
              bool absolute, std::vector<GuardedBuffer> &into) const;
  Status answer(const DeviceKernels &kernels, const Executable &golden,
                const Executable *reference, const LaunchPlan &plan);
  Status measure(const DeviceKernels &kernels, RightAnswer &a);
  std::vector<DeviceSpan> answerSpans() const;

  InputSpec how;
  std::vector<GuardedBuffer> arguments;
  std::vector<size_t> places;
  std::vector<uint64_t> sums, answerSums;
  std::vector<RightAnswer> right;
};

} // namespace egg::eval

#endif // EGG_EVAL_INPUTSET_H
