//===- Artifact.cpp - One file with all that a launch needs ---------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See docs/formats.md, "The artifact".
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/Artifact.h"

#include "PlanJson.h"
#include "egg/Support/Hash.h"

#include <algorithm>

using namespace egg;

namespace {
constexpr std::string_view magic = "EGGARTF1";
constexpr size_t hashAt = 8, lengthAt = 40, headerAt = 48;
constexpr uint64_t blobAlign = 16;

std::vector<uint64_t> sizesOf(const std::vector<std::string> &blobs) {
  std::vector<uint64_t> sizes;
  for (const std::string &blob : blobs)
    sizes.push_back(blob.size());
  return sizes;
}

bool isHex(const std::string &text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

Error damaged(std::string message) {
  return Error(ErrorKind::Parse, "artifact: " + std::move(message));
}

/// The blobs that a list of the header names, each inside `blobs` and none over
/// another: `spans` collects what is taken.
std::vector<std::string>
readBlobs(const JsonValue &value, uint32_t limit, std::string_view blobs,
          std::vector<std::pair<uint64_t, uint64_t>> &spans) {
  std::vector<std::string> result;
  for (const JsonValue &element : value.list(limit)) {
    JsonObject object(element);
    uint64_t offset = uint64_t(object.integer("offset", 0));
    uint64_t bytes = uint64_t(object.integer("bytes", 0));
    object.finish();
    if (offset % blobAlign)
      object.fail("lies at offset " + std::to_string(offset) +
                  ", which is no multiple of " + std::to_string(blobAlign));
    if (offset > blobs.size() || bytes > blobs.size() - offset)
      object.fail(std::to_string(bytes) + " bytes at offset " +
                  std::to_string(offset) + " of the " +
                  std::to_string(blobs.size()) + " bytes of blobs");
    spans.emplace_back(offset, offset + bytes);
    result.emplace_back(blobs.substr(offset, bytes));
  }
  return result;
}

Artifact readHeader(const Json &json, std::string_view blobs,
                    const ArtifactLimits &limits) {
  JsonObject object(json, "artifact");
  object.version(1);
  Artifact artifact;
  artifact.chip = object.string("chip", 64);
  JsonObject toolchain = object.object("toolchain");
  artifact.toolchain.egg = toolchain.string("egg", 256);
  artifact.toolchain.llvm = toolchain.string("llvm", 256);
  artifact.toolchain.ptxas = toolchain.string("ptxas", 256);
  artifact.toolchain.libdevice = toolchain.string("libdevice", 256);
  toolchain.finish();
  JsonValue plan = object.field("plan");
  artifact.plan = readPlan(plan, limits.plan);
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  artifact.cubins =
      readBlobs(object.field("cubins"), limits.cubins, blobs, spans);
  artifact.constants =
      readBlobs(object.field("constants"), limits.constants, blobs, spans);
  object.finish();
  // Blobs that share bytes would let a small file ask for much memory.
  std::sort(spans.begin(), spans.end());
  uint64_t end = 0;
  for (const auto &[from, to] : spans) {
    if (from < end && from < to)
      object.fail("two blobs share byte " + std::to_string(from));
    end = std::max(end, to);
  }
  return artifact;
}
} // namespace

Result<std::string> egg::packArtifact(const Artifact &artifact,
                                      const ArtifactLimits &limits) {
  if (artifact.cubins.size() > limits.cubins ||
      artifact.constants.size() > limits.constants)
    return Error(
        ErrorKind::Limit,
        "an artifact of " + std::to_string(artifact.cubins.size()) +
            " cubins and " + std::to_string(artifact.constants.size()) +
            " constants; at most " + std::to_string(limits.cubins) + " and " +
            std::to_string(limits.constants) + " are accepted");
  EGG_TRY(verifyPlan(artifact.plan, uint32_t(artifact.cubins.size()),
                     sizesOf(artifact.constants), limits.plan));
  std::string blobs;
  auto writeBlobs = [&](const std::vector<std::string> &list) {
    Json entries = Json::array();
    for (const std::string &blob : list) {
      blobs.resize((blobs.size() + blobAlign - 1) / blobAlign * blobAlign);
      entries.push_back({{"offset", blobs.size()}, {"bytes", blob.size()}});
      blobs += blob;
    }
    return entries;
  };
  Json header;
  header["format"] = 1;
  header["chip"] = artifact.chip;
  header["toolchain"] = {{"egg", artifact.toolchain.egg},
                         {"llvm", artifact.toolchain.llvm},
                         {"ptxas", artifact.toolchain.ptxas},
                         {"libdevice", artifact.toolchain.libdevice}};
  header["plan"] = writePlan(artifact.plan);
  header["cubins"] = writeBlobs(artifact.cubins);
  header["constants"] = writeBlobs(artifact.constants);
  std::string text = dumpJson(header);

  std::string body;
  for (int i = 0; i < 8; ++i)
    body += char(uint64_t(text.size()) >> (8 * i));
  body += text;
  body += blobs;
  uint64_t total = hashAt + 32 + body.size();
  if (total > limits.bytes || text.size() > limits.plan.jsonBytes)
    return Error(ErrorKind::Limit,
                 "an artifact of " + std::to_string(total) +
                     " bytes with a header of " + std::to_string(text.size()) +
                     "; at most " + std::to_string(limits.bytes) + " and " +
                     std::to_string(limits.plan.jsonBytes) + " are accepted");
  Digest hash = sha256(body);
  std::string file(magic);
  file.append(reinterpret_cast<const char *>(hash.data()), hash.size());
  return file + body;
}

Result<Artifact> egg::unpackArtifact(std::string_view bytes,
                                     const std::string &expectedHash,
                                     const ArtifactLimits &limits) {
  if (bytes.size() > limits.bytes)
    return Error(ErrorKind::Limit,
                 "an artifact of " + std::to_string(bytes.size()) +
                     " bytes; at most " + std::to_string(limits.bytes) +
                     " are accepted");
  std::string stated = artifactHash(bytes);
  if (stated.empty())
    return damaged("the file does not start with " + std::string(magic) +
                   " and a hash; it is something else or cut off");
  std::string actual = sha256Hex(bytes.substr(lengthAt));
  if (stated != actual)
    return damaged("the file is damaged: its hash is " + actual + ", not " +
                   stated + " as it says");
  if (!expectedHash.empty() &&
      (expectedHash.size() != 64 || !isHex(expectedHash)))
    return Error(ErrorKind::Verify, "the expected hash of the artifact is not "
                                    "64 lower-case hexadecimal digits");
  if (!expectedHash.empty() && actual != expectedHash)
    return Error(ErrorKind::Verify, "the artifact's hash is " + actual +
                                        ", not " + expectedHash +
                                        " as was asked for");
  if (bytes.size() < headerAt)
    return damaged("the file ends inside the length of its header");
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= uint64_t(uint8_t(bytes[lengthAt + i])) << (8 * i);
  if (length > bytes.size() - headerAt)
    return damaged("a header of " + std::to_string(length) +
                   " bytes in a file of " + std::to_string(bytes.size()));
  JsonLimits jsonLimits;
  jsonLimits.bytes = limits.plan.jsonBytes;
  EGG_ASSIGN(Json json, parseJson(bytes.substr(headerAt, length), jsonLimits));
  std::string_view blobs = bytes.substr(headerAt + length);
  EGG_ASSIGN(Artifact artifact,
             readJson([&] { return readHeader(json, blobs, limits); }));
  EGG_TRY(verifyPlan(artifact.plan, uint32_t(artifact.cubins.size()),
                     sizesOf(artifact.constants), limits.plan));
  return artifact;
}

std::string egg::artifactHash(std::string_view bytes) {
  if (bytes.size() < lengthAt || bytes.substr(0, 8) != magic)
    return "";
  Digest hash;
  std::copy_n(bytes.begin() + hashAt, 32, hash.begin());
  return toHex(hash);
}
