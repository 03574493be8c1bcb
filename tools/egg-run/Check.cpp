//===- Check.cpp - a plain build against its golden -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include <cmath>

using namespace egg;

/// Half of the digits of a type; 0 for one that has no fraction.
static double halfOfTheDigits(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return std::ldexp(1.0, -26);
  case ElementType::F32:
    return std::ldexp(1.0, -12);
  case ElementType::F16:
    return std::ldexp(1.0, -5);
  case ElementType::BF16:
    return std::ldexp(1.0, -4);
  default:
    return 0;
  }
}

/// Whether a result that was judged with itself as the reference is the
/// golden's all the same.
static bool isNearGolden(const eval::ResultReport &report, ElementType type,
                         ResultClass resultClass) {
  double limit = halfOfTheDigits(type);
  if (resultClass == ResultClass::Exact || limit == 0)
    return report.referenceError && *report.referenceError == 0;
  // Written so that a NaN is far.
  return report.normError <= limit;
}

Result<PlainCheck> egg::checkPlain(Runner &runner, eval::Request request,
                                   const LaunchPlan &plan,
                                   const LaunchPlan &golden) {
  request.reference.reset();
  Result<eval::CheckAnswer> alone = runner.check(request);
  if (alone)
    return PlainCheck{alone.take(), false};
  Error error = alone.error();
  if (error.kind != ErrorKind::WrongResult)
    return error;

  request.reference = request.candidate;
  Result<eval::CheckAnswer> excused = runner.check(request);
  if (!excused)
    return error;
  for (const eval::SetReport &set : excused->sets)
    for (size_t i = 0; i < set.results.size(); ++i)
      if (i >= plan.results.size() || i >= golden.results.size() ||
          !isNearGolden(set.results[i], plan.results[i].type,
                        golden.results[i].resultClass))
        return error;
  excused->notes.push_back(
      "judged in norm only, with half of its type's digits: there is no "
      "reference but this build itself, and without one the gate says: " +
      error.message);
  return PlainCheck{excused.take(), true};
}
