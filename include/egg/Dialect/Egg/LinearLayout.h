//===- LinearLayout.h - linear maps over GF(2) as layouts -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout says which element of a tile a piece of hardware holds. Every layout
// that block programs need is linear over GF(2): the bits of (block, warp,
// lane, register) map to the bits of the tile's coordinates by xor. One algebra
// then gives conversions, vector widths, swizzles and fragments. The idea is
// that of "Linear Layouts: Robust Code Generation of Efficient Tensor
// Computation Using F2" (arXiv 2505.23819).
//
// The tile here is the power-of-two hull of a real tile; RaggedTile.h says
// which of its elements exist.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_LINEARLAYOUT_H
#define EGG_DIALECT_EGG_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace egg {

/// The input dimensions of a register layout. In a LinearLayout they stand in
/// the order block, warp, lane, register.
inline constexpr llvm::StringLiteral kRegister("register");
inline constexpr llvm::StringLiteral kLane("lane");
inline constexpr llvm::StringLiteral kWarp("warp");
inline constexpr llvm::StringLiteral kBlock("block");

/// The name of the d-th dimension of a tile: "dim0", "dim1", ...
std::string tileDimName(unsigned d);

/// The least k with 2^k >= extent; 0 for extents 0 and 1.
unsigned hullBits(int64_t extent);

/// A linear map over GF(2) from named input dimensions to named output
/// dimensions, each 2^bits long. It is given by its bases: the image of each
/// input bit. The image of any input is the xor of the images of its bits.
///
/// On both sides a point is also one flat number, row-major: the last dimension
/// holds the lowest bits. At most 63 bits a side.
class LinearLayout {
public:
  struct InDim {
    std::string name;
    /// bases[i] is the flat output of input bit i of this dimension.
    llvm::SmallVector<uint64_t> bases;
    bool operator==(const InDim &other) const {
      return name == other.name && bases == other.bases;
    }
  };
  struct OutDim {
    std::string name;
    unsigned bits = 0;
    bool operator==(const OutDim &other) const {
      return name == other.name && bits == other.bits;
    }
  };

  /// The map from the one point of no dimension to the one point of none.
  LinearLayout() = default;
  /// `verify` must accept the arguments.
  LinearLayout(llvm::ArrayRef<InDim> ins, llvm::ArrayRef<OutDim> outs);

  /// What is wrong with these arguments of the constructor, as a sentence;
  /// nothing if they are good.
  static std::optional<std::string> verify(llvm::ArrayRef<InDim> ins,
                                           llvm::ArrayRef<OutDim> outs);

  /// in bit i -> out bit i.
  static LinearLayout identity(llvm::StringRef in, llvm::StringRef out,
                               unsigned bits);
  /// in bit i -> out bit i + shift; the output has bits + shift bits.
  static LinearLayout strided(llvm::StringRef in, llvm::StringRef out,
                              unsigned bits, unsigned shift);
  /// Every input goes to 0 of an output of `outBits` bits: a broadcast.
  static LinearLayout zeros(llvm::StringRef in, unsigned bits,
                            llvm::StringRef out, unsigned outBits = 0);

  llvm::ArrayRef<InDim> getIns() const { return ins; }
  llvm::ArrayRef<OutDim> getOuts() const { return outs; }
  unsigned getInBits() const;
  unsigned getOutBits() const;
  /// 0 for a dimension that is not there.
  unsigned getInBits(llvm::StringRef in) const;
  unsigned getOutBits(llvm::StringRef out) const;
  bool hasIn(llvm::StringRef in) const;
  bool hasOut(llvm::StringRef out) const;
  /// The place of the lowest bit of a dimension in the flat number.
  unsigned getInShift(llvm::StringRef in) const;
  unsigned getOutShift(llvm::StringRef out) const;
  /// The flat output of bit `bit` of `in`.
  uint64_t getBasis(llvm::StringRef in, unsigned bit) const;
  /// The part of that in `out`.
  uint64_t getBasis(llvm::StringRef in, unsigned bit,
                    llvm::StringRef out) const;

  /// The bases of all input bits, lowest bit of the flat input first.
  llvm::SmallVector<uint64_t> getColumns() const;

