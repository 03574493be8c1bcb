//===- ProgressTest.cpp - progress without a terminal -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Progress.h"

#include "gtest/gtest.h"

#include <functional>

using namespace egg;

/// What `body` says on a stream that is no terminal.
static std::string said(const std::function<void(Progress &)> &body,
                        bool quiet = false) {
  FILE *stream = tmpfile();
  {
    Progress progress(stream, quiet);
    body(progress);
  }
  rewind(stream);
  std::string text(4096, '\0');
  text.resize(fread(text.data(), 1, text.size(), stream));
  fclose(stream);
  return text;
}

TEST(Progress, WritesPlainLines) {
  EXPECT_EQ(said([](Progress &progress) {
              progress.step("building");
              progress.step("building");
              progress.step("checking\x1b[2J\nx");
            }),
            "building\nchecking?[2J x\n");
}

TEST(Progress, CountsInTenths) {
  std::string text = said([](Progress &progress) {
    for (size_t done = 0; done <= 1000; ++done)
      progress.count("candidates", done, 1000);
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_EQ(text.substr(0, text.find('\n')), "candidates (0 of 1000)");
  EXPECT_NE(text.find("candidates (1000 of 1000)\n"), std::string::npos);
  EXPECT_EQ(said([](Progress &progress) { progress.count("c", 0, 0); }),
            "c (0 of 0)\n");
}

TEST(Progress, CanBeQuiet) {
  EXPECT_EQ(said([](Progress &progress) { progress.step("x"); }, true), "");
}
