//===- DeviceKernels.cpp - launches the worker's kernels --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceKernels.h"

#include "kernels/Stats.h"

#include <algorithm>
#include <cmath>
#include <string_view>

using namespace egg;
using namespace egg::eval;

namespace {

const unsigned char ptxBytes[] = {
#include "EvalKernels.ptx.inc"
};

constexpr uint64_t blockThreads = 256;
/// Threads of a comparison: each leaves a Stats, so their number is what the
/// partial results take in memory.
constexpr uint64_t compareThreads = 65536;
constexpr uint64_t mergedThreads = 256;
constexpr uint64_t resultWords = 4096;

const char *const kernelNames[] = {
    "egg_eval_fill",     "egg_eval_pattern", "egg_eval_check_pattern",
    "egg_eval_checksum", "egg_eval_differ",  "egg_eval_narrow",
    "egg_eval_mutate",   "egg_eval_compare", "egg_eval_merge",
    "egg_eval_flush"};

static_assert(int(ElementType::F64) == kernels::F64 &&
                  int(ElementType::F32) == kernels::F32 &&
                  int(ElementType::F16) == kernels::F16 &&
                  int(ElementType::BF16) == kernels::BF16 &&
                  int(ElementType::I64) == kernels::I64T &&
                  int(ElementType::I32) == kernels::I32T &&
                  int(ElementType::I16) == kernels::I16T &&
                  int(ElementType::I8) == kernels::I8T &&
                  int(ElementType::I1) == kernels::I1T,
              "the kernels number the element types in the same order");

template <typename T> T *pointerOf(DevicePtr p) {
  return reinterpret_cast<T *>(uintptr_t(p));
}

/// x / y for sums of squares: nothing over nothing is no error, something over
/// nothing an infinite one.
double rootRatio(double x, double y) {
  return x == 0 ? 0 : std::sqrt(x) / std::sqrt(y);
}

} // namespace

Result<DeviceKernels> DeviceKernels::load(const Context &context) {
  std::string_view ptx(reinterpret_cast<const char *>(ptxBytes),
                       sizeof(ptxBytes) - 1);
  EGG_ASSIGN(Module module, context.loadModule(ptx));
  EGG_ASSIGN(Stream stream, context.createStream());
  DeviceKernels result(context, std::move(module), std::move(stream));
  for (const char *name : kernelNames) {
    EGG_ASSIGN(Kernel kernel, result.module.kernel(name));
    result.kernels.emplace(name, std::move(kernel));
  }
  EGG_ASSIGN(result.partials,
             context.allocate(compareThreads * sizeof(kernels::Stats)));
  EGG_ASSIGN(result.merged,
             context.allocate(mergedThreads * sizeof(kernels::Stats)));
  EGG_ASSIGN(result.words, context.allocate(resultWords * 8));
  return result;
}

Status DeviceKernels::launchThreads(const char *name, const void *params,
                                    uint64_t threads) const {
  LaunchShape shape;
  shape.block[0] = uint32_t(std::min(threads, blockThreads));
  shape.grid[0] = uint32_t((threads + shape.block[0] - 1) / shape.block[0]);
  void *parameters[] = {const_cast<void *>(params)};
  return queue.launch(kernels.at(name), shape, parameters);
}

template <typename Params>
Status DeviceKernels::launch(const char *name, const Params &params,
                             uint64_t items) const {
  // As many threads as the device holds at once; each takes many items.
  uint64_t most = uint64_t(std::max(owner.device().multiprocessors, 1)) * 2048;
  uint64_t threads = std::clamp<uint64_t>(items, 1, most);
  return launchThreads(name, &params, threads);
}

Status DeviceKernels::draw(DevicePtr out, ElementType type, uint64_t count,
                           Distribution distribution, uint64_t seed,
                           uint64_t argument, bool absolute,
                           const IntegerRange *range) const {
  kernels::FillParams p = {};
  p.out = pointerOf<void>(out);
  p.count = count;
  p.seed = seed;
  p.argument = uint32_t(argument);
  p.type = uint32_t(type);
  p.distribution = uint32_t(distribution);
  p.absolute = absolute;
  if (range) {
    p.ranged = 1;
    p.low = range->low;
    p.high = range->high;
  }
  return launch("egg_eval_fill", p, count);
}

