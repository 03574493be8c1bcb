//===- Artifact.h - One file with all that a launch needs -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs and unpacks the artifact of docs/formats.md: launch plan, cubins,
// constants. It is executable code; its hash finds damage, not malice.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_RUNTIME_ARTIFACT_H
#define EGG_RUNTIME_ARTIFACT_H

#include "egg/Runtime/LaunchPlan.h"

#include <string>
#include <string_view>
#include <vector>

namespace egg {

/// The versions of what made an artifact; `libdevice` is a SHA-256 in hex.
struct Toolchain {
  std::string egg, llvm, ptxas, libdevice;
};

struct Artifact {
  /// For example `sm_90a`.
  std::string chip;
  Toolchain toolchain;
  LaunchPlan plan;
  std::vector<std::string> cubins;
  std::vector<std::string> constants;
};

struct ArtifactLimits {
  uint64_t bytes = uint64_t(4) << 30;
  uint32_t cubins = 4096;
  uint32_t constants = 65536;
  PlanLimits plan;
};

/// The bytes of the file. Verifies the plan first, so that what was packed can
/// be unpacked.
Result<std::string> packArtifact(const Artifact &artifact,
                                 const ArtifactLimits &limits = {});

/// Checks magic word, hash, header, every offset and size, and the plan; an
/// `expectedHash` (64 hex digits, see `artifactHash`) that differs is refused.
/// Fails with `parse`, `verify`, `limit` or `unsupported`.
Result<Artifact> unpackArtifact(std::string_view bytes,
                                const std::string &expectedHash = "",
                                const ArtifactLimits &limits = {});

/// The hash that stands in the file, as 64 hex digits; empty when `bytes` is no
/// artifact.
std::string artifactHash(std::string_view bytes);

} // namespace egg

#endif // EGG_RUNTIME_ARTIFACT_H
