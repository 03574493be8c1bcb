//===- WorkerTest.cpp - the worker as a process, on the fake driver --*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerFixture.h"

#include <cstring>

using namespace egg;
using namespace egg::eval;
using namespace egg::eval::test;

namespace {

TEST(Worker, TellsWhatDeviceItHas) {
  Worker worker;
  Request request;
  Result<Frame> frame = worker.ask(request);
  ASSERT_TRUE(frame) << frame.error().str();
  Result<InfoAnswer> info = decodeInfo(*frame);
  ASSERT_TRUE(info) << info.error().str();
  EXPECT_EQ(info->name, "Fake GPU");
  EXPECT_EQ(info->computeCapability, 90u);
  EXPECT_EQ(info->multiprocessors, 132u);
  EXPECT_GT(info->l2Bytes, 0u);
  EXPECT_TRUE(worker.finish().success());
}

TEST(Worker, DeviceErrorsHaveTheirKinds) {
  struct Case {
    Environment environment;
    ErrorKind kind;
  };
  for (const Case &c :
       {Case{{{"EGG_FAKE_FAIL", "no-device"}}, ErrorKind::NoDevice},
        Case{{{"EGG_CUDA_DRIVER", "/nonexistent/libcuda.so.1"}},
             ErrorKind::NoDevice},
        Case{{{"EGG_FAKE_FAIL", "busy"}}, ErrorKind::DeviceBusy},
        Case{{{"EGG_FAKE_FAIL", "mps"}}, ErrorKind::Mps},
        Case{{{"EGG_FAKE_FAIL", "old-arch"}}, ErrorKind::WrongArch},
        Case{{{"EGG_FAKE_FAIL", "old-driver"}}, ErrorKind::WrongArch},
        Case{{{"EGG_FAKE_MEMORY", "1000"}}, ErrorKind::OutOfMemory},
        Case{{{"EGG_FAKE_LOST_AFTER", "10"}}, ErrorKind::DeviceLost}}) {
    Worker worker(c.environment);
    Error error = worker.errorOf(checkOf(copyOf("fake_copy"), copyGolden()));
    EXPECT_EQ(error.kind, c.kind)
        << c.environment[0].second << ": " << error.str();
    EXPECT_EQ(worker.finish().code, c.kind == ErrorKind::DeviceLost ? 2 : 0);
  }
  Worker worker;
  Request request;
  request.device = 1;
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::NoDevice);
  request.device = 0;
  EXPECT_TRUE(worker.ask(request));
}

TEST(Worker, BadArtifactsHaveTheirKinds) {
  Worker worker;
  Program other = copyOf("fake_copy");
  other.chip = "sm_100";
  EXPECT_EQ(worker.errorOf(checkOf(other, copyGolden())).kind,
            ErrorKind::WrongArch);
  EXPECT_EQ(worker.errorOf(checkOf(copyOf("nowhere"), copyGolden())).kind,
            ErrorKind::Load);
  Request request = checkOf(copyOf("fake_copy"), copyGolden());
  std::string good = request.candidate;
  for (std::string bad : {std::string(), std::string("EGGARTF1"),
                          good.substr(0, good.size() - 1), good + "x"}) {
    request.candidate = bad;
    EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Parse) << bad.size();
  }
  for (size_t at = 0; at < good.size(); at += 41) {
    request.candidate = good;
    request.candidate[at] ^= 1;
    Result<Frame> frame = worker.ask(request);
    ASSERT_TRUE(frame) << at;
    EXPECT_FALSE(decodeCheck(*frame)) << at;
  }
  request.candidate = good;
  request.golden = "damaged";
  EXPECT_NE(worker.errorOf(request).message.find("the golden"),
            std::string::npos);
  // After all this it still works.
  EXPECT_TRUE(worker.check(checkOf(copyOf("fake_copy"), copyGolden())));
}

TEST(Worker, RefusesHostileHeaders) {
  Worker worker;
  auto kindOf = [&worker](const char *header) {
    Frame frame;
    frame.header = header;
    Result<Frame> answer = worker.askRaw(frame);
    EXPECT_TRUE(answer) << answer.error().str();
    return answer ? decodeDone(*answer).error().kind : ErrorKind::Internal;
  };
  for (const char *header : {"", "{", "[]", "{\"protocol\":1}"})
    EXPECT_EQ(kindOf(header), ErrorKind::Parse) << header;
  EXPECT_EQ(kindOf("{\"protocol\":9,\"kind\":\"info\"}"),
            ErrorKind::Unsupported);
  EXPECT_TRUE(worker.finish().success());
}

