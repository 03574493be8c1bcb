//===- VerifyPTX.cpp - checks on PTX text -----------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/EmitPTX.h"
#include "egg/Pipelines/LowerKernels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace egg {

/// The identifier after the last blank, or before a parenthesis or bracket.
static StringRef declaredName(StringRef line) {
  line = line.substr(0, line.find_first_of("([;")).rtrim();
  return line.substr(line.find_last_of(" \t)") + 1);
}

/// The name of a function in a `.func` line, which may begin with its result:
/// `.func (.param .b32 r) name(`.
static StringRef functionName(StringRef line) {
  line = line.split(".func").second.ltrim();
  if (line.starts_with("("))
    line = line.split(')').second.ltrim();
  return line.take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%';
  });
}

/// The target of a direct call: `call.uni (r), name, (p);`.
static StringRef calledName(StringRef line) {
  line = line.substr(line.find_first_of(" \t")).trim();
  if (line.starts_with("("))
    line = line.split(')').second.ltrim(", \t");
  return line.take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%';
  });
}

/// The bytes of a `.b8 name[N]` declaration, or 0.
static uint64_t declaredBytes(StringRef line) {
  size_t open = line.rfind('[');
  uint64_t count = 0;
  if (open == StringRef::npos ||
      line.substr(open + 1).split(']').first.getAsInteger(10, count))
    return 0;
  for (auto [type, bytes] : {std::pair<StringRef, uint64_t>{".b8", 1},
                             {".u8", 1},
                             {".b16", 2},
                             {".b32", 4},
                             {".b64", 8}})
    if (line.contains((type + " ").str()))
      return count * bytes;
  return count;
}

/// An add, sub or mul of floats without a rounding modifier: ptxas may contract
/// it with a neighbour into a fused multiply-add.
static bool mayContract(StringRef line) {
  StringRef opcode =
      line.take_until([](char c) { return c == ' ' || c == '\t'; });
  SmallVector<StringRef> parts;
  opcode.split(parts, '.');
  if (parts.size() < 2 ||
      !(parts[0] == "add" || parts[0] == "sub" || parts[0] == "mul"))
    return false;
  static const llvm::StringSet<> floats = {"f16", "f16x2", "bf16", "bf16x2",
                                           "f32", "f32x2", "f64"};
  static const llvm::StringSet<> roundings = {"rn", "rz", "rm", "rp"};
  bool isFloat = false, isRounded = false;
  for (StringRef part : llvm::drop_begin(parts)) {
    isFloat |= floats.contains(part);
    isRounded |= roundings.contains(part);
  }
  return isFloat && !isRounded;
}

LogicalResult verifyPTX(StringRef ptx, const PTXChecks &checks,
                        function_ref<InFlightDiagnostic()> emitError) {
  bool ok = true;
  auto problem = [&]() {
    ok = false;
    return emitError();
  };
  struct Entry {
    StringRef name;
    uint64_t localBytes = 0, sharedBytes = 0;
    bool hasLines = false;
  };
  SmallVector<Entry> entries;
  llvm::StringSet<> defined;
  SmallVector<std::pair<StringRef, StringRef>> calls;
  uint64_t moduleSharedBytes = 0;
  bool inBody = false, inFunction = false;
  StringRef function;

  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.empty() || line.starts_with("//"))
      continue;
    if (line.starts_with(".extern")) {
      if (!line.starts_with(".extern .shared"))
        problem() << "PTX has the external symbol "
                  << (line.contains(".func") ? functionName(line)
                                             : declaredName(line))
                  << ", which nothing will define";
      continue;
    }
    if (line.contains(".entry ")) {
      StringRef name = line.split(".entry ").second.split('(').first.trim();
      entries.push_back({name});
      function = name;
      inFunction = false;
    } else if (line.starts_with(".func") || line.contains(" .func")) {
      function = functionName(line);
      // A prototype ends in a semicolon, on its own line or this one.
      if (!line.ends_with(";"))
        defined.insert(function);
      inFunction = true;
    } else if (line == "{") {
      inBody = true;
    } else if (line == "}") {
      // Inner blocks (call sequences) close indented; a body closes a line
      // which begins with the brace as well, so it ends at the next symbol.
      continue;
    } else if (line.starts_with(".local")) {
      if (!inFunction && !entries.empty())
        entries.back().localBytes += declaredBytes(line);
      else if (!entries.empty())
        for (Entry &entry : entries)
          entry.localBytes += declaredBytes(line);
    } else if (line.contains(".shared ")) {
      if (inBody && !inFunction && !entries.empty())
        entries.back().sharedBytes += declaredBytes(line);
      else
        moduleSharedBytes += declaredBytes(line);
    } else if (line.starts_with(".loc")) {
      if (!inFunction && !entries.empty())
        entries.back().hasLines = true;
    } else if (line.starts_with("call") || line.contains(" call.uni")) {
      calls.push_back({function, calledName(line.substr(line.find("call")))});
    } else if (mayContract(line)) {
      problem() << "PTX of " << function << " has the instruction \"" << line
                << "\" without a rounding mode; ptxas could fuse it";
    }
  }
  if (entries.empty())
    problem() << "PTX has no kernel";
  for (auto [caller, callee] : calls)
    if (!defined.contains(callee))
      problem() << "PTX of " << caller << " calls " << callee
                << ", which is not defined in it";
  for (const Entry &entry : entries) {
    if (entry.localBytes > checks.maxLocalBytes)
      problem() << "PTX of " << entry.name << " has " << entry.localBytes
                << " bytes of local memory; the limit is "
                << checks.maxLocalBytes;
    if (entry.sharedBytes + moduleSharedBytes >
        static_cast<uint64_t>(kMaxStaticWorkgroupBytes))
      problem() << "PTX of " << entry.name << " has "
                << entry.sharedBytes + moduleSharedBytes
                << " bytes of static shared memory; at most "
                << kMaxStaticWorkgroupBytes << " can be launched";
    if (checks.requireLines && !entry.hasLines)
      problem() << "PTX of " << entry.name
                << " has no .loc directive: its instructions cannot be traced "
                   "to the payload";
  }
  return success(ok);
}

} // namespace egg