  /// Flat input to flat output.
  uint64_t applyFlat(uint64_t in) const;
  /// One number an input dimension to one number an output dimension, both in
  /// the order of getIns and getOuts.
  llvm::SmallVector<uint64_t> apply(llvm::ArrayRef<uint64_t> in) const;
  llvm::SmallVector<uint64_t> unflattenOut(uint64_t flat) const;
  uint64_t flattenOut(llvm::ArrayRef<uint64_t> coords) const;
  llvm::SmallVector<uint64_t> unflattenIn(uint64_t flat) const;
  uint64_t flattenIn(llvm::ArrayRef<uint64_t> coords) const;

  unsigned getRank() const;
  bool isSurjective() const { return getRank() == getOutBits(); }
  bool isInjective() const { return getRank() == getInBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }

  bool operator==(const LinearLayout &o) const {
    return ins == o.ins && outs == o.outs;
  }
  bool operator!=(const LinearLayout &o) const { return !(*this == o); }
  /// Equal up to the order of dimensions and dimensions of no bits.
  bool isEquivalent(const LinearLayout &other) const;

  /// outer after this. The outputs of this must be the inputs of `outer`: same
  /// names and sizes, in any order.
  LinearLayout compose(const LinearLayout &outer) const;

  /// The direct product: in a dimension that both have, this has the low bits
  /// and `high` the high ones. Dimensions that only `high` has come last.
  LinearLayout product(const LinearLayout &high) const;

  /// q with this == low.product(q), up to the order of dimensions; none if
  /// there is none. q has the dimensions of this.
  std::optional<LinearLayout> divideLow(const LinearLayout &low) const;
  /// q with this == q.product(high), likewise.
  std::optional<LinearLayout> divideHigh(const LinearLayout &high) const;

  /// The inverse of an invertible map; none otherwise.
  std::optional<LinearLayout> invert() const;
  /// A linear map G from outputs to inputs with this G this == this: on every
  /// output that is reached, G gives an input that reaches it. Where several
  /// do, low input bits are preferred (registers before lanes before warps).
  LinearLayout pseudoInvert() const;
  /// One input that reaches `out`, by the same preference; none if none does.
  std::optional<uint64_t> solve(uint64_t out) const;

  /// A basis of the inputs that go to 0: two inputs hold the same element
  /// exactly when their xor is in its span.
  llvm::SmallVector<uint64_t> getKernel() const;
  /// Bit i set: input bit i (flat) adds no new element, given the lower bits;
  /// the elements are held twice along it. Free block bits mean multicast.
  uint64_t getFreeBits() const;
  /// The part of getFreeBits in one dimension, from its bit 0.
  uint64_t getFreeBits(llvm::StringRef in) const;

  /// The same map with dimensions in this order. Every dimension that the map
  /// has must be named; names that it lacks get 0 bits.
  LinearLayout reorder(llvm::ArrayRef<llvm::StringRef> inNames,
                       llvm::ArrayRef<llvm::StringRef> outNames) const;
  /// Forgets an output dimension.
  LinearLayout dropOut(llvm::StringRef out) const;
  /// Fixes an input dimension at 0 and forgets it.
  LinearLayout dropIn(llvm::StringRef in) const;
  /// Removes the bits of `in` that are free (see getFreeBits): each copy held
  /// along them is dropped.
  LinearLayout dropFreeBits(llvm::StringRef in) const;

  /// "register=[[0, 1]], lane=[[1, 0]] -> dim0: 2, dim1: 2".
  std::string str() const;

private:
  llvm::SmallVector<InDim> ins;
  llvm::SmallVector<OutDim> outs;
};

//===----------------------------------------------------------------------===//
// Tiles: outputs named dim0, dim1, ... in order
//===----------------------------------------------------------------------===//

/// Dimension d of the result is dimension perm[d] of `layout`.
LinearLayout transposeTile(const LinearLayout &layout,
                           llvm::ArrayRef<int64_t> perm);
/// The layout of a reduction's result over dimension `d`, before any data
/// moves: the dimension is forgotten, later ones are renumbered, and what lay
/// along it becomes free bits.
LinearLayout sliceTile(const LinearLayout &layout, unsigned d);
/// Inserts a dimension of one element at `d`: what broadcasting starts from.
LinearLayout expandTile(const LinearLayout &layout, unsigned d);
/// The same elements on a hull of another shape with as many bits (row-major).
LinearLayout reshapeTile(const LinearLayout &layout,
                         llvm::ArrayRef<unsigned> hull);

