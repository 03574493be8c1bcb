//===- CpuTensors.cpp - inputs and statistics on the CPU --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuTensors.h"

#include "egg/Runtime/LaunchPlan.h"
#include "egg/Support/Float16.h"
#include "egg/Support/Hash.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace egg;

std::optional<uint64_t> egg::bytesOf(const TensorSignature &tensor) {
  std::optional<ElementType> type = elementTypeFromString(tensor.type);
  return type ? tensorBytes(*type, tensor.shape) : std::nullopt;
}

namespace {
/// SplitMix64 (Steele, Lea, Flood 2014): the standard library's distributions
/// differ from machine to machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In (0, 1].
  double unit() { return double((next() >> 11) + 1) * 0x1p-53; }
  /// Box and Muller.
  double normal() {
    double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(2 * M_PI * unit());
  }

private:
  uint64_t state;
};
} // namespace

template <typename T>
static void store(std::string &bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

template <typename T> static T load(const std::string &bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// An integer of [low, high], which is inside the type.
static int64_t drawInteger(Random &random, int64_t low, int64_t high) {
  uint64_t span = uint64_t(high) - uint64_t(low) + 1;
  uint64_t offset = span ? random.next() % span : random.next();
  return int64_t(uint64_t(low) + offset);
}

std::string egg::drawTensor(const TensorSignature &tensor, uint64_t seed,
                            const std::optional<eval::IntegerRange> &range) {
  ElementType type = *elementTypeFromString(tensor.type);
  std::string bytes(*bytesOf(tensor), '\0');
  size_t count = bytes.size() / elementBytes(type);
  Random random(seed);
  int64_t low = range ? range->low : 0, high = range ? range->high : 9;
  if (type == ElementType::I1) {
    low = 0;
    high = 1;
  } else if (!isFloat(type) && elementBytes(type) < 8) {
    int64_t most = (int64_t(1) << (8 * elementBytes(type) - 1)) - 1;
    low = std::clamp(low, -most - 1, most);
    high = std::clamp(high, low, most);
  }
  for (size_t i = 0; i < count; ++i)
    switch (type) {
    case ElementType::F64:
      store(bytes, i, random.normal());
      break;
    case ElementType::F32:
      store(bytes, i, float(random.normal()));
      break;
    case ElementType::F16:
      store(bytes, i, floatToHalf(float(random.normal())));
      break;
    case ElementType::BF16:
      store(bytes, i, floatToBfloat(float(random.normal())));
      break;
    case ElementType::I64:
      store(bytes, i, drawInteger(random, low, high));
      break;
    case ElementType::I32:
      store(bytes, i, int32_t(drawInteger(random, low, high)));
      break;
    case ElementType::I16:
      store(bytes, i, int16_t(drawInteger(random, low, high)));
      break;
    case ElementType::I8:
    case ElementType::I1:
      store(bytes, i, int8_t(drawInteger(random, low, high)));
      break;
    }
  return bytes;
}

static double elementOf(ElementType type, const std::string &bytes, size_t i) {
  switch (type) {
  case ElementType::F64:
    return load<double>(bytes, i);
  case ElementType::F32:
    return load<float>(bytes, i);
  case ElementType::F16:
    return halfToFloat(load<uint16_t>(bytes, i));
  case ElementType::BF16:
    return bfloatToFloat(load<uint16_t>(bytes, i));
  case ElementType::I64:
    return double(load<int64_t>(bytes, i));
  case ElementType::I32:
    return load<int32_t>(bytes, i);
  case ElementType::I16:
    return load<int16_t>(bytes, i);
  case ElementType::I8:
  case ElementType::I1:
    return load<int8_t>(bytes, i);
  }
  return 0;
}

Result<TensorStatistics> egg::statisticsOf(const TensorSignature &tensor,
                                           const std::string &bytes) {
  std::optional<ElementType> type = elementTypeFromString(tensor.type);
  if (!type || bytesOf(tensor) != bytes.size())
    return Error(ErrorKind::Internal,
                 "a result of type " + tensor.str() + " came with " +
                     std::to_string(bytes.size()) + " bytes");
  TensorStatistics statistics;
  statistics.elements = bytes.size() / elementBytes(*type);
  statistics.hash = sha256Hex(bytes);
  double sum = 0, squares = 0;
  uint64_t finite = 0;
  for (size_t i = 0; i < statistics.elements; ++i) {
    double value = elementOf(*type, bytes, i);
    if (!std::isfinite(value)) {
      ++statistics.nonFinite;
      continue;
    }
    statistics.least = finite ? std::min(statistics.least, value) : value;
    statistics.most = finite ? std::max(statistics.most, value) : value;
    sum += value;
    squares += value * value;
    ++finite;
  }
  if (finite) {
    statistics.mean = sum / double(finite);
    statistics.rms = std::sqrt(squares / double(finite));
  }
  return statistics;
}
