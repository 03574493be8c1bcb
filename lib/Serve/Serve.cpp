//===- Serve.cpp - the child of the compiler protocol -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Serve/Serve.h"

#include "Requests.h"

#include "egg/Support/Confine.h"
#include "egg/Support/Frame.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace egg;

static int complain(const llvm::Twine &what) {
  llvm::errs() << "egg-opt: " << what << "\n";
  return 1;
}

/// The answer's frame, be it an answer or an error.
static Frame answer(const Frame &question,
                    const mlir::DialectRegistry &registry,
                    const TextLimits &limits) {
  Result<CompilerRequest> request = decodeRequest(question);
  if (!request)
    return encodeError(request.error());
  return std::visit(
      [&](const auto &known) {
        auto result = answerRequest(known, registry, limits);
        return result ? encodeAnswer(*result) : encodeError(result.error());
      },
      *request);
}

static int serveOn(int output, const mlir::DialectRegistry &registry,
                   const TextLimits &limits) {
  while (true) {
    Result<std::optional<Frame>> question = readFrame(STDIN_FILENO);
    if (!question)
      return complain(question.error().str());
    if (!*question)
      return 0;
    Frame reply = answer(**question, registry, limits);
    reply.nonce = (*question)->nonce;
    if (Status written = writeFrame(output, reply); !written)
      return complain(written.error().str());
  }
}

int egg::serve(const mlir::DialectRegistry &registry,
               const ServeOptions &options) {
  // A stray print of a library must not end up between two frames.
  int output = dup(STDOUT_FILENO);
  if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return complain(llvm::Twine("standard output cannot be used: ") +
                    strerror(errno));
  if (options.confine)
    if (Status confined = confineToCompute(); !confined)
      return complain(confined.error().str());

  int status = 1;
  llvm::thread worker(
      std::optional<unsigned>(unsigned(options.stackBytes)),
      [&] { status = serveOn(output, registry, options.limits); });
  worker.join();
  return status;
}
