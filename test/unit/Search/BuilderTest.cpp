//===- BuilderTest.cpp - from a payload to an artifact ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Builder.h"

#include "FakeTools.h"

#include "gtest/gtest.h"

using namespace egg;
using egg::test::FakeTools;

namespace {
/// Answers each build with `answer` and keeps the last question.
class FakeCompiler : public Compiler {
public:
  Result<VerifyAnswer> verify(const VerifyRequest &) override {
    return Error(ErrorKind::Internal, "not asked here");
  }
  Result<BuildAnswer> build(const BuildRequest &request) override {
    asked = request;
    return answer;
  }
  Result<RunCpuAnswer> runCpu(const RunCpuRequest &) override {
    return Error(ErrorKind::Internal, "not asked here");
  }

  BuildRequest asked;
  Result<BuildAnswer> answer = BuildAnswer();
};

class BuilderTest : public testing::Test {
protected:
  BuilderTest()
      : compiler(std::make_shared<FakeCompiler>()),
        device(findDevice("h200").take()),
        builder(compiler, fake.toolkit("cuda", "13.0.88"), device) {
    BuildAnswer answer;
    answer.plan = plan("k", 0);
    answer.modules = {{"m", ".entry k\n"}};
    answer.constants = {"12345678"};
    answer.llvmVersion = "22.1.8";
    compiler->answer = answer;
  }

  /// One kernel on one argument and a constant.
  static std::string plan(const std::string &symbol, int module) {
    return R"({"format":1,
      "arguments":[{"type":"f32","shape":[4],"buffer":0,"align":4}],
      "results":[{"type":"f32","shape":[4],"buffer":1,"class":"elementwise"}],
      "buffers":[{"kind":"argument","bytes":16},{"kind":"result","bytes":16},
                 {"kind":"constant","bytes":8,"blob":0}],
      "workspace_bytes":0,
      "kernels":[{"symbol":")" +
           symbol + R"(","module":)" + std::to_string(module) +
           R"(,"grid":[1,1,1],"block":[4,1,1],"cluster":[1,1,1],
                  "shared_bytes":0,"flops":0,"bytes":0}],
      "nodes":[{"op":"launch","kernel":0,"args":[
        {"buffer":0,"offset":{"base":0,"steps":[]}},
        {"buffer":1,"offset":{"base":0,"steps":[]}}]}]})";
  }
  Error refusal() {
    Result<BuiltPayload> built = builder.build({});
    EXPECT_FALSE(built.ok());
    return built ? Error() : built.error();
  }

  FakeTools fake;
  std::shared_ptr<FakeCompiler> compiler;
  DeviceSpec device;
  LocalBuilder builder;
};
} // namespace

TEST_F(BuilderTest, PacksAnArtifact) {
  BuildJob job;
  job.payload = {"k.mlir", "module {}"};
  job.promote = Promotion::F64;
  Result<BuiltPayload> built = builder.build(job);
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(compiler->asked.payload.text, "module {}");
  EXPECT_EQ(compiler->asked.promote, Promotion::F64);
  EXPECT_EQ(compiler->asked.libdevice,
            fake.path("cuda/nvvm/libdevice/libdevice.10.bc"));
  EXPECT_EQ(deviceFromJson(compiler->asked.device).take().id, device.id);

  ASSERT_EQ(built->kernels.size(), 1u);
  EXPECT_EQ(built->kernels[0].registers, 7);
  Artifact artifact =
      unpackArtifact(built->artifact, built->artifactHash).take();
  EXPECT_EQ(artifact.chip, "sm_90a");
  EXPECT_EQ(artifact.toolchain.llvm, "22.1.8");
  EXPECT_EQ(artifact.toolchain.ptxas, "13.0.88");
  ASSERT_EQ(artifact.cubins.size(), 1u);
  EXPECT_EQ(artifact.cubins[0], "sm_90a:.entry k\n");
  EXPECT_EQ(artifact.constants[0], "12345678");
  // The same again is the same, byte for byte.
  EXPECT_EQ(builder.build(job).take().artifact, built->artifact);
}

TEST_F(BuilderTest, AssemblesEachTextOnce) {
  ASSERT_TRUE(builder.build({}).ok());
  // A second run of ptxas would fail.
  fake.script("cuda/bin/ptxas", "exit 3");
  EXPECT_TRUE(builder.build({}).ok());
  compiler->answer->modules[0].ptx = ".entry k\n//other\n";
  EXPECT_EQ(refusal().kind, ErrorKind::Ptxas);
}

TEST_F(BuilderTest, HashesThePtx) {
  // SHA-256 of 09 00 00 00 00 00 00 00 and ".entry k\n".
  std::string one = builder.compile({}).take().ptxHash;
  compiler->answer->modules = {{"m", ".entry"}, {"n", " k\n"}};
  EXPECT_NE(builder.compile({}).take().ptxHash, one);
  EXPECT_EQ(one.size(), 64u);
}

TEST_F(BuilderTest, PassesErrorsOn) {
  compiler->answer = Error(ErrorKind::Unsupported, "k.mlir:1:1: a while");
  EXPECT_EQ(refusal(), Error(ErrorKind::Unsupported, "k.mlir:1:1: a while"));
}

TEST_F(BuilderTest, BelievesNoPlan) {
  compiler->answer->plan = "{}";
  EXPECT_EQ(refusal().kind, ErrorKind::Lower);
  compiler->answer->plan = plan("k", 1);
  EXPECT_EQ(refusal().kind, ErrorKind::Lower);
  compiler->answer->plan = plan("other", 0);
  EXPECT_EQ(refusal().message,
            "the launch plan names the kernel other, which the PTX of module m "
            "does not hold");
  compiler->answer->plan = plan("k", 0);
  compiler->answer->constants.clear();
  EXPECT_EQ(refusal().kind, ErrorKind::Lower);
}
