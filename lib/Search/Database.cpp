//===- Database.cpp - what was measured -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Database.h"

#include "Rows.h"
#include "Sqlite.h"

#include "egg/Support/Hash.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace egg;

/// "EGG1": this file is a database of egg's.
static const int64_t applicationId = 0x45474731;

static const char *const schema = R"(
CREATE TABLE workloads (
  key TEXT PRIMARY KEY, payload TEXT NOT NULL, policy TEXT NOT NULL,
  name TEXT NOT NULL) STRICT;
CREATE TABLE candidates (
  id INTEGER PRIMARY KEY, workload TEXT NOT NULL REFERENCES workloads(key),
  recipe TEXT NOT NULL, recipe_hash TEXT NOT NULL, knobs TEXT NOT NULL,
  parent INTEGER REFERENCES candidates(id), phase TEXT NOT NULL,
  source TEXT NOT NULL, tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL, UNIQUE (workload, recipe_hash)) STRICT;
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY, candidate INTEGER NOT NULL REFERENCES candidates(id),
  device TEXT NOT NULL, driver TEXT NOT NULL, toolchain TEXT NOT NULL,
  artifact_hash TEXT NOT NULL, ptx_hash TEXT NOT NULL, purpose TEXT NOT NULL,
  mode TEXT NOT NULL, correct INTEGER, errors TEXT NOT NULL,
  samples BLOB NOT NULL, median_ms REAL, error_kind TEXT, error_message TEXT,
  seconds REAL NOT NULL) STRICT;
CREATE INDEX measurements_of_candidate ON measurements(candidate);
CREATE INDEX measurements_of_artifact ON measurements(artifact_hash);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, workload TEXT NOT NULL REFERENCES workloads(key),
  budget TEXT NOT NULL, state TEXT NOT NULL, finished INTEGER NOT NULL) STRICT;
)";

std::string WorkloadRow::key() const {
  Sha256 hash;
  hash.update(policy);
  hash.update(std::string_view("", 1));
  hash.update(payload);
  return toHex(hash.finish());
}

