//===- SharedLayout.h - tiles in shared memory ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tile of any shape lies in shared memory: a pitch between rows and an
// xor swizzle of byte addresses, and what an access by a register layout costs.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_SHAREDLAYOUT_H
#define EGG_DIALECT_EGG_SHAREDLAYOUT_H

#include "egg/Dialect/Egg/LinearLayout.h"

namespace egg {

/// address ^= ((address >> (base + shift)) & (2^bits - 1)) << base, on byte
/// addresses. (bits, 4, 3) with bits 1, 2, 3 are the 32-, 64- and 128-byte
/// swizzles of the tensor memory accelerator and of wgmma descriptors.
struct Swizzle {
  unsigned bits = 0, base = 4, shift = 3;

  uint64_t apply(uint64_t address) const {
    uint64_t mask = (uint64_t(1) << bits) - 1;
    return address ^ (((address >> (base + shift)) & mask) << base);
  }
  /// The buffer must be aligned to this many bytes.
  uint64_t getAlignment() const {
    return uint64_t(1) << (bits == 0 ? base : base + shift + bits);
  }
  /// The swizzle of rows of 32, 64 or 128 bytes; none for 0; nothing for other
  /// numbers.
  static std::optional<Swizzle> forBytes(int64_t bytes);
  bool operator==(const Swizzle &o) const {
    return bits == o.bits && base == o.base && shift == o.shift;
  }
};

/// A tile of `shape` in shared memory, row-major with `pitch` elements from one
/// row (of the last dimension) to the next, then swizzled.
struct SharedLayout {
  llvm::SmallVector<int64_t> shape;
  unsigned elementBytes = 4;
  int64_t pitch = 0;
  Swizzle swizzle;

  /// Dense: the pitch is the last extent.
  static SharedLayout dense(llvm::ArrayRef<int64_t> shape,
                            unsigned elementBytes);
  /// The byte offset of an element.
  uint64_t getOffset(llvm::ArrayRef<int64_t> coords) const;
  /// The size in bytes; with a swizzle, up to a multiple of what it permutes.
  /// None on overflow.
  std::optional<uint64_t> getBytes() const;
  /// The same as a linear map from tile coordinates to the byte offset
  /// ("offset"), when pitch and element size are powers of two, extents between
  /// the first and the last are, and the pitch covers the last one's hull; none
  /// otherwise.
  std::optional<LinearLayout> asLinear() const;
};

/// What the accesses of all warps to one tile cost in shared memory: wavefronts
/// of 128 bytes.
struct BankConflicts {
  uint64_t wavefronts = 0;
  /// With no conflict at all.
  uint64_t ideal = 0;
  uint64_t getConflicts() const { return wavefronts - ideal; }
};

/// Counts by enumeration, for accesses of `accessBytes` bytes (4, 8 or 16, or
/// an element if that is larger or the access smaller than 4). 32 banks of 4
/// bytes; lanes that touch the same word share it; 8-byte accesses go in two
/// halves of a warp and 16-byte ones in four quarters. `layout` holds the tile
/// in registers, its low register bits along the last dimension.
BankConflicts countBankConflicts(const LinearLayout &layout,
                                 const SharedLayout &shared,
                                 unsigned accessBytes);

/// The access in bytes that `layout` and `shared` allow together.
unsigned sharedAccessBytes(const LinearLayout &layout,
                           const SharedLayout &shared);

/// The cheapest of no swizzle, the swizzles and (if `allowPitch`) a pitch of up
/// to 16 more bytes, summed over all register layouts that read or write the
/// tile; the smaller buffer among equals.
SharedLayout chooseSharedLayout(llvm::ArrayRef<int64_t> shape,
                                unsigned elementBytes,
                                llvm::ArrayRef<LinearLayout> layouts,
                                bool allowPitch);

} // namespace egg

#endif // EGG_DIALECT_EGG_SHAREDLAYOUT_H
