//===- WorkerGateTest.cpp - the worker's gate on the fake driver --*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerFixture.h"

#include <map>

using namespace egg;
using namespace egg::eval;
using namespace egg::eval::test;

namespace {

GateLevel pool = GateLevel::Pool, whole = GateLevel::Whole;

TEST(WorkerGate, GoodCandidatesPass) {
  Worker worker;
  for (GateLevel gate : {pool, whole}) {
    for (auto [candidate, golden] :
         {std::make_pair(copyOf("fake_copy"), copyGolden()),
          std::make_pair(gaussOf("gauss"), gaussOf("gauss_golden")),
          std::make_pair(rowSumOf("rowsum"), rowSumOf("rowsum_golden", true)),
          std::make_pair(pairOf("pair"), pairOf("pair_golden")),
          std::make_pair(incrementOf("increment"), incrementOf("increment"))}) {
      Request request = checkOf(candidate, golden, gate);
      for (bool reference : {false, true}) {
        if (reference)
          request.reference = request.candidate;
        Result<CheckAnswer> answer = worker.check(request);
        ASSERT_TRUE(answer) << candidate.symbol << ": " << answer.error().str();
        size_t sets = request.distributions.size();
        if (gate == whole && candidate.inputs == 2)
          ++sets; // one buffer for both
        EXPECT_EQ(answer->sets.size(), sets);
        for (const SetReport &set : answer->sets) {
          ASSERT_EQ(set.results.size(), 1u);
          EXPECT_TRUE(set.evidence);
          EXPECT_LE(set.results[0].error, set.results[0].limit);
          EXPECT_EQ(set.results[0].referenceError.has_value(), reference);
        }
      }
    }
  }
  EXPECT_TRUE(worker.finish().success());
}

TEST(WorkerGate, WrongAnswersAreRefused) {
  Worker worker;
  for (GateLevel gate : {pool, whole})
    for (auto [candidate, golden] :
         {std::make_pair(copyOf("fake_wrong"), copyGolden()),
          std::make_pair(gaussOf("gauss_tf32"), gaussOf("gauss_golden")),
          std::make_pair(rowSumOf("rowsum_short"),
                         rowSumOf("rowsum_golden", true)),
          std::make_pair(rowSumOf("rowsum_tf32"),
                         rowSumOf("rowsum_golden", true))}) {
      Error error = worker.errorOf(checkOf(candidate, golden, gate));
      EXPECT_EQ(error.kind, ErrorKind::WrongResult)
          << candidate.symbol << ": " << error.str();
      EXPECT_NE(error.message.find("result 0 on normal inputs (seed 1)"),
                std::string::npos)
          << error.message;
    }
  // An integer that saturates shows on inputs of every value only.
  Program saturating = incrementOf("increment_saturating");
  EXPECT_TRUE(worker.check(checkOf(saturating, incrementOf("increment"))));
  Error error =
      worker.errorOf(checkOf(saturating, incrementOf("increment"), whole));
  EXPECT_EQ(error.kind, ErrorKind::WrongResult);
  EXPECT_NE(error.message.find("on wide inputs"), std::string::npos);
  EXPECT_TRUE(worker.finish().success()); // a wrong answer does not end it
}

TEST(WorkerGate, EachResultIsJudged) {
  Worker worker;
  Request request = checkOf(twinOf("twin"), twinOf("twin_golden"), whole);
  request.mutants = true;
  Result<CheckAnswer> answer = worker.check(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_EQ(answer->sets[0].results.size(), 2u);
  for (const MutantReport &mutant : answer->mutants)
    EXPECT_TRUE(mutant.killed) << mutant.name;
  Error error =
      worker.errorOf(checkOf(twinOf("twin_wrong"), twinOf("twin_golden")));
  EXPECT_EQ(error.kind, ErrorKind::WrongResult);
  EXPECT_NE(error.message.find("result 1"), std::string::npos) << error.message;
  Request timed = timeOf(twinOf("twin"), twinOf("twin_golden"));
  timed.replays = 5;
  EXPECT_TRUE(worker.time(timed));
}

TEST(WorkerGate, SmallFloatsAreJudgedByTheirOwnSpacing) {
  Worker worker;
  for (auto [name, type] : {std::make_pair("f16", ElementType::F16),
                            std::make_pair("bf16", ElementType::BF16)}) {
    std::string base = std::string("square_") + name;
    Program golden = squareOf(base + "_golden", type);
    Request request = checkOf(squareOf(base, type), golden, whole);
    request.mutants = true;
    Result<CheckAnswer> answer = worker.check(request);
    ASSERT_TRUE(answer) << name << ": " << answer.error().str();
    EXPECT_LE(answer->sets[0].results[0].maxUlp, 0.5);
    // TF32 holds every value of these types: no such mutant.
    for (const MutantReport &mutant : answer->mutants) {
      EXPECT_TRUE(mutant.killed) << mutant.name;
      EXPECT_NE(mutant.name, "tf32");
    }
    EXPECT_EQ(
        worker.errorOf(checkOf(squareOf(base + "_coarse", type), golden)).kind,
        ErrorKind::WrongResult);
  }
}

TEST(WorkerGate, FlushedSubnormalsAreWrong) {
  Worker worker;
  Request request = checkOf(gaussOf("gauss_flush"), gaussOf("gauss_golden"));
  EXPECT_TRUE(worker.check(request));
  // x of about 9 to 10 give subnormal results; "wide" has some of them.
  request.distributions = {Distribution::Wide};
  Program candidate = gaussOf("gauss_flush"), golden = gaussOf("gauss_golden");
  candidate.inShape = candidate.outShape = golden.inShape =
      golden.outShape = {4096};
  candidate.extents = golden.extents = {4096};
  request = checkOf(candidate, golden);
  request.distributions = {Distribution::Wide};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::WrongResult);
}

TEST(WorkerGate, MemoryFaultsHaveTheirKinds) {
  struct Case {
    const char *symbol;
    GateLevel gate;
    ErrorKind kind;
    const char *text;
  };
  for (const Case &c : {
           Case{"fake_overrun", pool, ErrorKind::OutOfBoundsWrite,
                "0 bytes behind the end of result 0, which has 512 bytes"},
           Case{"copy_underrun", pool, ErrorKind::OutOfBoundsWrite,
                "12 bytes before result 0"},
           Case{"fake_modify_input", pool, ErrorKind::InputModified,
                "argument 0"},
           Case{"fake_write_nothing", pool, ErrorKind::NotWritten,
                "128 of 128 elements, the first at 0"},
           Case{"fake_skip_last", pool, ErrorKind::NotWritten,
                "1 of 128 elements, the first at 127"},
           Case{"fake_skip_last", whole, ErrorKind::NotWritten, "127"},
           Case{"fake_illegal", pool, ErrorKind::IllegalAccess, ""},
           Case{"fake_fail", pool, ErrorKind::Launch, ""},
       }) {
    Worker worker;
    Error error =
        worker.errorOf(checkOf(copyOf(c.symbol), copyGolden(), c.gate));
    EXPECT_EQ(error.kind, c.kind) << c.symbol << ": " << error.str();
    EXPECT_NE(error.message.find(c.text), std::string::npos)
        << c.symbol << ": " << error.str();
    bool ends =
        c.kind == ErrorKind::IllegalAccess || c.kind == ErrorKind::Launch;
    ProcessEnd end = worker.finish();
    EXPECT_EQ(end.code, ends ? 2 : 0) << c.symbol << " " << end.describe();
  }
}

TEST(WorkerGate, ReadingPastTheEndFaultsInTheWholeGate) {
  Program candidate = copyOf("copy_read_past");
  Program golden = copyGolden();
  // 1024 floats end on a page.
  candidate.inShape = candidate.outShape = golden.inShape =
      golden.outShape = {1024};
  candidate.extents = golden.extents = {1024};
  Worker worker;
  EXPECT_TRUE(worker.check(checkOf(candidate, golden, pool)));
  Error error = worker.errorOf(checkOf(candidate, golden, whole));
  EXPECT_EQ(error.kind, ErrorKind::IllegalAccess) << error.str();
  // Without virtual memory the check says what it could not do.
  Worker poor(Environment{{"EGG_FAKE_FAIL", "no-vmm"}});
  Result<CheckAnswer> answer = poor.check(checkOf(candidate, golden, whole));
  ASSERT_TRUE(answer) << answer.error().str();
  ASSERT_EQ(answer->notes.size(), 1u);
  EXPECT_NE(answer->notes[0].find("virtual memory"), std::string::npos);
}

TEST(WorkerGate, WorkspaceThatIsReadBeforeItIsWrittenShows) {
  Program candidate = copyOf("copy_reads_workspace");
  candidate.workspaceBytes = 64;
  Worker worker;
  Request request = checkOf(candidate, copyGolden(), pool);
  Result<CheckAnswer> answer = worker.check(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_EQ(answer->workspaceBytes, 64u);
  request.maxWorkspaceBytes = 64;
  EXPECT_TRUE(worker.check(request));
  request.maxWorkspaceBytes = 63;
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Limit);
  EXPECT_EQ(worker.errorOf(checkOf(candidate, copyGolden(), whole)).kind,
            ErrorKind::Nondeterministic);
}

TEST(WorkerGate, RunsMustAgreeUnlessDeclaredOtherwise) {
  Worker worker;
  Request request = checkOf(rowSumOf("rowsum_wobble"),
                            rowSumOf("rowsum_golden", true), whole);
  Error error = worker.errorOf(request);
  EXPECT_EQ(error.kind, ErrorKind::Nondeterministic) << error.str();
  request.deterministic = false;
  EXPECT_TRUE(worker.check(request));
}

TEST(WorkerGate, TwoArgumentsMayBeOneBuffer) {
  Worker worker;
  Request request = checkOf(pairOf("pair_restrict"), pairOf("pair_golden"));
  EXPECT_TRUE(worker.check(request));
  request = checkOf(pairOf("pair_restrict"), pairOf("pair_golden"), whole);
  Error error = worker.errorOf(request);
  EXPECT_EQ(error.kind, ErrorKind::WrongResult);
  EXPECT_NE(error.message.find("arguments 0 and 1 in one buffer"),
            std::string::npos)
      << error.message;
}

TEST(WorkerGate, ArgumentsAreUpdatedInPlaceOnlyWhereThePayloadDoes) {
  Program bump = gaussOf("bump"), golden = gaussOf("bump_golden");
  bump.inPlace = true;
  golden.out = ElementType::F64;
  Worker worker;
  for (GateLevel gate : {pool, whole}) {
    Request request = checkOf(bump, golden, gate);
    request.reference = request.candidate;
    Result<CheckAnswer> answer = worker.check(request);
    EXPECT_TRUE(answer) << answer.error().str();
  }
  Program separate = gaussOf("gauss");
  Request request = checkOf(bump, golden);
  request.reference = artifactOf(separate);
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::InputModified);
}

