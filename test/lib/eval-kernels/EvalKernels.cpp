//===- EvalKernels.cpp - kernels for the fake driver, for Eval's tests --*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library for EGG_FAKE_KERNELS: the worker's own kernels as built for the
// host, and payloads with goldens and good and bad candidates. Parameters are
// pointers, then i64 extents.
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/HostKernels.h"
#include "egg/Support/Float16.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

struct egg_fake_dim3 {
  unsigned x, y, z;
};

namespace {

template <typename T> T *pointer(void **params, int i) {
  return reinterpret_cast<T *>(*static_cast<uint64_t *>(params[i]));
}
int64_t extent(void **params, int i) {
  return *static_cast<int64_t *>(params[i]);
}

int runWorkerKernel(const char *name, const egg_fake_dim3 *grid,
                    const egg_fake_dim3 *block, void **params) {
  const egg::eval::HostKernel *kernel = egg::eval::findHostKernel(name);
  uint64_t threads = uint64_t(grid->x) * block->x;
  // A flush only costs time here: one thread's share is enough.
  uint64_t last = std::string(name) == "egg_eval_flush" ? 1 : threads;
  for (uint64_t t = 0; t < last; ++t)
    kernel->run(params[0], t, threads);
  return 0;
}

/// Row sums of (in: rows x columns, out: rows, rows, columns). `columns` of
/// each row are added, in `Acc`, after `before` on each element.
template <typename Out, typename Acc, typename F>
int rowSum(void **params, int64_t missing, F before) {
  float *in = pointer<float>(params, 0);
  Out *out = pointer<Out>(params, 1);
  int64_t rows = extent(params, 2), columns = extent(params, 3);
  for (int64_t r = 0; r < rows; ++r) {
    Acc sum = 0;
    for (int64_t c = 0; c < columns - missing; ++c)
      sum += before(Acc(in[r * columns + c]));
    out[r] = Out(sum);
  }
  return 0;
}

float toTf32(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x1000) & 0xffffe000;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// out = f(in) for n elements of (in, out, n).
template <typename Out, typename F> int map(void **params, F f) {
  float *in = pointer<float>(params, 0);
  Out *out = pointer<Out>(params, 1);
  for (int64_t i = 0, n = extent(params, 2); i < n; ++i)
    out[i] = f(in[i]);
  return 0;
}

} // namespace

#define EVAL_KERNEL(name)                                                      \
  extern "C" __attribute__((visibility("default"))) int                        \
  egg_fake_kernel_##name(const egg_fake_dim3 *grid,                            \
                         const egg_fake_dim3 *block, void **params)

