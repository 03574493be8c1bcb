//===- SupportTest.cpp - Tests of errors, hashes, frames, files, JSON -----===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything of Support that needs no child process.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Error.h"
#include "egg/Support/File.h"
#include "egg/Support/Frame.h"
#include "egg/Support/Hash.h"
#include "egg/Support/Json.h"
#include "egg/Support/Result.h"

#include "gtest/gtest.h"

#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace egg;

TEST(Error, SpellsTheClosedSet) {
  // Copied from docs/formats.md.
  const char *text =
      "parse verify limit unsupported host-control-flow transform-silenceable "
      "transform-definite lower builder-died missing-tool ptxas wrong-arch "
      "no-device device-busy mps load launch illegal-access "
      "out-of-bounds-write timeout wrong-result not-written nondeterministic "
      "input-modified roofline-fault out-of-memory worker-died device-lost "
      "internal";
  std::string joined;
  for (ErrorKind kind : allErrorKinds()) {
    joined += (joined.empty() ? "" : " ") + std::string(toString(kind));
    EXPECT_EQ(errorKindFromString(toString(kind)), kind);
  }
  EXPECT_EQ(joined, text);
  EXPECT_FALSE(errorKindFromString("Parse").has_value());
  EXPECT_FALSE(errorKindFromString("").has_value());
}

namespace {
Result<int> half(int x) {
  if (x % 2)
    return Error(ErrorKind::Verify, std::to_string(x) + " is odd");
  return x / 2;
}
Result<std::string> quarterText(int x) {
  EGG_ASSIGN(int first, half(x));
  EGG_ASSIGN(int second, half(first));
  EGG_TRY(half(second * 2));
  return std::to_string(second);
}
} // namespace

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(*quarterText(8), "2");
  auto failed = quarterText(6);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().str(), "verify: 3 is odd");
  EXPECT_EQ(failed.error().withContext("here").message, "here: 3 is odd");
  Result<std::unique_ptr<int>> owned = std::make_unique<int>(3);
  std::unique_ptr<int> moved = owned.take();
  EXPECT_EQ(*moved, 3);
  EXPECT_TRUE(Status().ok());
  Status bad = Error(ErrorKind::Limit, "x");
  EXPECT_FALSE(bad.ok());
}

TEST(Hash, MatchesNist) {
  EXPECT_EQ(sha256Hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, DoesNotDependOnThePieces) {
  std::string text(300, 'q');
  for (size_t piece : {1, 3, 55, 56, 63, 64, 65, 119, 128}) {
    Sha256 hash;
    for (size_t i = 0; i < text.size(); i += piece)
      hash.update(std::string_view(text).substr(i, piece));
    EXPECT_EQ(hash.finish(), sha256(text)) << piece;
  }
}

namespace {
struct PipePair {
  FileDescriptor read, write;
  PipePair() {
    int ends[2];
    if (::pipe(ends) == 0)
      read = FileDescriptor(ends[0]), write = FileDescriptor(ends[1]);
  }
};

/// Reads a frame from a text.
Result<std::optional<Frame>> readText(std::string_view text,
                                      const FrameLimits &limits = {}) {
  return readFrame(
      [&](char *data, size_t bytes) -> Result<size_t> {
        // One byte at a time is what a pipe may do.
        size_t count = std::min<size_t>({bytes, text.size(), 1});
        std::memcpy(data, text.data(), count);
        text.remove_prefix(count);
        return count;
      },
      limits);
}

std::string encode(const Frame &frame) {
  std::string text = encodeFrameHead(frame);
  for (const std::string &blob : frame.blobs)
    text += blob;
  return text;
}
} // namespace

TEST(Frame, RoundTripsThroughAPipe) {
  PipePair pipe;
  Frame frame{makeNonce(), "{\"protocol\": 1}", {"", std::string(300000, 'z')}};
  std::thread writer([&] {
    EXPECT_TRUE(writeFrame(pipe.write.get(), frame).ok());
    pipe.write.reset();
  });
  auto read = readFrame(pipe.read.get());
  writer.join();
  ASSERT_TRUE(read.ok() && *read);
  EXPECT_EQ((*read)->nonce, frame.nonce);
  EXPECT_EQ((*read)->header, frame.header);
  EXPECT_EQ((*read)->blobs, frame.blobs);
  EXPECT_TRUE(checkNonce(**read, frame.nonce).ok());
  EXPECT_FALSE(checkNonce(**read, makeNonce()).ok());
  auto end = readFrame(pipe.read.get());
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->has_value());
}

