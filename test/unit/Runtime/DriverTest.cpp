//===- DriverTest.cpp - Tests of the CUDA driver behind Result ------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the fake driver: the code that opens the real one runs as it is.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/Driver.h"
#include "TestPlans.h"

#include "gtest/gtest.h"

#include <cstring>
#include <thread>

using namespace egg;

namespace {
const char *addCubin = "EGGFAKECUBIN sm_90\n"
                       "kernel fake_add params=8,8,8,8 registers=40\n"
                       "kernel fake_hang params=8\n"
                       "kernel fake_fail params=8,8,8\n"
                       "kernel fake_illegal params=8,8,8\n"
                       "kernel fake_copy params=8,8,8 shared=1024 local=16\n"
                       "kernel not_there params=8\n";

Context openContext() {
  auto driver = Driver::open();
  EXPECT_TRUE(driver.ok()) << driver.error().str();
  auto context = Context::create(*driver);
  EXPECT_TRUE(context.ok()) << context.error().str();
  return *context;
}

/// What opening a context fails with under these settings of the fake.
std::string openError(const std::string &name = "",
                      const std::string &value = "") {
  FakeEnvironment environment(name, value);
  auto driver = Driver::open();
  if (!driver)
    return std::string(toString(driver.error().kind));
  auto context = Context::create(*driver);
  return context ? "" : std::string(toString(context.error().kind));
}

Status launchOn(const Stream &stream, const Kernel &kernel,
                std::vector<uint64_t> values) {
  std::vector<void *> params;
  for (uint64_t &value : values)
    params.push_back(&value);
  return stream.launch(kernel, LaunchShape(), params.data());
}
} // namespace

TEST(Driver, MapsFailuresToKinds) {
  EXPECT_EQ(openError(), "");
  EXPECT_EQ(openError("EGG_FAKE_FAIL", "no-device"), "no-device");
  EXPECT_EQ(openError("EGG_FAKE_FAIL", "mps"), "mps");
  EXPECT_EQ(openError("EGG_FAKE_FAIL", "busy"), "device-busy");
  EXPECT_EQ(openError("EGG_FAKE_FAIL", "old-driver"), "wrong-arch");
  EXPECT_EQ(openError("EGG_FAKE_FAIL", "old-arch"), "wrong-arch");
  EXPECT_EQ(errorKindOf(806), ErrorKind::Mps);
  EXPECT_EQ(errorKindOf(220), ErrorKind::DeviceLost);
  EXPECT_EQ(errorKindOf(702), ErrorKind::Timeout);
}

TEST(Driver, NamesAMissingLibrary) {
  auto driver = Driver::open("/nowhere/libcuda.so");
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.error().kind, ErrorKind::NoDevice);
  EXPECT_NE(driver.error().message.find("/nowhere/libcuda.so"),
            std::string::npos);
  // A library that is no driver.
  driver = Driver::open("libdl.so.2");
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.error().kind, ErrorKind::WrongArch);
  EXPECT_NE(driver.error().message.find("cuInit"), std::string::npos);
}

TEST(Driver, DescribesTheDevice) {
  FakeEnvironment environment;
  Context context = openContext();
  const DeviceInfo &info = context.device();
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.major, 9);
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.sharedPerBlockOptin, 232448u);
  EXPECT_EQ(info.maxGrid[0], INT32_MAX);
  EXPECT_TRUE(info.clusterLaunch);
  EXPECT_EQ(context.driver().deviceInfo(1).error().kind, ErrorKind::NoDevice);
}

