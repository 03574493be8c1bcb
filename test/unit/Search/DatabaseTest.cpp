//===- DatabaseTest.cpp - what was measured, kept ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Database.h"

#include "egg/Support/File.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace egg;
using Access = Database::Access;

namespace {
class DatabaseTest : public testing::Test {
protected:
  DatabaseTest() : folder(TempDir::create("egg-database").take()) {}

  std::string file(const std::string &name = "egg.db") const {
    return folder.path() + "/" + name;
  }
  std::unique_ptr<Database> open(const std::string &name = "egg.db",
                                 Access access = Access::ReadWrite) {
    Result<std::unique_ptr<Database>> database =
        Database::open(file(name), access);
    EXPECT_TRUE(database.ok()) << database.error().message;
    return database ? database.take() : nullptr;
  }
  Error refusal(const std::string &name = "egg.db",
                Access access = Access::ReadWrite) {
    Result<std::unique_ptr<Database>> database =
        Database::open(file(name), access);
    EXPECT_FALSE(database.ok());
    return database ? Error() : database.error();
  }
  /// Runs SQL in the file, as another program would.
  void meddle(const std::string &sql) {
    sqlite3 *handle = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  TempDir folder;
};
} // namespace

/// A workload, two candidates and two measurements.
static void fill(Database &database) {
  WorkloadRow workload{"module {}", "strict", "gelu"};
  std::string key = database.addWorkload(workload).take();
  CandidateRow plain;
  plain.workload = key;
  plain.phase = "plain";
  plain.source = "expert";
  int64_t first = database.addCandidate(plain).take();
  CandidateRow tiled = plain;
  tiled.recipe = "module @r {}";
  tiled.knobs = R"({"tile":64})";
  tiled.parent = first;
  tiled.phase = "tiling";
  tiled.tokensIn = 10;
  tiled.tokensOut = 20;
  int64_t second = database.addCandidate(tiled).take();

  MeasurementRow good;
  good.candidate = first;
  good.device = "H200";
  good.driver = "13000";
  good.artifactHash = "aa";
  good.mode = "launch";
  good.correct = true;
  good.errors = R"({"normal":1e-7})";
  good.samples = {1.5, 0.1, 1e-300};
  good.medianMs = 0.1;
  good.seconds = 2.5;
  EXPECT_TRUE(database.addMeasurement(good).ok());
  MeasurementRow bad;
  bad.candidate = second;
  bad.device = "H200";
  bad.driver = "13000";
  bad.artifactHash = "bb";
  bad.error = Error(ErrorKind::WrongResult, "off by \"one\"\n");
  EXPECT_TRUE(database.addMeasurement(bad).ok());
  RunRow run;
  run.workload = key;
  run.state = R"({"step":3})";
  EXPECT_TRUE(database.saveRun(run).ok());
}

static std::string exported(Database &database) {
  std::string lines;
  Status done = database.exportLines([&](std::string_view line) {
    lines.append(line);
    lines += '\n';
    return Status();
  });
  EXPECT_TRUE(done.ok()) << done.error().message;
  return lines;
}

TEST_F(DatabaseTest, KeepsRows) {
  fill(*open());
  // Closed and opened again, as after a killed run.
  std::unique_ptr<Database> database = open("egg.db", Access::ReadOnly);
  std::vector<WorkloadRow> workloads = database->workloads().take();
  ASSERT_EQ(workloads.size(), 1u);
  std::string key = workloads[0].key();
  EXPECT_EQ(database->workload(key).take()->name, "gelu");
  EXPECT_FALSE(database->workload("nope").take());

  std::vector<CandidateRow> candidates = database->candidates(key).take();
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[1].parent, candidates[0].id);
  EXPECT_EQ(candidates[1].knobs, R"({"tile":64})");
  EXPECT_EQ(candidates[1].tokensOut, 20);

