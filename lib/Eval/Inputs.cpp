//===- Inputs.cpp - what inputs look like -----------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Inputs.h"

#include "kernels/KernelParams.h"

#include <algorithm>

using namespace egg::eval;

static_assert(int(Distribution::Uniform) == kernels::Uniform &&
                  int(Distribution::Wide) == kernels::Wide &&
                  int(Distribution::Zeros) == kernels::Zeros &&
                  int(Distribution::Subnormal) == kernels::Subnormal &&
                  int(Distribution::Equal) == kernels::Equal &&
                  int(Distribution::Large) == kernels::Large &&
                  int(Distribution::Special) == kernels::Special,
              "the kernels number the distributions in the same order");

std::string_view egg::eval::toString(Distribution distribution) {
  static constexpr std::string_view names[] = {"normal", "uniform",   "wide",
                                               "zeros",  "subnormal", "equal",
                                               "large",  "special"};
  return names[int(distribution)];
}

std::optional<Distribution>
egg::eval::distributionFromString(std::string_view text) {
  for (Distribution d : allDistributions())
    if (toString(d) == text)
      return d;
  return std::nullopt;
}

const std::vector<Distribution> &egg::eval::allDistributions() {
  static const std::vector<Distribution> all = {
      Distribution::Normal, Distribution::Uniform,   Distribution::Wide,
      Distribution::Zeros,  Distribution::Subnormal, Distribution::Equal,
      Distribution::Large,  Distribution::Special};
  return all;
}

const std::vector<Distribution> &egg::eval::poolDistributions() {
  static const std::vector<Distribution> two = {Distribution::Normal,
                                                Distribution::Uniform};
  return two;
}

const std::vector<Distribution> &egg::eval::wholeDistributions() {
  static const std::vector<Distribution> four = {
      Distribution::Normal, Distribution::Uniform, Distribution::Wide,
      Distribution::Zeros};
  return four;
}

bool egg::eval::enoughForWholeGate(
    const std::vector<Distribution> &distributions) {
  std::vector<Distribution> set = distributions;
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  // The three that are always asked for come first in the order.
  return set.size() >= 4 && set[0] == Distribution::Normal &&
         set[1] == Distribution::Uniform && set[2] == Distribution::Wide;
}
