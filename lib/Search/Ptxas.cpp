//===- Ptxas.cpp - PTX to machine code and back to text ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/CudaTools.h"

#include "ToolPlaces.h"

#include "egg/Support/File.h"
#include "egg/Support/Subprocess.h"

#include <charconv>

using namespace egg;

static const uint64_t maxCubinBytes = uint64_t(512) << 20;
static const size_t maxWords = 4096;

/// The number right before `unit` in `line`; false when there is none.
static bool numberBefore(std::string_view line, std::string_view unit,
                         int64_t &number) {
  size_t end = line.find(unit);
  if (end == std::string_view::npos)
    return false;
  size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
    --begin;
  return std::from_chars(line.data() + begin, line.data() + end, number).ec ==
         std::errc();
}

std::vector<KernelResources> egg::parsePtxasReport(std::string_view report) {
  std::vector<KernelResources> kernels;
  // Whether the properties that follow are the kernel's own, and not those of
  // a function that it calls.
  bool own = false;
  while (!report.empty()) {
    size_t end = std::min(report.find('\n'), report.size());
    std::string_view line = report.substr(0, end);
    report.remove_prefix(std::min(end + 1, report.size()));

    static const std::string_view start = "Compiling entry function '";
    if (size_t at = line.find(start); at != std::string_view::npos) {
      std::string_view rest = line.substr(at + start.size());
      kernels.emplace_back();
      kernels.back().symbol = rest.substr(0, rest.find('\''));
      continue;
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    static const std::string_view properties = "Function properties for ";
    if (size_t at = line.find(properties); at != std::string_view::npos)
      own = line.substr(at + properties.size()) == kernel.symbol;
    if (own) {
      numberBefore(line, " bytes spill stores", kernel.spillStoreBytes);
      numberBefore(line, " bytes spill loads", kernel.spillLoadBytes);
      numberBefore(line, " bytes stack frame", kernel.stackBytes);
    }
    if (numberBefore(line, " registers", kernel.registers)) {
      numberBefore(line, " barriers", kernel.barriers);
      numberBefore(line, " bytes smem", kernel.sharedBytes);
      numberBefore(line, " bytes cumulative stack size", kernel.stackBytes);
    }
  }
  return kernels;
}

/// What a tool said, cut to a readable length.
static std::string wordsOf(const ProcessResult &result) {
  std::string words = result.err.empty() ? result.out : result.err;
  while (!words.empty() && (words.back() == '\n' || words.back() == ' '))
    words.pop_back();
  if (words.size() > maxWords)
    words = words.substr(0, maxWords) + " ...";
  return words;
}

Result<Assembly> egg::assemble(const CudaTools &tools, std::string_view ptx,
                               const std::string &chip, double deadline) {
  EGG_ASSIGN(TempDir folder, TempDir::create("egg-ptxas"));
  EGG_TRY(writeFileAtomically(folder.path() + "/kernel.ptx", ptx, 0600));

  ProcessOptions process;
  process.arguments = {tools.ptxas,   "-v",         "--gpu-name",
                       chip,          "kernel.ptx", "--output-file",
                       "kernel.cubin"};
  process.folder = folder.path();
  process.environment = {{"TMPDIR", folder.path()}};
  process.limits.fileBytes = maxCubinBytes;
  RunOptions run;
  run.deadline = deadline;
  EGG_ASSIGN(ProcessResult result, runProcess(process, run));
  if (result.end.how == ProcessEnd::How::TimedOut)
    return Error(ErrorKind::Timeout,
                 "ptxas was not done with " + std::to_string(ptx.size()) +
                     " bytes of PTX after " +
                     std::to_string(int64_t(deadline)) + " s");
  if (!result.end.success())
    return Error(ErrorKind::Ptxas, "ptxas for " + chip + " " +
                                       result.end.describe() + ": " +
                                       wordsOf(result));

  Assembly assembly;
  EGG_ASSIGN(assembly.cubin,
             readFile(folder.path() + "/kernel.cubin", maxCubinBytes));
  assembly.kernels = parsePtxasReport(result.err + result.out);
  return assembly;
}

Result<std::string> egg::disassemble(std::string_view cubin,
                                     const ToolPlaces &places) {
  std::string tool = findTool("nvdisasm", places);
  bool nvdisasm = !tool.empty();
  if (!nvdisasm)
    tool = findTool("cuobjdump", places);
  if (tool.empty())
    return Error(
        ErrorKind::MissingTool,
        "machine code as text needs nvdisasm or cuobjdump, and neither "
        "is found (" +
            describePlaces(places) +
            "). Install the CUDA toolkit's package cuda-nvdisasm");

  EGG_ASSIGN(TempDir folder, TempDir::create("egg-sass"));
  EGG_TRY(writeFileAtomically(folder.path() + "/kernel.cubin", cubin, 0600));
  ProcessOptions process;
  process.arguments = {tool};
  if (!nvdisasm)
    process.arguments.push_back("-sass");
  process.arguments.push_back("kernel.cubin");
  process.folder = folder.path();
  EGG_ASSIGN(ProcessResult result, runProcess(process));
  if (!result.end.success())
    return Error(ErrorKind::Internal,
                 tool + " " + result.end.describe() + ": " + wordsOf(result));
  return std::move(result.out);
}