  MeasurementRow good = database->measurements(candidates[0].id).take().front();
  EXPECT_EQ(good.correct, true);
  EXPECT_EQ(good.samples, (std::vector<double>{1.5, 0.1, 1e-300}));
  EXPECT_EQ(good.medianMs, 0.1);
  EXPECT_FALSE(good.error);
  MeasurementRow bad = database->measurements(candidates[1].id).take().front();
  ASSERT_TRUE(bad.error);
  EXPECT_EQ(*bad.error, Error(ErrorKind::WrongResult, "off by \"one\"\n"));
  EXPECT_FALSE(bad.correct);
  EXPECT_FALSE(bad.medianMs);

  EXPECT_TRUE(
      database->findMeasurement("aa", "H200", "13000", "search").take());
  EXPECT_FALSE(
      database->findMeasurement("aa", "H100", "13000", "search").take());
  EXPECT_FALSE(
      database->findMeasurement("aa", "H200", "13000", "report").take());
}

TEST_F(DatabaseTest, KeepsEqualRowsOnce) {
  std::unique_ptr<Database> database = open();
  fill(*database);
  std::string key = database->workloads().take()[0].key();
  EXPECT_EQ(database->addWorkload({"module {}", "strict", "other"}).take(),
            key);
  EXPECT_EQ(database->workloads().take().size(), 1u);
  // Another policy is another workload.
  EXPECT_NE(database->addWorkload({"module {}", "tf32", "gelu"}).take(), key);
  CandidateRow again;
  again.workload = key;
  EXPECT_EQ(database->addCandidate(again).take(),
            database->candidates(key).take()[0].id);
}

TEST_F(DatabaseTest, ResumesARun) {
  std::unique_ptr<Database> database = open();
  fill(*database);
  std::string key = database->workloads().take()[0].key();
  std::optional<RunRow> run = database->unfinishedRun(key).take();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, R"({"step":3})");
  run->state = R"({"step":4})";
  EXPECT_EQ(database->saveRun(*run).take(), run->id);
  EXPECT_EQ(database->unfinishedRun(key).take()->state, R"({"step":4})");
  run->finished = true;
  EXPECT_TRUE(database->saveRun(*run).ok());
  EXPECT_FALSE(database->unfinishedRun(key).take());
  run->id = 99;
  EXPECT_FALSE(database->saveRun(*run).ok());
}

TEST_F(DatabaseTest, RefusesRowsOfNothing) {
  std::unique_ptr<Database> database = open();
  CandidateRow orphan;
  orphan.workload = "nope";
  EXPECT_FALSE(database->addCandidate(orphan).ok());
  MeasurementRow measurement;
  measurement.candidate = 7;
  EXPECT_FALSE(database->addMeasurement(measurement).ok());
}

TEST_F(DatabaseTest, ExportsAndImports) {
  std::unique_ptr<Database> database = open();
  fill(*database);
  std::string lines = exported(*database);
  std::unique_ptr<Database> other = open("other.db");
  Status imported = other->importLines(lines);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(exported(*other), lines);
  // A second time changes nothing.
  EXPECT_TRUE(other->importLines(lines).ok());
  EXPECT_EQ(exported(*other), lines);
}

TEST_F(DatabaseTest, ImportsAllOrNothing) {
  std::unique_ptr<Database> database = open();
  fill(*database);
  std::string lines = exported(*database);
  std::unique_ptr<Database> other = open("other.db");
  auto refused = [&](const std::string &text) {
    Status imported = other->importLines(text);
    EXPECT_FALSE(imported.ok());
    EXPECT_TRUE(other->workloads().take().empty());
    return imported ? Error() : imported.error();
  };
  EXPECT_EQ(refused(lines + "{").message.substr(0, 7), "line 7:");
  EXPECT_NE(refused(lines + R"({"format":1,"table":"x"})").message.find("'x'"),
            std::string::npos);
  std::string newer = lines;
  newer.replace(newer.find("\"format\":1"), 10, "\"format\":2");
  EXPECT_EQ(refused(newer).kind, ErrorKind::Unsupported);
  // A payload that is not the one that was hashed.
  std::string forged = lines;
  forged.replace(forged.find("module {}"), 9, "module{ }");
  EXPECT_NE(refused(forged).message.find("'key' is not the hash"),
            std::string::npos);
  // A measurement whose candidate was left out.
  std::string cut = lines.substr(0, lines.find('\n') + 1) +
                    lines.substr(lines.find("{\"format\":1,\"table\":\"meas"));
  EXPECT_NE(refused(cut).message.find("no earlier line holds the candidate"),
            std::string::npos);
}

