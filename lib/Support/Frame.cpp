//===- Frame.cpp - Frames between parent and child ------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See docs/formats.md, "Frames".
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Frame.h"

#include "SignalGuard.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include <sys/random.h>
#include <unistd.h>

using namespace egg;

namespace {
constexpr std::string_view magic = "EGGFRAM1";

void appendU64(std::string &bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    bytes += char(value >> (8 * i));
}

/// Fills `data`; false at an end of the stream before the first byte if
/// `mayEnd`, an error at any other end.
Result<bool> readAll(const ByteReader &read, char *data, size_t bytes,
                     bool mayEnd, const char *what) {
  size_t filled = 0;
  while (filled < bytes) {
    EGG_ASSIGN(size_t count, read(data + filled, bytes - filled));
    if (count == 0 && filled == 0 && mayEnd)
      return false;
    if (count == 0)
      return Error(ErrorKind::Parse, std::string("the stream ends inside ") +
                                         what +
                                         " of a "
                                         "frame, after " +
                                         std::to_string(filled) + " of " +
                                         std::to_string(bytes) + " bytes");
    filled += count;
  }
  return true;
}

Result<uint64_t> readU64(const ByteReader &read, const char *what) {
  unsigned char bytes[8];
  EGG_TRY(readAll(read, reinterpret_cast<char *>(bytes), 8, false, what));
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

Error overLimit(const char *what, uint64_t value, uint64_t limit) {
  return Error(ErrorKind::Limit, std::string(what) + " is " +
                                     std::to_string(value) + "; at most " +
                                     std::to_string(limit) + " is accepted");
}

/// Reads `bytes` into a string that grows with what has arrived, so that a
/// sender that announces much and sends little costs little.
Result<std::string> readString(const ByteReader &read, uint64_t bytes,
                               const char *what) {
  constexpr uint64_t step = uint64_t(16) << 20;
  std::string text;
  for (uint64_t done = 0; done < bytes;) {
    uint64_t count = std::min(bytes - done, step);
    text.resize(done + count);
    EGG_TRY(readAll(read, text.data() + done, count, false, what));
    done += count;
  }
  return text;
}
} // namespace

Nonce egg::makeNonce() {
  Nonce nonce;
  if (::getrandom(nonce.data(), nonce.size(), 0) == ssize_t(nonce.size()))
    return nonce;
  std::random_device source;
  for (uint8_t &byte : nonce)
    byte = uint8_t(source());
  return nonce;
}

std::string egg::encodeFrameHead(const Frame &frame) {
  std::string head(magic);
  head.append(reinterpret_cast<const char *>(frame.nonce.data()),
              frame.nonce.size());
  appendU64(head, frame.header.size());
  appendU64(head, frame.blobs.size());
  for (const std::string &blob : frame.blobs)
    appendU64(head, blob.size());
  return head + frame.header;
}

Result<std::optional<Frame>> egg::readFrame(const ByteReader &read,
                                            const FrameLimits &limits) {
  char word[8];
  EGG_ASSIGN(bool more, readAll(read, word, 8, true, "the magic word"));
  if (!more)
    return std::optional<Frame>();
  if (std::string_view(word, 8) != magic)
    return Error(ErrorKind::Parse,
                 "a frame must start with " + std::string(magic) +
                     "; something else was written to the stream of frames");
  Frame frame;
  EGG_TRY(readAll(read, reinterpret_cast<char *>(frame.nonce.data()),
                  frame.nonce.size(), false, "the nonce"));
  EGG_ASSIGN(uint64_t headerBytes, readU64(read, "the header's length"));
  EGG_ASSIGN(uint64_t count, readU64(read, "the number of blobs"));
  if (headerBytes > limits.headerBytes)
    return overLimit("the length of a frame's header", headerBytes,
                     limits.headerBytes);
  if (count > limits.blobCount)
    return overLimit("the number of a frame's blobs", count, limits.blobCount);
  std::vector<uint64_t> lengths;
  uint64_t total = headerBytes;
  if (total > limits.totalBytes)
    return overLimit("the length of a frame", total, limits.totalBytes);
  for (uint64_t i = 0; i < count; ++i) {
    EGG_ASSIGN(uint64_t bytes, readU64(read, "a blob's length"));
    if (bytes > limits.blobBytes)
      return overLimit("the length of a frame's blob", bytes, limits.blobBytes);
    if (bytes > limits.totalBytes - total)
      return Error(ErrorKind::Limit, "a frame holds more than " +
                                         std::to_string(limits.totalBytes) +
                                         " bytes in all");
    total += bytes;
    lengths.push_back(bytes);
  }
  EGG_ASSIGN(frame.header, readString(read, headerBytes, "the header"));
  for (uint64_t bytes : lengths) {
    EGG_ASSIGN(std::string blob, readString(read, bytes, "a blob"));
    frame.blobs.push_back(std::move(blob));
  }
  return std::optional<Frame>(std::move(frame));
}

Result<std::optional<Frame>> egg::readFrame(int fd, const FrameLimits &limits) {
  return readFrame(
      [fd](char *data, size_t bytes) -> Result<size_t> {
        while (true) {
          ssize_t count = ::read(fd, data, bytes);
          if (count >= 0)
            return size_t(count);
          if (errno != EINTR)
            return Error(ErrorKind::Internal,
                         "cannot read a frame: " +
                             std::generic_category().message(errno));
        }
      },
      limits);
}

Status egg::writeFrame(int fd, const Frame &frame) {
  SigpipeGuard guard;
  auto writeAll = [&](std::string_view bytes) -> Status {
    while (!bytes.empty()) {
      ssize_t count = ::write(fd, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return Error(ErrorKind::Internal,
                     "cannot write a frame: " +
                         std::generic_category().message(errno));
      bytes.remove_prefix(size_t(count));
    }
    return Status();
  };
  EGG_TRY(writeAll(encodeFrameHead(frame)));
  for (const std::string &blob : frame.blobs)
    EGG_TRY(writeAll(blob));
  return Status();
}

Status egg::checkNonce(const Frame &answer, const Nonce &asked) {
  if (answer.nonce == asked)
    return Status();
  return Error(ErrorKind::Parse, "the answer's nonce is not the request's: the "
                                 "two sides are out of step");
}
