//===- DatabaseLines.cpp - the database as JSON lines -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Database.h"

#include "Rows.h"

#include "egg/Support/Json.h"

#include <map>

using namespace egg;

static const size_t maxText = size_t(64) << 20;

static Json toLine(const char *table) {
  return {{"format", Database::formatVersion}, {"table", table}};
}

static Json toJson(const WorkloadRow &row) {
  Json line = toLine("workloads");
  line["key"] = row.key();
  line["payload"] = row.payload;
  line["policy"] = row.policy;
  line["name"] = row.name;
  return line;
}

static Json toJson(const CandidateRow &row) {
  Json line = toLine("candidates");
  line["id"] = row.id;
  line["workload"] = row.workload;
  line["recipe"] = row.recipe;
  line["knobs"] = row.knobs;
  line["parent"] = row.parent ? Json(*row.parent) : Json();
  line["phase"] = row.phase;
  line["source"] = row.source;
  line["tokens"] = {{"in", row.tokensIn}, {"out", row.tokensOut}};
  return line;
}

static Json toJson(const MeasurementRow &row) {
  Json line = toLine("measurements");
  line["candidate"] = row.candidate;
  line["device"] = row.device;
  line["driver"] = row.driver;
  line["toolchain"] = row.toolchain;
  line["artifact_hash"] = row.artifactHash;
  line["ptx_hash"] = row.ptxHash;
  line["purpose"] = row.purpose;
  line["mode"] = row.mode;
  line["correct"] = row.correct ? Json(*row.correct) : Json();
  line["errors"] = row.errors;
  line["samples"] = row.samples;
  line["median_ms"] = row.medianMs ? Json(*row.medianMs) : Json();
  line["error"] = Json();
  if (row.error)
    line["error"] = {{"kind", std::string(toString(row.error->kind))},
                     {"message", row.error->message}};
  line["seconds"] = row.seconds;
  return line;
}

static Json toJson(const RunRow &row) {
  Json line = toLine("runs");
  line["workload"] = row.workload;
  line["budget"] = row.budget;
  line["state"] = row.state;
  line["finished"] = row.finished;
  return line;
}

/// Hands on the rows of one table.
template <typename Row>
static Status exportTable(Sqlite &sql, const char *columns, const char *table,
                          Row (*read)(Statement &),
                          const std::function<Status(std::string_view)> &line) {
  Status written;
  Status done = runSql([&] {
    Statement all(sql, std::string("SELECT ") + columns + " FROM " + table +
                           " ORDER BY rowid");
    while (written && all.next())
      written = line(dumpJson(toJson(read(all))));
  });
  return done ? written : done;
}

Status
Database::exportLines(const std::function<Status(std::string_view)> &line) {
  Sqlite &sql = *state->sql;
  EGG_TRY(exportTable(sql, workloadColumns, "workloads", readWorkload, line));
  EGG_TRY(
      exportTable(sql, candidateColumns, "candidates", readCandidate, line));
  EGG_TRY(exportTable(sql, measurementColumns, "measurements", readMeasurement,
                      line));
  return exportTable(sql, runColumns, "runs", readRun, line);
}

namespace {
/// Adds the lines of an export to a database; ids of candidates are the
/// export's own and mean others here.
class Importer {
public:
  explicit Importer(Sqlite &sql) : sql(sql) {}

  /// Throws JsonError or SqlFailure.
  void add(const Json &json);

private:
  void addWorkload(JsonObject &line);
  void addCandidate(JsonObject &line);
  void addMeasurement(JsonObject &line);
  void addRun(JsonObject &line);
  int64_t candidateHere(const JsonValue &id) const;

  Sqlite &sql;
  std::map<int64_t, int64_t> candidates;
};
} // namespace

void Importer::add(const Json &json) {
  JsonObject line(json, "");
  line.version(Database::formatVersion);
  std::string table = line.string("table");
  if (table == "workloads")
    addWorkload(line);
  else if (table == "candidates")
    addCandidate(line);
  else if (table == "measurements")
    addMeasurement(line);
  else if (table == "runs")
    addRun(line);
  else
    line.fail("the table '" + table + "' is not known");
  line.finish();
}

void Importer::addWorkload(JsonObject &line) {
  WorkloadRow row;
  row.payload = line.string("payload", maxText);
  row.policy = line.string("policy");
  row.name = line.string("name");
  if (line.string("key") != row.key())
    line.fail("'key' is not the hash of this policy and payload");
  insertWorkload(sql, row);
}

