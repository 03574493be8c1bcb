//===- Run.cpp - one run of an executable on an input set -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputSet.h"

#include <algorithm>

using namespace egg;
using namespace egg::eval;

std::vector<std::optional<size_t>> egg::eval::tiesOf(const LaunchPlan &plan) {
  std::vector<std::optional<size_t>> ties(plan.results.size());
  for (size_t r = 0; r < ties.size(); ++r)
    for (size_t a = 0; a < plan.arguments.size(); ++a)
      if (plan.arguments[a].buffer == plan.results[r].buffer)
        ties[r] = a;
  return ties;
}

uint64_t egg::eval::largestAlign(const LaunchPlan &plan) {
  uint64_t align = 1;
  for (const PlanArgument &argument : plan.arguments)
    align = std::max({align, argument.align, elementBytes(argument.type)});
  return align;
}

Result<Run> Run::create(const DeviceKernels &kernels,
                        const Executable &executable,
                        std::vector<DevicePtr> arguments, Placement placement) {
  Run run;
  run.executable = &executable;
  const LaunchPlan &plan = executable.plan();
  run.argumentPointers = std::move(arguments);
  std::vector<std::optional<size_t>> ties = tiesOf(plan);
  run.results.resize(ties.size());
  run.copyOf.resize(ties.size());
  for (size_t r = 0; r < ties.size(); ++r) {
    std::string name = "result " + std::to_string(r);
    uint64_t bytes =
        tensorBytes(plan.results[r].type, plan.results[r].shape).value_or(0);
    if (ties[r]) {
      DevicePtr original = run.argumentPointers[*ties[r]];
      EGG_ASSIGN(GuardedBuffer copy,
                 GuardedBuffer::create(kernels, bytes, 256, placement,
                                       name + ", in place"));
      run.argumentPointers[*ties[r]] = copy.pointer();
      run.resultPointers.push_back(copy.pointer());
      run.copyOf[r] = run.copies.size();
      run.copies.push_back({std::move(copy), original});
      continue;
    }
    EGG_ASSIGN(
        run.results[r],
        GuardedBuffer::create(kernels, bytes, 256, placement, std::move(name)));
    run.resultPointers.push_back(run.results[r].pointer());
  }
  EGG_ASSIGN(run.workspace,
             GuardedBuffer::create(kernels, plan.workspaceBytes, 256, placement,
                                   "the workspace"));
  return run;
}

Status Run::restore(const DeviceKernels &kernels) const {
  for (const Copy &copy : copies)
    if (copy.buffer.bytes())
      EGG_TRY(kernels.stream().copy(copy.buffer.pointer(), copy.original,
                                    copy.buffer.bytes()));
  return Status();
}

Status Run::reset(const DeviceKernels &kernels, uint32_t pattern) const {
  for (const GuardedBuffer &result : results)
    if (result.bytes())
      EGG_TRY(kernels.pattern(result.span(), pattern));
  if (workspace.bytes())
    EGG_TRY(kernels.pattern(workspace.span(), pattern));
  return restore(kernels);
}

Status Run::launch(const DeviceKernels &kernels) const {
  return executable->launch(kernels.stream(), argumentPointers, resultPointers,
                            workspace.pointer());
}

Result<Graph> Run::capture(const DeviceKernels &kernels) const {
  return executable->capture(kernels.stream(), argumentPointers, resultPointers,
                             workspace.pointer());
}

std::vector<const GuardedBuffer *> Run::buffers() const {
  std::vector<const GuardedBuffer *> all;
  for (size_t r = 0; r < results.size(); ++r)
    if (!copyOf[r])
      all.push_back(&results[r]);
  for (const Copy &copy : copies)
    all.push_back(&copy.buffer);
  all.push_back(&workspace);
  return all;
}

std::vector<DeviceSpan> Run::resultSpans() const {
  std::vector<DeviceSpan> spans;
  for (size_t r = 0; r < results.size(); ++r)
    spans.push_back(copyOf[r] ? copies[*copyOf[r]].buffer.span()
                              : results[r].span());
  return spans;
}

GuardedBuffer Run::takeResult(size_t i) {
  return std::move(copyOf[i] ? copies[*copyOf[i]].buffer : results[i]);
}