TEST(WorkerGate, GoldensThatAreNotFiniteAreNoEvidence) {
  Worker worker;
  Error error = worker.errorOf(
      checkOf(rowSumOf("rowsum"), rowSumOf("rowsum_nan_golden", true)));
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_NE(error.message.find("normal, uniform"), std::string::npos);
  // One set without evidence beside one with it.
  Request request =
      checkOf(rowSumOf("rowsum"), rowSumOf("rowsum_golden", true));
  Program wide = rowSumOf("rowsum"), golden = rowSumOf("rowsum_golden", true);
  wide.inShape = golden.inShape = {8, 65536};
  wide.extents = golden.extents = {8, 65536};
  request = checkOf(wide, golden);
  request.distributions = {Distribution::Normal, Distribution::Special};
  Result<CheckAnswer> answer = worker.check(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_TRUE(answer->sets[0].evidence);
  EXPECT_FALSE(answer->sets[1].evidence);
}

TEST(WorkerGate, TheWholeGateNeedsDenseEvidence) {
  // Finite only where all elements are equal.
  Program candidate = rowSumOf("rowsum_of_equal");
  Program golden = rowSumOf("rowsum_of_equal_golden", true);
  Worker worker;
  Request request = checkOf(candidate, golden);
  request.distributions = {Distribution::Normal, Distribution::Equal};
  EXPECT_TRUE(worker.check(request));
  request = checkOf(candidate, golden, whole);
  request.distributions = {Distribution::Normal, Distribution::Uniform,
                           Distribution::Wide, Distribution::Equal};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Unsupported);
}

