//===- egg-emulator-run.cpp - Plain kernels without a GPU -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers `run-cpu` requests (docs/formats.md) on standard input by
// egg-lower-to-plain-kernels and the SIMT emulator: the kernels that would go
// to the GPU, with every race, access out of bounds and read of unwritten
// memory an error. Each request runs in a process of its own. Beyond the fields
// of the protocol, `seed` (of the emulator's schedule) and `poison` (the byte
// that results hold before they are written) are read; the command line gives
// options of the pipeline, such as `sequential-limit=2 chunk=2`.
//
//===----------------------------------------------------------------------===//

#include "egg/Emulator/Emulator.h"
#include "egg/InitAll/InitAll.h"
#include "egg/Pipelines/PlainPipeline.h"
#include "egg/Serve/Payload.h"
#include "egg/Support/Frame.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using egg::Error;
using egg::ErrorKind;
using egg::Frame;
using nlohmann::json;

static Frame answerError(const Frame &request, const Error &error) {
  Frame answer;
  answer.nonce = request.nonce;
  answer.header = json{{"protocol", 1},
                       {"error",
                        {{"kind", std::string(egg::toString(error.kind))},
                         {"message", error.message}}}}
                      .dump(-1, ' ', false, json::error_handler_t::replace);
  return answer;
}

/// What an argument of the host function @main is.
struct HostArgument {
  egg::TensorSignature signature;
  std::optional<int64_t> result;
  uint64_t bytes = 0;
};

static egg::Result<std::vector<HostArgument>>
describeArguments(mlir::func::FuncOp host) {
  std::vector<HostArgument> list;
  for (unsigned i = 0; i < host.getNumArguments(); ++i) {
    auto memory = mlir::dyn_cast<mlir::MemRefType>(host.getArgumentTypes()[i]);
    auto element = host.getArgAttrOfType<mlir::TypeAttr>(i, "egg.element_type");
    if (!memory || !element)
      return Error(ErrorKind::Lower,
                   "argument " + std::to_string(i) +
                       " of the host function is not in plain form");
    HostArgument argument;
    EGG_ASSIGN(argument.signature, egg::signatureOf(mlir::RankedTensorType::get(
                                       memory.getShape(), element.getValue())));
    if (auto index =
            host.getArgAttrOfType<mlir::IntegerAttr>(i, "egg.result_index"))
      argument.result = index.getInt();
    argument.bytes =
        memory.getNumElements() * ((memory.getElementTypeBitWidth() + 7) / 8);
    list.push_back(std::move(argument));
  }
  return list;
}

static egg::Result<Frame> run(const Frame &request, const json &header,
                              const mlir::DialectRegistry &registry,
                              llvm::StringRef pipelineOptions) {
  egg::PayloadText text;
  text.text = request.blobs[0];
  text.name = header.value("name", "payload");
  EGG_ASSIGN(egg::ParsedPayload parsed, egg::parsePayload(text, registry));
  egg::PlainPipelineOptions options;
  options.promote = header.value("promote", "none") == "f64";
  if (mlir::failed(options.parseFromString(pipelineOptions)))
    return Error(ErrorKind::Parse,
                 "wrong options of the pipeline: " + pipelineOptions.str());
  egg::DiagnosticCollector diagnostics(parsed.context.get());
  mlir::PassManager passes(parsed.context.get());
  egg::buildPlainPipeline(passes, options);
  if (mlir::failed(passes.run(*parsed.module)))
    return diagnostics.error(ErrorKind::Lower,
                             "the plain lowering failed without a message");
  auto host = parsed.module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!host)
    return Error(ErrorKind::Lower, "the plain lowering made no @main");

  EGG_ASSIGN(std::vector<HostArgument> arguments, describeArguments(host));
  std::vector<egg::EmulatedBuffer> buffers;
  size_t inputs = 0, results = 0;
  for (HostArgument &argument : arguments) {
    if (argument.result) {
      ++results;
      buffers.emplace_back(argument.bytes,
                           uint8_t(header.value("poison", 0xff)));
      continue;
    }
    if (inputs + 1 >= request.blobs.size())
      return Error(ErrorKind::Verify, "there are too few inputs");
    const json &given = header["inputs"][inputs];
    const std::string &bytes = request.blobs[++inputs];
    if (given.value("type", "") != argument.signature.type ||
        given["shape"] != json(argument.signature.shape) ||
        bytes.size() != argument.bytes)
      return Error(ErrorKind::Verify, "input " + std::to_string(inputs - 1) +
                                          " is not the payload's argument");
    buffers.emplace_back(bytes.begin(), bytes.end());
  }
  if (inputs + 1 != request.blobs.size())
    return Error(ErrorKind::Verify, "there are too many inputs");

  egg::EmulatorOptions emulator;
  emulator.seed = header.value("seed", uint64_t(0));
  if (mlir::failed(egg::emulate(*parsed.module, buffers, emulator)))
    return diagnostics.error(ErrorKind::IllegalAccess,
                             "the emulation failed without a message");
  json list(results, json());
  Frame reply;
  reply.nonce = request.nonce;
  reply.blobs.resize(results);
  for (size_t i = 0, input = 0; i < arguments.size(); ++i) {
    std::string bytes(buffers[i].begin(), buffers[i].end());
    if (!arguments[i].result) {
      if (bytes != request.blobs[++input])
        return Error(ErrorKind::InputModified,
                     "the run changed input " + std::to_string(input - 1));
      continue;
    }
    size_t position = size_t(*arguments[i].result);
    if (position >= results || !list[position].is_null())
      return Error(ErrorKind::Lower,
                   "the results of the host function are not numbered");
    list[position] = {{"type", arguments[i].signature.type},
                      {"shape", arguments[i].signature.shape}};
    reply.blobs[position] = std::move(bytes);
  }
  reply.header = json{{"protocol", 1}, {"ok", {{"results", list}}}}.dump();
  return reply;
}

static Frame answer(const Frame &request, const mlir::DialectRegistry &registry,
                    llvm::StringRef pipelineOptions) {
  json header = json::parse(request.header, nullptr, false);
  if (!header.is_object() || header.value("kind", "") != "run-cpu" ||
      !header.contains("inputs") || request.blobs.empty() ||
      request.blobs.size() != header["inputs"].size() + 1)
    return answerError(request,
                       {ErrorKind::Parse, "this is no run-cpu request"});
  auto reply = run(request, header, registry, pipelineOptions);
  return reply ? std::move(*reply) : answerError(request, reply.error());
}

int main(int argc, char **argv) {
  std::string pipelineOptions;
  for (int i = 1; i < argc; ++i)
    pipelineOptions += (i > 1 ? " " : "") + std::string(argv[i]);
  mlir::DialectRegistry registry;
  egg::registerAllDialects(registry);
  while (true) {
    auto request = egg::readFrame(STDIN_FILENO);
    if (!request) {
      std::fprintf(stderr, "egg-emulator-run: %s\n",
                   request.error().str().c_str());
      return 1;
    }
    if (!*request)
      return 0;
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      Frame reply = answer(**request, registry, pipelineOptions);
      _exit(egg::writeFrame(STDOUT_FILENO, reply) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (child >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    std::string how = WIFSIGNALED(status)
                          ? "signal " + std::to_string(WTERMSIG(status))
                          : "exit code " + std::to_string(WEXITSTATUS(status));
    Error died{ErrorKind::BuilderDied, "the emulated run ended with " + how};
    if (!egg::writeFrame(STDOUT_FILENO, answerError(**request, died)))
      return 1;
  }
}
