//===- Emit.cpp - a build's parts, written out ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "egg/Support/File.h"
#include "egg/Support/Json.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace egg;

namespace {
/// One thing to write: the name of its file in a folder, and its bytes.
struct Part {
  std::string file, bytes;
};
} // namespace

Status egg::writeAll(FILE *stream, const std::string &name,
                     std::string_view text) {
  if (fwrite(text.data(), 1, text.size(), stream) != text.size() ||
      fflush(stream) != 0)
    return Error(ErrorKind::Internal,
                 name + " cannot be written: " + strerror(errno));
  return Status();
}

/// A module's name as a file's: others' letters become underscores.
static std::string fileName(size_t index, const std::string &name,
                            const std::string &ending) {
  std::string clean = std::to_string(index) + "-";
  for (char c : name)
    clean += isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return clean + ending;
}

static Result<std::vector<Part>> partsOf(const BuiltPayload &built,
                                         const std::string &what) {
  const CompiledPayload &compiled = built.compiled;
  std::vector<Part> parts;
  if (what == "mlir")
    parts.push_back({"lowered.mlir", compiled.mlir});
  if (what == "artifact")
    parts.push_back({"artifact.egg", built.artifact});
  if (what == "plan") {
    EGG_ASSIGN(Json plan, parseJson(planToJson(compiled.plan)));
    parts.push_back({"plan.json", dumpJson(plan, 2) + "\n"});
  }
  for (size_t i = 0; i < compiled.modules.size(); ++i) {
    const BuiltModule &module = compiled.modules[i];
    if (what == "ptx")
      parts.push_back({fileName(i, module.name, ".ptx"), module.ptx});
    if (what == "cubin")
      parts.push_back({fileName(i, module.name, ".cubin"), built.cubins[i]});
    if (what == "sass") {
      EGG_ASSIGN(std::string sass,
                 disassemble(built.cubins[i], ToolPlaces::fromEnvironment()));
      parts.push_back({fileName(i, module.name, ".sass"), std::move(sass)});
    }
  }
  return parts;
}

Status egg::emitBuilt(const BuiltPayload &built, const std::string &what,
                      const std::string &output) {
  EGG_ASSIGN(std::vector<Part> parts, partsOf(built, what));
  std::error_code ignored;
  if (std::filesystem::is_directory(output, ignored)) {
    for (const Part &part : parts)
      EGG_TRY(writeFileAtomically(output + "/" + part.file, part.bytes));
    return Status();
  }
  bool binary = what == "cubin" || what == "artifact";
  if (binary && parts.size() > 1)
    return Error(ErrorKind::Unsupported,
                 "there are " + std::to_string(parts.size()) +
                     " cubins: name a folder that exists with -o");
  if (binary && output == "-" && isatty(STDOUT_FILENO))
    return Error(ErrorKind::Unsupported,
                 "bytes of a " + what +
                     " do not go to a terminal: name a file with -o");
  std::string text;
  for (const Part &part : parts)
    text += (parts.size() > 1 ? "// " + part.file + "\n" : "") + part.bytes;
  if (output == "-")
    return writeAll(stdout, "standard output", text);
  // Devices and pipes cannot be renamed over.
  if (std::filesystem::exists(output, ignored) &&
      !std::filesystem::is_regular_file(output, ignored)) {
    FILE *stream = fopen(output.c_str(), "wb");
    if (!stream)
      return Error(ErrorKind::Internal,
                   output + " cannot be written: " + strerror(errno));
    Status written = writeAll(stream, output, text);
    fclose(stream);
    return written;
  }
  return writeFileAtomically(output, text);
}