TEST(Driver, MovesMemory) {
  FakeEnvironment environment;
  Context context = openContext();
  Stream stream = context.createStream().take();
  auto buffer = context.allocate(1024);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(buffer->pointer() % 256, 0u);
  std::vector<uint32_t> in(256, 7), out(256, 0);
  EXPECT_TRUE(stream.copyToDevice(buffer->pointer(), in.data(), 1024).ok());
  EXPECT_TRUE(stream.fillWords(buffer->pointer(), 9, 2).ok());
  EXPECT_TRUE(stream.fill(buffer->pointer() + 8, 0x11, 4).ok());
  EXPECT_TRUE(
      stream.copy(buffer->pointer() + 512, buffer->pointer(), 512).ok());
  EXPECT_TRUE(stream.copyToHost(out.data(), buffer->pointer(), 1024).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(out[1], 9u);
  EXPECT_EQ(out[2], 0x11111111u);
  EXPECT_EQ(out[3], 7u);
  EXPECT_EQ(out[130], 0x11111111u);
  // Out of the buffer's bounds; nothing at all.
  EXPECT_FALSE(stream.fill(buffer->pointer() + 1000, 0, 25).ok());
  EXPECT_TRUE(stream.fill(0, 0, 0).ok());
  EXPECT_EQ(context.allocate(0)->pointer(), 0u);
}

TEST(Driver, RunsOutOfMemory) {
  FakeEnvironment environment("EGG_FAKE_MEMORY", "1000000");
  Context context = openContext();
  {
    auto first = context.allocate(600000);
    ASSERT_TRUE(first.ok());
    auto second = context.allocate(600000);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().kind, ErrorKind::OutOfMemory);
    EXPECT_NE(second.error().message.find("600000"), std::string::npos);
    EXPECT_EQ(context.memory()->first, 400000u);
    DeviceBuffer moved = first.take();
    moved = DeviceBuffer();
  }
  EXPECT_EQ(context.memory()->first, 1000000u);
}

TEST(Driver, GuardsTheEndOfABuffer) {
  FakeEnvironment environment;
  Context context = openContext();
  auto before = context.memory();
  {
    auto buffer = context.allocateGuarded(1000, 256);
    ASSERT_TRUE(buffer.ok()) << buffer.error().str();
    EXPECT_EQ(buffer->pointer() % 256, 0u);
    EXPECT_EQ(buffer->mappedEnd() - buffer->pointer(), 1024u);
    Stream stream = context.createStream().take();
    EXPECT_TRUE(stream.fill(buffer->pointer(), 1, 1024).ok());
    EXPECT_TRUE(stream.synchronize().ok());
    EXPECT_FALSE(stream.fill(buffer->pointer(), 1, 1025).ok());
    // To the byte.
    auto tight = context.allocateGuarded(1000, 4);
    EXPECT_EQ(tight->mappedEnd() - tight->pointer(), 1000u);
    // A kernel that runs over the end faults.
    Module module = context
                        .loadModule("EGGFAKECUBIN\n"
                                    "kernel fake_overrun params=8,8,8\n")
                        .take();
    Kernel overrun = module.kernel("fake_overrun").take();
    auto in = context.allocate(1000);
    EXPECT_TRUE(
        launchOn(stream, overrun, {in->pointer(), tight->pointer(), 250}).ok());
    Status status = stream.synchronize();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::IllegalAccess);
    // The context is of no use any more.
    EXPECT_EQ(context.allocate(1).error().kind, ErrorKind::IllegalAccess);
  }
  EXPECT_TRUE(before.ok());
}

TEST(Driver, HasNoGuardsWithoutVirtualMemory) {
  FakeEnvironment environment("EGG_FAKE_FAIL", "no-vmm");
  Context context = openContext();
  EXPECT_EQ(context.allocateGuarded(1).error().kind, ErrorKind::Unsupported);
}

TEST(Driver, LoadsModulesAndTellsAboutKernels) {
  FakeEnvironment environment;
  Context context = openContext();
  Module module = context.loadModule(addCubin).take();
  Kernel copy = module.kernel("fake_copy").take();
  KernelFacts facts = copy.facts().take();
  EXPECT_EQ(facts.sharedBytes, 1024u);
  EXPECT_EQ(facts.localBytes, 16u);
  EXPECT_EQ(facts.registers, 32);
  auto parameters = copy.parameters().take();
  ASSERT_TRUE(parameters.has_value());
  ASSERT_EQ(parameters->size(), 3u);
  EXPECT_EQ((*parameters)[2].offset, 16u);
  EXPECT_EQ(*copy.blocksPerMultiprocessor(1024, 0), 2);
  EXPECT_TRUE(copy.allowSharedBytes(100000).ok());
  EXPECT_FALSE(copy.allowSharedBytes(300000).ok());
  EXPECT_EQ(module.kernel("nothing").error().kind, ErrorKind::Load);
  EXPECT_EQ(module.kernel("not_there").error().kind, ErrorKind::Load);
}

TEST(Driver, RefusesBadModules) {
  FakeEnvironment environment;
  Context context = openContext();
  auto kindOf = [&](const std::string &image) {
    auto module = context.loadModule(image);
    return module ? ErrorKind::Internal : module.error().kind;
  };
  EXPECT_EQ(kindOf(""), ErrorKind::Load);
  EXPECT_EQ(kindOf(std::string("a\0b", 3)), ErrorKind::Load);
  EXPECT_EQ(kindOf("\x7f"
                   "ELF"),
            ErrorKind::Load);
  EXPECT_EQ(kindOf("EGGFAKECUBIN sm_100\n"), ErrorKind::WrongArch);
  EXPECT_EQ(kindOf(".version 9.9\n"), ErrorKind::WrongArch);
  EXPECT_NE(context.loadModule("garbage").error().message.find("fake ptxas"),
            std::string::npos);
}

