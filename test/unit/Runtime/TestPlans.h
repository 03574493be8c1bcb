//===- TestPlans.h - Launch plans and the fake driver for tests -*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the tests of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TEST_UNIT_RUNTIME_TESTPLANS_H
#define EGG_TEST_UNIT_RUNTIME_TESTPLANS_H

#include "egg/Runtime/Artifact.h"
#include "egg/Support/File.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace egg {

/// Names the fake driver and sets one more variable, for one test.
class FakeEnvironment {
public:
  explicit FakeEnvironment(const std::string &name = "",
                           const std::string &value = "")
      : name(name) {
    if (!name.empty())
      ::setenv(name.c_str(), value.c_str(), 1);
    ::setenv("EGG_CUDA_DRIVER",
             (programFolder() + "/../lib/libfake-cuda.so").c_str(), 1);
  }
  FakeEnvironment(const FakeEnvironment &) = delete;
  FakeEnvironment &operator=(const FakeEnvironment &) = delete;
  ~FakeEnvironment() {
    if (!name.empty())
      ::unsetenv(name.c_str());
    ::unsetenv("EGG_CUDA_DRIVER");
  }

private:
  std::string name;
};

inline PlanAddress at(uint32_t buffer, int64_t base = 0,
                      std::vector<int64_t> steps = {}) {
  return {buffer, {base, std::move(steps)}};
}

inline PlanKernelArgument pointer(uint32_t buffer, int64_t base = 0,
                                  std::vector<int64_t> steps = {}) {
  PlanKernelArgument argument;
  argument.address = at(buffer, base, std::move(steps));
  return argument;
}

inline PlanKernelArgument scalar(PlanKernelArgument::Kind kind, int64_t base,
                                 std::vector<int64_t> steps = {}) {
  PlanKernelArgument argument;
  argument.kind = kind;
  argument.value = {base, std::move(steps)};
  return argument;
}

/// out = a + b on 256 f32, through a workspace and with a constant of 16 bytes:
/// w = a (copy), out = w + b.
inline LaunchPlan addPlan() {
  LaunchPlan plan;
  plan.arguments = {{ElementType::F32, {256}, 0, 4},
                    {ElementType::F32, {16, 16}, 1, 16}};
  plan.results = {{ElementType::F32, {256}, 2, ResultClass::Elementwise}};
  plan.buffers = {{PlanBuffer::Kind::Argument, 1024},
                  {PlanBuffer::Kind::Argument, 1024},
                  {PlanBuffer::Kind::Result, 1024},
                  {PlanBuffer::Kind::Workspace, 1024, 256},
                  {PlanBuffer::Kind::Constant, 16, 0, 0}};
  plan.workspaceBytes = 1280;
  PlanKernel kernel;
  kernel.symbol = "fake_add";
  kernel.block = {256, 1, 1};
  kernel.flops = 256;
  kernel.bytes = 3072;
  plan.kernels = {kernel};
  PlanNode copy;
  copy.op = PlanNode::Op::Copy;
  copy.to = at(3);
  copy.from = at(0);
  copy.bytes = 1024;
  PlanNode launch;
  launch.args = {pointer(3), pointer(1), pointer(2),
                 scalar(PlanKernelArgument::Kind::I64, 256)};
  plan.nodes = {copy, launch};
  return plan;
}

inline Artifact addArtifact() {
  Artifact artifact;
  artifact.chip = "sm_90a";
  artifact.toolchain = {"0.1.0", "22.1.8", "13.0.88", "abc"};
  artifact.plan = addPlan();
  artifact.cubins = {"EGGFAKECUBIN\nkernel fake_add params=8,8,8,8\n"};
  artifact.constants = {std::string("0123456789abcde\0", 16)};
  return artifact;
}

} // namespace egg

#endif // EGG_TEST_UNIT_RUNTIME_TESTPLANS_H
