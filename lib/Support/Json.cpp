//===- Json.cpp - Strict reading of JSON ----------------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over nlohmann/json.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Json.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace egg;

namespace {
/// The deepest nesting of brackets outside strings; looks at bytes only, so it
/// holds for texts that are no JSON as well.
unsigned nestingDepth(std::string_view text) {
  unsigned depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return deepest;
}

const char *typeName(const Json &value) {
  switch (value.type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::object:
    return "an object";
  case Json::value_t::array:
    return "a list";
  case Json::value_t::string:
    return "a string";
  case Json::value_t::boolean:
    return "a boolean";
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned:
    return "an integer";
  case Json::value_t::number_float:
    return "a number with a fraction or an exponent";
  default:
    return "something else";
  }
}

std::string numberText(double value) { return Json(value).dump(); }
} // namespace

Result<Json> egg::parseJson(std::string_view text, const JsonLimits &limits) {
  if (text.size() > limits.bytes)
    return Error(ErrorKind::Limit,
                 "a JSON text of " + std::to_string(text.size()) +
                     " bytes; at most " + std::to_string(limits.bytes) +
                     " are read");
  unsigned depth = nestingDepth(text);
  if (depth > limits.depth)
    return Error(ErrorKind::Limit,
                 "a JSON text nested " + std::to_string(depth) +
                     " deep; at most " + std::to_string(limits.depth) +
                     " is accepted");
  std::vector<std::set<std::string>> fields;
  auto watch = [&](int, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::object_start) {
      fields.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      fields.pop_back();
    } else if (event == Json::parse_event_t::key) {
      std::string name = parsed.get<std::string>();
      if (!fields.back().insert(name).second)
        throw JsonError(Error(ErrorKind::Parse, "the field '" + name +
                                                    "' stands twice in one "
                                                    "JSON object"));
    }
    return true;
  };
  return readJson([&] { return Json::parse(text, watch); });
}

std::string egg::dumpJson(const Json &value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void JsonValue::fail(const std::string &message, ErrorKind kind) const {
  throw JsonError(Error(kind, (place.empty() ? "" : place + ": ") + message));
}

int64_t JsonValue::integer(int64_t least, int64_t most) const {
  if (!value->is_number_integer())
    fail(std::string("must be an integer, not ") + typeName(*value));
  bool fits = !value->is_number_unsigned() ||
              value->get<uint64_t>() <= uint64_t(INT64_MAX);
  if (!fits || value->get<int64_t>() < least || value->get<int64_t>() > most)
    fail(value->dump() + " is out of range: " + std::to_string(least) + " to " +
         std::to_string(most));
  return value->get<int64_t>();
}

double JsonValue::number(double least, double most) const {
  if (!value->is_number())
    fail(std::string("must be a number, not ") + typeName(*value));
  double result = value->get<double>();
  if (!std::isfinite(result) || result < least || result > most)
    fail(value->dump() + " is out of range: " + numberText(least) + " to " +
         numberText(most));
  return result;
}

bool JsonValue::boolean() const {
  if (!value->is_boolean())
    fail(std::string("must be true or false, not ") + typeName(*value));
  return value->get<bool>();
}

std::string JsonValue::string(size_t maxBytes) const {
  if (!value->is_string())
    fail(std::string("must be a string, not ") + typeName(*value));
  const std::string &text = value->get_ref<const std::string &>();
  if (text.size() > maxBytes)
    fail("a string of " + std::to_string(text.size()) + " bytes; at most " +
             std::to_string(maxBytes) + " are accepted",
         ErrorKind::Limit);
  return text;
}

std::vector<JsonValue> JsonValue::list(size_t maxCount) const {
  if (!value->is_array())
    fail(std::string("must be a list, not ") + typeName(*value));
  if (value->size() > maxCount)
    fail("a list of " + std::to_string(value->size()) + " elements; at most " +
             std::to_string(maxCount) + " are accepted",
         ErrorKind::Limit);
  std::vector<JsonValue> elements;
  elements.reserve(value->size());
  for (size_t i = 0; i < value->size(); ++i)
    elements.emplace_back((*value)[i], place + "[" + std::to_string(i) + "]");
  return elements;
}

JsonObject::JsonObject(const Json &value, std::string path)
    : self(value, std::move(path)) {
  if (!value.is_object())
    self.fail(std::string("must be an object, not ") + typeName(value));
}

JsonValue JsonObject::field(std::string_view name) {
  auto found = self.json().find(name);
  if (found == self.json().end())
    self.fail("the field '" + std::string(name) + "' is missing");
  asked.emplace_back(name);
  return JsonValue(*found, path().empty() ? std::string(name)
                                          : path() + "." + std::string(name));
}

bool JsonObject::has(std::string_view name) const {
  return self.json().find(name) != self.json().end();
}

void JsonObject::version(int64_t version, std::string_view name) {
  JsonValue given = field(name);
  int64_t number = given.integer();
  if (number != version)
    given.fail(std::to_string(number) + " is not known here; only " +
                   std::to_string(version) +
                   " is. A newer egg may have written it",
               ErrorKind::Unsupported);
}

void JsonObject::finish() const {
  for (const auto &[name, unused] : self.json().items())
    if (std::find(asked.begin(), asked.end(), name) == asked.end())
      self.fail("the field '" + name + "' is not known here");
}
