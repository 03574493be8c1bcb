//===- Payload.h - reading the payload of somebody else ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SERVE_PAYLOAD_H
#define EGG_SERVE_PAYLOAD_H

#include "egg/Proposal/CompilerProtocol.h"
#include "egg/Support/TextGuard.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace egg {

/// Collects what a context reports while it lives, each message with its place
/// (`file:line:column`), notes indented behind it. Warnings and remarks are
/// left out. At most 8 messages and 8 KiB are kept: the text goes to terminals
/// and to a model.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);
  ~DiagnosticCollector();

  /// The messages, one a line; empty when there were none.
  const std::string &text() const { return messages; }
  /// An error of `kind` with these messages, or with `otherwise` when there
  /// were none.
  Error error(ErrorKind kind, llvm::StringRef otherwise) const;

private:
  mlir::MLIRContext *context;
  uint64_t handler;
  unsigned count = 0;
  std::string messages;
};

/// A parsed payload and the context that it lives in.
struct ParsedPayload {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The entry function, inside `module`.
  mlir::func::FuncOp entry;
};

/// Reads a payload: checks the text against `limits`, parses and verifies it in
/// a new context without threads that knows only the dialects a payload may
/// use, and only then adds `registry`, everything that the lowering needs, to
/// the context.
///
/// Fails with `limit` or `parse` (the text, or MLIR's parser), `verify` (MLIR's
/// verifier) or `unsupported` (a dialect that a payload cannot use, no entry
/// function), always with the place.
Result<ParsedPayload> parsePayload(const PayloadText &payload,
                                   const mlir::DialectRegistry &registry,
                                   const TextLimits &limits = {});

/// The entry function: `@main` if there is one, else the only public function.
/// Fails with `unsupported` when there is none or more than one.
Result<mlir::func::FuncOp> findEntry(mlir::ModuleOp module);

/// The signature of a ranked tensor with a static shape and an element type of
/// docs/formats.md; a bare element type (`f32`) is a tensor of rank 0. Fails
/// with `unsupported`.
Result<TensorSignature> signatureOf(mlir::Type type);

} // namespace egg

#endif // EGG_SERVE_PAYLOAD_H
