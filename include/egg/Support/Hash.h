//===- Hash.h - SHA-256 -----------------------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SHA-256 (FIPS 180-4): names artifacts and workloads and finds damage.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_HASH_H
#define EGG_SUPPORT_HASH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace egg {

/// The 32 bytes of a SHA-256.
using Digest = std::array<uint8_t, 32>;

/// A SHA-256 in progress: any number of `update`, then one `finish`.
class Sha256 {
public:
  Sha256();
  void update(const void *data, size_t bytes);
  void update(std::string_view bytes) { update(bytes.data(), bytes.size()); }
  Digest finish();

private:
  void block(const uint8_t *data);

  uint32_t state[8];
  uint8_t pending[64];
  uint64_t total = 0;
};

/// The SHA-256 of `bytes`.
Digest sha256(std::string_view bytes);

/// 64 lower-case hexadecimal digits.
std::string toHex(const Digest &digest);

/// `toHex(sha256(bytes))`.
std::string sha256Hex(std::string_view bytes);

} // namespace egg

#endif // EGG_SUPPORT_HASH_H