TEST(WorkerGate, EveryMutantIsKilled) {
  Worker worker;
  struct Case {
    Program candidate, golden;
    std::vector<std::string> mutants;
  };
  for (const Case &c : {Case{copyOf("fake_copy"),
                             copyGolden(),
                             {"zeros", "mean", "shift", "last-tile", "tf32"}},
                        Case{gaussOf("gauss"),
                             gaussOf("gauss_golden"),
                             {"zeros", "mean", "shift", "last-tile", "tf32"}},
                        Case{rowSumOf("rowsum"),
                             rowSumOf("rowsum_golden", true),
                             {"zeros", "mean", "shift", "last-tile", "tf32"}},
                        Case{incrementOf("increment"),
                             incrementOf("increment"),
                             {"zeros", "shift"}}}) {
    Request request = checkOf(c.candidate, c.golden, whole);
    request.reference = request.candidate;
    request.mutants = true;
    Result<CheckAnswer> answer = worker.check(request);
    ASSERT_TRUE(answer) << answer.error().str();
    std::vector<std::string> names;
    for (const MutantReport &mutant : answer->mutants) {
      names.push_back(mutant.name);
      EXPECT_TRUE(mutant.killed) << c.candidate.symbol << " " << mutant.name;
    }
    EXPECT_EQ(names, c.mutants) << c.candidate.symbol;
  }
  // A tile as the request names it, and one that does not exist.
  Request request =
      checkOf(rowSumOf("rowsum"), rowSumOf("rowsum_golden", true));
  request.mutants = true;
  request.lastTile = LastTile{0, 0, 2}; // the last two rows
  Result<CheckAnswer> answer = worker.check(request);
  ASSERT_TRUE(answer) << answer.error().str();
  EXPECT_TRUE(answer->mutants[3].killed);
  request.lastTile = LastTile{0, 1, 17};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
  request.lastTile = LastTile{1, 0, 1};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
}

