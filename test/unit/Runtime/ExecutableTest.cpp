//===- ExecutableTest.cpp - Tests of loading and launching artifacts ------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the fake driver.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/Executable.h"
#include "TestPlans.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace egg;

namespace {
class ExecutableTest : public ::testing::Test {
protected:
  FakeEnvironment environment;
  Driver driver = Driver::open().take();
  Context context = Context::create(driver).take();
  Stream stream = context.createStream().take();

  Executable load(const Artifact &artifact) {
    auto loaded = Executable::load(context, artifact);
    EXPECT_TRUE(loaded.ok()) << loaded.error().str();
    return loaded.take();
  }
  Error loadError(const Artifact &artifact) {
    auto loaded = Executable::load(context, artifact);
    return loaded ? Error() : loaded.error();
  }
  DeviceBuffer buffer(uint64_t bytes) { return context.allocate(bytes).take(); }
  DeviceBuffer upload(const std::vector<float> &values) {
    DeviceBuffer made = buffer(values.size() * 4);
    EXPECT_TRUE(
        stream.copyToDevice(made.pointer(), values.data(), values.size() * 4)
            .ok());
    EXPECT_TRUE(stream.synchronize().ok());
    return made;
  }
  std::vector<float> download(const DeviceBuffer &from) {
    std::vector<float> values(from.bytes() / 4);
    EXPECT_TRUE(
        stream.copyToHost(values.data(), from.pointer(), from.bytes()).ok());
    EXPECT_TRUE(stream.synchronize().ok());
    return values;
  }
};
} // namespace

TEST_F(ExecutableTest, RunsAPlan) {
  Executable program = load(addArtifact());
  EXPECT_EQ(program.launchCount(), 1u);
  ASSERT_EQ(program.kernels().size(), 1u);
  EXPECT_EQ(program.kernels()[0].symbol, "fake_add");
  EXPECT_EQ(program.kernels()[0].blocksPerMultiprocessor, 8);
  EXPECT_DOUBLE_EQ(program.kernels()[0].occupancy, 1.0);
  std::vector<float> a(256), b(256, 2.0f);
  std::iota(a.begin(), a.end(), 0.0f);
  DeviceBuffer da = upload(a), db = upload(b), out = buffer(1024),
               work = buffer(1280);
  Status status = program.launch(stream, {da.pointer(), db.pointer()},
                                 {out.pointer()}, work.pointer());
  ASSERT_TRUE(status.ok()) << status.error().str();
  EXPECT_EQ(download(out)[200], 202.0f);
  // The same pointer for two inputs.
  ASSERT_TRUE(program
                  .launch(stream, {da.pointer(), da.pointer()}, {out.pointer()},
                          work.pointer())
                  .ok());
  EXPECT_EQ(download(out)[200], 400.0f);
}

TEST_F(ExecutableTest, CapturesAPlan) {
  Executable program = load(addArtifact());
  DeviceBuffer a = upload(std::vector<float>(256, 1.0f)),
               b = upload(std::vector<float>(256, 2.0f)), out = buffer(1024),
               work = buffer(1280);
  auto graph = program.capture(stream, {a.pointer(), b.pointer()},
                               {out.pointer()}, work.pointer());
  ASSERT_TRUE(graph.ok()) << graph.error().str();
  ASSERT_TRUE(stream.fill(out.pointer(), 0, 1024).ok());
  EXPECT_EQ(download(out)[0], 0.0f);
  ASSERT_TRUE(stream.launch(*graph).ok());
  EXPECT_EQ(download(out)[255], 3.0f);
  // A failed capture does not leave the stream capturing.
  EXPECT_FALSE(program.capture(stream, {}, {}, 0).ok());
  EXPECT_TRUE(stream.synchronize().ok());
}

