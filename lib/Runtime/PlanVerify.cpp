//===- PlanVerify.cpp - Checks and unrolling of the launch plan -----------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan comes from a file: no number in it is trusted. All sums are taken in
// 128 bits, where sums and products of a few 64-bit numbers cannot overflow.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/LaunchPlan.h"

#include <algorithm>
#include <functional>
#include <set>

using namespace egg;

namespace {
using Wide = __int128;

// The limits of every device since compute capability 3.0 (CUDA C++
// Programming Guide, table of technical specifications); the device's own are
// checked at load.
constexpr uint64_t maxGridYZ = 65535;
constexpr uint64_t maxBlockXY = 1024, maxBlockZ = 64, maxBlockThreads = 1024;
constexpr uint64_t maxClusterBlocks = 16;
constexpr uint64_t maxSharedBytes = 1 << 20;
constexpr uint64_t workspaceAlign = 256;

Error bad(std::string message) {
  return Error(ErrorKind::Verify, std::move(message));
}

std::string text(uint64_t value) { return std::to_string(value); }

std::string text(Wide value) {
  if (value >= INT64_MIN && value <= INT64_MAX)
    return std::to_string(int64_t(value));
  return value < 0 ? "less than -2^63" : "more than 2^63";
}

bool isSymbol(const std::string &symbol) {
  if (symbol.empty() || symbol.size() > 4096)
    return false;
  return std::all_of(symbol.begin(), symbol.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';
  });
}

struct Range {
  Wide least, most;
};

/// The values that `affine` takes inside loops of these trips (each at least
/// 1). |base| < 2^63 and each of at most 8 terms < 2^126: the sum of terms fits
/// as long as its parts are held to 2^124, which is checked.
Result<Range> rangeOf(const Affine &affine, const std::vector<int64_t> &trips,
                      const std::string &where) {
  if (affine.steps.size() > trips.size())
    return bad(where + " has " + text(uint64_t(affine.steps.size())) +
               " steps inside " + text(uint64_t(trips.size())) + " loops");
  Range range = {affine.base, affine.base};
  constexpr Wide bound = Wide(1) << 100;
  for (size_t d = 0; d < affine.steps.size(); ++d) {
    Wide last = Wide(affine.steps[d]) * (trips[d] - 1);
    if (last > bound || last < -bound)
      return bad(where + " overflows over " + text(uint64_t(trips[d])) +
                 " trips with a step of " + std::to_string(affine.steps[d]));
    range.least += std::min<Wide>(last, 0);
    range.most += std::max<Wide>(last, 0);
  }
  return range;
}

class Verifier {
public:
  Verifier(const LaunchPlan &plan, uint32_t moduleCount,
           const std::vector<uint64_t> &constantBytes, const PlanLimits &limits)
      : plan(plan), moduleCount(moduleCount), constantBytes(constantBytes),
        limits(limits) {}

  Status run() {
    EGG_TRY(checkCounts());
    EGG_TRY(checkBuffers());
    EGG_TRY(checkInterface());
    for (size_t i = 0; i < plan.kernels.size(); ++i)
      EGG_TRY(checkKernel(plan.kernels[i], "kernel " + text(uint64_t(i))));
    std::vector<int64_t> trips;
    EGG_TRY(checkNodes(plan.nodes, trips, /*runs=*/1, "node "));
    return Status();
  }

private:
  Status over(const std::string &what, uint64_t value, uint64_t limit) {
    return Error(ErrorKind::Limit, "the plan has " + text(value) + " " + what +
                                       "; at most " + text(limit) +
                                       " are accepted");
  }

  Status checkCounts() {
    if (plan.arguments.size() > limits.arguments)
      return over("arguments", plan.arguments.size(), limits.arguments);
    if (plan.results.size() > limits.arguments)
      return over("results", plan.results.size(), limits.arguments);
    if (plan.buffers.size() > limits.buffers)
      return over("buffers", plan.buffers.size(), limits.buffers);
    if (plan.kernels.size() > limits.kernels)
      return over("kernels", plan.kernels.size(), limits.kernels);
    if (plan.workspaceBytes > limits.workspaceBytes)
      return over("bytes of workspace", plan.workspaceBytes,
                  limits.workspaceBytes);
    return Status();
  }