TEST(Frame, HasTheDocumentedLayout) {
  Frame frame{{}, "{}", {"abc"}};
  frame.nonce.fill('N');
  using namespace std::string_literals;
  EXPECT_EQ(encode(frame), "EGGFRAM1NNNNNNNNNNNNNNNN"
                           "\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
                           "\3\0\0\0\0\0\0\0{}abc"s);
}

TEST(Frame, RefusesEveryCut) {
  std::string text = encode(Frame{makeNonce(), "{}", {"abc", "d"}});
  for (size_t size = 1; size < text.size(); ++size) {
    auto read = readText(std::string_view(text).substr(0, size));
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().kind, ErrorKind::Parse) << size;
  }
  EXPECT_TRUE(readText(text).ok());
  EXPECT_FALSE(readText("EGGFRAM2" + text.substr(8)).ok());
}

TEST(Frame, ChecksLengthsBeforeItAllocates) {
  auto withWord = [](size_t at, uint64_t value) {
    std::string text = encode(Frame{{}, "{}", {"abc"}});
    for (int i = 0; i < 8; ++i)
      text[at + i] = char(value >> (8 * i));
    return text;
  };
  for (size_t at : {24, 32, 40})
    for (uint64_t value : {uint64_t(1) << 40, UINT64_MAX, UINT64_MAX - 4}) {
      auto read = readText(withWord(at, value));
      ASSERT_FALSE(read.ok());
      EXPECT_EQ(read.error().kind, ErrorKind::Limit) << at;
    }
  FrameLimits limits;
  limits.totalBytes = 4;
  EXPECT_EQ(readText(encode(Frame{{}, "{}", {"abc"}}), limits).error().kind,
            ErrorKind::Limit);
  EXPECT_TRUE(readText(encode(Frame{{}, "{}", {"ab"}}), limits).ok());
}

TEST(Frame, AClosedReaderIsAnErrorAndNoSignal) {
  PipePair pipe;
  pipe.read.reset();
  EXPECT_FALSE(writeFrame(pipe.write.get(), Frame{{}, "{}", {}}).ok());
}

TEST(File, ReadsWithALimit) {
  auto folder = TempDir::create();
  ASSERT_TRUE(folder.ok());
  std::string path = folder->path() + "/f";
  ASSERT_TRUE(writeFileAtomically(path, "12345").ok());
  EXPECT_EQ(*readFile(path, 5), "12345");
  EXPECT_EQ(readFile(path, 4).error().kind, ErrorKind::Limit);
  EXPECT_FALSE(readFile(folder->path(), 100).ok());
  EXPECT_FALSE(readFile(path + "x", 100).ok());
  // Says size 0 and holds more.
  EXPECT_GT(readFile("/proc/self/status", 1 << 20)->size(), 10u);
  ASSERT_EQ(::mkfifo((path + ".fifo").c_str(), 0600), 0);
  EXPECT_FALSE(readFile(path + ".fifo", 100).ok());
}

