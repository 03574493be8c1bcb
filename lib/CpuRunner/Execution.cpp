//===- Execution.cpp - What a running payload may touch ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "egg/Support/Float16.h"

#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace egg;

namespace {

/// Precedes each buffer of a run; the run's buffers form a list.
struct alignas(64) BufferHead {
  BufferHead *previous;
  BufferHead *next;
  uint64_t bytes;
};

/// The run in progress.
struct Run {
  BufferHead anchor = {&anchor, &anchor, 0};
  uint64_t used = 0;
  uint64_t limit = 0;
  uint8_t poison = 0xff;
  sigjmp_buf leave;
  ErrorKind kind = ErrorKind::Internal;
  char message[256] = {};
};

Run *current = nullptr;

/// Leaves the compiled code. Its frames hold nothing that needs unwinding.
[[noreturn]] void stop(ErrorKind kind, const char *message) {
  current->kind = kind;
  std::strncpy(current->message, message, sizeof current->message - 1);
  siglongjmp(current->leave, 1);
}

extern "C" {

void *hostMalloc(uint64_t bytes) {
  Run &run = *current;
  if (bytes > run.limit - run.used) {
    std::snprintf(run.message, sizeof run.message,
                  "the payload needs %llu more bytes of temporaries when %llu "
                  "are in use; the limit of this run is %llu",
                  (unsigned long long)bytes, (unsigned long long)run.used,
                  (unsigned long long)run.limit);
    run.kind = ErrorKind::OutOfMemory;
    siglongjmp(run.leave, 1);
  }
  auto *head = static_cast<BufferHead *>(
      std::aligned_alloc(64, (sizeof(BufferHead) + bytes + 63) / 64 * 64));
  if (!head)
    stop(ErrorKind::OutOfMemory, "the system has no memory for a temporary");
  head->bytes = bytes;
  head->previous = &run.anchor;
  head->next = run.anchor.next;
  head->next->previous = head;
  run.anchor.next = head;
  run.used += bytes;
  std::memset(head + 1, run.poison, bytes);
  return head + 1;
}

void hostFree(void *data) {
  if (!data)
    return;
  BufferHead *head = static_cast<BufferHead *>(data) - 1;
  head->previous->next = head->next;
  head->next->previous = head->previous;
  current->used -= head->bytes;
  std::free(head);
}

// cf.assert prints its message and aborts.
int hostPuts(const char *text) {
  std::strncpy(current->message, text, sizeof current->message - 1);
  return 0;
}
void hostAbort() {
  current->kind = ErrorKind::IllegalAccess;
  siglongjmp(current->leave, 1);
}

/// A permutation of [0, n): four rounds of a Feistel network on the least even
/// number of bits that holds n, walked until the value falls into the range.
int64_t hostShuffle(int64_t i, int64_t n, int64_t seed) {
  unsigned half = 1;
  while (half < 31 && (uint64_t(1) << (2 * half)) < uint64_t(n))
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  uint64_t value = uint64_t(i);
  do {
    uint64_t left = value >> half, right = value & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      // splitmix64's finaliser.
      uint64_t x = right + uint64_t(seed) + round * 0x9e3779b97f4a7c15ull;
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
      x ^= x >> 31;
      uint64_t next = left ^ (x & mask);
      left = right;
      right = next;
    }
    value = (left << half) | right;
  } while (value >= uint64_t(n));
  return int64_t(value);
}

// Compiled code passes a 16-bit float in the low half of a float register, on
// x86-64 and AArch64 alike, so these take and return floats that carry bits.
static float carry(uint16_t bits) { return floatOf(bits); }
static uint16_t carried(float value) { return uint16_t(bitsOf(value)); }
float hostExtendHalf(float half) { return halfToFloat(carried(half)); }
float hostTruncSingle(float value) { return carry(floatToHalf(value)); }
float hostTruncDouble(double value) { return carry(doubleToHalf(value)); }
float hostTruncSingleBf(float value) { return carry(floatToBfloat(value)); }
float hostTruncDoubleBf(double value) { return carry(doubleToBfloat(value)); }

} // extern "C"

/// The functions of one argument come in both types; the f32 one is computed in
/// f64 and rounded once, so that it is nearly always correctly rounded and does
/// not depend on the system's libm.
#define EGG_UNARY(F)                                                           \
  extern "C" double host_##F(double x) { return std::F(x); }                   \
  extern "C" float host_##F##f(float x) { return float(std::F(double(x))); }
#define EGG_BINARY(F)                                                          \
  extern "C" double host_##F(double x, double y) { return std::F(x, y); }      \
  extern "C" float host_##F##f(float x, float y) {                             \
    return float(std::F(double(x), double(y)));                                \
  }
// clang-format off
#define EGG_UNARY_LIST(M)                                                      \
  M(sin) M(cos) M(tan) M(asin) M(acos) M(atan) M(sinh) M(cosh) M(tanh)         \
  M(asinh) M(acosh) M(atanh) M(exp) M(exp2) M(expm1) M(log) M(log2) M(log10)   \
  M(log1p) M(sqrt) M(cbrt) M(erf) M(erfc) M(ceil) M(floor) M(trunc) M(round)   \
  M(rint) M(nearbyint) M(fabs)
