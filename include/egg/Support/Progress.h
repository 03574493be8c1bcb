//===- Progress.h - what a tool is doing, said to a person ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_PROGRESS_H
#define EGG_SUPPORT_PROGRESS_H

#include <cstdio>
#include <string>
#include <string_view>

namespace egg {

/// Says on a stream what is being done. On a terminal one line is written over
/// and over and is gone at the end; elsewhere (a log, a pipe) each new step is
/// a plain line. Control characters in what is said are replaced.
class Progress {
public:
  /// `quiet` says nothing at all.
  explicit Progress(FILE *stream = stderr, bool quiet = false);
  /// Clears the line.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// A new step; the same one again is not said twice.
  void step(std::string_view what);
  /// "what (done of total)"; on a plain stream only at each tenth of the total.
  void count(std::string_view what, size_t done, size_t total);
  /// Removes the line from a terminal, so that something else can be printed.
  void clear();

private:
  void show(std::string_view text);

  FILE *stream;
  bool quiet, terminal;
  std::string last;
};

} // namespace egg

#endif // EGG_SUPPORT_PROGRESS_H
