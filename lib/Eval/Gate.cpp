//===- Gate.cpp - is an output right? ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Gate.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace egg;
using namespace egg::eval;

namespace {

/// Outputs smaller than this may have no rounding error by luck, which then
/// says nothing about what rounding may do.
constexpr uint64_t fewElements = 64;

/// A float result's least limit in norm. For f64 the golden has no more digits
/// than the output: its own summation error is the limit.
double floorOf(int mantissaBits) {
  return mantissaBits == 23 ? 2.5e-7 : mantissaBits == 52 ? 1e-12 : 0;
}

double finiteOr0(double x) { return std::isfinite(x) ? x : 0; }

__attribute__((format(printf, 1, 2))) std::string print(const char *format,
                                                        ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string share(uint64_t count, uint64_t of, uint64_t first) {
  return print("%llu of %llu elements, the first at %llu",
               static_cast<unsigned long long>(count),
               static_cast<unsigned long long>(of),
               static_cast<unsigned long long>(first));
}

Verdict fail(ErrorKind kind, std::string reason, double error = 0,
             double limit = 0) {
  return {false, kind, std::move(reason), error, limit};
}

Verdict judgeExact(const OutputStats &s) {
  if (s.bitsDiffer)
    return fail(ErrorKind::WrongResult,
                share(s.bitsDiffer, s.count, s.firstBitsDiffer) +
                    ", differ from the golden; this result must be equal to "
                    "it in every bit",
                double(s.bitsDiffer), 0);
  return {true, ErrorKind::WrongResult, "", 0, 0};
}

Verdict judgeElementwise(const OutputStats &s, const Limits &limits) {
  // Written so that a NaN fails.
  if (!(s.maxUlp <= limits.maxUlp))
    return fail(ErrorKind::WrongResult,
                print("the element at %llu is %.4g ulp from the golden; at "
                      "most %.4g are allowed",
                      static_cast<unsigned long long>(s.maxUlpAt), s.maxUlp,
                      limits.maxUlp),
                s.maxUlp, limits.maxUlp);
  if (!(s.meanUlp <= limits.meanUlp))
    return fail(ErrorKind::WrongResult,
                print("the elements are %.4g ulp from the golden in the mean; "
                      "at most %.4g are allowed",
                      s.meanUlp, limits.meanUlp),
                s.meanUlp, limits.meanUlp);
  return {true, ErrorKind::WrongResult, "", s.maxUlp, limits.maxUlp};
}

Verdict judgeAccumulation(const OutputStats &s, const Limits &limits) {
  if (!(s.normError <= limits.norm))
    return fail(ErrorKind::WrongResult,
                print("the error is %.4g of the scale in norm; at most %.4g "
                      "is allowed (worst element %.4g at %llu)",
                      s.normError, limits.norm, s.maxError,
                      static_cast<unsigned long long>(s.maxErrorAt)),
                s.normError, limits.norm);
  if (!(s.maxError <= limits.max))
    return fail(ErrorKind::WrongResult,
                print("the error of the element at %llu is %.4g of its scale; "
                      "at most %.4g is allowed",
                      static_cast<unsigned long long>(s.maxErrorAt), s.maxError,
                      limits.max),
                s.maxError, limits.max);
  return {true, ErrorKind::WrongResult, "", s.normError, limits.norm};
}

} // namespace

Limits egg::eval::limitsOf(const OutputEvidence &evidence) {
  const OutputStats none;
  const OutputStats &reference =
      evidence.reference ? *evidence.reference : none;
  const OutputStats &rounded = evidence.rounded;
  Limits limits;
  // A reference that overflowed sets no limit: infinity would allow anything.
  double leastUlp = evidence.mantissaBits == 52 ? 4 : 2;
  limits.maxUlp = std::max(2 * finiteOr0(reference.maxUlp), leastUlp);
  limits.meanUlp = std::max(2 * finiteOr0(reference.meanUlp), leastUlp);

  double floor = floorOf(evidence.mantissaBits);
  double unit = std::ldexp(1.0, -evidence.mantissaBits - 1);
  limits.norm = std::max({2 * finiteOr0(reference.normError),
                          1.5 * finiteOr0(rounded.normError), floor});
  limits.max = std::max({2 * finiteOr0(reference.maxError),
                         1.5 * finiteOr0(rounded.maxError), floor,
                         1.5 * unit * finiteOr0(rounded.maxGolden)});
  if (rounded.count < fewElements)
    limits.norm =
        std::max(limits.norm, 1.5 * unit * finiteOr0(rounded.normGolden));
  return limits;
}

Verdict egg::eval::judge(const OutputEvidence &evidence) {
  const OutputStats &s = evidence.candidate;
  if (s.poisoned)
    return fail(ErrorKind::NotWritten,
                share(s.poisoned, s.count, s.firstPoisoned) +
                    ", still show what the output was filled with before the "
                    "run",
                double(s.poisoned), 0);
  if (evidence.mantissaBits == 0 || evidence.gateClass == GateClass::Exact)
    return judgeExact(s);
  if (s.nonFiniteMismatch)
    return fail(ErrorKind::WrongResult,
                share(s.nonFiniteMismatch, s.count, s.firstNonFiniteMismatch) +
                    ", are NaN or infinite where the golden is not, or the "
                    "other way round",
                double(s.nonFiniteMismatch), 0);
  Limits limits = limitsOf(evidence);
  return evidence.gateClass == GateClass::Elementwise
             ? judgeElementwise(s, limits)
             : judgeAccumulation(s, limits);
}

bool egg::eval::isEvidence(const OutputEvidence &evidence) {
  const OutputStats &rounded = evidence.rounded;
  if (evidence.mantissaBits == 0 || rounded.count == 0)
    return true;
  uint64_t most = rounded.count / 100;
  if (rounded.goldenNonFinite > most)
    return false;
  // `compared` counts where both are finite.
  return !evidence.reference ||
         evidence.reference->compared + most + rounded.goldenNonFinite >=
             rounded.count;
}
