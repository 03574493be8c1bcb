//===- Progress.cpp - what a tool is doing, said to a person ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Progress.h"

#include "egg/Support/TextGuard.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace egg;

Progress::Progress(FILE *stream, bool quiet)
    : stream(stream), quiet(quiet), terminal(isatty(fileno(stream)) == 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!quiet && terminal && !last.empty()) {
    // To the first column, and erase to the end of the line.
    fputs("\r\033[K", stream);
    fflush(stream);
  }
  last.clear();
}

void Progress::show(std::string_view text) {
  std::string clean = stripControls(text);
  std::replace(clean.begin(), clean.end(), '\n', ' ');
  if (quiet || clean == last)
    return;
  if (terminal) {
    winsize size = {};
    // A line that wraps could not be written over.
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
      clean.resize(std::min(clean.size(), size_t(size.ws_col) - 1));
    fprintf(stream, "\r\033[K%s", clean.c_str());
  } else {
    fprintf(stream, "%s\n", clean.c_str());
  }
  fflush(stream);
  last = clean;
}

void Progress::step(std::string_view what) { show(what); }

void Progress::count(std::string_view what, size_t done, size_t total) {
  if (!terminal && total > 10 && done != total &&
      done * 10 / total == (done ? (done - 1) * 10 / total : 10))
    return;
  show(std::string(what) + " (" + std::to_string(done) + " of " +
       std::to_string(total) + ")");
}
