//===- Emit.h - a build's parts, written out --------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TOOLS_EGG_RUN_EMIT_H
#define EGG_TOOLS_EGG_RUN_EMIT_H

#include "egg/Search/Builder.h"

#include <cstdio>

namespace egg {

/// Writes all of `text` and flushes. Fails with `internal`, `name` and the
/// system's reason: a full disk is one error, not a file cut short in silence.
Status writeAll(FILE *stream, const std::string &name, std::string_view text);

/// Writes the part `what` of a build (mlir, ptx, plan, cubin, sass, artifact)
/// to `output`: `-` is standard output, a folder that is there gets one file a
/// module or part, anything else is a file. Parts of several modules (ptx and
/// sass) follow each other in one file with a comment before each; several
/// cubins need a folder.
Status emitBuilt(const BuiltPayload &built, const std::string &what,
                 const std::string &output);

} // namespace egg

#endif // EGG_TOOLS_EGG_RUN_EMIT_H
