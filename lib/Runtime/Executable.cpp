//===- Executable.cpp - An artifact that can be launched ------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that can be checked is checked at load, once; a launch checks pointers.
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/Executable.h"

#include "ContextState.h"

#include <algorithm>
#include <cstring>

using namespace egg;

namespace {
constexpr uint64_t bufferAlign = 256;
constexpr size_t maxKernelArguments = 512;

std::string text(uint64_t value) { return std::to_string(value); }

std::string hexText(uint64_t value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value);
  return digits;
}

/// Whether code for `chip` runs on the device: sm_90a only on 9.0, sm_100f on
/// 10.0 and newer of the same major version, sm_80 likewise.
Status checkChip(const std::string &chip, const DeviceInfo &info) {
  std::string digits = chip.substr(0, 3) == "sm_" ? chip.substr(3) : "";
  char suffix = 0;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    suffix = digits.back();
    digits.pop_back();
  }
  if (digits.size() < 2 || digits.size() > 4 ||
      !std::all_of(digits.begin(), digits.end(),
                   [](char c) { return c >= '0' && c <= '9'; }))
    return Error(ErrorKind::Verify,
                 "the artifact is for the chip '" + chip +
                     "', which is not spelt like sm_80 or sm_90a");
  int minor = digits.back() - '0';
  digits.pop_back();
  int major = std::atoi(digits.c_str());
  bool runs = major == info.major &&
              (suffix == 'a' ? minor == info.minor : minor <= info.minor);
  if (!runs)
    return Error(ErrorKind::WrongArch,
                 "the artifact is for " + chip + ", the device (" + info.name +
                     ") has compute capability " + std::to_string(info.major) +
                     "." + std::to_string(info.minor) +
                     "; build it for that device");
  return Status();
}
} // namespace

struct Executable::State {
  Context context;
  LaunchPlan plan;
  std::vector<FlatNode> steps;
  std::vector<Module> modules;
  std::vector<Kernel> kernels;
  std::vector<LoadedKernel> loaded;
  std::vector<LaunchShape> shapes;
  DeviceBuffer constants;
  /// The address of each constant buffer of the plan.
  std::vector<DevicePtr> constantBases;
  /// For each result, the argument that it is, or -1; for each argument,
  /// whether it is updated in place.
  std::vector<int> tiedArgument;
  std::vector<bool> updated;
  uint64_t launches = 0;

  explicit State(Context context) : context(std::move(context)) {}

  Status loadConstants(const Artifact &artifact);
  Status loadKernel(const PlanKernel &kernel);
  Status checkParameters();
};

/// Puts all constants into one allocation.
Status Executable::State::loadConstants(const Artifact &artifact) {
  std::vector<uint64_t> offsets;
  uint64_t total = 0;
  for (const std::string &blob : artifact.constants) {
    offsets.push_back(total);
    total += (blob.size() + bufferAlign - 1) / bufferAlign * bufferAlign;
  }
  EGG_ASSIGN(constants, context.allocate(total));
  EGG_ASSIGN(Stream stream, context.createStream());
  for (size_t i = 0; i < offsets.size(); ++i)
    EGG_TRY(stream.copyToDevice(constants.pointer() + offsets[i],
                                artifact.constants[i].data(),
                                artifact.constants[i].size()));
  EGG_TRY(stream.synchronize());
  for (const PlanBuffer &buffer : plan.buffers)
    constantBases.push_back(buffer.kind == PlanBuffer::Kind::Constant
                                ? constants.pointer() + offsets[buffer.blob]
                                : 0);
  return Status();
}