TEST(Driver, ChecksTheTablesOfACubin) {
  FakeEnvironment environment;
  Context context = openContext();
  // A header with one section of 8 bytes behind its table.
  std::string elf = "\x7f"
                    "ELF\2\1\1";
  elf.resize(64 + 64 + 8);
  auto put = [&](std::string &image, size_t at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      image[at + i] = char(value >> (8 * i));
  };
  put(elf, 40, 64, 8); // sections at
  put(elf, 58, 64, 2);
  put(elf, 60, 1, 2);
  put(elf, 64 + 4, 1, 4);
  put(elf, 64 + 24, 128, 8);
  put(elf, 64 + 32, 8, 8);
  auto messageOf = [&](const std::string &image) {
    return context.loadModule(image).error().message;
  };
  // In order: the (fake) driver is asked and refuses.
  EXPECT_NE(messageOf(elf).find("CUDA_ERROR_INVALID_IMAGE"), std::string::npos);
  for (auto [at, value] : std::vector<std::pair<size_t, uint64_t>>{
           {40, 65}, {40, UINT64_MAX}, {64 + 24, 129}, {64 + 32, UINT64_MAX}}) {
    std::string bad = elf;
    put(bad, at, value, 8);
    EXPECT_NE(messageOf(bad).find("damaged"), std::string::npos) << at;
  }
  EXPECT_NE(messageOf(elf.substr(0, elf.size() - 1)).find("damaged"),
            std::string::npos);
}

TEST(Driver, TimesWithEvents) {
  FakeEnvironment environment("EGG_FAKE_TIMES", "fake_copy=2.5");
  Context context = openContext();
  Stream stream = context.createStream().take();
  Module module = context.loadModule(addCubin).take();
  Kernel copy = module.kernel("fake_copy").take();
  auto buffer = context.allocate(64);
  Event start = context.createEvent().take();
  Event end = context.createEvent().take();
  EXPECT_FALSE(end.millisecondsSince(start).ok());
  ASSERT_TRUE(stream.record(start).ok());
  ASSERT_TRUE(
      launchOn(stream, copy, {buffer->pointer(), buffer->pointer(), 1}).ok());
  ASSERT_TRUE(stream.record(end).ok());
  ASSERT_TRUE(end.synchronize().ok());
  EXPECT_TRUE(*end.query());
  EXPECT_NEAR(*end.millisecondsSince(start), 2.5, 1e-4);
}

TEST(Driver, WaitsNoLongerThanTold) {
  FakeEnvironment environment;
  Context context = openContext();
  Stream stream = context.createStream().take();
  Module module = context.loadModule(addCubin).take();
  Kernel hang = module.kernel("fake_hang").take();
  ASSERT_TRUE(launchOn(stream, hang, {400}).ok());
  EXPECT_FALSE(*stream.query());
  Status status = stream.synchronize(0.05);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Timeout);
  EXPECT_TRUE(stream.synchronize(10).ok());
}

TEST(Driver, AFailedKernelFailsAllThatFollows) {
  FakeEnvironment environment;
  for (auto [symbol, kind] :
       {std::pair("fake_fail", ErrorKind::Launch),
        std::pair("fake_illegal", ErrorKind::IllegalAccess)}) {
    Context context = openContext();
    Stream stream = context.createStream().take();
    Module module = context.loadModule(addCubin).take();
    Kernel kernel = module.kernel(symbol).take();
    ASSERT_TRUE(launchOn(stream, kernel, {0, 0, 0}).ok());
    Status status = stream.synchronize(10);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, kind);
    EXPECT_EQ(context.createStream().error().kind, kind);
  }
  // A new context starts afresh.
  EXPECT_TRUE(openContext().allocate(1).ok());
}

TEST(Driver, LosesTheDevice) {
  FakeEnvironment environment("EGG_FAKE_LOST_AFTER", "0");
  Context context = openContext();
  Stream stream = context.createStream().take();
  Module module = context.loadModule(addCubin).take();
  Kernel kernel = module.kernel("fake_copy").take();
  ASSERT_TRUE(launchOn(stream, kernel, {0, 0, 0}).ok());
  EXPECT_EQ(stream.synchronize().error().kind, ErrorKind::DeviceLost);
}

