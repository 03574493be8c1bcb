//===- Rows.h - the tables of the database and their rows -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SEARCH_ROWS_H
#define EGG_LIB_SEARCH_ROWS_H

#include "Sqlite.h"

#include "egg/Search/Database.h"
#include "egg/Support/File.h"

namespace egg {

struct Database::State {
  std::unique_ptr<Sqlite> sql;
  /// Held for as long as this process may write.
  FileDescriptor lock;
};

/// The columns of each table in the order that the readers below expect.
extern const char *const workloadColumns;
extern const char *const candidateColumns;
extern const char *const measurementColumns;
extern const char *const runColumns;

WorkloadRow readWorkload(Statement &statement);
CandidateRow readCandidate(Statement &statement);
MeasurementRow readMeasurement(Statement &statement);
RunRow readRun(Statement &statement);

/// Each throws SqlFailure; see the functions of Database of the same name.
std::string insertWorkload(Sqlite &sql, const WorkloadRow &row);
int64_t insertCandidate(Sqlite &sql, const CandidateRow &row);
int64_t insertMeasurement(Sqlite &sql, const MeasurementRow &row);
int64_t insertRun(Sqlite &sql, const RunRow &row);

/// Samples as stored: doubles, little-endian.
std::string packSamples(const std::vector<double> &samples);

} // namespace egg

#endif // EGG_LIB_SEARCH_ROWS_H