TEST(Worker, InputThatIsNoFrameEndsIt) {
  ProcessOptions options;
  options.arguments = {EGG_EVAL_WORKER};
  for (std::string input :
       {std::string("hello, this is not a frame at all"),
        std::string("EGGFRAM1") + std::string(40, '\xff')}) {
    RunOptions run;
    run.input = input;
    Result<ProcessResult> result = runProcess(options, run);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(result->end.code, 1) << result->err;
    EXPECT_NE(result->err.find("egg-eval-worker: "), std::string::npos);
    EXPECT_EQ(result->out, "");
  }
  options.arguments.push_back("--what");
  Result<ProcessResult> result = runProcess(options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end.code, 1);
  EXPECT_NE(result->err.find("usage"), std::string::npos);
}

TEST(Worker, AHangingKernelMeetsTheDeadline) {
  Worker worker;
  Request request = checkOf(copyOf("copy_hang"), copyGolden());
  request.deadlineSeconds = 0.4;
  Error error = worker.errorOf(request);
  EXPECT_EQ(error.kind, ErrorKind::Timeout);
  EXPECT_NE(error.message.find("0.4 seconds"), std::string::npos);
  EXPECT_EQ(worker.finish().code, 3);
}

TEST(Worker, TheDeadlineIsOneRequestsOnly) {
  Worker worker;
  Request request;
  request.deadlineSeconds = 0.3;
  EXPECT_TRUE(worker.ask(request));
  struct timespec pause = {0, 500000000};
  nanosleep(&pause, nullptr);
  EXPECT_TRUE(worker.ask(request));
}

TEST(Worker, TheParentsDeadlineIsTheSecond) {
  Worker worker;
  Request request = checkOf(copyOf("copy_hang"), copyGolden());
  request.deadlineSeconds = 50;
  Result<Frame> frame = worker.ask(request, 0.4);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::Timeout);
}

TEST(Worker, ACrashIsAWorkerThatDied) {
  Worker worker;
  Error error = worker.errorOf(checkOf(copyOf("fake_crash"), copyGolden()));
  EXPECT_EQ(error.kind, ErrorKind::WorkerDied) << error.str();
}

TEST(Worker, KeepsGoldensBetweenRequests) {
  Worker worker;
  // The golden fails when it runs a second time in a process.
  Request request =
      checkOf(copyOf("fake_copy"), copyGolden("copy_golden_once"));
  request.distributions = {Distribution::Normal};
  for (int i = 0; i < 3; ++i) {
    Result<CheckAnswer> answer = worker.check(request);
    ASSERT_TRUE(answer) << answer.error().str();
  }
  EXPECT_EQ(worker
                .errorOf(checkOf(copyOf("fake_wrong"),
                                 copyGolden("copy_golden_once")))
                .kind,
            ErrorKind::WrongResult);
  // Another seed is another set.
  request.seed = 2;
  Error error = worker.errorOf(request);
  EXPECT_EQ(error.kind, ErrorKind::Launch);
  EXPECT_NE(error.message.find("the golden"), std::string::npos);
}

TEST(Worker, DamagedInputsAreNotUsedAgain) {
  Worker worker;
  for (const char *bad : {"fake_modify_input", "fake_overrun"}) {
    EXPECT_FALSE(worker.check(checkOf(copyOf(bad), copyGolden())));
    Result<CheckAnswer> answer =
        worker.check(checkOf(copyOf("fake_copy"), copyGolden()));
    EXPECT_TRUE(answer) << bad << ": " << answer.error().str();
  }
  // Overwrites the golden, wherever that lies, and gives a wrong answer.
  Error error = worker.errorOf(
      checkOf(copyOf("copy_over_golden"), copyGolden("copy_golden_known")));
  EXPECT_EQ(error.kind, ErrorKind::OutOfBoundsWrite) << error.str();
  EXPECT_TRUE(worker.check(
      checkOf(copyOf("fake_copy"), copyGolden("copy_golden_known"))));
}

