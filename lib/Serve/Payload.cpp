//===- Payload.cpp - reading the payload of somebody else -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Serve/Payload.h"

#include "PayloadAttributes.h"

#include "egg/Dialect/Egg/EggDialect.h"
#include "egg/Pipelines/VerifyPayload.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace egg;
using namespace mlir;

static const unsigned maxMessages = 8;
static const size_t maxMessageBytes = 8192;

/// `file:line:column: ` of the first file that a location names, or nothing.
static std::string placeOf(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return place.getFilename().str() + ":" + std::to_string(place.getLine()) +
         ":" + std::to_string(place.getColumn()) + ": ";
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : context(context) {
  handler = context->getDiagEngine().registerHandler([this](Diagnostic &diag) {
    if (diag.getSeverity() != DiagnosticSeverity::Error)
      return success();
    if (++count > maxMessages || messages.size() > maxMessageBytes)
      return success();
    if (!messages.empty())
      messages += '\n';
    // Advice for whoever writes a tool ends some of MLIR's messages.
    std::string message = diag.str();
    message.resize(
        std::min(message.size(), message.find(". If this is intended")));
    messages += placeOf(diag.getLocation()) + message;
    for (Diagnostic &note : diag.getNotes()) {
      // The context's lists of dialects say nothing about this text.
      std::string text = note.str();
      if (!StringRef(text).starts_with("Registered dialects:") &&
          !StringRef(text).starts_with("Available dialects:"))
        messages += "\n  " + placeOf(note.getLocation()) + "note: " + text;
    }
    if (messages.size() > maxMessageBytes)
      messages.resize(maxMessageBytes);
    return success();
  });
}

DiagnosticCollector::~DiagnosticCollector() {
  context->getDiagEngine().eraseHandler(handler);
}

Error DiagnosticCollector::error(ErrorKind kind, StringRef otherwise) const {
  return Error(kind, messages.empty() ? otherwise.str() : messages);
}

Result<func::FuncOp> egg::findEntry(ModuleOp module) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isDeclaration())
      continue;
    if (function.getName() == "main")
      return function;
    candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates.front();
  std::string what =
      candidates.empty()
          ? "there is no entry function: name one @main and give it a body"
          : "there are " + std::to_string(candidates.size()) +
                " public functions and none is @main: which is the entry?";
  return Error(ErrorKind::Unsupported, placeOf(module.getLoc()) + what);
}

Result<TensorSignature> egg::signatureOf(Type type) {
  TensorSignature signature;
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    if (!tensor.hasStaticShape() || tensor.getEncoding())
      element = nullptr;
    signature.shape = tensor.getShape();
  }
  if (element &&
      (element.isF64() || element.isF32() || element.isF16() ||
       element.isBF16() || element.isSignlessInteger(64) ||
       element.isSignlessInteger(32) || element.isSignlessInteger(16) ||
       element.isSignlessInteger(8) || element.isSignlessInteger(1)))
    llvm::raw_string_ostream(signature.type) << element;
  if (signature.type.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return Error(ErrorKind::Unsupported,
                 "the entry function has the type " + text +
                     "; its arguments and results are tensors of static shape "
                     "without an encoding, of f64, f32, f16, bf16, i64, i32, "
                     "i16, i8 or i1");
  }
  return signature;
}

/// What the parser says about a dialect that it was not given.
static bool namesUnknownDialect(StringRef messages) {
  return messages.contains("Dialect `") ||
         messages.contains("unregistered dialect") ||
         messages.contains("unknown dialect");
}

Result<ParsedPayload> egg::parsePayload(const PayloadText &payload,
                                        const DialectRegistry &registry,
                                        const TextLimits &limits) {
  EGG_TRY(checkText(payload.text, payload.name, limits));

  // What the parser does not know it cannot be led to.
  DialectRegistry allowed;
  allowed.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                 linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                 tensor::TensorDialect, ir::EggDialect>();
  ParsedPayload parsed;
  parsed.context =
      std::make_unique<MLIRContext>(allowed, MLIRContext::Threading::DISABLED);
  MLIRContext *context = parsed.context.get();
  // The op that is wrong may be the whole module: its place is enough.
  context->printOpOnDiagnostic(false);
  DiagnosticCollector diagnostics(context);

  ParserConfig config(context, /*verifyAfterParse=*/false);
  parsed.module =
      parseSourceString<ModuleOp>(payload.text, config, payload.name);
  if (!parsed.module) {
    if (namesUnknownDialect(diagnostics.text()))
      return Error(ErrorKind::Unsupported,
                   diagnostics.text() +
                       "\n  a payload uses the dialects func, linalg, tensor, "
                       "arith, math, scf and affine only");
    return diagnostics.error(ErrorKind::Parse,
                             payload.name + ": this is no MLIR module");
  }
  if (failed(verifyPayloadAttributes(*parsed.module)))
    return diagnostics.error(ErrorKind::Unsupported,
                             payload.name + ": an attribute is refused");
  if (failed(verify(*parsed.module)))
    return diagnostics.error(ErrorKind::Verify,
                             payload.name + ": the module is not valid");

  if (failed(verifyPayload(*parsed.module)))
    return diagnostics.error(ErrorKind::Unsupported,
                             payload.name + ": this is no payload");

  // The lowering's own dialects, and the interfaces of the ones above.
  context->appendDialectRegistry(registry);
  EGG_ASSIGN(parsed.entry, findEntry(*parsed.module));
  return parsed;
}
