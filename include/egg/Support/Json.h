//===- Json.h - Strict reading of JSON --------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strict reading over nlohmann/json: a missing field, an unknown field, a field
// twice, a wrong type or a number out of range is an error that names the path.
// Only for .cpp files of layers without MLIR: it throws inside and holds
// nlohmann/json.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_JSON_H
#define EGG_SUPPORT_JSON_H

#include "egg/Support/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace egg {

/// Keeps the order of the fields as they were written.
using Json = nlohmann::ordered_json;

/// What the readers below throw; `readJson` turns it into an Error.
class JsonError : public std::exception {
public:
  explicit JsonError(Error error) : error(std::move(error)) {}
  const char *what() const noexcept override { return error.message.c_str(); }

  Error error;
};

/// What `parseJson` accepts.
struct JsonLimits {
  uint64_t bytes = uint64_t(64) << 20;
  /// Objects and lists inside each other.
  unsigned depth = 64;
};

/// Parses a whole text. Fails with `limit` when it is too long or too deep
/// (checked before the parser runs), with `parse` for a syntax error (with the
/// byte), bytes that are not UTF-8, or a field given twice in one object.
Result<Json> parseJson(std::string_view text, const JsonLimits &limits = {});

/// The text of `value` on one line (`indent` < 0) or indented. Bytes that are
/// not UTF-8 become U+FFFD: an error message may hold anything.
std::string dumpJson(const Json &value, int indent = -1);

/// A value and where it stands, for messages: `plan.kernels[3].grid`.
class JsonValue {
public:
  JsonValue(const Json &value, std::string path)
      : value(&value), place(std::move(path)) {}

  const Json &json() const { return *value; }
  const std::string &path() const { return place; }

  /// Throws a `parse` error that names the path.
  [[noreturn]] void fail(const std::string &message,
                         ErrorKind kind = ErrorKind::Parse) const;

  /// An integer in [least, most]. 1.0 is no integer.
  int64_t integer(int64_t least = std::numeric_limits<int64_t>::min(),
                  int64_t most = std::numeric_limits<int64_t>::max()) const;
  /// A finite number in [least, most].
  double number(double least = -std::numeric_limits<double>::max(),
                double most = std::numeric_limits<double>::max()) const;
  bool boolean() const;
  /// A string of at most `maxBytes` bytes.
  std::string string(size_t maxBytes = 65536) const;
  /// The elements of a list of at most `maxCount`.
  std::vector<JsonValue> list(size_t maxCount = 65536) const;
  bool isNull() const { return value->is_null(); }

private:
  const Json *value;
  std::string place;
};

/// A strict reader of one object: each field is asked for by name; `finish`
/// throws if one was not.
class JsonObject {
public:
  /// Throws when `value` is no object.
  JsonObject(const Json &value, std::string path);
  explicit JsonObject(const JsonValue &value)
      : JsonObject(value.json(), value.path()) {}

  const std::string &path() const { return self.path(); }

  /// The field `name`, which must be there.
  JsonValue field(std::string_view name);
  /// True when the field is there; does not count as asking for it.
  bool has(std::string_view name) const;

  int64_t integer(std::string_view name,
                  int64_t least = std::numeric_limits<int64_t>::min(),
                  int64_t most = std::numeric_limits<int64_t>::max()) {
    return field(name).integer(least, most);
  }
  double number(std::string_view name,
                double least = -std::numeric_limits<double>::max(),
                double most = std::numeric_limits<double>::max()) {
    return field(name).number(least, most);
  }
  bool boolean(std::string_view name) { return field(name).boolean(); }
  std::string string(std::string_view name, size_t maxBytes = 65536) {
    return field(name).string(maxBytes);
  }
  std::vector<JsonValue> list(std::string_view name, size_t maxCount = 65536) {
    return field(name).list(maxCount);
  }
  JsonObject object(std::string_view name) { return JsonObject(field(name)); }

  /// Reads the field `format` (or `name`), which must be exactly `version`.
  void version(int64_t version, std::string_view name = "format");

  /// Throws a `parse` error that names a field that nobody asked for.
  void finish() const;

  [[noreturn]] void fail(const std::string &message,
                         ErrorKind kind = ErrorKind::Parse) const {
    self.fail(message, kind);
  }

private:
  JsonValue self;
  std::vector<std::string> asked;
};

/// Runs `read` and turns a JsonError, or any other exception of the JSON
/// library, into an Error.
template <typename F>
auto readJson(F &&read) -> Result<std::decay_t<decltype(read())>> {
  try {
    if constexpr (std::is_void_v<decltype(read())>) {
      read();
      return Status();
    } else {
      return read();
    }
  } catch (const JsonError &failure) {
    return failure.error;
  } catch (const std::exception &failure) {
    return Error(ErrorKind::Parse, failure.what());
  }
}

} // namespace egg

#endif // EGG_SUPPORT_JSON_H