TEST_F(ExecutableTest, UnrollsLoopsWithScalars) {
  Artifact artifact = addArtifact();
  LaunchPlan &plan = artifact.plan;
  plan.arguments.clear();
  plan.results = {{ElementType::I64, {2}, 0, ResultClass::Exact}};
  plan.buffers = {{PlanBuffer::Kind::Result, 16}};
  plan.workspaceBytes = 0;
  artifact.constants.clear();
  artifact.cubins = {"EGGFAKECUBIN\nkernel fake_scalars params=8,8,4\n"};
  plan.kernels[0].symbol = "fake_scalars";
  using Kind = PlanKernelArgument::Kind;
  PlanNode clear;
  clear.op = PlanNode::Op::Memset;
  clear.to = at(0);
  clear.bytes = 16;
  PlanNode launch;
  launch.args = {pointer(0), scalar(Kind::I64, 1000000000000, {1, 10}),
                 scalar(Kind::I32, -1, {0, -1})};
  PlanNode inner, outer;
  inner.op = outer.op = PlanNode::Op::Loop;
  inner.trips = 3;
  inner.body = {launch};
  outer.trips = 2;
  outer.body = {inner};
  plan.nodes = {clear, outer};
  Executable program = load(artifact);
  EXPECT_EQ(program.launchCount(), 6u);
  DeviceBuffer out = buffer(16);
  ASSERT_TRUE(program.launch(stream, {}, {out.pointer()}, 0).ok());
  int64_t values[2];
  ASSERT_TRUE(stream.copyToHost(values, out.pointer(), 16).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(values[0], 6 * 1000000000000 + 3 * 1 + 2 * (10 + 20));
  EXPECT_EQ(values[1], -2 * (1 + 2 + 3));
}

TEST_F(ExecutableTest, ReadsConstants) {
  Artifact artifact = addArtifact();
  LaunchPlan &plan = artifact.plan;
  artifact.constants = {"first constant..", std::string(1024, '\x3f') + "tail"};
  plan.buffers[4] = {PlanBuffer::Kind::Constant, 1028, 0, 1};
  PlanNode copy;
  copy.op = PlanNode::Op::Copy;
  copy.to = at(2);
  copy.from = at(4, 4);
  copy.bytes = 1024;
  plan.nodes = {copy};
  Executable program = load(artifact);
  DeviceBuffer in = buffer(1024), out = buffer(1024), work = buffer(1280);
  ASSERT_TRUE(program
                  .launch(stream, {in.pointer(), in.pointer()}, {out.pointer()},
                          work.pointer())
                  .ok());
  std::vector<float> values = download(out);
  EXPECT_EQ(std::string(reinterpret_cast<char *>(values.data()), 1024),
            std::string(1020, '\x3f') + "tail");
}

TEST_F(ExecutableTest, UpdatesInPlace) {
  Artifact artifact = addArtifact();
  artifact.plan.results = {
      {ElementType::F32, {256}, 0, ResultClass::Elementwise}};
  artifact.plan.buffers[2] = {PlanBuffer::Kind::Workspace, 1024, 0};
  artifact.plan.buffers[3] = {PlanBuffer::Kind::Workspace, 1024, 0};
  artifact.plan.workspaceBytes = 1024;
  artifact.plan.nodes[1].args[2] = pointer(0);
  Executable program = load(artifact);
  DeviceBuffer a = upload(std::vector<float>(256, 1.0f)),
               b = upload(std::vector<float>(256, 2.0f)), work = buffer(1024);
  for (DevicePtr result : {DevicePtr(0), a.pointer()})
    ASSERT_TRUE(program
                    .launch(stream, {a.pointer(), b.pointer()}, {result},
                            work.pointer())
                    .ok());
  EXPECT_EQ(download(a)[7], 5.0f);
  EXPECT_FALSE(program
                   .checkPointers({a.pointer(), b.pointer()}, {b.pointer()},
                                  work.pointer())
                   .ok());
  // What is updated must not be the other input as well.
  EXPECT_FALSE(
      program.checkPointers({a.pointer(), a.pointer()}, {0}, work.pointer())
          .ok());
}

TEST_F(ExecutableTest, ChecksPointers) {
  Executable program = load(addArtifact());
  DeviceBuffer memory = buffer(16384);
  DevicePtr p = memory.pointer();
  auto message = [&](std::vector<DevicePtr> arguments,
                     std::vector<DevicePtr> results, DevicePtr workspace) {
    Status status = program.checkPointers(arguments, results, workspace);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(message({p, p + 1024}, {p + 2048}, p + 3072), "");
  EXPECT_EQ(message({p, p}, {p + 2048}, p + 3072), "");
  EXPECT_EQ(message({p, p + 512}, {p + 2048}, p + 3072), "")
      << "inputs may overlap";
  EXPECT_EQ(message({p}, {p + 2048}, p + 3072),
            "1 arguments and 1 results are given; the plan has 2 and 1");
  EXPECT_EQ(message({0, p}, {p + 2048}, p + 3072),
            "argument 0 is a null pointer, but has 1024 bytes");
  EXPECT_EQ(message({p, p + 1024}, {p + 2048}, 0),
            "workspace is a null pointer, but has 1280 bytes");
  EXPECT_EQ(message({p + 4, p + 1040}, {p + 4096}, p + 8192), "");
  EXPECT_NE(message({p + 2, p + 1024}, {p + 4096}, p + 8192)
                .find("not aligned to 4 bytes"),
            std::string::npos);
  EXPECT_NE(message({p, p + 1028}, {p + 4096}, p + 8192)
                .find("not aligned to 16 bytes"),
            std::string::npos);
  EXPECT_NE(message({p, p + 1024}, {p + 4096 + 16}, p + 8192)
                .find("not aligned to 256 bytes"),
            std::string::npos);
  EXPECT_NE(message({p, p + 1024}, {p + 768}, p + 8192).find("overlaps"),
            std::string::npos);
  EXPECT_NE(message({p, p + 1024}, {p + 4096}, p + 3072).find("overlaps"),
            std::string::npos);
  EXPECT_NE(message({p, p + 1024}, {p + 4096}, p).find("overlaps"),
            std::string::npos);
  EXPECT_NE(message({p, DevicePtr(0) - 256}, {p + 4096}, p + 8192)
                .find("beyond the address space"),
            std::string::npos);
  EXPECT_FALSE(program.launch(stream, {p, p}, {p}, p).ok());
}

TEST_F(ExecutableTest, RefusesWhatTheDeviceCannotRun) {
  auto kindOf = [&](auto &&change) {
    Artifact artifact = addArtifact();
    change(artifact);
    Error error = loadError(artifact);
    return error.message.empty() ? std::string()
                                 : std::string(toString(error.kind));
  };
  EXPECT_EQ(kindOf([](Artifact &a) { a.chip = "sm_90"; }), "");
  EXPECT_EQ(kindOf([](Artifact &a) { a.chip = "sm_100a"; }), "wrong-arch");
  EXPECT_EQ(kindOf([](Artifact &a) { a.chip = "sm_89"; }), "wrong-arch");
  EXPECT_EQ(kindOf([](Artifact &a) { a.chip = "sm_91"; }), "wrong-arch");
  EXPECT_EQ(kindOf([](Artifact &a) { a.chip = "gfx90a"; }), "verify");
  EXPECT_EQ(kindOf([](Artifact &a) { a.chip = "sm_"; }), "verify");
  EXPECT_EQ(kindOf([](Artifact &a) { a.cubins[0] = "junk"; }), "load");
  EXPECT_EQ(kindOf([](Artifact &a) { a.plan.kernels[0].symbol = "other"; }),
            "load");
  EXPECT_EQ(kindOf([](Artifact &a) {
              a.cubins[0] = "EGGFAKECUBIN\nkernel fake_add params=8,8,8\n";
            }),
            "load");
  EXPECT_EQ(kindOf([](Artifact &a) {
              a.cubins[0] = "EGGFAKECUBIN\nkernel fake_add params=8,8,8,4\n";
            }),
            "load");
  EXPECT_EQ(kindOf([](Artifact &a) {
              a.cubins[0] = "EGGFAKECUBIN\nkernel fake_add params=8,8,8,8 "
                            "maxthreads=128\n";
            }),
            "launch");
  EXPECT_EQ(
      kindOf([](Artifact &a) { a.plan.kernels[0].sharedBytes = 227 << 10; }),
      "");
  EXPECT_EQ(kindOf([](Artifact &a) {
              a.plan.kernels[0].sharedBytes = (227 << 10) + 1;
            }),
            "launch");
  EXPECT_EQ(
      kindOf([](Artifact &a) { a.plan.workspaceBytes = uint64_t(1) << 39; }),
      "out-of-memory");
  EXPECT_EQ(kindOf([](Artifact &a) { a.plan.nodes[1].kernel = 5; }), "verify");
}

TEST_F(ExecutableTest, EmptyTensorsNeedNoPointers) {
  Artifact artifact = addArtifact();
  LaunchPlan &plan = artifact.plan;
  plan.arguments = {{ElementType::F32, {0, 5}, 0, 16}};
  plan.results = {{ElementType::F32, {5, 0}, 1, ResultClass::Exact}};
  plan.buffers = {{PlanBuffer::Kind::Argument, 0},
                  {PlanBuffer::Kind::Result, 0}};
  plan.workspaceBytes = 0;
  plan.kernels.clear();
  plan.nodes.clear();
  artifact.cubins.clear();
  artifact.constants.clear();
  Executable program = load(artifact);
  EXPECT_TRUE(program.launch(stream, {0}, {0}, 0).ok());
  EXPECT_TRUE(stream.synchronize().ok());
}
