//===- CpuTensors.h - inputs and statistics on the CPU ----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TOOLS_EGG_RUN_CPUTENSORS_H
#define EGG_TOOLS_EGG_RUN_CPUTENSORS_H

#include "egg/Eval/Inputs.h"
#include "egg/Proposal/CompilerProtocol.h"

#include <optional>

namespace egg {

/// Inputs and results of a run on the CPU that are made at most, in bytes: it
/// is an oracle for small shapes.
constexpr uint64_t maxCpuBytes = uint64_t(1) << 30;

/// Bytes of a tensor; nullopt when they do not fit 63 bits.
std::optional<uint64_t> bytesOf(const TensorSignature &tensor);

/// Dense, row-major, little-endian elements: floats normal with mean 0 and
/// variance 1, i1 fair, other integers uniform in `range` (else 0 to 9, but
/// never beyond the type). The same for the same seed on every machine. A float
/// of a type that is not wide enough is rounded once from f32 (f64 from f64).
std::string drawTensor(const TensorSignature &tensor, uint64_t seed,
                       const std::optional<eval::IntegerRange> &range);

/// What there is to say about a tensor in one line.
struct TensorStatistics {
  uint64_t elements = 0, nonFinite = 0;
  /// Of the finite elements; 0 when there are none.
  double least = 0, most = 0, mean = 0, rms = 0;
  /// SHA-256 of the bytes.
  std::string hash;
};

/// Fails with `internal` when `bytes` does not have the tensor's size.
Result<TensorStatistics> statisticsOf(const TensorSignature &tensor,
                                      const std::string &bytes);

} // namespace egg

#endif // EGG_TOOLS_EGG_RUN_CPUTENSORS_H
