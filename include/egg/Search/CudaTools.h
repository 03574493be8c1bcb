//===- CudaTools.h - ptxas and libdevice, found and run ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SEARCH_CUDATOOLS_H
#define EGG_SEARCH_CUDATOOLS_H

#include "egg/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace egg {

/// Where to look for the CUDA toolkit's parts. The defaults come from the
/// environment and from where the tools stand; tests give their own.
struct ToolPlaces {
  /// Folders with bin/ptxas and nvvm/libdevice/libdevice.10.bc, in the order
  /// that they are tried: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, and the
  /// packages nvidia-cuda-nvcc and nvidia-nvvm unpacked beside the tools or in
  /// the build folder.
  std::vector<std::string> roots;
  /// Folders of programs, tried after the roots ($PATH).
  std::vector<std::string> path;

  static ToolPlaces fromEnvironment();
};

/// The two parts of the CUDA toolkit that a build needs.
struct CudaTools {
  std::string ptxas, libdevice;
  /// For example `13.0.88`, as `ptxas --version` says.
  std::string ptxasVersion;
  /// SHA-256 of libdevice, in hexadecimal: it is part of what makes an
  /// artifact.
  std::string libdeviceHash;

  /// Finds both. A path that is given is taken and never searched for. Fails
  /// with `missing-tool`, the places that were searched and how to install what
  /// is missing. With `needPtxas` false a missing ptxas is no failure and
  /// leaves its path empty: PTX can be made without.
  static Result<CudaTools> find(const std::string &ptxas,
                                const std::string &libdevice,
                                const ToolPlaces &places,
                                bool needPtxas = true);
};

/// What ptxas says about one kernel (`-v`). Bytes a thread but for
/// `sharedBytes`, which is the static shared memory of a block.
struct KernelResources {
  std::string symbol;
  int64_t registers = 0;
  int64_t barriers = 0;
  int64_t sharedBytes = 0;
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
};

/// Reads the output of `ptxas -v`. Lines of an unknown form are passed over: a
/// newer ptxas may say more.
std::vector<KernelResources> parsePtxasReport(std::string_view report);

struct Assembly {
  std::string cubin;
  std::vector<KernelResources> kernels;
};

/// Assembles `ptx` for `chip` (for example `sm_90a`) in a process of its own
/// that is killed after `deadline` seconds. Fails with `ptxas` and ptxas's own
/// words, with `timeout`, or with `missing-tool`.
Result<Assembly> assemble(const CudaTools &tools, std::string_view ptx,
                          const std::string &chip, double deadline = 300);

/// The machine code of a cubin as text, by nvdisasm or cuobjdump, whichever is
/// found first in `places`. Fails with `missing-tool`.
Result<std::string> disassemble(std::string_view cubin,
                                const ToolPlaces &places);

} // namespace egg

#endif // EGG_SEARCH_CUDATOOLS_H
