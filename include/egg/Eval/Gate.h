//===- Gate.h - is an output right? -----------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of docs/evaluation.md as functions of what the comparison kernels
// counted: no device is needed to decide, or to test the decision.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_GATE_H
#define EGG_EVAL_GATE_H

#include "egg/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace egg::eval {

/// How a result is compared, from the launch plan.
enum class GateClass { Exact, Elementwise, Accumulation };

/// What the comparison of one output with its golden found.
struct OutputStats {
  static constexpr uint64_t none = ~uint64_t(0);

  /// Elements of the output.
  uint64_t count = 0;
  /// Elements whose golden, rounded to the output's type, is NaN or infinite.
  uint64_t goldenNonFinite = 0;
  /// Elements that are NaN or infinite, or not, as neither the golden nor the
  /// reference is; and the first of them (`none`: there is none).
  uint64_t nonFiniteMismatch = 0, firstNonFiniteMismatch = none;
  /// Elements whose bits are neither the rounded golden's nor the reference's.
  uint64_t bitsDiffer = 0, firstBitsDiffer = none;
  /// Elements that still show what the output was filled with.
  uint64_t poisoned = 0, firstPoisoned = none;
  /// Elements compared by value: golden and output are finite.
  uint64_t compared = 0;
  /// Errors in units of the type's spacing at the golden.
  double maxUlp = 0, meanUlp = 0;
  uint64_t maxUlpAt = none;
  /// 2-norm of the error over the 2-norm of the scale.
  double normError = 0;
  /// Largest error of an element over its scale.
  double maxError = 0;
  uint64_t maxErrorAt = none;
  /// The golden over the scale: 2-norms, and the largest of an element.
  double normGolden = 0, maxGolden = 0;
};

/// One output on one input set.
struct OutputEvidence {
  GateClass gateClass = GateClass::Accumulation;
  /// Bits of mantissa after the point: 52, 23, 10, 7; 0 for an integer type,
  /// which is always compared exactly.
  int mantissaBits = 23;
  OutputStats candidate;
  /// The golden itself, rounded to the output's type.
  OutputStats rounded;
  /// What a user has today.
  std::optional<OutputStats> reference;
};

struct Verdict {
  bool passed = false;
  /// Where it did not pass.
  ErrorKind kind = ErrorKind::WrongResult;
  /// A sentence with the numbers; empty where it passed.
  std::string reason;
  /// The figure that decides and what it may be: bits that differ (exact), ulp
  /// (elementwise), error in norm over the scale (accumulation).
  double error = 0, limit = 0;
};

/// Errors up to which an output passes.
struct Limits {
  /// Elementwise: largest and mean distance in ulp.
  double maxUlp = 0, meanUlp = 0;
  /// Accumulation: error over scale.
  double norm = 0, max = 0;
};

/// The limits that the reference's and the rounding's errors set.
Limits limitsOf(const OutputEvidence &evidence);

/// Applies the table of docs/evaluation.md to one output.
Verdict judge(const OutputEvidence &evidence);

/// False where more than 1 % of the golden is not finite, or the reference is
/// not finite where more than 1 % of the golden is: such an input set says
/// little. An output without elements is evidence.
bool isEvidence(const OutputEvidence &evidence);

} // namespace egg::eval

#endif // EGG_EVAL_GATE_H