TEST(Worker, GivesOldSetsUpWhenMemoryIsShort) {
  Program candidate = copyOf("fake_copy"), golden = copyGolden();
  candidate.inShape = candidate.outShape = golden.inShape =
      golden.outShape = {1 << 20};
  candidate.extents = golden.extents = {1 << 20};
  // The kernels' own buffers take 12 MB; a set 12 MB, a run 4 MB.
  Worker worker(Environment{{"EGG_FAKE_MEMORY", std::to_string(40 << 20)}});
  Request request = checkOf(candidate, golden);
  request.distributions = {Distribution::Normal, Distribution::Uniform,
                           Distribution::Wide};
  Result<CheckAnswer> answer = worker.check(request);
  EXPECT_TRUE(answer) << answer.error().str();
}

TEST(Worker, TimesAndGatesWhatItTimed) {
  Worker worker(Environment{{"EGG_FAKE_TIMES", "gauss=2.5"}});
  for (TimeMode mode : {TimeMode::Launch, TimeMode::Graph}) {
    Request request = timeOf(gaussOf("gauss"), gaussOf("gauss_golden"));
    request.mode = mode;
    request.replays = 20;
    Result<TimeAnswer> answer = worker.time(request);
    ASSERT_TRUE(answer) << answer.error().str();
    EXPECT_GE(answer->samples.size(), 5u);
    EXPECT_NEAR(answer->ms, 2.5, 0.01);
    EXPECT_TRUE(answer->gated);
    EXPECT_EQ(answer->replays, 20u);
    EXPECT_FALSE(answer->floorMs);
    // Until the samples add up.
    request.minMs = 100;
    answer = worker.time(request);
    ASSERT_TRUE(answer) << answer.error().str();
    EXPECT_GE(answer->samples.size(), 40u);
    request.maxSamples = 7;
    answer = worker.time(request);
    ASSERT_TRUE(answer) << answer.error().str();
    EXPECT_EQ(answer->samples.size(), 7u);
  }
}