  Status checkBuffers() {
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
      const PlanBuffer &buffer = plan.buffers[i];
      std::string where = "buffer " + text(uint64_t(i));
      if (buffer.bytes > uint64_t(INT64_MAX))
        return bad(where + " has " + text(buffer.bytes) + " bytes");
      if (buffer.kind == PlanBuffer::Kind::Workspace) {
        if (buffer.offset % workspaceAlign)
          return bad(where + " lies at offset " + text(buffer.offset) +
                     " of the workspace, which is no multiple of " +
                     text(workspaceAlign));
        if (Wide(buffer.offset) + buffer.bytes > plan.workspaceBytes)
          return bad(where + " ends at byte " +
                     text(Wide(buffer.offset) + buffer.bytes) +
                     " of a workspace of " + text(plan.workspaceBytes));
      }
      if (buffer.kind == PlanBuffer::Kind::Constant) {
        if (buffer.blob >= constantBytes.size())
          return bad(where + " is constant " + text(uint64_t(buffer.blob)) +
                     " of " + text(uint64_t(constantBytes.size())));
        if (buffer.bytes != constantBytes[buffer.blob])
          return bad(where + " has " + text(buffer.bytes) +
                     " bytes, its constant " +
                     text(constantBytes[buffer.blob]));
      }
    }
    return Status();
  }

  Status checkTensor(ElementType type, const std::vector<int64_t> &shape,
                     uint32_t buffer, const std::string &where) {
    if (buffer >= plan.buffers.size())
      return bad(where + " lies in buffer " + text(uint64_t(buffer)) + " of " +
                 text(uint64_t(plan.buffers.size())));
    std::optional<uint64_t> bytes = tensorBytes(type, shape);
    if (!bytes)
      return bad(where + " has a shape whose size overflows");
    if (*bytes != plan.buffers[buffer].bytes)
      return bad(where + " has " + text(*bytes) + " bytes, its buffer " +
                 text(plan.buffers[buffer].bytes));
    return Status();
  }

  Status checkInterface() {
    std::vector<int> argumentOf(plan.buffers.size(), -1);
    std::vector<bool> bound(plan.buffers.size(), false);
    for (size_t i = 0; i < plan.arguments.size(); ++i) {
      const PlanArgument &argument = plan.arguments[i];
      std::string where = "argument " + text(uint64_t(i));
      EGG_TRY(
          checkTensor(argument.type, argument.shape, argument.buffer, where));
      if (plan.buffers[argument.buffer].kind != PlanBuffer::Kind::Argument)
        return bad(where + " lies in a buffer of another kind");
      if (bound[argument.buffer])
        return bad(where + " shares buffer " + text(uint64_t(argument.buffer)) +
                   " with argument " +
                   text(uint64_t(argumentOf[argument.buffer])));
      if (argument.align == 0 || (argument.align & (argument.align - 1)))
        return bad(where + " has an alignment of " + text(argument.align) +
                   ", which is no power of two");
      bound[argument.buffer] = true;
      argumentOf[argument.buffer] = int(i);
    }
    writable.assign(plan.buffers.size(), false);
    for (size_t i = 0; i < plan.results.size(); ++i) {
      const PlanResult &result = plan.results[i];
      std::string where = "result " + text(uint64_t(i));
      EGG_TRY(checkTensor(result.type, result.shape, result.buffer, where));
      int argument = argumentOf[result.buffer];
      if (argument >= 0) {
        const PlanArgument &tied = plan.arguments[argument];
        if (tied.type != result.type || tied.shape != result.shape)
          return bad(where + " is argument " + text(uint64_t(argument)) +
                     " updated in place, but of another type or shape");
      } else if (plan.buffers[result.buffer].kind != PlanBuffer::Kind::Result) {
        return bad(where + " lies in a buffer of another kind");
      } else if (bound[result.buffer]) {
        return bad(where + " shares buffer " + text(uint64_t(result.buffer)) +
                   " with another result");
      }
      bound[result.buffer] = true;
      writable[result.buffer] = true;
    }
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
      PlanBuffer::Kind kind = plan.buffers[i].kind;
      if (kind == PlanBuffer::Kind::Workspace)
        writable[i] = true;
      else if (kind != PlanBuffer::Kind::Constant && !bound[i])
        return bad("buffer " + text(uint64_t(i)) +
                   " is neither an argument nor a result");
    }
    return Status();
  }

  Status checkKernel(const PlanKernel &kernel, const std::string &where) {
    if (!isSymbol(kernel.symbol))
      return bad(where + " has a symbol that is none in PTX");
    std::string named = where + " (" + kernel.symbol.substr(0, 100) + ")";
    if (kernel.module >= moduleCount)
      return bad(named + " is in module " + text(uint64_t(kernel.module)) +
                 " of " + text(uint64_t(moduleCount)));
    uint64_t threads = 1, clusterBlocks = 1;
    for (int d = 0; d < 3; ++d) {
      uint64_t grid = kernel.grid[d], block = kernel.block[d];
      uint64_t cluster = kernel.cluster[d];
      if (grid == 0 || block == 0 || cluster == 0)
        return bad(named + " has an extent of 0 in its launch shape");
      if (grid > (d == 0 ? uint64_t(INT32_MAX) : maxGridYZ))
        return bad(named + " has a grid of " + text(grid) + " in dimension " +
                   text(uint64_t(d)) + "; at most " +
                   text(d == 0 ? uint64_t(INT32_MAX) : maxGridYZ) +
                   " can be launched");
      if (block > (d == 2 ? maxBlockZ : maxBlockXY))
        return bad(named + " has a block of " + text(block) + " in dimension " +
                   text(uint64_t(d)) + "; at most " +
                   text(d == 2 ? maxBlockZ : maxBlockXY) + " can be launched");
      if (grid % cluster)
        return bad(named + " has a grid of " + text(grid) + " in dimension " +
                   text(uint64_t(d)) + ", which clusters of " + text(cluster) +
                   " do not divide");
      threads *= block;
      // Each factor is at most 2^32 and is held to 16 at once.
      clusterBlocks *= cluster;
      if (clusterBlocks > maxClusterBlocks)
        return bad(named + " has clusters of more than " +
                   text(maxClusterBlocks) + " blocks");
    }
    if (threads > maxBlockThreads)
      return bad(named + " has blocks of " + text(threads) +
                 " threads; at most " + text(maxBlockThreads) +
                 " can be launched");
    if (kernel.sharedBytes > maxSharedBytes)
      return bad(named + " asks for " + text(kernel.sharedBytes) +
                 " bytes of shared memory; no device has more than " +
                 text(maxSharedBytes));
    return Status();
  }

  /// Checks that `bytes` bytes from the address lie in its buffer, for all
  /// trips. `ranges` is false inside a loop that never runs.
  Status checkAddress(const PlanAddress &address, uint64_t bytes,
                      const std::vector<int64_t> &trips, bool ranges,
                      const std::string &where) {
    if (address.buffer >= plan.buffers.size())
      return bad(where + " names buffer " + text(uint64_t(address.buffer)) +
                 " of " + text(uint64_t(plan.buffers.size())));
    if (!ranges)
      return Status();
    EGG_ASSIGN(Range range, rangeOf(address.offset, trips, where));
    Wide size = plan.buffers[address.buffer].bytes;
    if (range.least < 0 || range.most + bytes > size)
      return bad(where + " reaches bytes " + text(range.least) + " to " +
                 text(range.most + bytes) + " of buffer " +
                 text(uint64_t(address.buffer)) + ", which has " + text(size));
    return Status();
  }

  Status checkLaunch(const PlanNode &node, const std::vector<int64_t> &trips,
                     bool ranges, const std::string &where) {
    if (node.kernel >= plan.kernels.size())
      return bad(where + " launches kernel " + text(uint64_t(node.kernel)) +
                 " of " + text(uint64_t(plan.kernels.size())));
    if (node.args.size() > limits.kernelArguments)
      return over("arguments of one kernel", node.args.size(),
                  limits.kernelArguments);
    for (size_t i = 0; i < node.args.size(); ++i) {
      const PlanKernelArgument &arg = node.args[i];
      std::string which = where + ", argument " + text(uint64_t(i)) + ",";
      if (arg.kind == PlanKernelArgument::Kind::Address) {
        EGG_TRY(checkAddress(arg.address, 0, trips, ranges, which));
        continue;
      }
      if (!ranges)
        continue;
      EGG_ASSIGN(Range range, rangeOf(arg.value, trips, which));
      bool narrow = arg.kind == PlanKernelArgument::Kind::I32;
      Wide least = narrow ? INT32_MIN : INT64_MIN;
      Wide most = narrow ? INT32_MAX : INT64_MAX;
      if (range.least < least || range.most > most)
        return bad(which + " takes values from " + text(range.least) + " to " +
                   text(range.most) + ", which " + (narrow ? "i32" : "i64") +
                   " does not hold");
    }
    return Status();
  }

  Status checkWrite(const PlanAddress &to, const std::string &where) {
    if (!writable[to.buffer])
      return bad(where + " writes buffer " + text(uint64_t(to.buffer)) +
                 ", a constant or an argument that is no result");
    return Status();
  }

  Status checkNodes(const std::vector<PlanNode> &nodes,
                    std::vector<int64_t> &trips, uint64_t runs,
                    const std::string &prefix) {
    if (trips.size() > limits.loopDepth)
      return over("loops in each other", trips.size(), limits.loopDepth);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const PlanNode &node = nodes[i];
      std::string where = prefix + text(uint64_t(i));
      if (++written > limits.nodes)
        return over("nodes", written, limits.nodes);
      bool ranges = runs > 0;
      // Loops count as well: unrolling visits them.
      unrolled += runs;
      if (unrolled > limits.unrolledNodes)
        return over("nodes after unrolling its loops", unrolled,
                    limits.unrolledNodes);
      switch (node.op) {
      case PlanNode::Op::Launch:
        EGG_TRY(checkLaunch(node, trips, ranges, where));
        break;
      case PlanNode::Op::Copy:
        EGG_TRY(checkAddress(node.to, node.bytes, trips, ranges,
                             where + ", the copy's target,"));
        EGG_TRY(checkAddress(node.from, node.bytes, trips, ranges,
                             where + ", the copy's source,"));
        EGG_TRY(checkWrite(node.to, where));
        break;
      case PlanNode::Op::Memset:
        EGG_TRY(checkAddress(node.to, node.bytes, trips, ranges,
                             where + ", the memset,"));
        EGG_TRY(checkWrite(node.to, where));
        break;
      case PlanNode::Op::Loop: {
        if (node.trips < 0)
          return bad(where + " is a loop of " + std::to_string(node.trips) +
                     " trips");
        // A loop with an empty body costs nothing however long it is, but its
        // trips multiply for the loops inside it.
        Wide inner = Wide(runs) * node.trips;
        uint64_t innerRuns =
            uint64_t(std::min<Wide>(inner, Wide(limits.unrolledNodes) + 1));
        trips.push_back(node.trips);
        EGG_TRY(checkNodes(node.body, trips, innerRuns, where + "."));
        trips.pop_back();
        break;
      }
      }
    }
    return Status();
  }

  const LaunchPlan &plan;
  uint32_t moduleCount;
  const std::vector<uint64_t> &constantBytes;
  const PlanLimits &limits;
  std::vector<bool> writable;
  uint64_t written = 0, unrolled = 0;
};

