//===- Serve.h - the child of the compiler protocol -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SERVE_SERVE_H
#define EGG_SERVE_SERVE_H

#include "egg/Support/TextGuard.h"

#include <cstddef>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace egg {

struct ServeOptions {
  /// Gives up programs, processes, sockets and writing before the first
  /// request; see Confine.h. Off only for debuggers and sanitizers.
  bool confine = true;
  TextLimits limits;
  /// Stack of the thread that answers. MLIR's parser and several rewrites
  /// recurse; what the limits above let through fits.
  size_t stackBytes = size_t(256) << 20;
};

/// Answers requests of the compiler protocol (docs/formats.md) from standard
/// input on standard output until the input ends, each in a context of its own
/// without threads. `registry` holds everything the lowering needs; a payload's
/// parser sees only the dialects that a payload may use.
///
/// Whatever else the process prints goes to standard error, also through file
/// descriptor 1. Returns the process's exit status: 0 at the end of the input,
/// 1 when a frame is malformed, the answer cannot be written or the process
/// cannot be confined (said on standard error).
///
/// A fatal error of LLVM, a crash or a limit of the process ends it in the
/// middle of a request; the asking side reports that as `builder-died`.
int serve(const mlir::DialectRegistry &registry,
          const ServeOptions &options = {});

} // namespace egg

#endif // EGG_SERVE_SERVE_H