TEST(Driver, RefusesLaunchesThatCannotBe) {
  FakeEnvironment environment;
  Context context = openContext();
  Stream stream = context.createStream().take();
  Module module = context.loadModule(addCubin).take();
  Kernel kernel = module.kernel("fake_copy").take();
  uint64_t value = 0;
  void *params[] = {&value, &value, &value};
  LaunchShape shape;
  shape.block = {2048, 1, 1};
  Status status = stream.launch(kernel, shape, params);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Launch);
  EXPECT_NE(status.error().message.find("2048x1x1"), std::string::npos);
  shape = LaunchShape();
  shape.grid = shape.cluster = {16, 1, 1};
  EXPECT_EQ(stream.launch(kernel, shape, params).error().kind,
            ErrorKind::Launch);
  EXPECT_TRUE(kernel.allowLargeClusters().ok());
  EXPECT_TRUE(stream.launch(kernel, shape, params).ok());
}

TEST(Driver, CapturesAGraph) {
  FakeEnvironment environment;
  Context context = openContext();
  Stream stream = context.createStream().take();
  auto buffer = context.allocate(4);
  ASSERT_TRUE(stream.fill(buffer->pointer(), 0, 4).ok());
  ASSERT_TRUE(stream.beginCapture().ok());
  ASSERT_TRUE(stream.fill(buffer->pointer(), 1, 4).ok());
  EXPECT_FALSE(stream.synchronize().ok());
  Graph graph = stream.endCapture().take();
  auto read = [&] {
    uint32_t value = 99;
    EXPECT_TRUE(stream.copyToHost(&value, buffer->pointer(), 4).ok());
    EXPECT_TRUE(stream.synchronize().ok());
    return value;
  };
  EXPECT_EQ(read(), 0u);
  ASSERT_TRUE(stream.upload(graph).ok());
  ASSERT_TRUE(stream.launch(graph).ok());
  EXPECT_EQ(read(), 0x01010101u);
  EXPECT_FALSE(context.borrowStream(nullptr).beginCapture().ok());
}

TEST(Driver, UsesTheCallersContextAndGivesItBack) {
  FakeEnvironment environment;
  Driver driver = Driver::open().take();
  const CudaFunctions &cu = driver.functions();
  cuda::ContextHandle own = nullptr, now = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&own, 0), cuda::Success);
  ASSERT_EQ(cu.cuCtxPushCurrent_v2(own), cuda::Success);
  {
    auto context = Context::current(driver);
    ASSERT_TRUE(context.ok());
    EXPECT_TRUE(context->allocate(4).ok());
  }
  EXPECT_EQ(cu.cuCtxGetCurrent(&now), cuda::Success);
  EXPECT_EQ(now, own);
  cu.cuCtxPopCurrent_v2(&now);
  cu.cuDevicePrimaryCtxRelease_v2(0);
  // Nothing is left current by objects that were used meanwhile.
  openContext();
  EXPECT_EQ(cu.cuCtxGetCurrent(&now), cuda::Success);
  EXPECT_EQ(now, nullptr);
}

TEST(Driver, RunsKernelsOfALibrary) {
  FakeEnvironment environment(
      "EGG_FAKE_KERNELS", programFolder() + "/Inputs/libegg-fake-kernels.so");
  Context context = openContext();
  Stream stream = context.createStream().take();
  // PTX as LLVM writes it, with a struct as its parameter.
  Module module = context
                      .loadModule(".version 7.0\n.target sm_80\n"
                                  ".visible .entry test_threads(\n"
                                  "\t.param .align 8 .b8 p_0[16]\n)\n{ ret; }")
                      .take();
  auto kernel = module.kernel("test_threads");
  ASSERT_TRUE(kernel.ok()) << kernel.error().str();
  EXPECT_EQ((**kernel->parameters())[0].bytes, 16u);
  auto buffer = context.allocate(8);
  struct {
    uint64_t out;
    int64_t factor;
  } p = {buffer->pointer(), 3};
  void *params[] = {&p};
  LaunchShape shape;
  shape.grid = {5, 1, 1};
  shape.block = {32, 1, 1};
  ASSERT_TRUE(stream.launch(*kernel, shape, params).ok());
  int64_t result = 0;
  ASSERT_TRUE(stream.copyToHost(&result, buffer->pointer(), 8).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(result, 5 * 32 * 3);
}
