//===- ProtocolTest.cpp - requests and answers of the worker ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Protocol.h"

#include <gtest/gtest.h>

#include <limits>

using namespace egg;
using namespace egg::eval;

namespace {

Request fullRequest(RequestKind kind) {
  Request r;
  r.kind = kind;
  r.device = 3;
  r.deadlineSeconds = 12.5;
  r.candidate = "candidate";
  r.maxWorkspaceBytes = 99;
  r.golden = "golden";
  r.reference = "reference";
  r.seed = 77;
  r.distributions = wholeDistributions();
  r.integers = {{1, -5, 9}};
  r.deterministic = false;
  r.gate = GateLevel::Whole;
  r.mutants = true;
  r.lastTile = LastTile{0, 1, 32};
  r.mode = TimeMode::Graph;
  r.minMs = 3;
  r.minSamples = 4;
  r.maxSamples = 5;
  r.flush = false;
  r.replays = 6;
  r.peak = Peak{1e15, 4e12};
  r.inputs = {"a", "bc"};
  return r;
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The error of a request whose header had `from` replaced by `to`.
Error errorAfter(RequestKind kind, const std::string &from,
                 const std::string &to) {
  Frame frame = encodeRequest(fullRequest(kind), makeNonce());
  frame.header = replaced(frame.header, from, to);
  Result<Request> read = decodeRequest(frame);
  EXPECT_FALSE(read) << to;
  return read ? Error() : read.error();
}

TEST(Requests, SurviveTheRoundTrip) {
  for (RequestKind kind :
       {RequestKind::Info, RequestKind::Check, RequestKind::Time,
        RequestKind::Once, RequestKind::Run}) {
    Request sent = fullRequest(kind);
    Nonce nonce = makeNonce();
    Frame frame = encodeRequest(sent, nonce);
    EXPECT_EQ(frame.nonce, nonce);
    Result<Request> read = decodeRequest(frame);
    ASSERT_TRUE(read) << read.error().str();
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->device, 3u);
    EXPECT_EQ(read->deadlineSeconds, 12.5);
    // What the second trip says is what the first said.
    EXPECT_EQ(encodeRequest(*read, nonce).header, frame.header);
    EXPECT_EQ(encodeRequest(*read, nonce).blobs, frame.blobs);
  }
  Result<Request> check = decodeRequest(
      encodeRequest(fullRequest(RequestKind::Check), makeNonce()));
  ASSERT_TRUE(check);
  EXPECT_EQ(check->golden, "golden");
  EXPECT_EQ(*check->reference, "reference");
  EXPECT_EQ(check->lastTile->count, 32u);
  EXPECT_EQ(check->integers[0].low, -5);
  EXPECT_EQ(check->distributions.size(), 4u);
}

TEST(Requests, RefuseWhatTheyDoNotKnow) {
  RequestKind check = RequestKind::Check, time = RequestKind::Time;
  EXPECT_EQ(errorAfter(check, "\"seed\":77", "\"seed\":77,\"x\":1").kind,
            ErrorKind::Parse);
  EXPECT_NE(errorAfter(check, "\"seed\":77,", "").message.find("seed"),
            std::string::npos);
  EXPECT_NE(errorAfter(check, "\"protocol\":1", "\"protocol\":2")
                .message.find("protocol"),
            std::string::npos);
  EXPECT_NE(errorAfter(check, "\"check\"", "\"chek\"")
                .message.find("info, check, time, once, run"),
            std::string::npos);
  errorAfter(check, "\"seed\":77", "\"seed\":-1");
  errorAfter(check, "\"max_workspace_bytes\":99", "\"max_workspace_bytes\":-1");
  errorAfter(check, "\"seed\":77", "\"seed\":1.5");
  errorAfter(check, "\"normal\"", "\"gauss\"");
  errorAfter(check, "\"low\":-5", "\"low\":10"); // above high
  errorAfter(check, "\"deadline_seconds\":12.5", "\"deadline_seconds\":0");
  errorAfter(check, "\"deadline_seconds\":12.5", "\"deadline_seconds\":1e9");
  errorAfter(time, "\"max_samples\":5", "\"max_samples\":3"); // below the least
  errorAfter(time, "\"mode\":\"graph\"", "\"mode\":\"both\"");
  errorAfter(time, "\"bytes_per_second\":4", "\"bytes_per_second\":-4");
}

TEST(Requests, NameEachBlobOnce) {
  RequestKind check = RequestKind::Check;
  EXPECT_NE(errorAfter(check, "\"golden\":1", "\"golden\":0")
                .message.find("second time"),
            std::string::npos);
  errorAfter(check, "\"golden\":1", "\"golden\":7");
  errorAfter(check, "\"golden\":1", "\"golden\":-1");
  EXPECT_NE(errorAfter(check, "\"golden\":1", "\"golden\":null")
                .message.find("needs a golden"),
            std::string::npos);
  Frame frame = encodeRequest(fullRequest(check), makeNonce());
  frame.blobs.push_back("nobody's");
  Result<Request> read = decodeRequest(frame);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("no field names blob 3"),
            std::string::npos);
  frame.blobs.clear();
  EXPECT_FALSE(decodeRequest(frame));
}

