//===- TextGuard.cpp - what IR text must satisfy before parsing -*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/TextGuard.h"

#include <optional>
#include <vector>

using namespace egg;

/// `name:line:column` of a byte of a text. Counted only when an error is made.
static std::string place(std::string_view text, std::string_view name,
                         size_t at) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < at && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return stripControls(name) + ":" + std::to_string(line) + ":" +
         std::to_string(column);
}

static bool isIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool isIdentifierPart(char c) {
  return isIdentifierStart(c) || (c >= '0' && c <= '9') || c == '$' || c == '.';
}

namespace {
/// One pass over the text; knows MLIR's comments, strings and identifiers and
/// nothing else of its grammar.
class Scanner {
public:
  Scanner(std::string_view text, std::string_view name,
          const TextLimits &limits)
      : text(text), name(name), limits(limits) {}

  std::optional<Error> run();

private:
  Error fail(ErrorKind kind, size_t at, const std::string &what) const {
    return Error{kind, place(text, name, at) + ": " + what};
  }
  std::optional<Error> skipString();
  std::optional<Error> takeIdentifier();
  std::optional<Error> countOp(size_t at);
  std::optional<Error> countOperator(size_t at);
  std::optional<Error> open(size_t at);

  std::string_view text, name;
  const TextLimits &limits;
  size_t pos = 0;
  uint64_t ops = 0;
  /// Operators since the last comma, one entry an open bracket and one for the
  /// top level.
  std::vector<uint64_t> operators = {0};
};
} // namespace

std::optional<Error> Scanner::open(size_t at) {
  operators.push_back(0);
  if (operators.size() - 1 > limits.maxNesting)
    return fail(ErrorKind::Limit, at,
                "brackets are nested more than " +
                    std::to_string(limits.maxNesting) +
                    " deep, which is the limit");
  return std::nullopt;
}

std::optional<Error> Scanner::countOp(size_t at) {
  if (++ops > limits.maxOps)
    return fail(ErrorKind::Limit, at,
                "the text holds more than " + std::to_string(limits.maxOps) +
                    " operations, which is the limit");
  return std::nullopt;
}

std::optional<Error> Scanner::countOperator(size_t at) {
  if (++operators.back() > limits.maxOperators)
    return fail(ErrorKind::Limit, at,
                "an expression holds more than " +
                    std::to_string(limits.maxOperators) +
                    " operators, which is the limit");
  return std::nullopt;
}

/// At an opening quote: moves behind the closing one. A quoted name before a
/// parenthesis is an operation in its generic form.
std::optional<Error> Scanner::skipString() {
  size_t start = pos++;
  while (pos < text.size() && text[pos] != '"') {
    if (text[pos] == '\n')
      break;
    pos += text[pos] == '\\' ? 2 : 1;
  }
  if (pos >= text.size() || text[pos] != '"')
    return fail(ErrorKind::Parse, start,
                "this string does not end on its line");
  ++pos;
  if (pos < text.size() && text[pos] == '(')
    return countOp(start);
  return std::nullopt;
}

std::optional<Error> Scanner::takeIdentifier() {
  size_t start = pos;
  bool dotted = false;
  while (pos < text.size() && isIdentifierPart(text[pos]))
    dotted |= text[pos++] == '.';
  std::string_view word = text.substr(start, pos - start);
  if (word == "dense_resource")
    return fail(ErrorKind::Parse, start,
                "dialect resources are refused: write the constant as 'dense'");
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    return countOperator(start);
  // Names of values, symbols, blocks, attributes and types carry a sigil.
  char before = start ? text[start - 1] : ' ';
  bool sigil = before == '%' || before == '@' || before == '#' ||
               before == '!' || before == '^';
  if (dotted && !sigil)
    return countOp(start);
  return std::nullopt;
}

std::optional<Error> Scanner::run() {
  if (text.size() > limits.maxBytes)
    return Error{ErrorKind::Limit, stripControls(name) + ": the text has " +
                                       std::to_string(text.size()) +
                                       " bytes; the limit is " +
                                       std::to_string(limits.maxBytes)};
  // The parser would take bytecode for text's sake; nothing here reads it.
  if (text.substr(0, 4) == "ML\xefR")
    return fail(ErrorKind::Parse, 0,
                "this is MLIR bytecode; only MLIR text is read");
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i];
    if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
      return fail(ErrorKind::Parse, i,
                  "byte " + std::to_string(unsigned(c)) +
                      " is a control character, which MLIR text cannot hold");
  }

  std::optional<Error> error;
  while (pos < text.size() && !error) {
    char c = text[pos];
    char next = pos + 1 < text.size() ? text[pos + 1] : '\0';
    switch (c) {
    case '/':
      if (next == '/')
        while (pos < text.size() && text[pos] != '\n')
          ++pos;
      else
        ++pos;
      break;
    case '"':
      error = skipString();
      break;
    case '{':
      if (text.substr(pos, 3) == "{-#")
        return fail(ErrorKind::Parse, pos, "dialect resources are refused");
      [[fallthrough]];
    case '(':
    case '[':
    case '<':
      error = open(pos++);
      break;
    case '>':
      // The comparison of an integer set is no bracket.
      if (next == '=') {
        pos += 2;
        operators.back() = 0;
        break;
      }
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      // A closing bracket too many is the parser's to report.
      if (operators.size() > 1)
        operators.pop_back();
      ++pos;
      break;
    case ',':
    case ':':
    case '=':
      operators.back() = 0;
      ++pos;
      break;
    case '-':
      if (next == '>') {
        operators.back() = 0;
        pos += 2;
        break;
      }
      [[fallthrough]];
    case '+':
    case '*':
      error = countOperator(pos++);
      break;
    default:
      if (isIdentifierStart(c))
        error = takeIdentifier();
      else
        ++pos;
    }
  }
  return error;
}

Status egg::checkText(std::string_view text, std::string_view name,
                      const TextLimits &limits) {
  if (std::optional<Error> error = Scanner(text, name, limits).run())
    return *error;
  return Status();
}

/// Length of the UTF-8 sequence at `at`, 0 if there is none; `code` gets its
/// code point. Overlong forms, surrogates and values past U+10FFFF are none.
static unsigned decodeUtf8(std::string_view text, size_t at, uint32_t &code) {
  unsigned char first = text[at];
  unsigned length = first < 0x80             ? 1
                    : (first & 0xe0) == 0xc0 ? 2
                    : (first & 0xf0) == 0xe0 ? 3
                    : (first & 0xf8) == 0xf0 ? 4
                                             : 0;
  if (length == 0 || at + length > text.size())
    return 0;
  code = length == 1 ? first : first & (0xff >> (length + 1));
  for (unsigned i = 1; i < length; ++i) {
    unsigned char c = text[at + i];
    if ((c & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (c & 0x3f);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10ffff ||
      (code >= 0xd800 && code <= 0xdfff))
    return 0;
  return length;
}

std::string egg::stripControls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    uint32_t code = 0;
    unsigned length = decodeUtf8(text, i, code);
    bool bad = length == 0 || (code < 0x20 && code != '\n' && code != '\t') ||
               (code >= 0x7f && code < 0xa0) ||
               (code >= 0x200b && code <= 0x200f) ||
               (code >= 0x2028 && code <= 0x202e) ||
               (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
    if (bad)
      out += '?';
    else
      out.append(text.substr(i, length));
    i += length ? length : 1;
  }
  return out;
}
