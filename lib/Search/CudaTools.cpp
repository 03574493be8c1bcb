//===- CudaTools.cpp - ptxas and libdevice, found ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/CudaTools.h"

#include "ToolPlaces.h"

#include "egg/Support/File.h"
#include "egg/Support/Hash.h"
#include "egg/Support/Subprocess.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

using namespace egg;

/// Larger than any libdevice (0.5 MB today).
static const uint64_t maxLibdeviceBytes = uint64_t(64) << 20;
static const char *const libdeviceName = "/nvvm/libdevice/libdevice.10.bc";
static const char *const advice =
    "Install the CUDA toolkit 13, or 'pip install nvidia-cuda-nvcc "
    "nvidia-nvvm' and set CUDA_HOME to the folder nvidia/cu13 in it";

ToolPlaces ToolPlaces::fromEnvironment() {
  ToolPlaces places;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *value = std::getenv(name); value && *value)
      places.roots.push_back(value);
  places.roots.push_back("/usr/local/cuda");
  // As unpacked by an installation, beside the portable tools, or in the build
  // folder by tools/install-dependencies.sh.
  if (std::string bin = programFolder(); !bin.empty())
    for (const char *from : {"/nvidia", "/../nvidia", "/../../cuda/nvidia"})
      places.roots.push_back(bin + from + "/cu13");
  if (const char *value = std::getenv("PATH")) {
    std::istringstream folders(value);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty())
        places.path.push_back(folder);
  }
  return places;
}

/// Whether there is a file that can be run, and not a folder.
static bool isProgram(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) &&
         access(path.c_str(), X_OK) == 0;
}

std::string egg::findTool(const std::string &name, const ToolPlaces &places) {
  for (const std::string &root : places.roots)
    if (std::string path = root + "/bin/" + name; isProgram(path))
      return path;
  for (const std::string &folder : places.path)
    if (std::string path = folder + "/" + name; isProgram(path))
      return path;
  return "";
}

/// "A, B, C", for messages.
static std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string egg::describePlaces(const ToolPlaces &places) {
  return "searched: " + join(places.roots) +
         (places.path.empty() ? "" : " and PATH");
}

/// The version in the line "Cuda compilation tools, release 13.0, V13.0.88".
static Result<std::string> askVersion(const std::string &ptxas) {
  ProcessOptions process;
  process.arguments = {ptxas, "--version"};
  RunOptions run;
  run.deadline = 30;
  run.maxOutputBytes = 65536;
  EGG_ASSIGN(ProcessResult result, runProcess(process, run));
  if (!result.end.success())
    return Error(ErrorKind::MissingTool, ptxas + " --version " +
                                             result.end.describe() +
                                             ": is this ptxas?");
  size_t at = result.out.find(", V");
  size_t end = at == std::string::npos
                   ? at
                   : result.out.find_first_not_of("0123456789.", at + 3);
  if (at == std::string::npos || end == at + 3)
    return Error(ErrorKind::MissingTool,
                 ptxas + " --version names no version: is this ptxas?");
  return result.out.substr(at + 3, end - at - 3);
}

/// libdevice of the toolkit that `ptxas` belongs to, also when it stands in
/// PATH through a link; empty when there is none.
static std::string libdeviceBeside(const std::string &ptxas) {
  std::error_code ignored;
  std::filesystem::path real = std::filesystem::canonical(ptxas, ignored);
  std::string path = real.parent_path().parent_path().string() + libdeviceName;
  return ptxas.empty() || access(path.c_str(), R_OK) ? "" : path;
}

Result<CudaTools> CudaTools::find(const std::string &ptxas,
                                  const std::string &libdevice,
                                  const ToolPlaces &places, bool needPtxas) {
  auto missing = [](const std::string &what) {
    return Error(ErrorKind::MissingTool, what + ". " + advice);
  };
  CudaTools found;
  if (!ptxas.empty() && !isProgram(ptxas))
    return missing("ptxas is not at " + ptxas + ", or cannot be run");
  found.ptxas = ptxas.empty() ? findTool("ptxas", places) : ptxas;
  if (found.ptxas.empty() && needPtxas)
    return missing("ptxas is not found (" + describePlaces(places) + ")");

  if (!libdevice.empty() && access(libdevice.c_str(), R_OK))
    return missing("libdevice is not at " + libdevice + ", or cannot be read");
  found.libdevice = libdevice;
  for (size_t i = 0; i < places.roots.size() && found.libdevice.empty(); ++i)
    if (std::string path = places.roots[i] + libdeviceName;
        !access(path.c_str(), R_OK))
      found.libdevice = path;
  if (found.libdevice.empty())
    found.libdevice = libdeviceBeside(found.ptxas);
  if (found.libdevice.empty())
    return missing("libdevice is not found (" + describePlaces(places) + ")");

  // Both are used by processes that run in folders of their own.
  found.libdevice = std::filesystem::absolute(found.libdevice).string();
  EGG_ASSIGN(std::string bitcode, readFile(found.libdevice, maxLibdeviceBytes));
  found.libdeviceHash = sha256Hex(bitcode);
  if (!found.ptxas.empty()) {
    found.ptxas = std::filesystem::absolute(found.ptxas).string();
    EGG_ASSIGN(found.ptxasVersion, askVersion(found.ptxas));
  }
  return found;
}
