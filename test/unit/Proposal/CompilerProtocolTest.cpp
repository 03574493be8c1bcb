//===- CompilerProtocolTest.cpp - requests and answers as frames *- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Proposal/CompilerProtocol.h"

#include "gtest/gtest.h"

using namespace egg;

/// The refusal of a request with this header and so many blobs.
static Error refusal(const std::string &header, size_t blobs) {
  Frame frame;
  frame.header = header;
  frame.blobs.assign(blobs, "x");
  Result<CompilerRequest> request = decodeRequest(frame);
  EXPECT_FALSE(request.ok()) << header;
  return request ? Error() : request.error();
}

TEST(CompilerProtocol, CarriesRequests) {
  BuildRequest build;
  build.payload = {"k.mlir", "module {}"};
  build.device = R"({"name":"h200"})";
  build.libdevice = "/l.bc";
  build.promote = Promotion::F64;
  build.emitMlir = true;
  Result<CompilerRequest> read = decodeRequest(encodeRequest(build));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto *again = std::get_if<BuildRequest>(&*read);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->payload.name, "k.mlir");
  EXPECT_EQ(again->payload.text, "module {}");
  EXPECT_EQ(again->device, build.device);
  EXPECT_EQ(again->libdevice, "/l.bc");
  EXPECT_EQ(again->promote, Promotion::F64);
  EXPECT_TRUE(again->emitMlir);

  RunCpuRequest run;
  run.payload.text = "p";
  run.inputs = {{"f32", {2, 3}}, {"i1", {}}, {"f64", {0, 5}}};
  run.inputBytes = {std::string(24, '\0'), "\1", ""};
  read = decodeRequest(encodeRequest(run));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto *ran = std::get_if<RunCpuRequest>(&*read);
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->inputs, run.inputs);
  EXPECT_EQ(ran->inputBytes, run.inputBytes);
}

TEST(CompilerProtocol, CarriesAnswers) {
  BuildAnswer build;
  build.plan = R"({"format":1})";
  build.modules = {{"a", "ptx a"}, {"b", "ptx b"}};
  build.constants = {std::string("\0\1", 2), ""};
  build.remarks = {{"missed", "too \xff small"}};
  build.mlir = "module {}";
  build.llvmVersion = "22.1.8";
  Result<BuildAnswer> read = decodeBuildAnswer(encodeAnswer(build));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->plan, build.plan);
  ASSERT_EQ(read->modules.size(), 2u);
  EXPECT_EQ(read->modules[1].name, "b");
  EXPECT_EQ(read->modules[1].ptx, "ptx b");
  EXPECT_EQ(read->constants, build.constants);
  // What is no UTF-8 cannot stand in JSON.
  EXPECT_EQ(read->remarks[0].message, "too \xef\xbf\xbd small");
  EXPECT_EQ(read->mlir, "module {}");
  EXPECT_EQ(read->llvmVersion, "22.1.8");

  VerifyAnswer facts;
  facts.entry = "main";
  facts.arguments = {{"bf16", {7}}};
  facts.ops = 4;
  facts.wholeArguments = {0};
  facts.canonical = "text";
  Result<VerifyAnswer> again = decodeVerifyAnswer(encodeAnswer(facts));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->arguments, facts.arguments);
  EXPECT_EQ(again->canonical, "text");
  EXPECT_EQ(again->wholeArguments, facts.wholeArguments);
  EXPECT_FALSE(again->contractions);

  facts.contractions = {{"bf16", 14}};
  again = decodeVerifyAnswer(encodeAnswer(facts));
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_TRUE(again->contractions && again->contractions->size() == 1);
  EXPECT_EQ(again->contractions->front().type, "bf16");
  EXPECT_EQ(again->contractions->front().flops, 14);
  // There is no argument 1.
  facts.wholeArguments = {1};
  EXPECT_FALSE(decodeVerifyAnswer(encodeAnswer(facts)).ok());
}

TEST(CompilerProtocol, CarriesErrors) {
  Error error(ErrorKind::HostControlFlow, "k.mlir:3:5: a while");
  Result<RunCpuAnswer> read = decodeRunCpuAnswer(encodeError(error));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error(), error);
}

TEST(CompilerProtocol, RefusesMalformedRequests) {
  EXPECT_EQ(refusal("", 0).kind, ErrorKind::Parse);
  EXPECT_EQ(refusal("[]", 0).kind, ErrorKind::Parse);
  EXPECT_EQ(refusal(R"({"protocol":2,"kind":"verify","name":"a"})", 1).kind,
            ErrorKind::Unsupported);
  EXPECT_EQ(refusal(R"({"protocol":1,"kind":"exec","name":"a"})", 1).kind,
            ErrorKind::Unsupported);
  EXPECT_EQ(refusal(R"({"protocol":1,"kind":"verify"})", 1).message,
            "the field 'name' is missing");
  EXPECT_EQ(
      refusal(R"({"protocol":1,"kind":"verify","name":"a","x":1})", 1).message,
      "the field 'x' is not known here");
  EXPECT_EQ(refusal(R"({"protocol":1,"kind":"verify","name":"a"})", 0).message,
            "name: the frame holds 0 blobs, number 0 is not there");
  EXPECT_EQ(refusal(R"({"protocol":1,"kind":"verify","name":"a"})", 2).message,
            "the header does not speak of blob number 1 of the frame");
}

TEST(CompilerProtocol, RefusesMalformedTensors) {
  auto withInputs = [](const std::string &inputs) {
    return refusal(R"({"protocol":1,"kind":"run-cpu","name":"a",)"
                   R"("promote":"none","inputs":)" +
                       inputs + "}",
                   2)
        .message;
  };
  EXPECT_EQ(withInputs(R"([{"type":"f8","shape":[]}])"),
            "inputs[0]: 'f8' is no element type");
  EXPECT_NE(withInputs(R"([{"type":"f32","shape":[-1]}])"), "");
  EXPECT_NE(withInputs(R"([{"type":"f32","shape":[4294967296,4294967296]}])")
                .find("does not fit 63 bits"),
            std::string::npos);
  EXPECT_NE(withInputs(R"([{"type":"f32","shape":[1.0]}])"), "");
}

TEST(CompilerProtocol, BelievesNoMalformedAnswer) {
  Frame frame;
  for (
      const char *header :
      {"", "{}", R"({"protocol":1})", R"({"protocol":1,"ok":{}})",
       R"({"protocol":1,"error":{"kind":"nope","message":""}})",
       R"({"protocol":1,"ok":{"plan":{},"modules":[{"name":"a","ptx":0}],"constants":[],"remarks":[]}})"}) {
    frame.header = header;
    Result<BuildAnswer> read = decodeBuildAnswer(frame);
    ASSERT_FALSE(read.ok()) << header;
    EXPECT_EQ(read.error().kind, ErrorKind::BuilderDied) << header;
  }
}

TEST(TensorSignature, CountsElements) {
  EXPECT_EQ((TensorSignature{"f32", {}}).elements(), 1);
  EXPECT_EQ((TensorSignature{"f32", {3, 0, 5}}).elements(), 0);
  EXPECT_EQ((TensorSignature{"f32", {3, -1}}).elements(), std::nullopt);
  EXPECT_EQ((TensorSignature{"f32", {int64_t(1) << 62, 2}}).elements(),
            std::nullopt);
  EXPECT_EQ((TensorSignature{"f32", {2, 3}}).str(), "2x3xf32");
  EXPECT_EQ((TensorSignature{"f32", {}}).str(), "f32");
}
