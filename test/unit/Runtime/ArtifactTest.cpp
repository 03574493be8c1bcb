//===- ArtifactTest.cpp - Tests of the artifact file ----------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trip, damage, and hostile headers with a right hash.
//
//===----------------------------------------------------------------------===//

#include "TestPlans.h"
#include "egg/Support/Hash.h"

#include "gtest/gtest.h"

using namespace egg;

namespace {
std::string packed() {
  auto bytes = packArtifact(addArtifact());
  EXPECT_TRUE(bytes.ok()) << bytes.error().str();
  return *bytes;
}

/// A file with this header and these blobs, and a right hash.
std::string forged(const std::string &header, const std::string &blobs,
                   uint64_t length) {
  std::string body;
  for (int i = 0; i < 8; ++i)
    body += char(length >> (8 * i));
  body += header + blobs;
  Digest hash = sha256(body);
  return "EGGARTF1" + std::string(hash.begin(), hash.end()) + body;
}

/// The file of `packed`, its header changed.
std::string edited(const std::string &from, const std::string &to) {
  std::string bytes = packed();
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= uint64_t(uint8_t(bytes[40 + i])) << (8 * i);
  std::string header = bytes.substr(48, length);
  size_t at = header.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  header.replace(at, from.size(), to);
  return forged(header, bytes.substr(48 + length), header.size());
}

std::string unpackError(const std::string &bytes) {
  auto artifact = unpackArtifact(bytes);
  return artifact ? "" : artifact.error().str();
}
} // namespace

TEST(Artifact, RoundTrips) {
  std::string bytes = packed();
  auto artifact = unpackArtifact(bytes, artifactHash(bytes));
  ASSERT_TRUE(artifact.ok()) << artifact.error().str();
  Artifact original = addArtifact();
  EXPECT_EQ(artifact->chip, original.chip);
  EXPECT_EQ(artifact->toolchain.ptxas, original.toolchain.ptxas);
  EXPECT_EQ(artifact->cubins, original.cubins);
  EXPECT_EQ(artifact->constants, original.constants);
  EXPECT_EQ(planToJson(artifact->plan), planToJson(original.plan));
  EXPECT_EQ(*packArtifact(*artifact), bytes);
}

TEST(Artifact, FindsEveryDamagedByteAndEveryCut) {
  std::string bytes = packed();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_FALSE(unpackArtifact(damaged).ok()) << i;
    EXPECT_FALSE(unpackArtifact(bytes.substr(0, i)).ok()) << i;
  }
  EXPECT_FALSE(unpackArtifact(bytes + "x").ok());
}

TEST(Artifact, HoldsToTheExpectedHash) {
  std::string bytes = packed();
  auto other = unpackArtifact(bytes, std::string(64, '0'));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().kind, ErrorKind::Verify);
  EXPECT_FALSE(unpackArtifact(bytes, "0").ok());
  EXPECT_EQ(artifactHash("EGGARTF1"), "");
}

TEST(Artifact, RefusesForgedHeaders) {
  EXPECT_EQ(unpackError(edited("\"offset\":0,\"bytes\":44",
                               "\"offset\":0,\"bytes\":45")),
            "")
      << "padding may belong to a blob";
  EXPECT_NE(unpackError(edited("\"offset\":0,\"bytes\":44",
                               "\"offset\":9223372036854775792,\"bytes\":44")),
            "");
  EXPECT_NE(unpackError(edited("\"offset\":0,\"bytes\":44",
                               "\"offset\":0,\"bytes\":9223372036854775807")),
            "");
  EXPECT_NE(unpackError(edited("\"offset\":0,\"bytes\":44",
                               "\"offset\":-16,\"bytes\":44")),
            "");
  EXPECT_NE(unpackError(edited("\"offset\":0,\"bytes\":44",
                               "\"offset\":8,\"bytes\":4")),
            "");
  EXPECT_EQ(unpackError(edited("\"offset\":48", "\"offset\":0")),
            "parse: artifact: two blobs share byte 0");
  EXPECT_NE(unpackError(edited("\"chip\"", "\"chop\"")), "");
  EXPECT_NE(
      unpackError(edited("\"format\":1,\"chip\"", "\"format\":2,\"chip\"")),
      "");
  EXPECT_EQ(unpackError(edited("\"module\":0", "\"module\":1")),
            "verify: launch plan: kernel 0 (fake_add) is in module 1 of 1");
  EXPECT_NE(unpackError(forged("{}", "", 2)), "");
  EXPECT_NE(unpackError(forged("{}", "", UINT64_MAX)), "");
  EXPECT_NE(unpackError(forged("{}", "", 3)), "");
  EXPECT_EQ(
      unpackArtifact(forged(std::string(100000, '['), "", 100000)).error().kind,
      ErrorKind::Limit);
}

TEST(Artifact, PacksOnlyWhatCanBeUnpacked) {
  Artifact artifact = addArtifact();
  artifact.constants[0] += "x";
  EXPECT_FALSE(packArtifact(artifact).ok());
  artifact = addArtifact();
  artifact.plan.nodes[1].kernel = 1;
  EXPECT_FALSE(packArtifact(artifact).ok());
  ArtifactLimits limits;
  limits.bytes = 100;
  EXPECT_EQ(packArtifact(addArtifact(), limits).error().kind, ErrorKind::Limit);
  EXPECT_EQ(unpackArtifact(packed(), "", limits).error().kind,
            ErrorKind::Limit);
}

TEST(Artifact, SurvivesForgedNumbers) {
  // Every number of the header by every odd one, with a right hash. What is
  // accepted must unroll and pack again.
  std::string bytes = packed();
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= uint64_t(uint8_t(bytes[40 + i])) << (8 * i);
  std::string header = bytes.substr(48, length);
  const char *odd[] = {"-1",
                       "0",
                       "1",
                       "9223372036854775807",
                       "18446744073709551615",
                       "1e9",
                       "4294967296",
                       "null",
                       "[]",
                       "\"\"",
                       "1.5"};
  int tried = 0, accepted = 0;
  for (size_t at = 0; at < header.size(); ++at) {
    auto isDigit = [&](size_t i) {
      return i < header.size() && header[i] >= '0' && header[i] <= '9';
    };
    bool startsNumber = isDigit(at) && at > 0 &&
                        (header[at - 1] == ':' || header[at - 1] == ',' ||
                         header[at - 1] == '[');
    if (!startsNumber)
      continue;
    size_t end = at;
    while (isDigit(end))
      ++end;
    for (const char *value : odd) {
      std::string forgedHeader =
          header.substr(0, at) + value + header.substr(end);
      auto artifact = unpackArtifact(
          forged(forgedHeader, bytes.substr(48 + length), forgedHeader.size()));
      ++tried;
      if (!artifact)
        continue;
      ++accepted;
      (void)unrollPlan(artifact->plan);
      EXPECT_TRUE(packArtifact(*artifact).ok()) << forgedHeader;
    }
  }
  EXPECT_GT(tried, 400);
  EXPECT_GT(accepted, 10);
  EXPECT_LT(accepted, tried / 4);
}