Status DeviceKernels::pattern(DeviceSpan span, uint32_t pattern) const {
  kernels::PatternParams p = {pointerOf<void>(span.pointer), span.bytes,
                              pattern, 0};
  return launch("egg_eval_pattern", p, span.bytes / 4);
}

Status DeviceKernels::narrow(DevicePtr golden, DevicePtr out, ElementType type,
                             uint64_t count) const {
  kernels::NarrowParams p = {pointerOf<void>(golden), pointerOf<void>(out),
                             count, uint32_t(type), 0};
  return launch("egg_eval_narrow", p, count);
}

Status DeviceKernels::mutate(const kernels::MutateParams &params) const {
  return launch("egg_eval_mutate", params, params.count);
}

Result<DeviceKernels::Damage>
DeviceKernels::checkPattern(const std::vector<DeviceSpan> &spans,
                            uint32_t pattern) const {
  Damage damage;
  const size_t most = resultWords / 2;
  for (size_t begin = 0; begin < spans.size(); begin += most) {
    size_t n = std::min(most, spans.size() - begin);
    std::vector<uint64_t> found(2 * n);
    for (size_t i = 0; i < n; ++i)
      found[2 * i + 1] = ~uint64_t(0);
    EGG_TRY(queue.copyToDevice(words.pointer(), found.data(), 16 * n));
    for (size_t i = 0; i < n; ++i) {
      const DeviceSpan &span = spans[begin + i];
      kernels::CheckPatternParams p = {
          pointerOf<void>(span.pointer), span.bytes,
          pointerOf<kernels::U64>(words.pointer() + 16 * i), pattern, 0};
      EGG_TRY(launch("egg_eval_check_pattern", p, span.bytes / 4));
    }
    EGG_TRY(queue.copyToHost(found.data(), words.pointer(), 16 * n));
    EGG_TRY(queue.synchronize());
    for (size_t i = 0; i < n; ++i) {
      if (found[2 * i] && damage.bytes == 0) {
        damage.span = begin + i;
        damage.offset = found[2 * i + 1];
      }
      damage.bytes += found[2 * i];
    }
  }
  return damage;
}

Status DeviceKernels::checksumInto(DeviceSpan span, DevicePtr word) const {
  kernels::ChecksumParams p = {pointerOf<void>(span.pointer), span.bytes,
                               pointerOf<kernels::U64>(word)};
  return launch("egg_eval_checksum", p, span.bytes / 4);
}

Result<std::vector<uint64_t>>
DeviceKernels::checksums(const std::vector<DeviceSpan> &spans) const {
  std::vector<uint64_t> sums(spans.size());
  for (size_t begin = 0; begin < spans.size(); begin += resultWords) {
    size_t n = std::min<size_t>(resultWords, spans.size() - begin);
    EGG_TRY(queue.fill(words.pointer(), 0, 8 * n));
    for (size_t i = 0; i < n; ++i)
      EGG_TRY(checksumInto(spans[begin + i], words.pointer() + 8 * i));
    EGG_TRY(queue.copyToHost(&sums[begin], words.pointer(), 8 * n));
    EGG_TRY(queue.synchronize());
  }
  return sums;
}

Result<Difference> DeviceKernels::differ(DevicePtr first, DevicePtr second,
                                         ElementType type,
                                         uint64_t count) const {
  uint64_t found[4] = {0, ~uint64_t(0), 0, ~uint64_t(0)};
  EGG_TRY(queue.copyToDevice(words.pointer(), found, sizeof found));
  kernels::DifferParams p = {pointerOf<void>(first),
                             pointerOf<void>(second),
                             count,
                             pointerOf<kernels::U64>(words.pointer()),
                             uint32_t(type),
                             nanPattern,
                             finitePattern,
                             0};
  EGG_TRY(launch("egg_eval_differ", p, count));
  EGG_TRY(queue.copyToHost(found, words.pointer(), sizeof found));
  EGG_TRY(queue.synchronize());
  return Difference{found[0], found[1], found[2], found[3]};
}