// fmod and the others are exact in f64 on values of f32.
#define EGG_BINARY_LIST(M)                                                     \
  M(atan2) M(pow) M(fmod) M(fmax) M(fmin) M(copysign)
// clang-format on
EGG_UNARY_LIST(EGG_UNARY)
EGG_BINARY_LIST(EGG_BINARY)

extern "C" double host_roundeven(double x) {
  // With the default rounding mode, and without raising anything.
  return std::nearbyint(x);
}
extern "C" float host_roundevenf(float x) { return std::nearbyint(x); }
extern "C" double host_fma(double x, double y, double z) {
  return std::fma(x, y, z);
}
// Not through f64: that would round twice.
extern "C" float host_fmaf(float x, float y, float z) {
  return std::fma(x, y, z);
}
extern "C" double host_rsqrt(double x) { return 1.0 / std::sqrt(x); }
extern "C" float host_rsqrtf(float x) {
  return float(1.0 / std::sqrt(double(x)));
}
extern "C" double host_ldexp(double x, int n) { return std::ldexp(x, n); }
extern "C" float host_ldexpf(float x, int n) { return std::ldexp(x, n); }
extern "C" void host_sincos(double x, double *s, double *c) {
  *s = std::sin(x);
  *c = std::cos(x);
}
extern "C" void host_sincosf(float x, float *s, float *c) {
  *s = float(std::sin(double(x)));
  *c = float(std::cos(double(x)));
}

} // namespace

const std::vector<std::pair<const char *, void *>> &egg::hostSymbols() {
#define EGG_PAIR(F)                                                            \
  {#F, reinterpret_cast<void *>(&host_##F)},                                   \
      {#F "f", reinterpret_cast<void *>(&host_##F##f)},
  static const std::vector<std::pair<const char *, void *>> symbols = {
      {"malloc", reinterpret_cast<void *>(&hostMalloc)},
      {"free", reinterpret_cast<void *>(&hostFree)},
      {"puts", reinterpret_cast<void *>(&hostPuts)},
      {"abort", reinterpret_cast<void *>(&hostAbort)},
      {"memcpy", reinterpret_cast<void *>(&std::memcpy)},
      {"memmove", reinterpret_cast<void *>(&std::memmove)},
      {"memset", reinterpret_cast<void *>(&std::memset)},
      {kShuffleSymbol, reinterpret_cast<void *>(&hostShuffle)},
      {"__extendhfsf2", reinterpret_cast<void *>(&hostExtendHalf)},
      {"__gnu_h2f_ieee", reinterpret_cast<void *>(&hostExtendHalf)},
      {"__truncsfhf2", reinterpret_cast<void *>(&hostTruncSingle)},
      {"__gnu_f2h_ieee", reinterpret_cast<void *>(&hostTruncSingle)},
      {"__truncdfhf2", reinterpret_cast<void *>(&hostTruncDouble)},
      {"__truncsfbf2", reinterpret_cast<void *>(&hostTruncSingleBf)},
      {"__truncdfbf2", reinterpret_cast<void *>(&hostTruncDoubleBf)},
      EGG_UNARY_LIST(EGG_PAIR) EGG_BINARY_LIST(EGG_PAIR) EGG_PAIR(roundeven)
          EGG_PAIR(fma) EGG_PAIR(ldexp) EGG_PAIR(sincos) EGG_PAIR(rsqrt)};
#undef EGG_PAIR
  return symbols;
}

static void onSignal(int number) {
  const char *what = number == SIGFPE
                         ? "the payload divided an integer by zero"
                         : "the payload touched memory outside its buffers";
  stop(ErrorKind::IllegalAccess, what);
}

namespace {

/// Catches the faults of compiled code while it lives, on a stack of its own:
/// the fault may be that the stack is full.
class FaultGuard {
public:
  FaultGuard() : stackMemory(1 << 16) {
    stack_t stack = {};
    stack.ss_sp = stackMemory.data();
    stack.ss_size = stackMemory.size();
    sigaltstack(&stack, &oldStack);
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 4; ++i)
      sigaction(signals[i], &action, &old[i]);
  }
  ~FaultGuard() {
    for (int i = 0; i < 4; ++i)
      sigaction(signals[i], &old[i], nullptr);
    sigaltstack(&oldStack, nullptr);
  }

private:
  static constexpr int signals[4] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  std::vector<char> stackMemory;
  stack_t oldStack = {};
  struct sigaction old[4];
};

} // namespace

constexpr int FaultGuard::signals[4];

Status egg::execute(void (*code)(void **), void **arguments, uint8_t poison,
                    uint64_t memoryLimit) {
  Run run;
  run.limit = memoryLimit;
  run.poison = poison;
  current = &run;
  volatile bool failed = false; // changes between sigsetjmp and its return
  {
    FaultGuard guard;
    // 1 saves the signal mask: the handler's signal is blocked when it leaves.
    if (sigsetjmp(run.leave, 1) == 0)
      code(arguments);
    else
      failed = true;
  }
  while (run.anchor.next != &run.anchor)
    hostFree(run.anchor.next + 1);
  current = nullptr;
  if (failed)
    return Error(run.kind, run.message);
  return Status();
}