/// Finds a kernel, checks its launch shape against the device and the code, and
/// sets its attributes.
Status Executable::State::loadKernel(const PlanKernel &planned) {
  const DeviceInfo &info = context.device();
  EGG_ASSIGN(Kernel kernel, modules[planned.module].kernel(planned.symbol));
  EGG_ASSIGN(KernelFacts facts, kernel.facts());
  std::string named = "the kernel '" + planned.symbol + "'";
  uint64_t threads = 1, blocks = 1, clusterBlocks = 1;
  for (int d = 0; d < 3; ++d) {
    if (planned.grid[d] > uint32_t(info.maxGrid[d]) ||
        planned.block[d] > uint32_t(info.maxBlock[d]))
      return Error(ErrorKind::Launch,
                   named + " has a grid of " + text(planned.grid[d]) +
                       " and a block of " + text(planned.block[d]) +
                       " in dimension " + text(d) + "; the device allows " +
                       text(info.maxGrid[d]) + " and " +
                       text(info.maxBlock[d]));
    threads *= planned.block[d];
    blocks *= planned.grid[d];
    clusterBlocks *= planned.cluster[d];
  }
  if (threads > uint64_t(std::max(facts.maxThreads, 0)))
    return Error(ErrorKind::Launch, named + " has blocks of " + text(threads) +
                                        " threads; with its " +
                                        text(facts.registers) +
                                        " registers at most " +
                                        text(facts.maxThreads) + " can run");
  uint64_t shared = facts.sharedBytes + planned.sharedBytes;
  if (shared > info.sharedPerBlockOptin)
    return Error(ErrorKind::Launch,
                 named + " needs " + text(facts.sharedBytes) +
                     " bytes of static and " + text(planned.sharedBytes) +
                     " of dynamic shared memory; the device has " +
                     text(info.sharedPerBlockOptin) + " a block");
  if (shared > info.sharedPerBlock)
    EGG_TRY(kernel.allowSharedBytes(planned.sharedBytes));
  if (clusterBlocks > 1 && !info.clusterLaunch)
    return Error(ErrorKind::WrongArch, named + " has clusters of " +
                                           text(clusterBlocks) +
                                           " blocks; the device has none");
  if (clusterBlocks > 8)
    EGG_TRY(kernel.allowLargeClusters());

  LoadedKernel entry;
  entry.symbol = planned.symbol;
  entry.facts = facts;
  entry.dynamicSharedBytes = planned.sharedBytes;
  entry.blockThreads = uint32_t(threads);
  entry.gridBlocks = blocks;
  EGG_ASSIGN(
      entry.blocksPerMultiprocessor,
      kernel.blocksPerMultiprocessor(uint32_t(threads), planned.sharedBytes));
  if (entry.blocksPerMultiprocessor < 1)
    return Error(ErrorKind::Launch,
                 named + " does not fit a multiprocessor: " + text(threads) +
                     " threads with " + text(facts.registers) +
                     " registers and " + text(shared) +
                     " bytes of shared memory");
  if (info.threadsPerMultiprocessor > 0)
    entry.occupancy = double(entry.blocksPerMultiprocessor) * double(threads) /
                      info.threadsPerMultiprocessor;
  loaded.push_back(std::move(entry));
  LaunchShape shape;
  shape.grid = planned.grid;
  shape.block = planned.block;
  shape.cluster = planned.cluster;
  shape.sharedBytes = uint32_t(planned.sharedBytes);
  shapes.push_back(shape);
  kernels.push_back(std::move(kernel));
  return Status();
}

/// Compares each launch's arguments with the parameters that the code has: the
/// driver reads as many bytes as the code says, whatever is given.
Status Executable::State::checkParameters() {
  std::vector<std::optional<std::vector<KernelParameter>>> known;
  for (const Kernel &kernel : kernels) {
    EGG_ASSIGN(known.emplace_back(), kernel.parameters());
  }
  for (const FlatNode &step : steps) {
    if (step.op != PlanNode::Op::Launch)
      continue;
    std::string named = "the kernel '" + kernels[step.kernel].symbol() + "'";
    if (step.args.size() > maxKernelArguments)
      return Error(ErrorKind::Limit, named + " has " + text(step.args.size()) +
                                         " arguments; at most " +
                                         text(maxKernelArguments) +
                                         " are accepted");
    if (!known[step.kernel])
      continue;
    const std::vector<KernelParameter> &parameters = *known[step.kernel];
    if (parameters.size() != step.args.size())
      return Error(ErrorKind::Load, named + " has " + text(parameters.size()) +
                                        " parameters in its code and " +
                                        text(step.args.size()) +
                                        " in the launch plan");
    for (size_t i = 0; i < parameters.size(); ++i) {
      uint64_t bytes =
          step.args[i].kind == PlanKernelArgument::Kind::I32 ? 4 : 8;
      if (parameters[i].bytes != bytes)
        return Error(ErrorKind::Load, named + " has a parameter " + text(i) +
                                          " of " + text(parameters[i].bytes) +
                                          " bytes in its code and of " +
                                          text(bytes) + " in the launch plan");
    }
  }
  return Status();
}