int64_t valueOf(const Affine &affine, const std::vector<int64_t> &trip) {
  // The sum is between the extremes that were verified; its parts need not be.
  Wide value = affine.base;
  for (size_t d = 0; d < affine.steps.size(); ++d)
    value += Wide(affine.steps[d]) * trip[d];
  return int64_t(value);
}

/// True if running the nodes does anything: loops over nothing are skipped, so
/// that no count of empty trips can take time.
bool doesSomething(const std::vector<PlanNode> &nodes) {
  for (const PlanNode &node : nodes)
    if (node.op != PlanNode::Op::Loop ||
        (node.trips > 0 && doesSomething(node.body)))
      return true;
  return false;
}

using Visit = std::function<Status(const PlanNode &node,
                                   const std::vector<int64_t> &trip)>;

Status visitAll(const std::vector<PlanNode> &nodes, std::vector<int64_t> &trip,
                const Visit &visit) {
  for (const PlanNode &node : nodes) {
    if (node.op != PlanNode::Op::Loop) {
      EGG_TRY(visit(node, trip));
      continue;
    }
    if (!doesSomething(node.body))
      continue;
    trip.push_back(0);
    for (int64_t i = 0; i < node.trips; ++i) {
      trip.back() = i;
      EGG_TRY(visitAll(node.body, trip, visit));
    }
    trip.pop_back();
  }
  return Status();
}