TEST(WorkerGate, AMutantThatIsRightSurvivesAndIsReported) {
  // Outputs that are all zero: an answer of zeros is right.
  Program candidate = rowSumOf("rowsum"),
          golden = rowSumOf("rowsum_golden", true);
  candidate.extents = golden.extents = {8, 0};
  candidate.inShape = golden.inShape = {8, 0};
  Worker worker;
  Request request = checkOf(candidate, golden);
  request.mutants = true;
  Result<CheckAnswer> answer = worker.check(request);
  ASSERT_TRUE(answer) << answer.error().str();
  ASSERT_FALSE(answer->mutants.empty());
  EXPECT_EQ(answer->mutants[0].name, "zeros");
  EXPECT_FALSE(answer->mutants[0].killed);
}

TEST(WorkerGate, EmptyAndSingleElementsWork) {
  Worker worker;
  for (int64_t n : {0, 1}) {
    Program candidate = copyOf("fake_copy"), golden = copyGolden();
    candidate.inShape = candidate.outShape = golden.inShape =
        golden.outShape = {n};
    candidate.extents = golden.extents = {n};
    for (GateLevel gate : {pool, whole}) {
      Request request = checkOf(candidate, golden, gate);
      request.mutants = true;
      Result<CheckAnswer> answer = worker.check(request);
      EXPECT_TRUE(answer) << n << ": " << answer.error().str();
    }
  }
}

TEST(WorkerGate, PlansMustFitTogether) {
  Worker worker;
  Program other = copyGolden();
  other.inShape = {4, 32};
  EXPECT_EQ(worker.errorOf(checkOf(copyOf("fake_copy"), other)).kind,
            ErrorKind::Verify);
  // The golden of a float result is f64.
  Error error =
      worker.errorOf(checkOf(copyOf("fake_copy"), copyOf("fake_copy")));
  EXPECT_EQ(error.kind, ErrorKind::Verify);
  EXPECT_NE(error.message.find("8x16xf64"), std::string::npos);
  Request request = checkOf(incrementOf("increment"), incrementOf("increment"));
  request.integers = {{0, 0, 5}};
  EXPECT_TRUE(worker.check(request));
  request.integers = {{1, 0, 5}};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
  request.integers = {{0, 0, int64_t(1) << 40}};
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
  request = checkOf(copyOf("fake_copy"), copyGolden());
  request.integers = {{0, 0, 5}}; // of a float
  EXPECT_EQ(worker.errorOf(request).kind, ErrorKind::Verify);
}

} // namespace
