//===- TextGuardTest.cpp - IR text before parsing ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/TextGuard.h"

#include "gtest/gtest.h"

using namespace egg;

static std::string repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

/// The message of the refusal, or an empty text.
static std::string refusal(std::string_view text, ErrorKind kind,
                           const TextLimits &limits = {}) {
  Status status = checkText(text, "k.mlir", limits);
  if (status)
    return "";
  EXPECT_EQ(toString(status.error().kind), toString(kind));
  return status.error().message;
}

static const char *payload = R"(
// A comment with { ( [ < " and /* in it
#map = affine_map<(d0, d1) -> (d0 * 4 + d1 floordiv 2 - 1, d1 mod 8)>
#set = affine_set<(d0) : (d0 - 1 >= 0, 7 - d0 >= 0)>
module attributes {a = "brackets in a string: {{{{ \" ((("} {
  func.func @main(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %c = arith.constant dense<[[-1.0, -2.0e-3], [3.0, 0x7FC00000]]> : tensor<2x2xf32>
    %y = "math.exp"(%x) : (tensor<4x?xf32>) -> tensor<4x?xf32>
    return %y : tensor<4x?xf32>
  }
}
)";

TEST(TextGuard, TakesAPayload) {
  EXPECT_EQ(refusal(payload, ErrorKind::Parse), "");
  // Every bracket of it is closed again: deepest inside the constant.
  TextLimits limits;
  limits.maxNesting = 5;
  EXPECT_EQ(refusal(payload, ErrorKind::Limit, limits), "");
  limits.maxNesting = 4;
  EXPECT_NE(refusal(payload, ErrorKind::Limit, limits), "");
}

TEST(TextGuard, TakesAnEmptyText) {
  EXPECT_EQ(refusal("", ErrorKind::Parse), "");
}

TEST(TextGuard, RefusesManyBytes) {
  TextLimits limits;
  limits.maxBytes = 10;
  EXPECT_EQ(refusal("0123456789", ErrorKind::Limit, limits), "");
  EXPECT_EQ(refusal("0123456789a", ErrorKind::Limit, limits),
            "k.mlir: the text has 11 bytes; the limit is 10");
}

TEST(TextGuard, RefusesDeepNesting) {
  std::string deep = repeat("\"a.b\"() ({\n", 20000);
  EXPECT_EQ(refusal(deep, ErrorKind::Limit),
            "k.mlir:129:6: brackets are nested more than 256 deep, which is "
            "the limit");
  for (const char *bracket : {"(", "[", "{", "<"}) {
    EXPECT_EQ(refusal(repeat(bracket, 256), ErrorKind::Limit), "");
    EXPECT_NE(refusal(repeat(bracket, 257), ErrorKind::Limit), "");
  }
  // A comparison closes nothing, and neither does an arrow.
  EXPECT_NE(refusal(repeat("(>= ->", 257), ErrorKind::Limit), "");
}

TEST(TextGuard, RefusesManyOps) {
  TextLimits limits;
  limits.maxOps = 3;
  std::string ops = "%0 = a.b %1\n\"a.c\"() : () -> ()\n a.d\n";
  EXPECT_EQ(refusal(ops, ErrorKind::Limit, limits), "");
  EXPECT_EQ(refusal(ops + "a.e", ErrorKind::Limit, limits),
            "k.mlir:4:1: the text holds more than 3 operations, which is the "
            "limit");
  // Names with a sigil are none.
  EXPECT_EQ(refusal(ops + "@a.b %a.b #a.b !a.b ^a.b", ErrorKind::Limit, limits),
            "");
}

TEST(TextGuard, RefusesLongExpressions) {
  std::string sum =
      "#m = affine_map<(d0) -> (d0" + repeat(" + d0", 1025) + ")>";
  EXPECT_NE(refusal(sum, ErrorKind::Limit).find("more than 1024 operators"),
            std::string::npos);
  std::string signs =
      "#m = affine_map<(d0) -> (" + repeat("-", 100000) + "d0)>";
  EXPECT_NE(refusal(signs, ErrorKind::Limit), "");
  // A list of negative numbers is no expression.
  EXPECT_EQ(refusal("dense<[" + repeat("-1, ", 5000) + "0]>", ErrorKind::Limit),
            "");
}

TEST(TextGuard, RefusesControlBytes) {
  std::string nul = "module {\n }";
  nul[10] = '\0';
  EXPECT_EQ(refusal(nul, ErrorKind::Parse),
            "k.mlir:2:2: byte 0 is a control character, which MLIR text cannot "
            "hold");
  EXPECT_NE(refusal("// \x1b[2J", ErrorKind::Parse), "");
  EXPECT_NE(refusal("\x7f", ErrorKind::Parse), "");
  EXPECT_EQ(refusal("// caf\xc3\xa9\r\n\t", ErrorKind::Parse), "");
}

TEST(TextGuard, RefusesBytecode) {
  EXPECT_EQ(refusal("ML\xefRabc", ErrorKind::Parse),
            "k.mlir:1:1: this is MLIR bytecode; only MLIR text is read");
}

TEST(TextGuard, RefusesResources) {
  EXPECT_NE(refusal("{-# dialect_resources: {} #-}", ErrorKind::Parse), "");
  EXPECT_NE(refusal("%0 = arith.constant dense_resource<a> : tensor<1xf32>",
                    ErrorKind::Parse),
            "");
  EXPECT_EQ(refusal("// dense_resource {-#\n", ErrorKind::Parse), "");
}

TEST(TextGuard, RefusesAStringWithoutEnd) {
  EXPECT_EQ(refusal("module @\"abc\n\"", ErrorKind::Parse),
            "k.mlir:1:9: this string does not end on its line");
  EXPECT_NE(refusal("\"abc\\", ErrorKind::Parse), "");
  EXPECT_NE(refusal("\"", ErrorKind::Parse), "");
}

TEST(TextGuard, StripsControls) {
  EXPECT_EQ(stripControls("a\n\tb\x1b[31mc\r\x07"), "a\n\tb?[31mc??");
  EXPECT_EQ(stripControls("caf\xc3\xa9 \xf0\x9f\xa5\x9a"),
            "caf\xc3\xa9 \xf0\x9f\xa5\x9a");
  // C1 (CSI), a bidirectional override, a lone byte, a cut sequence, an
  // overlong slash, a surrogate.
  EXPECT_EQ(stripControls("\xc2\x9b"), "?");
  EXPECT_EQ(stripControls("\xe2\x80\xae"), "?");
  EXPECT_EQ(stripControls("\xff"), "?");
  EXPECT_EQ(stripControls("a\xc3"), "a?");
  EXPECT_EQ(stripControls("\xc0\xaf"), "??");
  EXPECT_EQ(stripControls("\xed\xa0\x80"), "???");
}