/// Whether two ranges of bytes of a plan's buffers share memory that both name
/// surely: the same buffer, or two pieces of the workspace.
bool overlap(const LaunchPlan &plan, uint32_t a, uint64_t aOffset, uint32_t b,
             uint64_t bOffset, uint64_t bytes) {
  if (a != b) {
    const PlanBuffer &first = plan.buffers[a], &second = plan.buffers[b];
    if (first.kind != PlanBuffer::Kind::Workspace ||
        second.kind != PlanBuffer::Kind::Workspace)
      return false;
    aOffset += first.offset;
    bOffset += second.offset;
  }
  return bytes && aOffset < bOffset + bytes && bOffset < aOffset + bytes;
}
} // namespace

Status egg::verifyPlan(const LaunchPlan &plan, uint32_t moduleCount,
                       const std::vector<uint64_t> &constantBytes,
                       const PlanLimits &limits) {
  Status status = Verifier(plan, moduleCount, constantBytes, limits).run();
  if (!status)
    return status.error().withContext("launch plan");
  return status;
}

Result<std::vector<FlatNode>> egg::unrollPlan(const LaunchPlan &plan) {
  std::vector<FlatNode> flat;
  std::vector<int64_t> trip;
  Status status = visitAll(
      plan.nodes, trip,
      [&](const PlanNode &node, const std::vector<int64_t> &trip) -> Status {
        FlatNode step;
        step.op = node.op;
        step.kernel = node.kernel;
        for (const PlanKernelArgument &arg : node.args) {
          bool address = arg.kind == PlanKernelArgument::Kind::Address;
          step.args.push_back(
              {arg.kind, arg.address.buffer,
               valueOf(address ? arg.address.offset : arg.value, trip)});
        }
        step.toBuffer = node.to.buffer;
        step.toOffset = uint64_t(valueOf(node.to.offset, trip));
        step.fromBuffer = node.from.buffer;
        step.fromOffset = uint64_t(valueOf(node.from.offset, trip));
        step.bytes = node.bytes;
        step.value = node.value;
        if (node.op == PlanNode::Op::Copy &&
            overlap(plan, step.toBuffer, step.toOffset, step.fromBuffer,
                    step.fromOffset, step.bytes))
          return bad("launch plan: a copy of " + text(step.bytes) +
                     " bytes from byte " + text(step.fromOffset) +
                     " of buffer " + text(uint64_t(step.fromBuffer)) +
                     " to byte " + text(step.toOffset) + " of buffer " +
                     text(uint64_t(step.toBuffer)) + " overlaps itself");
        flat.push_back(std::move(step));
        return Status();
      });
  if (!status)
    return status.error();
  return flat;
}

PlanWork egg::planWork(const LaunchPlan &plan) {
  PlanWork work;
  auto add = [](uint64_t &sum, uint64_t value) {
    if (__builtin_add_overflow(sum, value, &sum))
      sum = UINT64_MAX;
  };
  std::vector<int64_t> trip;
  Status done = visitAll(
      plan.nodes, trip,
      [&](const PlanNode &node, const std::vector<int64_t> &) -> Status {
        if (node.op == PlanNode::Op::Launch) {
          add(work.flops, plan.kernels[node.kernel].flops);
          add(work.bytes, plan.kernels[node.kernel].bytes);
          ++work.launches;
        }
        return Status();
      });
  (void)done;
  return work;
}