TEST(Worker, TimesWithAFlushThatIsNotInTheSample) {
  Worker worker(
      Environment{{"EGG_FAKE_TIMES", "gauss=2.5,egg_eval_flush=100"}});
  Request request = timeOf(gaussOf("gauss"), gaussOf("gauss_golden"));
  request.flush = true;
  Result<TimeAnswer> answer = worker.time(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_NEAR(answer->ms, 2.5, 0.01);
}

TEST(Worker, TellsTheClocksOfATiming) {
  // The time by the wall clock has to pass the pause between two readings.
  Request request = timeOf(copyOf("copy_slow"), copyGolden());
  request.minSamples = 40;
  Worker worker(Environment{{"EGG_NVML", EGG_FAKE_NVML},
                            {"EGG_FAKE_MHZ", "1900,1980,1700"},
                            {"EGG_FAKE_REASONS", "5"}});
  Result<TimeAnswer> answer = worker.time(request);
  ASSERT_TRUE(answer) << answer.error().str();
  ASSERT_TRUE(answer->clocks);
  EXPECT_EQ(answer->clocks->leastMhz, 1700u);
  EXPECT_EQ(answer->clocks->mostMhz, 1980u);
  EXPECT_EQ(answer->clocks->reasons, 4u); // 1 is idle
  // Without NVML, or without a clock in it, there is nothing to tell.
  for (const char *library : {"/nonexistent/nvml.so", EGG_FAKE_NVML}) {
    Worker without(Environment{{"EGG_NVML", library}});
    answer = without.time(request);
    ASSERT_TRUE(answer) << answer.error().str();
    EXPECT_FALSE(answer->clocks);
  }
}

TEST(Worker, GivesNoTimeForAWrongAnswer) {
  Worker worker;
  EXPECT_EQ(
      worker.errorOf(timeOf(gaussOf("gauss_tf32"), gaussOf("gauss_golden")))
          .kind,
      ErrorKind::WrongResult);
  EXPECT_EQ(
      worker.errorOf(timeOf(copyOf("fake_modify_input"), copyGolden())).kind,
      ErrorKind::InputModified);
  EXPECT_EQ(worker.errorOf(timeOf(copyOf("fake_overrun"), copyGolden())).kind,
            ErrorKind::OutOfBoundsWrite);
  EXPECT_EQ(
      worker.errorOf(timeOf(copyOf("fake_write_nothing"), copyGolden())).kind,
      ErrorKind::NotWritten);
  Request wobble =
      timeOf(rowSumOf("rowsum_wobble"), rowSumOf("rowsum_golden", true));
  EXPECT_TRUE(worker.time(wobble));
  wobble.replays = 10;
  EXPECT_EQ(worker.errorOf(wobble).kind, ErrorKind::Nondeterministic);
  wobble.deterministic = false;
  Result<TimeAnswer> answer = worker.time(wobble);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_EQ(answer->replays, 0u);
  // Without a golden nothing is judged, and the answer says so.
  Request blind = timeOf(gaussOf("gauss_tf32"), gaussOf("gauss_golden"));
  blind.golden.clear();
  answer = worker.time(blind);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_FALSE(answer->gated);
}

TEST(Worker, UpdatesInPlaceAreRestoredBetweenSamples) {
  Program bump = gaussOf("bump"), golden = gaussOf("bump_golden");
  bump.inPlace = true;
  golden.out = ElementType::F64;
  Worker worker;
  for (TimeMode mode : {TimeMode::Launch, TimeMode::Graph}) {
    Request request = timeOf(bump, golden);
    request.mode = mode;
    request.replays = 10;
    Result<TimeAnswer> answer = worker.time(request);
    ASSERT_TRUE(answer) << answer.error().str();
    EXPECT_TRUE(answer->gated);
  }
}

TEST(Worker, TimesBelowTheRooflineAreFaults) {
  Worker worker(Environment{{"EGG_FAKE_TIMES", "gauss=1.0"}});
  Program candidate = gaussOf("gauss");
  candidate.flops = 2000000000; // 2 ms at 1e12
  Request request = timeOf(candidate, gaussOf("gauss_golden"));
  request.peak = Peak{1e12, 1e12};
  Error error = worker.errorOf(request);
  EXPECT_EQ(error.kind, ErrorKind::RooflineFault) << error.str();
  request.peak = Peak{4e12, 1e12};
  Result<TimeAnswer> answer = worker.time(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_NEAR(*answer->floorMs, 0.5, 1e-9);
  // 2.1 GB in 1 ms at 1e12 bytes a second, whatever the cache holds.
  candidate.flops = 0;
  candidate.bytes = 2100000000;
  request.candidate = artifactOf(candidate);
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::RooflineFault);
  // What fits into the cache proves nothing.
  candidate.bytes = 100000000;
  request.candidate = artifactOf(candidate);
  request.peak = Peak{1e12, 1e9};
  answer = worker.time(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_EQ(*answer->floorMs, 0);
}

TEST(Worker, RunsOnceForProfilers) {
  Worker worker;
  Request request;
  request.kind = RequestKind::Once;
  request.candidate = artifactOf(gaussOf("gauss"));
  Result<Frame> frame = worker.ask(request);
  ASSERT_TRUE(frame) << frame.error().str();
  EXPECT_TRUE(decodeDone(*frame));
  request.candidate = artifactOf(copyOf("fake_illegal"));
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::IllegalAccess);
}

TEST(Worker, RunsOnGivenInputs) {
  Worker worker;
  Request request;
  request.kind = RequestKind::Run;
  Program candidate = pairOf("pair");
  candidate.inShape = candidate.outShape = {2, 2};
  candidate.extents = {4};
  request.candidate = artifactOf(candidate);
  std::vector<float> a = {1, 2, 3, 4}, b = {10, 20, 30, 40}, out(4);
  request.inputs = {std::string(reinterpret_cast<char *>(a.data()), 16),
                    std::string(reinterpret_cast<char *>(b.data()), 16)};
  Result<Frame> frame = worker.ask(request);
  ASSERT_TRUE(frame) << frame.error().str();
  Result<RunAnswer> answer = decodeRun(*frame);
  ASSERT_TRUE(answer) << answer.error().str();
  ASSERT_EQ(answer->outputs.size(), 1u);
  EXPECT_EQ(answer->outputs[0].type, "f32");
  EXPECT_EQ(answer->outputs[0].shape, (std::vector<uint64_t>{2, 2}));
  ASSERT_EQ(answer->outputs[0].bytes.size(), 16u);
  std::memcpy(out.data(), answer->outputs[0].bytes.data(), 16);
  EXPECT_EQ(out, (std::vector<float>{-9, -18, -27, -36}));

  request.inputs.pop_back();
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
  request.inputs.push_back("short");
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
  Program big = copyOf("fake_copy");
  big.outShape = {int64_t(maxRunBytes)};
  request.candidate = artifactOf(big);
  request.inputs = {std::string(512, '\0')};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Limit);
}

} // namespace