TEST(Requests, WholeGateNeedsFourDistributions) {
  Request r = fullRequest(RequestKind::Check);
  r.distributions = {Distribution::Normal, Distribution::Uniform,
                     Distribution::Zeros, Distribution::Equal};
  EXPECT_FALSE(decodeRequest(encodeRequest(r, makeNonce())));
  r.distributions = {Distribution::Normal, Distribution::Uniform,
                     Distribution::Wide, Distribution::Wide};
  EXPECT_FALSE(decodeRequest(encodeRequest(r, makeNonce())));
  r.gate = GateLevel::Pool;
  EXPECT_TRUE(decodeRequest(encodeRequest(r, makeNonce())));
  r.distributions.clear();
  EXPECT_FALSE(decodeRequest(encodeRequest(r, makeNonce())));
}

TEST(Requests, HostileHeadersAreErrors) {
  for (const char *header :
       {"", "null", "[]", "{}", "{\"protocol\":1}", "{\"protocol\":1,", "\xff",
        "{\"protocol\":1,\"kind\":1}", "{\"protocol\":1,\"kind\":\"info\"}"}) {
    Frame frame;
    frame.header = header;
    Result<Request> read = decodeRequest(frame);
    EXPECT_FALSE(read) << header;
  }
  Frame frame;
  frame.header = std::string(100000, '[');
  EXPECT_FALSE(decodeRequest(frame));
}

TEST(Answers, SurviveTheRoundTrip) {
  Nonce nonce = makeNonce();
  InfoAnswer info = {"Device", 90, 13000, 100, 50, 25, 132};
  Result<InfoAnswer> gotInfo = decodeInfo(encodeAnswer(info, nonce));
  ASSERT_TRUE(gotInfo) << gotInfo.error().str();
  EXPECT_EQ(gotInfo->name, "Device");
  EXPECT_EQ(gotInfo->multiprocessors, 132u);

  CheckAnswer check;
  SetReport set;
  set.distribution = Distribution::Wide;
  ResultReport result;
  result.error = 1e-7;
  result.limit = 2.5e-7;
  result.referenceError = 3e-8;
  result.maxUlp = std::numeric_limits<double>::infinity();
  set.results = {result};
  check.sets = {set};
  check.mutants = {{"zeros", true}, {"tf32", false}};
  check.notes = {"a note"};
  check.workspaceBytes = 64;
  Result<CheckAnswer> gotCheck = decodeCheck(encodeAnswer(check, nonce));
  ASSERT_TRUE(gotCheck) << gotCheck.error().str();
  EXPECT_EQ(gotCheck->sets[0].distribution, Distribution::Wide);
  EXPECT_EQ(gotCheck->sets[0].results[0].error, 1e-7);
  EXPECT_EQ(gotCheck->sets[0].results[0].maxUlp, result.maxUlp);
  EXPECT_EQ(*gotCheck->sets[0].results[0].referenceError, 3e-8);
  EXPECT_FALSE(gotCheck->mutants[1].killed);

  TimeAnswer time;
  time.samples = {3, 1, 2};
  time.ms = 2;
  time.floorMs = 0.5;
  time.gated = true;
  time.clocks = ClockReport{1500, 1980, 4};
  Result<TimeAnswer> gotTime = decodeTime(encodeAnswer(time, nonce));
  ASSERT_TRUE(gotTime) << gotTime.error().str();
  EXPECT_EQ(gotTime->samples, time.samples);
  EXPECT_EQ(*gotTime->floorMs, 0.5);
  ASSERT_TRUE(gotTime->clocks);
  EXPECT_EQ(gotTime->clocks->mostMhz, 1980u);
  EXPECT_EQ(gotTime->clocks->reasons, 4u);

  RunAnswer run;
  run.outputs = {{"f32", {2, 3}, "abc"}, {"i1", {}, "d"}};
  Result<RunAnswer> gotRun = decodeRun(encodeAnswer(run, nonce));
  ASSERT_TRUE(gotRun) << gotRun.error().str();
  EXPECT_EQ(gotRun->outputs[0].bytes, "abc");
  EXPECT_EQ(gotRun->outputs[0].shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_TRUE(decodeDone(encodeDone(nonce)));
}

TEST(Answers, CarryEveryKindOfError) {
  for (ErrorKind kind : allErrorKinds()) {
    Error error(kind, "a sentence with \"quotes\" and 12 numbers");
    Frame frame = encodeAnswer(error, makeNonce());
    EXPECT_EQ(decodeCheck(frame).error(), error);
    EXPECT_EQ(decodeDone(frame).error(), error);
  }
}

TEST(Answers, ThatCannotBeReadMeanThatTheWorkerDied) {
  for (const char *header :
       {"", "{}", "{\"protocol\":1}", "{\"protocol\":1,\"ok\":{},\"x\":1}",
        "{\"protocol\":2,\"ok\":{}}", "{\"protocol\":1,\"ok\":{\"x\":1}}",
        "{\"protocol\":1,\"error\":{\"kind\":\"odd\",\"message\":\"\"}}"}) {
    Frame frame;
    frame.header = header;
    Status read = decodeDone(frame);
    ASSERT_FALSE(read) << header;
    EXPECT_EQ(read.error().kind, ErrorKind::WorkerDied) << header;
  }
}

TEST(Distributions, HaveNames) {
  EXPECT_EQ(allDistributions().size(), 8u);
  for (Distribution d : allDistributions())
    EXPECT_EQ(distributionFromString(toString(d)), d);
  EXPECT_FALSE(distributionFromString(""));
  EXPECT_TRUE(enoughForWholeGate(wholeDistributions()));
  EXPECT_FALSE(enoughForWholeGate(poolDistributions()));
}

} // namespace
