//===- Sqlite.cpp - SQLite behind objects that clean up ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"

#include <sqlite3.h>

using namespace egg;

/// Readers and the writer of other processes hold the file for moments only.
static const int busyMilliseconds = 5000;
/// A value of a hostile file is not worth more memory than this.
static const int maxValueBytes = 256 << 20;

Sqlite::Sqlite(const std::string &path, bool write, bool create) : path(path) {
  int flags = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
              (create ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOFOLLOW |
              SQLITE_OPEN_EXRESCODE;
  if (int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr)) {
    Error error(ErrorKind::Internal,
                "the database " + path +
                    " cannot be opened: " + sqlite3_errstr(code));
    if (handle)
      error.message += std::string(" (") + sqlite3_errmsg(handle) + ")";
    sqlite3_close_v2(handle);
    throw SqlFailure(error);
  }
  sqlite3_busy_timeout(handle, busyMilliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, maxValueBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
}

Sqlite::~Sqlite() { sqlite3_close_v2(handle); }

void Sqlite::fail(int code) const {
  int primary = code & 0xff;
  bool damaged = primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
  throw SqlFailure(
      Error(damaged ? ErrorKind::Parse : ErrorKind::Internal,
            "the database " + path + ": " + sqlite3_errmsg(handle)));
}

void Sqlite::run(const std::string &sql) {
  if (int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr))
    fail(code);
}

int64_t Sqlite::number(const std::string &sql) {
  Statement statement(*this, sql);
  return statement.next() ? statement.integer() : 0;
}

int64_t Sqlite::lastRowId() const { return sqlite3_last_insert_rowid(handle); }

int64_t Sqlite::changes() const { return sqlite3_changes64(handle); }

Statement::Statement(Sqlite &database, const std::string &sql)
    : database(database) {
  if (int code = sqlite3_prepare_v2(database.handle, sql.c_str(),
                                    int(sql.size()), &handle, nullptr))
    database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(handle); }

Statement &Statement::bind(int64_t value) {
  if (int code = sqlite3_bind_int64(handle, ++parameter, value))
    database.fail(code);
  return *this;
}

Statement &Statement::bind(double value) {
  if (int code = sqlite3_bind_double(handle, ++parameter, value))
    database.fail(code);
  return *this;
}

Statement &Statement::bind(std::string_view text) {
  // A null pointer would bind NULL.
  if (int code = sqlite3_bind_text64(
          handle, ++parameter, text.data() ? text.data() : "", text.size(),
          SQLITE_TRANSIENT, SQLITE_UTF8))
    database.fail(code);
  return *this;
}

Statement &Statement::bindBlob(std::string_view bytes) {
  if (int code = sqlite3_bind_blob64(handle, ++parameter,
                                     bytes.data() ? bytes.data() : "",
                                     bytes.size(), SQLITE_TRANSIENT))
    database.fail(code);
  return *this;
}

Statement &Statement::bindNull() {
  if (int code = sqlite3_bind_null(handle, ++parameter))
    database.fail(code);
  return *this;
}

bool Statement::next() {
  column = 0;
  int code = sqlite3_step(handle);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    database.fail(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (next()) {
  }
}

int64_t Statement::integer() { return sqlite3_column_int64(handle, column++); }

double Statement::number() { return sqlite3_column_double(handle, column++); }

std::string Statement::text() { return blob(); }

std::string Statement::blob() {
  const void *bytes = sqlite3_column_blob(handle, column);
  int count = sqlite3_column_bytes(handle, column++);
  return bytes ? std::string(static_cast<const char *>(bytes), count)
               : std::string();
}

bool Statement::skipNull() {
  if (sqlite3_column_type(handle, column) != SQLITE_NULL)
    return false;
  ++column;
  return true;
}

Transaction::Transaction(Sqlite &database) : database(database) {
  database.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open)
    try {
      database.run("ROLLBACK");
    } catch (const SqlFailure &) {
      // SQLite has rolled back by itself, after a full disk for example.
    }
}

void Transaction::commit() {
  database.run("COMMIT");
  open = false;
}
