//===- Modules.cpp - Modules of the fake CUDA driver ----------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A "cubin" is a text; PTX is read as far as the names and parameters of its
// kernels.
//
//===----------------------------------------------------------------------===//

#include "Exports.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace fake;

namespace {
constexpr std::string_view cubinMagic = "EGGFAKECUBIN";

/// Lines `kernel NAME [params=8,8,4] [registers=N] [shared=N] [local=N]
/// [maxthreads=N]` after the first; false for anything else.
bool parseCubin(const std::string &text,
                std::vector<cuda::FunctionOpaque> &to) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word))
      continue;
    cuda::FunctionOpaque function;
    if (word != "kernel" || !(words >> function.name))
      return false;
    while (words >> word) {
      size_t equals = word.find('=');
      if (equals == std::string::npos)
        return false;
      std::string key = word.substr(0, equals), value = word.substr(equals + 1);
      if (key == "params") {
        std::istringstream sizes(value);
        std::string size;
        while (std::getline(sizes, size, ','))
          function.parameterBytes.push_back(size_t(std::atoi(size.c_str())));
      } else if (key == "registers") {
        function.registers = std::atoi(value.c_str());
      } else if (key == "shared") {
        function.sharedBytes = std::atoi(value.c_str());
      } else if (key == "local") {
        function.localBytes = std::atoi(value.c_str());
      } else if (key == "maxthreads") {
        function.maxThreads = std::atoi(value.c_str());
      } else {
        return false;
      }
    }
    to.push_back(std::move(function));
  }
  return true;
}

/// The size of one `.param` declaration of PTX, such as
/// `.param .u64 .ptr .align 1 x` or `.param .align 8 .b8 x[64]`.
size_t parameterSize(const std::string &declaration) {
  std::istringstream words(declaration);
  std::string word;
  size_t bytes = 0;
  while (words >> word) {
    // A type is a letter of kind and a number of bits.
    if (bytes == 0 && word.size() >= 3 && word[0] == '.' &&
        std::strchr("bsuf", word[1]) && std::isdigit((unsigned char)word[2]))
      bytes = size_t(std::atoi(word.c_str() + 2)) / 8;
  }
  size_t bracket = declaration.find('[');
  if (bracket != std::string::npos)
    bytes *= size_t(std::atoi(declaration.c_str() + bracket + 1));
  return bytes;
}

void parsePtx(const std::string &text, std::vector<cuda::FunctionOpaque> &to) {
  const std::string entry = ".entry ";
  for (size_t at = text.find(entry); at != std::string::npos;
       at = text.find(entry, at + 1)) {
    size_t start = at + entry.size();
    size_t open = text.find('(', start), brace = text.find('{', start);
    cuda::FunctionOpaque function;
    size_t end = std::min(open, brace);
    function.name = text.substr(start, end - start);
    while (!function.name.empty() &&
           std::isspace((unsigned char)function.name.back()))
      function.name.pop_back();
    if (open < brace) {
      size_t close = text.find(')', open);
      std::istringstream list(text.substr(open + 1, close - open - 1));
      std::string declaration;
      while (std::getline(list, declaration, ','))
        if (declaration.find(".param") != std::string::npos)
          function.parameterBytes.push_back(parameterSize(declaration));
    }
    to.push_back(std::move(function));
  }
}
} // namespace