#define WORKER_KERNEL(name)                                                    \
  EVAL_KERNEL(name) { return runWorkerKernel(#name, grid, block, params); }
WORKER_KERNEL(egg_eval_fill)
WORKER_KERNEL(egg_eval_pattern)
WORKER_KERNEL(egg_eval_check_pattern)
WORKER_KERNEL(egg_eval_checksum)
WORKER_KERNEL(egg_eval_differ)
WORKER_KERNEL(egg_eval_narrow)
WORKER_KERNEL(egg_eval_mutate)
WORKER_KERNEL(egg_eval_compare)
WORKER_KERNEL(egg_eval_merge)
WORKER_KERNEL(egg_eval_flush)

// The payload "copy": the golden of the fake driver's own fake_copy and of the
// kernels that misbehave beside copying.
EVAL_KERNEL(copy_golden) {
  return map<double>(params, [](float x) { return double(x); });
}

// The payload "gauss": exp(-x*x), elementwise.
EVAL_KERNEL(gauss_golden) {
  return map<double>(params,
                     [](float x) { return std::exp(-double(x) * double(x)); });
}
EVAL_KERNEL(gauss) {
  return map<float>(
      params, [](float x) { return float(std::exp(-double(x) * double(x))); });
}
EVAL_KERNEL(gauss_tf32) {
  return map<float>(params, [](float x) {
    return toTf32(float(std::exp(-double(x) * double(x))));
  });
}
// Subnormal results become zero.
EVAL_KERNEL(gauss_flush) {
  return map<float>(params, [](float x) {
    float y = float(std::exp(-double(x) * double(x)));
    return y < 1.17549435e-38f ? 0.0f : y;
  });
}

// The payload "rowsum", accumulation.
EVAL_KERNEL(rowsum_golden) {
  return rowSum<double, double>(params, 0, [](double x) { return x; });
}
EVAL_KERNEL(rowsum) {
  return rowSum<float, float>(params, 0, [](float x) { return x; });
}
EVAL_KERNEL(rowsum_short) {
  return rowSum<float, float>(params, 1, [](float x) { return x; });
}
EVAL_KERNEL(rowsum_tf32) { return rowSum<float, float>(params, 0, toTf32); }
// NaN for every input: a golden that is no evidence.
EVAL_KERNEL(rowsum_nan_golden) {
  return rowSum<double, double>(params, 0, [](double) { return NAN; });
}

// NaN unless all elements of the row are equal.
template <typename Out> int rowSumOfEqual(void **params) {
  float *in = pointer<float>(params, 0);
  Out *out = pointer<Out>(params, 1);
  int64_t rows = extent(params, 2), columns = extent(params, 3);
  for (int64_t r = 0; r < rows; ++r) {
    out[r] = 0;
    for (int64_t c = 0; c < columns; ++c)
      out[r] += in[r * columns + c] == in[r * columns] ? Out(in[r * columns])
                                                       : Out(NAN);
  }
  return 0;
}
EVAL_KERNEL(rowsum_of_equal) { return rowSumOfEqual<float>(params); }
EVAL_KERNEL(rowsum_of_equal_golden) { return rowSumOfEqual<double>(params); }

// The payload "pair": (a, b, out, n), out = a - b; the second writes b's place
// wrongly when both are one buffer.
EVAL_KERNEL(pair_golden) {
  float *a = pointer<float>(params, 0), *b = pointer<float>(params, 1);
  double *out = pointer<double>(params, 2);
  for (int64_t i = 0, n = extent(params, 3); i < n; ++i)
    out[i] = double(a[i]) - double(b[i]);
  return 0;
}
EVAL_KERNEL(pair) {
  float *a = pointer<float>(params, 0), *b = pointer<float>(params, 1);
  float *out = pointer<float>(params, 2);
  for (int64_t i = 0, n = extent(params, 3); i < n; ++i)
    out[i] = a[i] - b[i];
  return 0;
}
EVAL_KERNEL(pair_restrict) {
  float *a = pointer<float>(params, 0), *b = pointer<float>(params, 1);
  float *out = pointer<float>(params, 2);
  for (int64_t i = 0, n = extent(params, 3); i < n; ++i)
    out[i] = a == b ? a[i] : a[i] - b[i];
  return 0;
}

// The payload "twin": (in, first, second, n), the second is -in.
template <typename Out> int twin(void **params, double second) {
  float *in = pointer<float>(params, 0);
  Out *first = pointer<Out>(params, 1), *other = pointer<Out>(params, 2);
  for (int64_t i = 0, n = extent(params, 3); i < n; ++i) {
    first[i] = Out(in[i]);
    other[i] = Out(second) * Out(in[i]);
  }
  return 0;
}
EVAL_KERNEL(twin_golden) { return twin<double>(params, -1); }
EVAL_KERNEL(twin) { return twin<float>(params, -1); }
EVAL_KERNEL(twin_wrong) { return twin<float>(params, 1); }

// The payload "square" on 16-bit floats: (in, out, n). The coarse ones are a
// sixteenth too large.
template <typename Out, typename Load, typename Store>
int square(void **params, Load load, Store store, float factor = 1) {
  uint16_t *in = pointer<uint16_t>(params, 0);
  Out *out = pointer<Out>(params, 1);
  for (int64_t i = 0, n = extent(params, 2); i < n; ++i) {
    double x = load(in[i]);
    out[i] = store(x * x * double(factor));
  }
  return 0;
}
static double same(double x) { return x; }
EVAL_KERNEL(square_f16_golden) {
  return square<double>(params, egg::halfToFloat, same);
}
EVAL_KERNEL(square_f16) {
  return square<uint16_t>(params, egg::halfToFloat, egg::doubleToHalf);
}
EVAL_KERNEL(square_f16_coarse) {
  return square<uint16_t>(params, egg::halfToFloat, egg::doubleToHalf, 1.0625f);
}
EVAL_KERNEL(square_bf16_golden) {
  return square<double>(params, egg::bfloatToFloat, same);
}
EVAL_KERNEL(square_bf16) {
  return square<uint16_t>(params, egg::bfloatToFloat, egg::doubleToBfloat);
}
EVAL_KERNEL(square_bf16_coarse) {
  return square<uint16_t>(params, egg::bfloatToFloat, egg::doubleToBfloat,
                          1.0625f);
}

// (in, out, n): reads one element behind the input.
EVAL_KERNEL(copy_read_past) {
  float *in = pointer<float>(params, 0), *out = pointer<float>(params, 1);
  int64_t n = extent(params, 2);
  volatile float past = in[n];
  (void)past;
  for (int64_t i = 0; i < n; ++i)
    out[i] = in[i];
  return 0;
}

// (in, out, n): writes before the start of the output.
EVAL_KERNEL(copy_underrun) {
  float *in = pointer<float>(params, 0), *out = pointer<float>(params, 1);
  for (int64_t i = 0, n = extent(params, 2); i < n; ++i)
    out[i] = in[i];
  out[-3] = 1;
  return 0;
}

// (in, out, workspace, n): adds what the workspace held, if it is a number.
EVAL_KERNEL(copy_reads_workspace) {
  float *in = pointer<float>(params, 0), *out = pointer<float>(params, 1);
  float *workspace = pointer<float>(params, 2);
  for (int64_t i = 0, n = extent(params, 3); i < n; ++i)
    out[i] = in[i];
  if (!std::isnan(workspace[0]))
    out[0] += 1;
  return 0;
}

// (in, out, n) on i32: +1, for exact results.
EVAL_KERNEL(increment) {
  int32_t *in = pointer<int32_t>(params, 0), *out = pointer<int32_t>(params, 1);
  for (int64_t i = 0, n = extent(params, 2); i < n; ++i)
    out[i] = int32_t(uint32_t(in[i]) + 1);
  return 0;
}
EVAL_KERNEL(increment_saturating) {
  int32_t *in = pointer<int32_t>(params, 0), *out = pointer<int32_t>(params, 1);
  for (int64_t i = 0, n = extent(params, 2); i < n; ++i)
    out[i] = in[i] > 1000000 ? 1000000 : in[i] + 1;
  return 0;
}

// Differs in the last bits from run to run, within what the gate allows.
EVAL_KERNEL(rowsum_wobble) {
  static std::atomic<int> runs{0};
  rowSum<float, double>(params, 0, [](double x) { return x; });
  float *out = pointer<float>(params, 1);
  if (++runs % 2)
    out[0] = std::nextafter(out[0], 0.0f);
  return 0;
}

// A golden that runs only once in a process: a second run is an error.
EVAL_KERNEL(copy_golden_once) {
  static std::atomic<int> runs{0};
  if (runs++)
    return 719; // CUDA_ERROR_LAUNCH_FAILED
  return map<double>(params, [](float x) { return double(x); });
}

// A golden whose place is known to a candidate that writes far outside.
static double *knownGolden = nullptr;
EVAL_KERNEL(copy_golden_known) {
  knownGolden = pointer<double>(params, 1);
  return map<double>(params, [](float x) { return double(x); });
}
EVAL_KERNEL(copy_over_golden) {
  knownGolden[3] += 1;
  return map<float>(params, [](float x) { return x; });
}

EVAL_KERNEL(copy_slow) {
  std::this_thread::sleep_for(std::chrono::milliseconds(8));
  return map<float>(params, [](float x) { return x; });
}

EVAL_KERNEL(copy_hang) {
  std::this_thread::sleep_for(std::chrono::seconds(60));
  return 0;
}

// (x, n): x += 1 in place; and its golden (x, out, n).
EVAL_KERNEL(bump) {
  float *x = pointer<float>(params, 0);
  for (int64_t i = 0, n = extent(params, 1); i < n; ++i)
    x[i] += 1;
  return 0;
}
EVAL_KERNEL(bump_golden) {
  return map<double>(params, [](float x) { return double(x) + 1; });
}

// What egg-run builds of negate.mlir and exp.mlir in test/Run/Inputs, in f32
// and as the golden. EGG_FAKE_SCALE is what the results in f32 are multiplied
// by.
template <typename In, typename Out, typename F>
int mapThousand(void **params, F f) {
  In *in = pointer<In>(params, 0);
  Out *out = pointer<Out>(params, 1);
  for (int i = 0; i < 1000; ++i)
    out[i] = Out(f(double(in[i])));
  return 0;
}
static double fakeScale() {
  const char *scale = std::getenv("EGG_FAKE_SCALE");
  return scale ? std::atof(scale) : 1;
}
EVAL_KERNEL(main_widen_0) { return mapThousand<float, double>(params, same); }
EVAL_KERNEL(main_negf_0) {
  return mapThousand<float, float>(
      params, [scale = fakeScale()](double x) { return scale * -x; });
}
EVAL_KERNEL(main_negf_1) {
  return mapThousand<double, double>(params, [](double x) { return -x; });
}
EVAL_KERNEL(main_exp_0) {
  return mapThousand<float, float>(
      params, [scale = fakeScale()](double x) { return scale * std::exp(x); });
}
EVAL_KERNEL(main_exp_1) {
  return mapThousand<double, double>(params,
                                     [](double x) { return std::exp(x); });
}