/// How many elements, a power of two, the low register bits hold that are
/// consecutive and aligned along tile dimension `d`.
uint64_t contiguousElements(const LinearLayout &layout, unsigned d);
/// The widest aligned access in bytes, at most `maxBytes` (a power of two),
/// that the registers allow along dimension `d`, for elements of `elementBits`
/// bits. Rows start every `pitch` elements and have `extent` of them, so the
/// width divides both; 0 stands for a pitch or extent that is not known, which
/// allows single elements alone. 0 if elements are no whole bytes.
unsigned vectorBytes(const LinearLayout &layout, unsigned d,
                     unsigned elementBits, int64_t extent, int64_t pitch,
                     unsigned maxBytes = 16);

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// What it takes to go from one register layout of a tile to another, cheapest
/// first.
enum class Conversion {
  none,      ///< every thread holds the element in the same register
  registers, ///< moves inside each thread
  lanes,     ///< moves inside each warp: shuffles
  shared,    ///< moves inside each block: through shared memory
  blocks,    ///< moves between the blocks of a cluster
  impossible ///< an element that the target needs is held nowhere
};
llvm::StringRef stringify(Conversion kind);

/// The cheapest conversion that suffices. Both must have the same outputs and
/// as many lane, warp and block bits (a copy is a zero basis); else impossible.
Conversion classifyConversion(const LinearLayout &from, const LinearLayout &to);

/// From a place of `to` to the place of `from` that holds its element, moving
/// the least: a lane differs only if registers do not suffice, and so on. None
/// when the conversion is impossible.
std::optional<LinearLayout> conversionMap(const LinearLayout &from,
                                          const LinearLayout &to);

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

/// Hands out the bits of a tile's hull, lowest first in each tile dimension, to
/// hardware dimensions. Bits that are asked for when a tile dimension has none
/// left become copies (zero bases).
class LayoutBuilder {
public:
  explicit LayoutBuilder(llvm::ArrayRef<int64_t> shape);

  /// The next `bits` bits of dimension `d` go to `in`.
  LayoutBuilder &take(llvm::StringRef in, unsigned d, unsigned bits);
  /// As many of the next bits of `d` as there are, at most `bits`; the number
  /// taken is added to `taken` if given.
  LayoutBuilder &takeUpTo(llvm::StringRef in, unsigned d, unsigned bits,
                          unsigned *taken = nullptr);
  /// `bits` copies along `in`.
  LayoutBuilder &copies(llvm::StringRef in, unsigned bits);
  /// All bits that are left go to registers: dimensions in `order`, fastest
  /// first, those of ragged dimensions (extent no power of two) after all
  /// others, so that the elements that may be missing sit in the highest
  /// register bits.
  LayoutBuilder &restToRegisters(llvm::ArrayRef<unsigned> order);
  unsigned getLeft(unsigned d) const { return hull[d] - next[d]; }
  /// With inputs block, warp, lane, register and outputs dim0, ...
  LinearLayout build() const;

private:
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<unsigned> hull, next;
  /// Per hardware dimension, (tile dimension, bit) or (-1, 0) for a copy.
  llvm::SmallVector<std::pair<int, unsigned>> assigned[4];
};

/// The default of memory-bound kernels: 2^vectorBits elements of the last
/// dimension a thread, then lanes over dimensions from the last to the first,
/// then warps likewise, the rest in registers.
LinearLayout rowLayout(llvm::ArrayRef<int64_t> shape, unsigned vectorBits,
                       unsigned warpBits, unsigned laneBits = 5);

/// Triton's and CUTLASS's usual form. Per tile dimension log2 of: elements a
/// thread, lanes, warps; `order` lists dimensions fastest first. What remains
/// wraps around in registers.
LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<unsigned> registerBits,
                           llvm::ArrayRef<unsigned> laneBits,
                           llvm::ArrayRef<unsigned> warpBits,
                           llvm::ArrayRef<unsigned> order);

} // namespace egg

#endif // EGG_DIALECT_EGG_LINEARLAYOUT_H