cuda::Result cuModuleLoadDataEx(cuda::ModuleHandle *module, const void *image,
                                unsigned count, int *options, void **values) {
  EGG_FAKE_ENTER();
  auto module_ = std::make_unique<cuda::ModuleOpaque>();
  const char *bytes = static_cast<const char *>(image);
  if (std::memcmp(bytes, "\x7f", 1) == 0)
    return cuda::InvalidImage;
  std::string text = bytes;
  if (text.compare(0, cubinMagic.size(), cubinMagic) == 0) {
    size_t line = text.find('\n');
    size_t arch = text.find(" sm_");
    if (arch != std::string::npos && arch < line) {
      int chip = std::atoi(text.c_str() + arch + 4);
      if (chip / 10 != settings().major || chip % 10 > settings().minor)
        return cuda::NoBinaryForGpu;
    }
    if (!parseCubin(text, module_->functions))
      return cuda::InvalidImage;
  } else if (text.find(".version") != std::string::npos) {
    if (std::atof(text.c_str() + text.find(".version") + 8) > 9.0)
      return cuda::UnsupportedPtxVersion;
    parsePtx(text, module_->functions);
  } else {
    // The error log, if one was given.
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]),
                    "fake ptxas: this is no PTX");
    return cuda::InvalidPtx;
  }
  *module = module_.release();
  return cuda::Success;
}

cuda::Result cuModuleUnload(cuda::ModuleHandle module) {
  EGG_FAKE_ENTER();
  waitForAllStreams();
  delete module;
  return cuda::Success;
}

cuda::Result cuModuleGetFunction(cuda::FunctionHandle *function,
                                 cuda::ModuleHandle module, const char *name) {
  EGG_FAKE_ENTER();
  for (cuda::FunctionOpaque &candidate : module->functions) {
    if (candidate.name != name)
      continue;
    if (!candidate.kernel)
      candidate.kernel = findHostKernel(candidate.name);
    if (!candidate.kernel)
      return cuda::NotFound;
    *function = &candidate;
    return cuda::Success;
  }
  return cuda::NotFound;
}

cuda::Result cuFuncGetAttribute(int *value, int attribute,
                                cuda::FunctionHandle function) {
  EGG_FAKE_ENTER();
  switch (attribute) {
  case cuda::FunctionMaxThreads:
    *value = function->maxThreads;
    return cuda::Success;
  case cuda::FunctionSharedBytes:
    *value = function->sharedBytes;
    return cuda::Success;
  case cuda::FunctionConstBytes:
    *value = 0;
    return cuda::Success;
  case cuda::FunctionLocalBytes:
    *value = function->localBytes;
    return cuda::Success;
  case cuda::FunctionRegisters:
    *value = function->registers;
    return cuda::Success;
  case cuda::FunctionBinaryVersion:
    *value = settings().major * 10 + settings().minor;
    return cuda::Success;
  default:
    return cuda::InvalidValue;
  }
}

cuda::Result cuFuncSetAttribute(cuda::FunctionHandle function, int attribute,
                                int value) {
  EGG_FAKE_ENTER();
  if (attribute == cuda::FunctionMaxDynamicShared) {
    if (value < 0 || value + function->sharedBytes > 227 << 10)
      return cuda::InvalidValue;
    function->maxDynamicShared = value;
    return cuda::Success;
  }
  if (attribute != cuda::FunctionNonPortableCluster)
    return cuda::InvalidValue;
  function->largeClusters = value != 0;
  return cuda::Success;
}

cuda::Result cuFuncGetParamInfo(cuda::FunctionHandle function, size_t index,
                                size_t *offset, size_t *bytes) {
  EGG_FAKE_ENTER();
  if (index >= function->parameterBytes.size())
    return cuda::InvalidValue;
  *offset = 0;
  for (size_t i = 0; i <= index; ++i) {
    size_t align = std::min<size_t>(function->parameterBytes[i], 8);
    *offset = (*offset + align - 1) / align * align;
    if (i < index)
      *offset += function->parameterBytes[i];
  }
  *bytes = function->parameterBytes[index];
  return cuda::Success;
}

cuda::Result cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, cuda::FunctionHandle function, int threads, size_t shared) {
  EGG_FAKE_ENTER();
  if (threads < 1)
    return cuda::InvalidValue;
  int warps = (threads + 31) / 32;
  int most = std::min(32, 64 / warps);
  int registers = std::max(function->registers, 1) * warps * 32;
  most = std::min(most, 65536 / registers);
  most = std::min(
      most, int((228 << 10) / (shared + size_t(function->sharedBytes) + 1024)));
  *blocks = most;
  return cuda::Success;
}
