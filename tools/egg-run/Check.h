//===- Check.h - a plain build against its golden ---------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TOOLS_EGG_RUN_CHECK_H
#define EGG_TOOLS_EGG_RUN_CHECK_H

#include "egg/Eval/Protocol.h"
#include "egg/Runtime/LaunchPlan.h"
#include "egg/Search/Runner.h"

namespace egg {

struct PlainCheck {
  eval::CheckAnswer answer;
  /// The build had to serve as its own reference.
  bool ownReference = false;
};

/// Judges `request.candidate`, with the launch plan `plan`, against
/// `request.golden`, with `golden`. A plain build is what a reference usually
/// is, and nothing but itself is there to say what rounding in the payload's
/// types costs. So:
///
/// 1. The gate without a reference. What passes is right.
/// 2. What fails there as `wrong-result` is asked again with itself as the
///    reference, which excuses every value, and then: a result of class `exact`
///    is the golden's in every bit, and any other is off by at most
///    2^-(mantissa bits / 2) in norm, half of its type's digits. A payload that
///    cancels, as 1 + erf(x) does, passes so; a note in the answer says it.
///
/// Fails with the first judgement's error where the second does not excuse it.
Result<PlainCheck> checkPlain(Runner &runner, eval::Request request,
                              const LaunchPlan &plan, const LaunchPlan &golden);

} // namespace egg

#endif // EGG_TOOLS_EGG_RUN_CHECK_H
