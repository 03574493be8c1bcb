//===- Sqlite.h - SQLite behind objects that clean up -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only for the .cpp files of Search: throws SqlFailure inside, which `runSql`
// turns into an Error.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SEARCH_SQLITE_H
#define EGG_LIB_SEARCH_SQLITE_H

#include "egg/Support/Result.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace egg {

class SqlFailure : public std::exception {
public:
  explicit SqlFailure(Error error) : error(std::move(error)) {}
  const char *what() const noexcept override { return error.message.c_str(); }

  Error error;
};

/// An open database file: foreign keys on, defensive, its own schema not
/// trusted (a file of others can hold triggers and views).
class Sqlite {
public:
  /// `path` may not be a symbolic link. Throws.
  Sqlite(const std::string &path, bool write, bool create);
  ~Sqlite();
  Sqlite(const Sqlite &) = delete;
  Sqlite &operator=(const Sqlite &) = delete;

  /// Runs statements without parameters. Throws.
  void run(const std::string &sql);
  /// The first column of the first row. Throws.
  int64_t number(const std::string &sql);
  int64_t lastRowId() const;
  /// Rows that the last statement changed.
  int64_t changes() const;
  /// Throws what SQLite says: `parse` for a file that is damaged or no
  /// database, `internal` for all else.
  [[noreturn]] void fail(int code) const;

  const std::string path;

private:
  friend class Statement;
  sqlite3 *handle = nullptr;
};

/// One prepared statement. Parameters are bound in order, columns read in
/// order; each throws.
class Statement {
public:
  Statement(Sqlite &database, const std::string &sql);
  ~Statement();
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(int64_t value);
  Statement &bind(double value);
  Statement &bind(std::string_view text);
  Statement &bindBlob(std::string_view bytes);
  Statement &bindNull();
  template <typename T> Statement &bind(const std::optional<T> &value) {
    return value ? bind(*value) : bindNull();
  }

  /// True while there is a row.
  bool next();
  /// Runs a statement that gives no rows.
  void run();

  int64_t integer();
  double number();
  std::string text();
  std::string blob();
  /// Whether the next column is NULL; passes over it if so.
  bool skipNull();

private:
  Sqlite &database;
  sqlite3_stmt *handle = nullptr;
  int parameter = 0, column = 0;
};

/// Everything or nothing: rolls back unless `commit` was reached.
class Transaction {
public:
  explicit Transaction(Sqlite &database);
  ~Transaction();
  void commit();

private:
  Sqlite &database;
  bool open = true;
};

/// Runs `body` and turns an SqlFailure into an Error.
template <typename F>
auto runSql(F &&body) -> Result<std::decay_t<decltype(body())>> {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return Status();
    } else {
      return body();
    }
  } catch (const SqlFailure &failure) {
    return failure.error;
  }
}

} // namespace egg

#endif // EGG_LIB_SEARCH_SQLITE_H
