//===- TextGuard.h - what IR text must satisfy before parsing ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser recurses on nesting and trusts sizes: 20,000 nested regions
// overflow its stack. Every text of others, payload or recipe, is looked at
// here first, without recursion and in one pass.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_TEXTGUARD_H
#define EGG_SUPPORT_TEXTGUARD_H

#include "egg/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace egg {

/// What a text may hold at most. The defaults are far above any real kernel
/// and far below what hurts the parser.
struct TextLimits {
  /// Size of the whole text, in bytes.
  uint64_t maxBytes = 8u << 20;
  /// Brackets open at once, of all four kinds together.
  uint64_t maxNesting = 256;
  /// Operations, by an estimate: dotted names and quoted names before a
  /// parenthesis.
  uint64_t maxOps = 100000;
  /// Arithmetic operators in a row inside one bracket without a comma: the
  /// parser of affine expressions recurses on each.
  uint64_t maxOperators = 1024;
};

/// Checks `text` against `limits`; `name` is the file's name for the message.
/// Refuses, with kind `limit`: too many bytes, too deep a nesting, too many
/// operations or operators. Refuses, with kind `parse`: MLIR bytecode, NUL and
/// other control bytes but tab, newline and carriage return, a string that
/// never ends, and dialect resources (`{-#`, `dense_resource`), which are blobs
/// of any size. The message begins with `name:line:column`. No error means only
/// that parsing is safe to try: brackets that do not match are the parser's to
/// report.
Status checkText(std::string_view text, std::string_view name,
                 const TextLimits &limits = {});

/// `text` without what could move a terminal's cursor or hide a part of the
/// message: control bytes (tab and newline stay), DEL, C1 controls and
/// bidirectional overrides become `?`; bytes that are no UTF-8 also.
std::string stripControls(std::string_view text);

} // namespace egg

#endif // EGG_SUPPORT_TEXTGUARD_H