Result<Executable> Executable::load(const Context &context,
                                    const Artifact &artifact) {
  std::vector<uint64_t> constantBytes;
  for (const std::string &blob : artifact.constants)
    constantBytes.push_back(blob.size());
  EGG_TRY(verifyPlan(artifact.plan, uint32_t(artifact.cubins.size()),
                     constantBytes));
  EGG_TRY(checkChip(artifact.chip, context.device()));
  if (artifact.plan.workspaceBytes > context.device().memoryBytes)
    return Error(ErrorKind::OutOfMemory,
                 "the launch plan needs a workspace of " +
                     text(artifact.plan.workspaceBytes) +
                     " bytes; the device has " +
                     text(context.device().memoryBytes) + " in all");
  auto state = std::make_unique<State>(context);
  state->plan = artifact.plan;
  const LaunchPlan &plan = state->plan;
  EGG_ASSIGN(state->steps, unrollPlan(plan));
  for (const std::string &cubin : artifact.cubins) {
    EGG_ASSIGN(Module module, context.loadModule(cubin));
    state->modules.push_back(std::move(module));
  }
  for (const PlanKernel &kernel : plan.kernels)
    EGG_TRY(state->loadKernel(kernel));
  EGG_TRY(state->checkParameters());
  EGG_TRY(state->loadConstants(artifact));

  state->updated.assign(plan.arguments.size(), false);
  for (const PlanResult &result : plan.results) {
    int tied = -1;
    for (size_t i = 0; i < plan.arguments.size(); ++i)
      if (plan.arguments[i].buffer == result.buffer)
        tied = int(i);
    state->tiedArgument.push_back(tied);
    if (tied >= 0)
      state->updated[tied] = true;
  }
  for (const FlatNode &step : state->steps)
    state->launches += step.op == PlanNode::Op::Launch;
  return Executable(std::move(state));
}

Executable::Executable(std::unique_ptr<State> state)
    : state(std::move(state)) {}
Executable::Executable(Executable &&) noexcept = default;
Executable &Executable::operator=(Executable &&) noexcept = default;
Executable::~Executable() = default;

const Context &Executable::context() const { return state->context; }
const LaunchPlan &Executable::plan() const { return state->plan; }
const std::vector<LoadedKernel> &Executable::kernels() const {
  return state->loaded;
}
uint64_t Executable::launchCount() const { return state->launches; }

