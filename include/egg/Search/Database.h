//===- Database.h - what was measured ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One SQLite file for every tool. A row that was written is on the disk: a run
// that is killed resumes and repeats no finished measurement. Not for network
// file systems: workers far away feed one tuner, which writes.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SEARCH_DATABASE_H
#define EGG_SEARCH_DATABASE_H

#include "egg/Support/Result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egg {

/// What is tuned. Its key is the SHA-256 of `policy`, a zero byte and
/// `payload`: what changes the artifact and nothing else.
struct WorkloadRow {
  /// The canonical text of the payload.
  std::string payload;
  /// strict, eager, tf32 or fast.
  std::string policy = "strict";
  /// For people: the file or the task it came from.
  std::string name;

  std::string key() const;
};

/// One proposal, as it was compiled: all knobs are set in `recipe`.
struct CandidateRow {
  int64_t id = 0;
  std::string workload;
  /// The recipe's text; empty for the plain lowering.
  std::string recipe;
  /// The values of the knobs, a JSON object.
  std::string knobs = "{}";
  /// The candidate that this one was made from.
  std::optional<int64_t> parent;
  /// algorithm, mapping, tiling, memory or plain.
  std::string phase;
  /// Who proposed it: expert, model, search, user.
  std::string source;
  int64_t tokensIn = 0, tokensOut = 0;
};

/// One measurement of a candidate: a verdict, times, or an error.
struct MeasurementRow {
  int64_t id = 0;
  int64_t candidate = 0;
  std::string device, driver;
  /// Versions of what made the artifact, a JSON object.
  std::string toolchain = "{}";
  std::string artifactHash, ptxHash;
  /// search, or report: the two are never mixed.
  std::string purpose = "search";
  /// launch or graph; empty when nothing was timed.
  std::string mode;
  /// nullopt when nothing was compared.
  std::optional<bool> correct;
  /// Errors per distribution, a JSON object.
  std::string errors = "{}";
  /// Milliseconds, raw, in the order they were taken.
  std::vector<double> samples;
  std::optional<double> medianMs;
  /// Kind and message of the failure; nullopt when there was none.
  std::optional<Error> error;
  /// Seconds the measurement took.
  double seconds = 0;
};

/// A tuning run, for resuming it.
struct RunRow {
  int64_t id = 0;
  std::string workload;
  /// The budget and the state as the tuner wrote them, JSON objects.
  std::string budget = "{}", state = "{}";
  bool finished = false;
};

class Database {
public:
  /// The version of the tables that this egg reads and writes.
  static constexpr int64_t formatVersion = 1;

  enum class Access { ReadOnly, ReadWrite };

  /// Opens the file `path`; ReadWrite makes it when it is not there. Only one
  /// process writes at a time: ReadWrite waits `waitSeconds` for the other one
  /// and then fails with `internal`, saying so. Fails with `parse` for a file
  /// that is no database of egg's or is damaged, with `unsupported` for a newer
  /// format, with `internal` and SQLite's reason for a file that cannot be
  /// opened, read or written.
  static Result<std::unique_ptr<Database>>
  open(const std::string &path, Access access, double waitSeconds = 0);
  ~Database();

  /// Writes the workload unless it is there; its key.
  Result<std::string> addWorkload(const WorkloadRow &row);
  /// Writes the candidate unless the same recipe of the same workload is there;
  /// its id.
  Result<int64_t> addCandidate(const CandidateRow &row);
  Result<int64_t> addMeasurement(const MeasurementRow &row);
  /// Writes a new run (id 0) or updates the one with that id; its id.
  Result<int64_t> saveRun(const RunRow &row);

  Result<std::optional<WorkloadRow>> workload(const std::string &key);
  Result<std::vector<WorkloadRow>> workloads();
  /// In the order they were added.
  Result<std::vector<CandidateRow>> candidates(const std::string &workload);
  Result<std::vector<MeasurementRow>> measurements(int64_t candidate);
  /// The newest measurement of the same artifact for the same purpose on the
  /// same device and driver, whichever candidate it was made for: identical
  /// artifacts are measured once.
  Result<std::optional<MeasurementRow>>
  findMeasurement(const std::string &artifactHash, const std::string &device,
                  const std::string &driver, const std::string &purpose);
  /// The newest run of a workload that is not finished.
  Result<std::optional<RunRow>> unfinishedRun(const std::string &workload);

  /// Hands each row to `line` as one JSON object without its newline:
  /// workloads, then candidates, measurements and runs. Ends early and fails
  /// with what `line` fails with.
  Status exportLines(const std::function<Status(std::string_view)> &line);
  /// Adds the rows of an export; ids are given anew, what is there already is
  /// skipped (a measurement that is there in all its columns too). All of it or
  /// nothing. Fails with `parse` and the line's number, or `unsupported` for a
  /// newer format.
  Status importLines(std::string_view lines);

private:
  struct State;
  explicit Database(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace egg

#endif // EGG_SEARCH_DATABASE_H
