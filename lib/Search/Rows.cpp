//===- Rows.cpp - the tables of the database and their rows -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "egg/Support/Hash.h"

#include <cstring>

using namespace egg;

const char *const egg::workloadColumns = "payload, policy, name";
const char *const egg::candidateColumns =
    "id, workload, recipe, knobs, parent, phase, source, tokens_in, tokens_out";
const char *const egg::measurementColumns =
    "id, candidate, device, driver, toolchain, artifact_hash, ptx_hash, "
    "purpose, mode, correct, errors, samples, median_ms, error_kind, "
    "error_message, seconds";
const char *const egg::runColumns = "id, workload, budget, state, finished";

std::string egg::packSamples(const std::vector<double> &samples) {
  std::string bytes(samples.size() * sizeof(double), '\0');
  if (!samples.empty())
    std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

WorkloadRow egg::readWorkload(Statement &statement) {
  WorkloadRow row;
  row.payload = statement.text();
  row.policy = statement.text();
  row.name = statement.text();
  return row;
}

CandidateRow egg::readCandidate(Statement &statement) {
  CandidateRow row;
  row.id = statement.integer();
  row.workload = statement.text();
  row.recipe = statement.text();
  row.knobs = statement.text();
  if (!statement.skipNull())
    row.parent = statement.integer();
  row.phase = statement.text();
  row.source = statement.text();
  row.tokensIn = statement.integer();
  row.tokensOut = statement.integer();
  return row;
}

MeasurementRow egg::readMeasurement(Statement &statement) {
  MeasurementRow row;
  row.id = statement.integer();
  row.candidate = statement.integer();
  row.device = statement.text();
  row.driver = statement.text();
  row.toolchain = statement.text();
  row.artifactHash = statement.text();
  row.ptxHash = statement.text();
  row.purpose = statement.text();
  row.mode = statement.text();
  if (!statement.skipNull())
    row.correct = statement.integer() != 0;
  row.errors = statement.text();
  std::string samples = statement.blob();
  if (samples.size() % sizeof(double))
    throw SqlFailure(
        Error(ErrorKind::Parse, "measurement " + std::to_string(row.id) +
                                    " has " + std::to_string(samples.size()) +
                                    " bytes of samples, no multiple of 8"));
  row.samples.resize(samples.size() / sizeof(double));
  if (!samples.empty())
    std::memcpy(row.samples.data(), samples.data(), samples.size());
  if (!statement.skipNull())
    row.medianMs = statement.number();
  std::string kind;
  bool failed = !statement.skipNull();
  if (failed)
    kind = statement.text();
  std::string message;
  if (!statement.skipNull())
    message = statement.text();
  if (failed) {
    std::optional<ErrorKind> known = errorKindFromString(kind);
    if (!known)
      throw SqlFailure(
          Error(ErrorKind::Parse, "measurement " + std::to_string(row.id) +
                                      " has the error kind '" + kind +
                                      "', which this egg does not know"));
    row.error = Error(*known, message);
  }
  row.seconds = statement.number();
  return row;
}

RunRow egg::readRun(Statement &statement) {
  RunRow row;
  row.id = statement.integer();
  row.workload = statement.text();
  row.budget = statement.text();
  row.state = statement.text();
  row.finished = statement.integer() != 0;
  return row;
}

std::string egg::insertWorkload(Sqlite &sql, const WorkloadRow &row) {
  std::string key = row.key();
  Statement insert(sql,
                   "INSERT OR IGNORE INTO workloads (key, payload, policy, "
                   "name) VALUES (?, ?, ?, ?)");
  insert.bind(key).bind(row.payload).bind(row.policy).bind(row.name).run();
  return key;
}

int64_t egg::insertCandidate(Sqlite &sql, const CandidateRow &row) {
  std::string hash = sha256Hex(row.recipe);
  Statement find(sql, "SELECT id FROM candidates WHERE workload = ? AND "
                      "recipe_hash = ?");
  find.bind(row.workload).bind(hash);
  if (find.next())
    return find.integer();
  Statement insert(
      sql, "INSERT INTO candidates (workload, recipe, recipe_hash, knobs, "
           "parent, phase, source, tokens_in, tokens_out) "
           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(row.workload)
      .bind(row.recipe)
      .bind(hash)
      .bind(row.knobs)
      .bind(row.parent)
      .bind(row.phase)
      .bind(row.source)
      .bind(row.tokensIn)
      .bind(row.tokensOut)
      .run();
  return sql.lastRowId();
}

int64_t egg::insertMeasurement(Sqlite &sql, const MeasurementRow &row) {
  Statement insert(
      sql, "INSERT INTO measurements (candidate, device, driver, toolchain, "
           "artifact_hash, ptx_hash, purpose, mode, correct, errors, samples, "
           "median_ms, error_kind, error_message, seconds) "
           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(row.candidate)
      .bind(row.device)
      .bind(row.driver)
      .bind(row.toolchain)
      .bind(row.artifactHash)
      .bind(row.ptxHash)
      .bind(row.purpose)
      .bind(row.mode);
  if (row.correct)
    insert.bind(int64_t(*row.correct));
  else
    insert.bindNull();
  insert.bind(row.errors).bindBlob(packSamples(row.samples)).bind(row.medianMs);
  if (row.error)
    insert.bind(toString(row.error->kind)).bind(row.error->message);
  else
    insert.bindNull().bindNull();
  insert.bind(row.seconds).run();
  return sql.lastRowId();
}

int64_t egg::insertRun(Sqlite &sql, const RunRow &row) {
  if (row.id == 0) {
    Statement insert(sql,
                     "INSERT INTO runs (workload, budget, state, finished) "
                     "VALUES (?, ?, ?, ?)");
    insert.bind(row.workload)
        .bind(row.budget)
        .bind(row.state)
        .bind(int64_t(row.finished))
        .run();
    return sql.lastRowId();
  }
  Statement update(sql, "UPDATE runs SET workload = ?, budget = ?, state = ?, "
                        "finished = ? WHERE id = ?");
  update.bind(row.workload)
      .bind(row.budget)
      .bind(row.state)
      .bind(int64_t(row.finished))
      .bind(row.id)
      .run();
  if (sql.changes() == 0)
    throw SqlFailure(Error(ErrorKind::Internal, "the database " + sql.path +
                                                    " has no run number " +
                                                    std::to_string(row.id)));
  return row.id;
}
