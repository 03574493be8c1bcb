//===- VerifyRequest.cpp - canonical text and facts of a payload *- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadWork.h"
#include "Requests.h"

#include "egg/Serve/Payload.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace egg;

static Result<std::vector<TensorSignature>>
signaturesOf(mlir::TypeRange types) {
  std::vector<TensorSignature> signatures;
  for (mlir::Type type : types) {
    EGG_ASSIGN(TensorSignature signature, signatureOf(type));
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

Result<VerifyAnswer> egg::answerRequest(const VerifyRequest &request,
                                        const mlir::DialectRegistry &registry,
                                        const TextLimits &limits) {
  EGG_ASSIGN(ParsedPayload parsed,
             parsePayload(request.payload, registry, limits));
  VerifyAnswer answer;
  answer.entry = parsed.entry.getName().str();
  EGG_ASSIGN(answer.arguments, signaturesOf(parsed.entry.getArgumentTypes()));
  EGG_ASSIGN(answer.results, signaturesOf(parsed.entry.getResultTypes()));
  parsed.module->walk([&](mlir::Operation *) { ++answer.ops; });
  answer.wholeArguments = wholeArguments(parsed.entry);
  answer.contractions = contractionWork(parsed.entry);
  llvm::raw_string_ostream(answer.canonical) << *parsed.module;
  return answer;
}
