//===- KernelParams.h - what the worker's kernels are given -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// One plain struct a kernel, passed by value: the same bytes on the device and
// in the host's build of the kernels. Pointers are 64-bit device addresses.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_KERNELS_KERNELPARAMS_H
#define EGG_EVAL_KERNELS_KERNELPARAMS_H

namespace egg::eval::kernels {

using U8 = unsigned char;
using U16 = unsigned short;
using U32 = unsigned int;
using U64 = unsigned long long;
using I64 = long long;
static_assert(sizeof(U32) == 4 && sizeof(U64) == 8 && sizeof(void *) == 8,
              "the kernels' structs must look alike on host and device");

/// Element types, in the order of docs/formats.md.
enum Type : U32 { F64, F32, F16, BF16, I64T, I32T, I16T, I8T, I1T };

/// What inputs look like; docs/evaluation.md says it in words.
enum Distribution : U32 {
  Normal,
  Uniform,
  Wide,
  Zeros,
  Subnormal,
  Equal,
  Large,
  Special
};

/// egg_eval_fill: `count` seeded elements; element i depends on (seed,
/// argument, i) alone. With `ranged`, integers lie in [low, high]. With
/// `absolute`, floats lose their sign.
struct FillParams {
  void *out;
  U64 count;
  U64 seed;
  I64 low, high;
  U32 argument;
  U32 type;
  U32 distribution;
  U32 absolute;
  U32 ranged;
  U32 unused;
};

/// egg_eval_pattern: bytes of a 32-bit pattern, the byte at address a being
/// byte a % 4 of it, so that the pattern does not depend on where it starts.
struct PatternParams {
  void *out;
  U64 bytes;
  U32 pattern;
  U32 unused;
};

/// egg_eval_check_pattern: adds to result[0] the bytes that differ from the
/// pattern and lowers result[1] to the offset of the first.
struct CheckPatternParams {
  const void *in;
  U64 bytes;
  U64 *result;
  U32 pattern;
  U32 unused;
};

/// egg_eval_checksum: adds a 64-bit sum of hashed (index, word) to result[0].
struct ChecksumParams {
  const void *in;
  U64 bytes;
  U64 *result;
};

/// egg_eval_differ: two runs of one candidate, whose outputs were filled with
/// two patterns. result[0] counts elements that show their pattern in both
/// (never written), result[1] holds the first; result[2] and [3] the same for
/// other elements whose bits differ.
struct DifferParams {
  const void *first;
  const void *second;
  U64 count;
  U64 *result;
  U32 type;
  U32 firstPattern;
  U32 secondPattern;
  U32 unused;
};

/// egg_eval_narrow: golden values (f64, or the integer type) to the payload's
/// type, rounded to nearest even.
struct NarrowParams {
  const void *golden;
  void *out;
  U64 count;
  U32 type;
  U32 unused;
};

/// Ways to spoil a right answer.
enum Mutation : U32 { MutateConstant, MutateShift, MutateTf32, MutateZeroTail };

/// egg_eval_mutate: out[i] from in. Constant: `value`. Shift: the next element
/// of its row of `columns`, the last one takes the first. Tf32: ten bits of
/// mantissa. ZeroTail: in viewed as (outer, columns, inner), zero where the
/// middle index is at least `keep`, else a copy.
struct MutateParams {
  const void *in;
  void *out;
  U64 count;
  U64 columns;
  U64 inner;
  U64 keep;
  double value;
  U32 type;
  U32 mutation;
};

/// What one thread, or all, found in comparing an output with its golden. Sums
/// of squares are of values times `CompareParams::unit`.
struct Stats {
  U64 count;
  /// Elements whose golden, rounded to the type, is NaN or infinite.
  U64 goldenNonFinite;
  /// Elements whose NaN or infinity stands where neither has it.
  U64 nonFiniteMismatch, firstNonFiniteMismatch;
  /// Elements whose bits are neither the golden's nor the reference's.
  U64 bitsDiffer, firstBitsDiffer;
  /// Elements that show the poison where the golden does not have it.
  U64 poisoned, firstPoisoned;
  /// Elements compared by value (both finite).
  U64 compared;
  U64 maxUlpAt, maxErrorAt;
  double maxUlp, sumUlp;
  double sumError2, sumScale2, sumGolden2, sumGolden;
  /// Largest |error| / scale and |golden| / scale.
  double maxError, maxGolden;
  /// Largest finite scale, not multiplied by the unit.
  double maxScale;
};

/// egg_eval_compare: each thread leaves its Stats in partials[thread].
struct CompareParams {
  /// In the payload's type; null: the golden rounded to it.
  const void *candidate;
  /// f64 for float types, else the type itself.
  const void *golden;
  /// In the payload's type, or null.
  const void *reference;
  /// f64, the payload on absolute values; null: |golden|.
  const void *scale;
  Stats *partials;
  U64 count;
  /// A power of two that brings the largest scale near one.
  double unit;
  /// Least scale of an element.
  double floor;
  U32 type;
  U32 poison;
  U32 checkPoison;
  U32 unused;
};

/// egg_eval_merge: out[t] = in[t] + in[t + threads] + ..., in this order.
struct MergeParams {
  const Stats *in;
  Stats *out;
  U64 count;
};

/// egg_eval_flush: reads `words` 32-bit words and, with `write`, writes them
/// changed. The sum of a read goes to sink[thread].
struct FlushParams {
  U32 *data;
  U32 *sink;
  U64 words;
  U32 write;
  U32 unused;
};

} // namespace egg::eval::kernels

#endif // EGG_EVAL_KERNELS_KERNELPARAMS_H
