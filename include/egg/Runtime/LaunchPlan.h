//===- LaunchPlan.h - What runs on the device, in which order ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch plan of docs/formats.md as plain structs, its JSON, its checks and
// its unrolled form.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_RUNTIME_LAUNCHPLAN_H
#define EGG_RUNTIME_LAUNCHPLAN_H

#include "egg/Support/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egg {

/// The element types of docs/formats.md.
enum class ElementType { F64, F32, F16, BF16, I64, I32, I16, I8, I1 };

std::string_view toString(ElementType type);
std::optional<ElementType> elementTypeFromString(std::string_view text);
/// Bytes of one element in memory; i1 takes 1.
uint64_t elementBytes(ElementType type);
bool isFloat(ElementType type);

/// The number of elements of `shape` (1 for rank 0), or nullopt when it
/// overflows int64 or a dimension is negative.
std::optional<int64_t> elementCount(const std::vector<int64_t> &shape);
/// Elements times bytes, or nullopt as above.
std::optional<uint64_t> tensorBytes(ElementType type,
                                    const std::vector<int64_t> &shape);

/// How the gate compares a result (docs/evaluation.md).
enum class ResultClass { Exact, Elementwise, Accumulation };

std::string_view toString(ResultClass resultClass);
std::optional<ResultClass> resultClassFromString(std::string_view text);

/// An argument of the payload's entry function: a dense row-major tensor.
struct PlanArgument {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  /// Index of a buffer of kind Argument.
  uint32_t buffer = 0;
  /// The alignment in bytes that the kernels assume; a power of two.
  uint64_t align = 1;
};

/// A result of the entry function. If its buffer is an argument's, it is that
/// argument, updated in place.
struct PlanResult {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  uint32_t buffer = 0;
  ResultClass resultClass = ResultClass::Exact;
};

/// Where bytes lie: the caller's argument or result, a piece of the workspace
/// (at `offset`), or constant `blob` of the artifact.
struct PlanBuffer {
  enum class Kind { Argument, Result, Workspace, Constant };
  Kind kind = Kind::Workspace;
  uint64_t bytes = 0;
  uint64_t offset = 0;
  uint32_t blob = 0;
};

/// `base + sum(steps[d] * i_d)` over the enclosing loops, outermost first.
struct Affine {
  int64_t base = 0;
  std::vector<int64_t> steps;
};

/// A place in a buffer, `offset` in bytes.
struct PlanAddress {
  uint32_t buffer = 0;
  Affine offset;
};

/// One parameter of a kernel: a device address or a scalar.
struct PlanKernelArgument {
  enum class Kind { Address, I32, I64 };
  Kind kind = Kind::Address;
  PlanAddress address;
  Affine value;
};

/// A kernel with its launch shape.
struct PlanKernel {
  std::string symbol;
  /// Index into the artifact's cubins.
  uint32_t module = 0;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory.
  uint64_t sharedBytes = 0;
  /// Least work of one launch, for the roofline; 0 is not known.
  uint64_t flops = 0;
  uint64_t bytes = 0;
};

/// One step, or a loop of steps with a fixed number of trips.
struct PlanNode {
  enum class Op { Launch, Copy, Memset, Loop };
  Op op = Op::Launch;
  /// Launch.
  uint32_t kernel = 0;
  std::vector<PlanKernelArgument> args;
  /// Copy (to, from, bytes) and Memset (to, bytes, value).
  PlanAddress to, from;
  uint64_t bytes = 0;
  /// Each byte of a memset.
  uint8_t value = 0;
  /// Loop.
  int64_t trips = 0;
  std::vector<PlanNode> body;
};

struct LaunchPlan {
  std::vector<PlanArgument> arguments;
  std::vector<PlanResult> results;
  std::vector<PlanBuffer> buffers;
  uint64_t workspaceBytes = 0;
  std::vector<PlanKernel> kernels;
  std::vector<PlanNode> nodes;
};

/// What a plan may hold at most.
struct PlanLimits {
  uint32_t arguments = 1024;
  uint32_t buffers = 65536;
  uint32_t kernels = 4096;
  uint32_t kernelArguments = 512;
  uint32_t loopDepth = 8;
  /// Nodes as written, and nodes after all loops are unrolled.
  uint32_t nodes = 65536;
  uint64_t unrolledNodes = 262144;
  uint64_t jsonBytes = uint64_t(32) << 20;
  uint64_t workspaceBytes = uint64_t(1) << 40;
};

/// Reads the JSON of a plan strictly; does not verify it.
Result<LaunchPlan> planFromJson(std::string_view text,
                                const PlanLimits &limits = {});

/// The JSON of docs/formats.md on one line; reading it gives the same plan.
std::string planToJson(const LaunchPlan &plan);

/// Checks everything that can be known without a device: indices, sizes,
/// launch shapes, and that every copy, memset and kernel address stays inside
/// its buffer at the extremes of all loops, without overflow. `constantBytes`
/// are the sizes of the artifact's constants. Fails with `verify`, or with
/// `limit` for what is over `limits`.
Status verifyPlan(const LaunchPlan &plan, uint32_t moduleCount,
                  const std::vector<uint64_t> &constantBytes,
                  const PlanLimits &limits = {});

/// A step after unrolling: numbers instead of affine forms.
struct FlatNode {
  PlanNode::Op op = PlanNode::Op::Launch;
  uint32_t kernel = 0;
  struct Argument {
    PlanKernelArgument::Kind kind;
    uint32_t buffer;
    /// The offset in bytes or the scalar.
    int64_t value;
  };
  std::vector<Argument> args;
  uint32_t toBuffer = 0, fromBuffer = 0;
  uint64_t toOffset = 0, fromOffset = 0, bytes = 0;
  uint8_t value = 0;
};

/// The steps of a verified plan in order. Fails with `verify` when a copy's two
/// ranges overlap.
Result<std::vector<FlatNode>> unrollPlan(const LaunchPlan &plan);

/// The least work of one run of a verified plan: sums over all launches, in
/// which what is not known counts as 0. They stop at 2^64 - 1.
struct PlanWork {
  uint64_t flops = 0, bytes = 0, launches = 0;
};
PlanWork planWork(const LaunchPlan &plan);

} // namespace egg

#endif // EGG_RUNTIME_LAUNCHPLAN_H