TEST(File, WritesAllOrNothing) {
  auto folder = TempDir::create();
  ASSERT_TRUE(folder.ok());
  std::string path = folder->path() + "/f";
  ASSERT_TRUE(writeFileAtomically(path, "old", 0640).ok());
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  // A limit on file sizes stands for a full disk.
  rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = {10, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  Status status = writeFileAtomically(path, std::string(1000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("1000 bytes"), std::string::npos);
  EXPECT_EQ(*readFile(path, 100), "old");
  EXPECT_FALSE(writeFileAtomically(folder->path() + "/no/f", "x").ok());
}

TEST(File, TempDirIsPrivateAndRemoved) {
  std::string path, outside;
  {
    auto folder = TempDir::create("x");
    auto other = TempDir::create("y");
    ASSERT_TRUE(folder.ok() && other.ok());
    path = folder->path();
    outside = other->path() + "/kept";
    struct stat info;
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u);
    ASSERT_TRUE(makePrivateFolders(path + "/a/b/c").ok());
    ASSERT_TRUE(writeFileAtomically(path + "/a/f", "x").ok());
    ASSERT_TRUE(writeFileAtomically(outside, "x").ok());
    ASSERT_EQ(::symlink(other->path().c_str(), (path + "/link").c_str()), 0);
    {
      TempDir moved = folder.take();
    }
    EXPECT_NE(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(::stat(outside.c_str(), &info), 0);
    EXPECT_FALSE(makePrivateFolders(outside + "/a").ok());
  }
}

TEST(File, FindsPrograms) {
  EXPECT_TRUE(findProgram("sh").ok());
  EXPECT_TRUE(findProgram("/bin/sh").ok());
  EXPECT_EQ(*findProgram("sh", "/bin"), "/bin/sh");
  auto missing = findProgram("no-such-program");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::MissingTool);
  EXPECT_FALSE(findProgram("/tmp").ok());
}

namespace {
Result<int64_t> readPoint(std::string_view text) {
  EGG_ASSIGN(Json json, parseJson(text));
  return readJson([&] {
    JsonObject point(json, "point");
    int64_t sum = point.integer("x", 0, 10);
    for (const JsonValue &value : point.list("ys", 3))
      sum += value.integer();
    point.finish();
    return sum;
  });
}

std::string readPointError(std::string_view text) {
  auto result = readPoint(text);
  return result.ok() ? "" : result.error().message;
}
} // namespace

TEST(Json, ReadsStrictly) {
  EXPECT_EQ(*readPoint("{\"x\": 1, \"ys\": [2, -3]}"), 0);
  EXPECT_EQ(readPointError("{\"x\": 1}"), "point: the field 'ys' is missing");
  EXPECT_EQ(readPointError("{\"x\": 1, \"ys\": [], \"z\": 0}"),
            "point: the field 'z' is not known here");
  EXPECT_EQ(readPointError("{\"x\": 11, \"ys\": []}"),
            "point.x: 11 is out of range: 0 to 10");
  EXPECT_EQ(readPointError("{\"x\": 1.0, \"ys\": []}"),
            "point.x: must be an integer, not a number with a fraction or an "
            "exponent");
  EXPECT_EQ(readPointError("{\"x\": 1, \"ys\": [1, null]}"),
            "point.ys[1]: must be an integer, not null");
  EXPECT_EQ(readPointError("{\"x\": 1, \"ys\": [1,1,1,1]}"),
            "point.ys: a list of 4 elements; at most 3 are accepted");
  EXPECT_EQ(readPointError("{\"x\": 1, \"ys\": [18446744073709551615]}"),
            "point.ys[0]: 18446744073709551615 is out of range: "
            "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(readPointError("[]"), "point: must be an object, not a list");
}

TEST(Json, RefusesHostileTexts) {
  EXPECT_EQ(readPointError("{\"x\": 1, \"x\": 2, \"ys\": []}"),
            "the field 'x' stands twice in one JSON object");
  EXPECT_EQ(parseJson(std::string(1000000, '[')).error().kind,
            ErrorKind::Limit);
  EXPECT_EQ(parseJson("[1, 2").error().kind, ErrorKind::Parse);
  EXPECT_FALSE(parseJson("{\"a\": NaN}").ok());
  EXPECT_FALSE(parseJson("1e999").ok());
  EXPECT_FALSE(parseJson("\"\xff\"").ok());
  EXPECT_FALSE(parseJson("").ok());
  EXPECT_FALSE(parseJson("{} {}").ok());
  // Brackets in strings are no nesting.
  EXPECT_TRUE(parseJson("\"" + std::string(1000, '[') + "\"").ok());
  JsonLimits limits;
  limits.bytes = 3;
  EXPECT_EQ(parseJson("[   ]", limits).error().kind, ErrorKind::Limit);
}

TEST(Json, NumbersAreFiniteAndInRange) {
  auto number = [](const char *text) {
    Json json = *parseJson(text);
    return readJson([&] { return JsonValue(json, "n").number(0, 2); });
  };
  EXPECT_EQ(*number("1.5"), 1.5);
  EXPECT_EQ(*number("1"), 1.0);
  EXPECT_EQ(number("2.5").error().message,
            "n: 2.5 is out of range: 0.0 to 2.0");
  EXPECT_FALSE(number("true").ok());
}

TEST(Json, ChecksTheVersion) {
  auto version = [](const char *text) {
    Json json = *parseJson(text);
    return readJson([&] { JsonObject(json, "plan").version(1); });
  };
  EXPECT_TRUE(version("{\"format\": 1}").ok());
  EXPECT_EQ(version("{\"format\": 2}").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(version("{\"format\": \"1\"}").error().kind, ErrorKind::Parse);
}

TEST(Json, WritesAnyBytes) {
  EXPECT_EQ(dumpJson(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}