int64_t Importer::candidateHere(const JsonValue &id) const {
  auto found = candidates.find(id.integer());
  if (found == candidates.end())
    id.fail("no earlier line holds the candidate " +
            std::to_string(id.integer()));
  return found->second;
}

void Importer::addCandidate(JsonObject &line) {
  CandidateRow row;
  row.workload = line.string("workload");
  row.recipe = line.string("recipe", maxText);
  row.knobs = line.string("knobs", maxText);
  if (JsonValue parent = line.field("parent"); !parent.isNull())
    row.parent = candidateHere(parent);
  row.phase = line.string("phase");
  row.source = line.string("source");
  JsonObject tokens = line.object("tokens");
  row.tokensIn = tokens.integer("in", 0);
  row.tokensOut = tokens.integer("out", 0);
  tokens.finish();
  candidates[line.integer("id")] = insertCandidate(sql, row);
}

void Importer::addMeasurement(JsonObject &line) {
  MeasurementRow row;
  row.candidate = candidateHere(line.field("candidate"));
  row.device = line.string("device");
  row.driver = line.string("driver");
  row.toolchain = line.string("toolchain", maxText);
  row.artifactHash = line.string("artifact_hash");
  row.ptxHash = line.string("ptx_hash");
  row.purpose = line.string("purpose");
  row.mode = line.string("mode");
  if (JsonValue correct = line.field("correct"); !correct.isNull())
    row.correct = correct.boolean();
  row.errors = line.string("errors", maxText);
  for (const JsonValue &sample : line.list("samples", 1 << 22))
    row.samples.push_back(sample.number(0));
  if (JsonValue median = line.field("median_ms"); !median.isNull())
    row.medianMs = median.number(0);
  if (JsonValue failure = line.field("error"); !failure.isNull()) {
    JsonObject error(failure);
    std::string kind = error.string("kind");
    std::optional<ErrorKind> known = errorKindFromString(kind);
    if (!known)
      error.fail("'" + kind + "' is no kind of error");
    row.error = Error(*known, error.string("message", maxText));
    error.finish();
  }
  row.seconds = line.number("seconds", 0);

  Statement same(
      sql, "SELECT id FROM measurements WHERE candidate = ? AND device = ? AND "
           "driver = ? AND artifact_hash = ? AND purpose = ? AND mode = ? AND "
           "samples = ? AND errors = ? AND error_message IS ?");
  same.bind(row.candidate)
      .bind(row.device)
      .bind(row.driver)
      .bind(row.artifactHash)
      .bind(row.purpose)
      .bind(row.mode)
      .bindBlob(packSamples(row.samples))
      .bind(row.errors);
  if (row.error)
    same.bind(row.error->message);
  else
    same.bindNull();
  if (!same.next())
    insertMeasurement(sql, row);
}

void Importer::addRun(JsonObject &line) {
  RunRow row;
  row.workload = line.string("workload");
  row.budget = line.string("budget", maxText);
  row.state = line.string("state", maxText);
  row.finished = line.boolean("finished");
  Statement same(sql, "SELECT id FROM runs WHERE workload = ? AND budget = ? "
                      "AND state = ? AND finished = ?");
  same.bind(row.workload)
      .bind(row.budget)
      .bind(row.state)
      .bind(int64_t(row.finished));
  if (!same.next())
    insertRun(sql, row);
}

Status Database::importLines(std::string_view lines) {
  Sqlite &sql = *state->sql;
  return runSql([&] {
    Transaction all(sql);
    Importer importer(sql);
    for (size_t number = 1; !lines.empty(); ++number) {
      size_t end = std::min(lines.find('\n'), lines.size());
      std::string_view line = lines.substr(0, end);
      lines.remove_prefix(std::min(end + 1, lines.size()));
      if (line.empty())
        continue;
      std::string place = "line " + std::to_string(number);
      Result<Json> json = parseJson(line);
      if (!json)
        throw SqlFailure(json.error().withContext(place));
      try {
        importer.add(*json);
      } catch (const JsonError &failure) {
        throw SqlFailure(failure.error.withContext(place));
      } catch (const SqlFailure &failure) {
        throw SqlFailure(failure.error.withContext(place));
      }
    }
    all.commit();
  });
}
