//===- Coordinates.cpp - where a thread stands in a tile --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace egg;

/// The bases of the bits of the thread's number in one dimension, lowest first:
/// five of the lane, then the warp's.
static SmallVector<uint64_t> threadBases(const LinearLayout &layout,
                                         unsigned d) {
  SmallVector<uint64_t> bases;
  std::string name = tileDimName(d);
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < layout.getInBits(in); ++bit)
      bases.push_back(layout.getBasis(in, bit, name));
  return bases;
}

Value StageEmitter::threadCoordinate(const LinearLayout &layout, unsigned d) {
  Value &known = threadCoordinates[{layout.str(), d}];
  if (known)
    return known;
  Location loc = stage.getLoc();
  SmallVector<uint64_t> bases = threadBases(layout, d);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(prologue, loc, value);
  };
  for (unsigned bit = 0; bit < bases.size();) {
    if (!bases[bit]) {
      ++bit;
      continue;
    }
    // A run of bits whose bases double is one shift and one mask.
    unsigned end = bit + 1;
    while (end < bases.size() && bases[end] == 2 * bases[end - 1])
      ++end;
    Value part = threadId;
    if (bit)
      part = arith::ShRUIOp::create(prologue, loc, part, constant(bit));
    if ((32u << layout.getInBits(kWarp)) >> end > 1)
      part = arith::AndIOp::create(prologue, loc, part,
                                   constant((int64_t(1) << (end - bit)) - 1));
    if (bases[bit] != 1)
      part = arith::MulIOp::create(prologue, loc, part, constant(bases[bit]));
    // Bases of different bits are disjoint (checked), so a sum is an xor.
    known =
        known ? Value(arith::AddIOp::create(prologue, loc, known, part)) : part;
    bit = end;
  }
  return known;
}

int64_t StageEmitter::threadDivisor(const LinearLayout &layout, unsigned d) {
  uint64_t any = 0;
  for (uint64_t basis : threadBases(layout, d))
    any |= basis;
  return any ? int64_t(1) << llvm::countr_zero(any) : 0;
}

int64_t StageEmitter::threadMaximum(const LinearLayout &layout, unsigned d) {
  uint64_t all = 0;
  for (uint64_t basis : threadBases(layout, d))
    all |= basis;
  return all;
}

int64_t StageEmitter::registerCoordinate(const LinearLayout &layout, unsigned d,
                                         unsigned reg) {
  uint64_t coordinate = 0;
  for (unsigned bit = 0; bit < layout.getInBits(kRegister); ++bit)
    if (reg >> bit & 1)
      coordinate ^= layout.getBasis(kRegister, bit, tileDimName(d));
  return coordinate;
}

/// Null if no two threads hold the same element.
Value StageEmitter::isFirstCopy(const LinearLayout &layout) {
  uint64_t free = layout.getFreeBits(kLane) | layout.getFreeBits(kWarp) << 5;
  if (layout.getOuts().empty()) // of rank 0: every thread holds the element
    free = threads - 1;
  if (!free)
    return Value();
  Location loc = stage.getLoc();
  Value mask = arith::ConstantIndexOp::create(b, loc, free);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value copy = arith::AndIOp::create(b, loc, threadId, mask);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, copy, zero);
}
