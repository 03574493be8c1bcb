//===- Error.h - The closed set of error kinds ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every failure in egg is one kind out of a closed set (docs/formats.md) and a
// sentence with the numbers in it.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_ERROR_H
#define EGG_SUPPORT_ERROR_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egg {

/// The kinds, in the order of docs/formats.md. Their spelling in JSON, in the
/// database and in messages is that of `toString`.
enum class ErrorKind {
  Parse,
  Verify,
  Limit,
  Unsupported,
  HostControlFlow,
  TransformSilenceable,
  TransformDefinite,
  Lower,
  BuilderDied,
  MissingTool,
  Ptxas,
  WrongArch,
  NoDevice,
  DeviceBusy,
  Mps,
  Load,
  Launch,
  IllegalAccess,
  OutOfBoundsWrite,
  Timeout,
  WrongResult,
  NotWritten,
  Nondeterministic,
  InputModified,
  RooflineFault,
  OutOfMemory,
  WorkerDied,
  DeviceLost,
  Internal,
};

/// The spelling of docs/formats.md, for example `host-control-flow`.
std::string_view toString(ErrorKind kind);

/// The kind that is spelt `text`, or nullopt: the set is closed.
std::optional<ErrorKind> errorKindFromString(std::string_view text);

/// Every kind, in the order of docs/formats.md.
const std::vector<ErrorKind> &allErrorKinds();

/// A failure: its kind and a sentence that says what, where and what to do.
struct Error {
  ErrorKind kind = ErrorKind::Internal;
  std::string message;

  Error() = default;
  Error(ErrorKind kind, std::string message)
      : kind(kind), message(std::move(message)) {}

  /// `kind: message`.
  std::string str() const;

  /// The same error with `context` and a colon before the sentence.
  Error withContext(std::string_view context) const;
};

inline bool operator==(const Error &a, const Error &b) {
  return a.kind == b.kind && a.message == b.message;
}

} // namespace egg

#endif // EGG_SUPPORT_ERROR_H