TEST_F(DatabaseTest, HasOneWriter) {
  std::unique_ptr<Database> database = open();
  Error error = refusal();
  EXPECT_NE(error.message.find("is being written by another process"),
            std::string::npos);
  // Readers are welcome meanwhile, and so is the next writer afterwards.
  EXPECT_TRUE(open("egg.db", Access::ReadOnly));
  database.reset();
  EXPECT_TRUE(open());
}

TEST_F(DatabaseTest, RefusesANewerFormat) {
  open();
  meddle("PRAGMA user_version = 2");
  EXPECT_EQ(refusal().kind, ErrorKind::Unsupported);
  EXPECT_EQ(refusal("egg.db", Access::ReadOnly).kind, ErrorKind::Unsupported);
}

TEST_F(DatabaseTest, RefusesOtherFiles) {
  std::ofstream(file("text")) << std::string(5000, 'x');
  EXPECT_EQ(refusal("text").kind, ErrorKind::Parse);
  meddle("CREATE TABLE t (a)");
  EXPECT_EQ(refusal().kind, ErrorKind::Parse);
  EXPECT_EQ(refusal("none", Access::ReadOnly).kind, ErrorKind::Internal);
  EXPECT_EQ(refusal("no/such/folder").kind, ErrorKind::Internal);
  // Opening has not made it.
  EXPECT_NE(access(file("none").c_str(), F_OK), 0);
}

TEST_F(DatabaseTest, RefusesLinks) {
  open("real.db");
  ASSERT_EQ(symlink(file("real.db").c_str(), file("link.db").c_str()), 0);
  EXPECT_EQ(refusal("link.db").kind, ErrorKind::Internal);
}

TEST_F(DatabaseTest, RunsNoTriggersOfOthers) {
  fill(*open());
  meddle("CREATE TRIGGER t AFTER INSERT ON workloads BEGIN "
         "DELETE FROM measurements; END");
  std::unique_ptr<Database> database = open();
  EXPECT_TRUE(database->addWorkload({"module @b {}", "strict", "b"}).ok());
  std::string key = database->workloads().take()[0].key();
  int64_t first = database->candidates(key).take()[0].id;
  EXPECT_EQ(database->measurements(first).take().size(), 1u);
}

TEST_F(DatabaseTest, RefusesDamagedRows) {
  fill(*open());
  meddle("UPDATE measurements SET samples = x'0102'");
  std::unique_ptr<Database> database = open();
  std::string key = database->workloads().take()[0].key();
  int64_t first = database->candidates(key).take()[0].id;
  Result<std::vector<MeasurementRow>> rows = database->measurements(first);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::Parse);
}

TEST_F(DatabaseTest, SaysWhenTheDiskIsFull) {
  // A limit on the size of files is a full disk for the one who writes.
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    std::unique_ptr<Database> database = open();
    rlimit limit = {256 << 10, 256 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    WorkloadRow big{std::string(1 << 20, 'x'), "strict", "big"};
    Result<std::string> added = database->addWorkload(big);
    _exit(!added && added.error().kind == ErrorKind::Internal ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  // What was there before is there still.
  EXPECT_TRUE(open()->workloads().take().empty());
}