Result<Compared> DeviceKernels::compare(const Comparison &c) const {
  kernels::CompareParams p = {};
  p.candidate = pointerOf<void>(c.candidate);
  p.golden = pointerOf<void>(c.golden);
  p.reference = pointerOf<void>(c.reference);
  p.scale = pointerOf<void>(c.scale);
  p.partials = pointerOf<kernels::Stats>(partials.pointer());
  p.count = c.count;
  p.unit = c.unit;
  p.floor = c.floor;
  p.type = uint32_t(c.type);
  p.poison = nanPattern;
  p.checkPoison = c.checkPoison;
  // Whole blocks, so that the number of threads is the number of partials.
  uint64_t threads = std::min(
      compareThreads, (std::max<uint64_t>(c.count, 1) + blockThreads - 1) /
                          blockThreads * blockThreads);
  EGG_TRY(launchThreads("egg_eval_compare", &p, threads));
  kernels::MergeParams m = {pointerOf<kernels::Stats>(partials.pointer()),
                            pointerOf<kernels::Stats>(merged.pointer()),
                            threads};
  EGG_TRY(launchThreads("egg_eval_merge", &m, mergedThreads));
  std::vector<kernels::Stats> found(mergedThreads);
  EGG_TRY(queue.copyToHost(found.data(), merged.pointer(),
                           found.size() * sizeof(kernels::Stats)));
  EGG_TRY(queue.synchronize());
  kernels::Stats s = found[0];
  for (size_t i = 1; i < found.size(); ++i)
    kernels::mergeStats(s, found[i]);

  Compared result;
  OutputStats &o = result.stats;
  o.count = s.count;
  o.goldenNonFinite = s.goldenNonFinite;
  o.nonFiniteMismatch = s.nonFiniteMismatch;
  o.firstNonFiniteMismatch = s.firstNonFiniteMismatch;
  o.bitsDiffer = s.bitsDiffer;
  o.firstBitsDiffer = s.firstBitsDiffer;
  o.poisoned = s.poisoned;
  o.firstPoisoned = s.firstPoisoned;
  o.compared = s.compared;
  o.maxUlp = s.maxUlp;
  o.maxUlpAt = s.maxUlpAt;
  o.meanUlp = s.compared ? s.sumUlp / double(s.compared) : 0;
  o.normError = rootRatio(s.sumError2, s.sumScale2);
  o.maxError = s.maxError;
  o.maxErrorAt = s.maxErrorAt;
  o.normGolden = rootRatio(s.sumGolden2, s.sumScale2);
  o.maxGolden = s.maxGolden;
  if (o.count != c.count)
    return Error(ErrorKind::Internal,
                 "a comparison saw " + std::to_string(o.count) +
                     " elements instead of " + std::to_string(c.count));
  result.maxScale = s.maxScale;
  uint64_t finite = s.count - std::min(s.count, s.goldenNonFinite);
  result.rmsScale = finite ? std::sqrt(s.sumScale2 / double(finite)) : 0;
  result.sumGolden = s.sumGolden;
  return result;
}

Status DeviceKernels::flush() {
  uint64_t l2 = std::max<uint64_t>(owner.device().l2Bytes, 1 << 20);
  uint64_t words = l2 / 4;
  uint64_t threads =
      uint64_t(std::max(owner.device().multiprocessors, 1)) * 2048;
  if (!dirty.pointer()) {
    EGG_ASSIGN(dirty, owner.allocate(2 * l2));
    EGG_ASSIGN(clean, owner.allocate(l2));
    EGG_ASSIGN(sink, owner.allocate(threads * 4));
    for (auto [buffer, count] :
         {std::make_pair(&dirty, 2 * words), std::make_pair(&clean, words)})
      EGG_TRY(draw(buffer->pointer(), ElementType::I32, count,
                   Distribution::Wide, 1, 0, false, nullptr));
  }
  kernels::FlushParams p = {pointerOf<kernels::U32>(dirty.pointer()),
                            pointerOf<kernels::U32>(sink.pointer()), 2 * words,
                            1, 0};
  EGG_TRY(launch("egg_eval_flush", p, 2 * words));
  p.data = pointerOf<kernels::U32>(clean.pointer());
  p.words = words;
  p.write = 0;
  return launch("egg_eval_flush", p, words);
}
