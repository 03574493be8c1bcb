//===- RealDeviceTest.cpp - Tests of the runtime on a real GPU ------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skipped where there is none. The module is PTX, which the driver compiles, so
// that any device of compute capability 8.0 or newer will do.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/Executable.h"

#include "gtest/gtest.h"

#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

using namespace egg;

namespace {
constexpr int64_t count = 1000;
constexpr uint64_t bytes = count * 4;

/// `double_into(in, out, n)`: out[i] = in[i] + in[i] for i < n, and
/// `overrun(in, out, n)`: the same for i <= n.
std::string ptx() {
  auto kernel = [](const char *name, const char *past) {
    return std::string(".visible .entry ") + name +
           "(.param .u64 a, .param .u64 b, .param .u32 c) {\n"
           ".reg .pred %p;\n.reg .b32 %r<5>;\n.reg .b64 %d<4>;\n"
           ".reg .f32 %f<2>;\n"
           "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\n"
           "mov.u32 %r2, %tid.x;\nmad.lo.s32 %r3, %r0, %r1, %r2;\n"
           "ld.param.u32 %r4, [c];\nsetp." +
           past +
           ".s32 %p, %r3, %r4;\n@%p ret;\n"
           "ld.param.u64 %d0, [a];\nld.param.u64 %d1, [b];\n"
           "mul.wide.s32 %d2, %r3, 4;\nadd.s64 %d3, %d0, %d2;\n"
           "ld.global.f32 %f0, [%d3];\nadd.f32 %f1, %f0, %f0;\n"
           "add.s64 %d3, %d1, %d2;\nst.global.f32 [%d3], %f1;\nret;\n}\n";
  };
  return ".version 7.0\n.target sm_80\n.address_size 64\n" +
         kernel("double_into", "ge") + kernel("overrun", "gt");
}

/// out = 4 * in, through the workspace.
Artifact quadruple(const DeviceInfo &info) {
  Artifact artifact;
  artifact.chip =
      "sm_" + std::to_string(info.major) + std::to_string(info.minor);
  artifact.cubins = {ptx()};
  LaunchPlan &plan = artifact.plan;
  plan.arguments = {{ElementType::F32, {count}, 0, 4}};
  plan.results = {{ElementType::F32, {count}, 1, ResultClass::Elementwise}};
  plan.buffers = {{PlanBuffer::Kind::Argument, bytes},
                  {PlanBuffer::Kind::Result, bytes},
                  {PlanBuffer::Kind::Workspace, bytes, 0}};
  plan.workspaceBytes = bytes;
  PlanKernel kernel;
  kernel.symbol = "double_into";
  kernel.grid = {8, 1, 1};
  kernel.block = {128, 1, 1};
  plan.kernels = {kernel};
  auto launch = [](uint32_t from, uint32_t to) {
    PlanNode node;
    node.args.resize(3);
    node.args[0].address.buffer = from;
    node.args[1].address.buffer = to;
    node.args[2].kind = PlanKernelArgument::Kind::I32;
    node.args[2].value.base = count;
    return node;
  };
  plan.nodes = {launch(0, 2), launch(2, 1)};
  return artifact;
}

class RealDeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (::access("/dev/nvidia0", F_OK) != 0)
      GTEST_SKIP() << "there is no NVIDIA GPU";
  }
};
} // namespace

TEST_F(RealDeviceTest, AWriteBehindAGuardedBufferFaults) {
  // In a child, as the fault ends the use of CUDA in its process; before this
  // process has used CUDA, which does not survive a fork.
  pid_t pid = ::fork();
  if (pid == 0) {
    auto driver = Driver::open("libcuda.so.1");
    if (!driver)
      ::_exit(1);
    auto context = Context::create(*driver);
    if (!context)
      ::_exit(2);
    Stream stream = context->createStream().take();
    auto in = context->allocate(bytes + 4);
    // To the byte: the last element ends where nothing is mapped.
    auto out = context->allocateGuarded(bytes, 4);
    if (!in || !out)
      ::_exit(3);
    auto module = context->loadModule(ptx());
    if (!module)
      ::_exit(4);
    auto kernel = module->kernel("overrun");
    uint64_t from = in->pointer(), to = out->pointer();
    uint32_t n = uint32_t(count);
    void *params[] = {&from, &to, &n};
    LaunchShape shape;
    shape.grid = {8, 1, 1};
    shape.block = {128, 1, 1};
    if (!kernel || !stream.launch(*kernel, shape, params))
      ::_exit(5);
    Status status = stream.synchronize(30);
    ::_exit(status                                            ? 6
            : status.error().kind == ErrorKind::IllegalAccess ? 0
                                                              : 7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(RealDeviceTest, RunsAPlanAndItsGraph) {
  auto driver = Driver::open("libcuda.so.1");
  ASSERT_TRUE(driver.ok()) << driver.error().str();
  auto context = Context::create(*driver);
  ASSERT_TRUE(context.ok()) << context.error().str();
  auto program = Executable::load(*context, quadruple(context->device()));
  ASSERT_TRUE(program.ok()) << program.error().str();
  EXPECT_GT(program->kernels()[0].facts.registers, 0);
  EXPECT_GT(program->kernels()[0].occupancy, 0);
  Stream stream = context->createStream().take();
  auto in = context->allocateGuarded(bytes, 4),
       out = context->allocateGuarded(bytes);
  auto work = context->allocate(bytes);
  ASSERT_TRUE(in.ok() && out.ok() && work.ok());
  std::vector<float> host(count, 1.25f), result(count);
  ASSERT_TRUE(stream.copyToDevice(in->pointer(), host.data(), bytes).ok());
  auto check = [&] {
    ASSERT_TRUE(stream.copyToHost(result.data(), out->pointer(), bytes).ok());
    Status status = stream.synchronize(30);
    ASSERT_TRUE(status.ok()) << status.error().str();
    EXPECT_EQ(result, std::vector<float>(count, 5.0f));
  };
  ASSERT_TRUE(
      program
          ->launch(stream, {in->pointer()}, {out->pointer()}, work->pointer())
          .ok());
  check();
  auto graph = program->capture(stream, {in->pointer()}, {out->pointer()},
                                work->pointer());
  ASSERT_TRUE(graph.ok()) << graph.error().str();
  ASSERT_TRUE(stream.fill(out->pointer(), 0, bytes).ok());
  Event start = context->createEvent().take();
  Event end = context->createEvent().take();
  ASSERT_TRUE(stream.record(start).ok());
  ASSERT_TRUE(stream.launch(*graph).ok());
  ASSERT_TRUE(stream.record(end).ok());
  check();
  EXPECT_GT(*end.millisecondsSince(start), 0);
}