/// Takes the lock that one writing process holds. A file beside the database,
/// which stays: removing it would let two processes lock two files of one name.
static Result<FileDescriptor> lockForWriting(const std::string &path,
                                             double waitSeconds) {
  std::string name = path + ".lock";
  FileDescriptor lock(
      open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock)
    return Error(ErrorKind::Internal,
                 "the lock " + name + " cannot be opened: " + strerror(errno));
  auto until = std::chrono::steady_clock::now() +
               std::chrono::duration<double>(waitSeconds);
  while (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return Error(ErrorKind::Internal,
                   "the lock " + name + " cannot be taken: " + strerror(errno));
    if (std::chrono::steady_clock::now() >= until) {
      char holder[32] = {};
      ssize_t count = pread(lock.get(), holder, sizeof(holder) - 1, 0);
      return Error(ErrorKind::Internal,
                   "the database " + path +
                       " is being written by another process" +
                       (count > 0 ? " (" + std::string(holder) + ")" : "") +
                       ": one at a time. Wait for it, or use another file");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::string self = "process " + std::to_string(getpid());
  if (ftruncate(lock.get(), 0) != 0 ||
      pwrite(lock.get(), self.data(), self.size(), 0) < 0) {
    // Only the message above is poorer for it.
  }
  return lock;
}

/// Makes the tables of a new file, or checks that they are this egg's. Throws.
static void prepare(Sqlite &sql, bool write) {
  int64_t id = sql.number("PRAGMA application_id");
  int64_t version = sql.number("PRAGMA user_version");
  int64_t tables = sql.number("SELECT count(*) FROM sqlite_schema");
  if (id == 0 && version == 0 && tables == 0 && write) {
    sql.run("PRAGMA journal_mode = WAL");
    Transaction all(sql);
    sql.run(schema);
    sql.run("PRAGMA application_id = " + std::to_string(applicationId));
    sql.run("PRAGMA user_version = " + std::to_string(Database::formatVersion));
    all.commit();
    return;
  }
  if (id != applicationId)
    throw SqlFailure(
        Error(ErrorKind::Parse, sql.path + " is no database of egg's"));
  if (version != Database::formatVersion)
    throw SqlFailure(Error(ErrorKind::Unsupported,
                           "the database " + sql.path + " has format " +
                               std::to_string(version) +
                               "; this egg knows format " +
                               std::to_string(Database::formatVersion) +
                               " only. Export it with the egg that wrote it"));
  if (write)
    sql.run("PRAGMA journal_mode = WAL");
}

Result<std::unique_ptr<Database>>
Database::open(const std::string &path, Access access, double waitSeconds) {
  auto state = std::make_unique<State>();
  bool write = access == Access::ReadWrite;
  if (write) {
    EGG_ASSIGN(state->lock, lockForWriting(path, waitSeconds));
  }
  Status opened = runSql([&] {
    state->sql = std::make_unique<Sqlite>(path, write, write);
    prepare(*state->sql, write);
  });
  if (!opened)
    return opened.error();
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

Database::Database(std::unique_ptr<State> state) : state(std::move(state)) {}

Database::~Database() = default;

Result<std::string> Database::addWorkload(const WorkloadRow &row) {
  return runSql([&] { return insertWorkload(*state->sql, row); });
}

Result<int64_t> Database::addCandidate(const CandidateRow &row) {
  return runSql([&] { return insertCandidate(*state->sql, row); });
}

Result<int64_t> Database::addMeasurement(const MeasurementRow &row) {
  return runSql([&] { return insertMeasurement(*state->sql, row); });
}

Result<int64_t> Database::saveRun(const RunRow &row) {
  return runSql([&] { return insertRun(*state->sql, row); });
}

/// Every row that a statement gives, in order.
template <typename Row>
static std::vector<Row> readAll(Statement &statement,
                                Row (*read)(Statement &)) {
  std::vector<Row> rows;
  while (statement.next())
    rows.push_back(read(statement));
  return rows;
}

/// The first row that a statement gives.
template <typename Row>
static std::optional<Row> readFirst(Statement &statement,
                                    Row (*read)(Statement &)) {
  if (!statement.next())
    return std::nullopt;
  return read(statement);
}

Result<std::optional<WorkloadRow>> Database::workload(const std::string &key) {
  return runSql([&] {
    Statement find(*state->sql, std::string("SELECT ") + workloadColumns +
                                    " FROM workloads WHERE key = ?");
    find.bind(key);
    return readFirst(find, readWorkload);
  });
}

Result<std::vector<WorkloadRow>> Database::workloads() {
  return runSql([&] {
    Statement find(*state->sql, std::string("SELECT ") + workloadColumns +
                                    " FROM workloads ORDER BY rowid");
    return readAll(find, readWorkload);
  });
}

Result<std::vector<CandidateRow>>
Database::candidates(const std::string &workload) {
  return runSql([&] {
    Statement find(*state->sql,
                   std::string("SELECT ") + candidateColumns +
                       " FROM candidates WHERE workload = ? ORDER BY id");
    find.bind(workload);
    return readAll(find, readCandidate);
  });
}

Result<std::vector<MeasurementRow>> Database::measurements(int64_t candidate) {
  return runSql([&] {
    Statement find(*state->sql,
                   std::string("SELECT ") + measurementColumns +
                       " FROM measurements WHERE candidate = ? ORDER BY id");
    find.bind(candidate);
    return readAll(find, readMeasurement);
  });
}

Result<std::optional<MeasurementRow>>
Database::findMeasurement(const std::string &artifactHash,
                          const std::string &device, const std::string &driver,
                          const std::string &purpose) {
  return runSql([&] {
    Statement find(*state->sql,
                   std::string("SELECT ") + measurementColumns +
                       " FROM measurements WHERE artifact_hash = ? AND "
                       "device = ? AND driver = ? AND purpose = ? "
                       "ORDER BY id DESC LIMIT 1");
    find.bind(artifactHash).bind(device).bind(driver).bind(purpose);
    return readFirst(find, readMeasurement);
  });
}

Result<std::optional<RunRow>>
Database::unfinishedRun(const std::string &workload) {
  return runSql([&] {
    Statement find(*state->sql, std::string("SELECT ") + runColumns +
                                    " FROM runs WHERE workload = ? AND "
                                    "finished = 0 ORDER BY id DESC LIMIT 1");
    find.bind(workload);
    return readFirst(find, readRun);
  });
}