Status Executable::checkPointers(const std::vector<DevicePtr> &arguments,
                                 const std::vector<DevicePtr> &results,
                                 DevicePtr workspace) const {
  const LaunchPlan &plan = state->plan;
  auto bad = [](std::string message) -> Status {
    return Error(ErrorKind::Verify, std::move(message));
  };
  if (arguments.size() != plan.arguments.size() ||
      results.size() != plan.results.size())
    return bad(text(arguments.size()) + " arguments and " +
               text(results.size()) + " results are given; the plan has " +
               text(plan.arguments.size()) + " and " +
               text(plan.results.size()));
  // Each piece of memory, in order of addresses; whether it is written.
  struct Piece {
    DevicePtr begin, end;
    bool written;
    const char *what;
    size_t index;
    std::string name() const {
      return std::string(what) +
             (*what == 'w' ? std::string() : " " + text(index));
    }
  };
  std::vector<Piece> pieces;
  auto add = [&](DevicePtr pointer, uint64_t bytes, uint64_t align,
                 bool written, const char *what, size_t index) -> Status {
    Piece piece = {pointer, pointer + bytes, written, what, index};
    if (bytes == 0)
      return Status();
    if (pointer == 0)
      return bad(piece.name() + " is a null pointer, but has " + text(bytes) +
                 " bytes");
    if (pointer % align)
      return bad(piece.name() + " lies at " + hexText(pointer) +
                 ", which is not aligned to " + text(align) +
                 " bytes as the kernels assume");
    if (piece.end < pointer)
      return bad(piece.name() + " of " + text(bytes) + " bytes at " +
                 hexText(pointer) + " reaches beyond the address space");
    pieces.push_back(piece);
    return Status();
  };
  for (size_t i = 0; i < arguments.size(); ++i)
    EGG_TRY(add(arguments[i], plan.buffers[plan.arguments[i].buffer].bytes,
                plan.arguments[i].align, state->updated[i], "argument", i));
  for (size_t i = 0; i < results.size(); ++i) {
    int tied = state->tiedArgument[i];
    if (tied < 0)
      EGG_TRY(add(results[i], plan.buffers[plan.results[i].buffer].bytes,
                  bufferAlign, true, "result", i));
    else if (results[i] != 0 && results[i] != arguments[tied])
      return bad("result " + text(i) + " is argument " + text(tied) +
                 " updated in place, but has another pointer; give the same "
                 "one or 0");
  }
  EGG_TRY(
      add(workspace, plan.workspaceBytes, bufferAlign, true, "workspace", 0));
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  // The piece that reaches farthest so far, of all and of those written.
  const Piece *farthest = nullptr, *farthestWritten = nullptr;
  for (const Piece &piece : pieces) {
    const Piece *other = piece.written ? farthest : farthestWritten;
    if (other && piece.begin < other->end)
      return bad(piece.name() + " overlaps " + other->name() + " at " +
                 hexText(piece.begin) +
                 "; what is written must share no memory with anything else");
    if (!farthest || piece.end > farthest->end)
      farthest = &piece;
    if (piece.written && (!farthestWritten || piece.end > farthestWritten->end))
      farthestWritten = &piece;
  }
  return Status();
}

Status Executable::launch(const Stream &stream,
                          const std::vector<DevicePtr> &arguments,
                          const std::vector<DevicePtr> &results,
                          DevicePtr workspace) const {
  EGG_TRY(checkPointers(arguments, results, workspace));
  const LaunchPlan &plan = state->plan;
  std::vector<DevicePtr> bases = state->constantBases;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == PlanBuffer::Kind::Workspace)
      bases[i] = workspace + plan.buffers[i].offset;
  for (size_t i = 0; i < results.size(); ++i)
    bases[plan.results[i].buffer] = results[i];
  // After the results: the pointer of one updated in place may be 0 there.
  for (size_t i = 0; i < arguments.size(); ++i)
    bases[plan.arguments[i].buffer] = arguments[i];

  uint64_t values[maxKernelArguments];
  void *pointers[maxKernelArguments];
  for (const FlatNode &step : state->steps) {
    switch (step.op) {
    case PlanNode::Op::Launch:
      for (size_t i = 0; i < step.args.size(); ++i) {
        const FlatNode::Argument &arg = step.args[i];
        if (arg.kind == PlanKernelArgument::Kind::I32) {
          int32_t narrow = int32_t(arg.value);
          std::memcpy(&values[i], &narrow, sizeof narrow);
        } else {
          values[i] = uint64_t(arg.value);
          if (arg.kind == PlanKernelArgument::Kind::Address)
            values[i] += bases[arg.buffer];
        }
        pointers[i] = &values[i];
      }
      EGG_TRY(stream.launch(state->kernels[step.kernel],
                            state->shapes[step.kernel], pointers));
      break;
    case PlanNode::Op::Copy:
      EGG_TRY(stream.copy(bases[step.toBuffer] + step.toOffset,
                          bases[step.fromBuffer] + step.fromOffset,
                          step.bytes));
      break;
    case PlanNode::Op::Memset:
      EGG_TRY(stream.fill(bases[step.toBuffer] + step.toOffset, step.value,
                          step.bytes));
      break;
    case PlanNode::Op::Loop:
      break;
    }
  }
  return Status();
}

Result<Graph> Executable::capture(const Stream &stream,
                                  const std::vector<DevicePtr> &arguments,
                                  const std::vector<DevicePtr> &results,
                                  DevicePtr workspace) const {
  EGG_TRY(stream.beginCapture());
  Status launched = launch(stream, arguments, results, workspace);
  // The capture ends in any case: a stream left capturing is of no use.
  Result<Graph> graph = stream.endCapture();
  if (!launched)
    return launched.error();
  return graph;
}
