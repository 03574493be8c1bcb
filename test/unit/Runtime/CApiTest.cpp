//===- CApiTest.cpp - Tests of the C interface ----------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the shared library, on the fake driver.
//
//===----------------------------------------------------------------------===//

#include "egg-c/runtime.h"

#include "TestPlans.h"
#include "egg/Runtime/Driver.h"

#include "gtest/gtest.h"

#include <thread>

using namespace egg;

extern "C" int eggTestRun(const void *bytes, size_t size, void *stream,
                          uint64_t a, uint64_t b, uint64_t out,
                          uint64_t workspace);

namespace {
class CApiTest : public ::testing::Test {
protected:
  FakeEnvironment environment;
  Context context = Context::create(Driver::open().take()).take();
  Stream stream = context.createStream().take();
  std::string bytes = packArtifact(addArtifact()).take();

  EggExecutable *load() {
    return eggLoadMemory(bytes.data(), bytes.size(), 0, nullptr);
  }
};
} // namespace

TEST_F(CApiTest, RunsFromC) {
  auto a = context.allocate(1024), b = context.allocate(1024),
       out = context.allocate(1024), work = context.allocate(1280);
  ASSERT_TRUE(stream.fillWords(a->pointer(), 0x3f800000, 256).ok());
  ASSERT_TRUE(stream.fillWords(b->pointer(), 0x40000000, 256).ok());
  ASSERT_EQ(eggTestRun(bytes.data(), bytes.size(), stream.raw(), a->pointer(),
                       b->pointer(), out->pointer(), work->pointer()),
            EGG_OK)
      << eggLastErrorMessage();
  float result[256];
  ASSERT_TRUE(stream.copyToHost(result, out->pointer(), 1024).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(result[255], 3.0f);
  // The same with an alignment that is not kept.
  EXPECT_EQ(eggTestRun(bytes.data(), bytes.size(), stream.raw(),
                       a->pointer() + 1, b->pointer(), out->pointer(),
                       work->pointer()),
            EGG_ERROR_VERIFY);
  EXPECT_STREQ(eggLastErrorKind(), "verify");
}

TEST_F(CApiTest, DescribesTheInterface) {
  EXPECT_EQ(eggRuntimeVersion(), EGG_RUNTIME_VERSION);
  EggExecutable *program = load();
  ASSERT_NE(program, nullptr) << eggLastErrorMessage();
  EXPECT_EQ(eggArgumentCount(program), 2);
  EXPECT_EQ(eggResultCount(program), 1);
  EXPECT_EQ(eggWorkspaceBytes(program), 1280u);
  EggTensor tensor;
  ASSERT_EQ(eggArgument(program, 1, &tensor), EGG_OK);
  EXPECT_EQ(tensor.type, EGG_F32);
  EXPECT_EQ(tensor.rank, 2);
  EXPECT_EQ(tensor.shape[1], 16);
  EXPECT_EQ(tensor.bytes, 1024u);
  EXPECT_EQ(tensor.align, 16u);
  ASSERT_EQ(eggResult(program, 0, &tensor), EGG_OK);
  EXPECT_EQ(tensor.align, 256u);
  EXPECT_EQ(tensor.argument, -1);
  EXPECT_EQ(eggArgument(program, 2, &tensor), EGG_ERROR_VERIFY);
  EXPECT_EQ(eggArgument(program, -1, &tensor), EGG_ERROR_VERIFY);
  EXPECT_EQ(eggResult(program, 0, nullptr), EGG_ERROR_VERIFY);
  eggUnload(program);
}

TEST_F(CApiTest, NamesResultsThatAreArguments) {
  Artifact artifact = addArtifact();
  artifact.plan.results.push_back(
      {ElementType::F32, {16, 16}, 1, ResultClass::Exact});
  std::string packed = packArtifact(artifact).take();
  EggExecutable *program =
      eggLoadMemory(packed.data(), packed.size(), 0, nullptr);
  ASSERT_NE(program, nullptr);
  EggTensor tensor;
  ASSERT_EQ(eggResult(program, 1, &tensor), EGG_OK);
  EXPECT_EQ(tensor.argument, 1);
  EXPECT_EQ(tensor.align, 16u);
  eggUnload(program);
}

TEST_F(CApiTest, LoadsFilesAndHoldsToTheHash) {
  auto folder = TempDir::create();
  std::string path = folder->path() + "/a.egg";
  ASSERT_TRUE(writeFileAtomically(path, bytes).ok());
  EggExecutable *program =
      eggLoadFile(path.c_str(), 0, artifactHash(bytes).c_str());
  EXPECT_NE(program, nullptr);
  eggUnload(program);
  EXPECT_EQ(eggLoadFile(path.c_str(), 0, std::string(64, '0').c_str()),
            nullptr);
  EXPECT_EQ(eggLastError(), EGG_ERROR_VERIFY);
  EXPECT_EQ(eggLoadFile((path + "x").c_str(), 0, nullptr), nullptr);
  EXPECT_EQ(eggLastError(), EGG_ERROR_PARSE);
  EXPECT_NE(std::string(eggLastErrorMessage()).find(path), std::string::npos);
  EXPECT_EQ(eggLoadMemory(bytes.data(), bytes.size(), 1, nullptr), nullptr);
  EXPECT_EQ(eggLastError(), EGG_ERROR_NO_DEVICE);
}

TEST_F(CApiTest, TakesNullsAsErrors) {
  EXPECT_EQ(eggLoadMemory(nullptr, 10, 0, nullptr), nullptr);
  EXPECT_EQ(eggLoadFile(nullptr, 0, nullptr), nullptr);
  EXPECT_EQ(eggLaunch(nullptr, nullptr, nullptr, nullptr, 0), EGG_ERROR_VERIFY);
  EggTensor tensor;
  EXPECT_EQ(eggArgument(nullptr, 0, &tensor), EGG_ERROR_VERIFY);
  EXPECT_EQ(eggArgumentCount(nullptr), 0);
  eggUnload(nullptr);
  EggExecutable *program = load();
  EXPECT_EQ(eggLaunch(program, nullptr, nullptr, nullptr, 0), EGG_ERROR_VERIFY);
  eggUnload(program);
}

TEST_F(CApiTest, KeepsErrorsApartByThread) {
  EXPECT_EQ(eggLoadMemory("x", 1, 0, nullptr), nullptr);
  EXPECT_EQ(eggLastError(), EGG_ERROR_PARSE);
  std::thread([] {
    EXPECT_EQ(eggLastError(), EGG_OK);
    EXPECT_STREQ(eggLastErrorMessage(), "");
  }).join();
}

TEST_F(CApiTest, LaunchesFromManyThreads) {
  EggExecutable *program = load();
  ASSERT_NE(program, nullptr);
  std::vector<std::thread> threads;
  std::vector<float> sums(4, 0);
  for (size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t] {
      Stream own = context.createStream().take();
      auto a = context.allocate(1024), out = context.allocate(1024),
           work = context.allocate(1280);
      std::vector<float> values(256, float(t)), result(256);
      EXPECT_TRUE(own.copyToDevice(a->pointer(), values.data(), 1024).ok());
      uint64_t arguments[2] = {a->pointer(), a->pointer()};
      uint64_t results[1] = {out->pointer()};
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(
            eggLaunch(program, own.raw(), arguments, results, work->pointer()),
            EGG_OK);
      EXPECT_TRUE(own.copyToHost(result.data(), out->pointer(), 1024).ok());
      EXPECT_TRUE(own.synchronize().ok());
      sums[t] = result[100];
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sums, (std::vector<float>{0, 2, 4, 6}));
  eggUnload(program);
}
