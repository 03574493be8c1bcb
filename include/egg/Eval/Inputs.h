//===- Inputs.h - what inputs look like -------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_INPUTS_H
#define EGG_EVAL_INPUTS_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace egg::eval {

/// How the elements of an input set are drawn; docs/evaluation.md has the
/// table. The order is that of the kernels.
enum class Distribution {
  Normal,
  Uniform,
  Wide,
  Zeros,
  Subnormal,
  Equal,
  Large,
  Special
};

/// The name in protocols and results: `normal`, `uniform`, ...
std::string_view toString(Distribution distribution);

/// The distribution of that name, or nothing.
std::optional<Distribution> distributionFromString(std::string_view text);

const std::vector<Distribution> &allDistributions();

/// The two that the pool's gate uses, and the four of the whole gate.
const std::vector<Distribution> &poolDistributions();
const std::vector<Distribution> &wholeDistributions();

/// True when `distributions` are enough for the whole gate: normal, uniform and
/// wide, and one more.
bool enoughForWholeGate(const std::vector<Distribution> &distributions);

/// The values that an integer argument may take, ends included; an index into
/// something must be given one.
struct IntegerRange {
  uint64_t argument = 0;
  int64_t low = 0, high = 0;
};

/// `count` last slices of a dimension of an argument, to be set to zero: what
/// an answer that forgot its last tile would have seen.
struct LastTile {
  uint64_t argument = 0;
  uint64_t dim = 0;
  uint64_t count = 1;
};

} // namespace egg::eval

#endif // EGG_EVAL_INPUTS_H
