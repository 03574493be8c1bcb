//===- Frame.h - Frames between parent and child ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The framing of docs/formats.md: a magic word, a nonce, a JSON header and raw
// blobs, every length checked before anything is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_FRAME_H
#define EGG_SUPPORT_FRAME_H

#include "egg/Support/Result.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egg {

/// 16 bytes that tie an answer to its request.
using Nonce = std::array<uint8_t, 16>;

/// A nonce from the system's random source.
Nonce makeNonce();

/// One request or one answer: the JSON header as text, and raw blobs.
struct Frame {
  Nonce nonce = {};
  std::string header;
  std::vector<std::string> blobs;
};

/// What a reader accepts. Each is checked before memory is taken.
struct FrameLimits {
  uint64_t headerBytes = uint64_t(16) << 20;
  uint64_t blobCount = 4096;
  uint64_t blobBytes = uint64_t(1) << 30;
  /// Header and blobs together.
  uint64_t totalBytes = uint64_t(2) << 30;
};

/// Reads 1 to `bytes` bytes into `data` and returns their number; 0 is the end
/// of the stream.
using ByteReader = std::function<Result<size_t>(char *data, size_t bytes)>;

/// The next frame of `read`. nullopt when the stream ends before the first
/// byte. Fails with `parse` for a wrong magic word or an end inside a frame,
/// with `limit` for a length over `limits`, and with whatever `read` fails.
Result<std::optional<Frame>> readFrame(const ByteReader &read,
                                       const FrameLimits &limits = {});

/// The next frame of the file descriptor `fd`; blocks.
Result<std::optional<Frame>> readFrame(int fd, const FrameLimits &limits = {});

/// Writes the frame to `fd`; blocks. A reader that has gone away is an error,
/// never a SIGPIPE. Fails with `internal`.
Status writeFrame(int fd, const Frame &frame);

/// The bytes of the frame up to its blobs: magic word, nonce, lengths, header.
std::string encodeFrameHead(const Frame &frame);

/// Fails with `parse` when an answer's nonce is not the request's.
Status checkNonce(const Frame &answer, const Nonce &asked);

} // namespace egg

#endif // EGG_SUPPORT_FRAME_H
