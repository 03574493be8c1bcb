//===- PlanFromHost.cpp - the launch plan of a host function ----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Pipelines/PlanFromHost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace egg;
using namespace mlir;

/// Every allocation begins at a multiple of this.
static const uint64_t workspaceAlign = 256;

/// An error that names the op and where it came from.
static Error refuse(Operation *op, const llvm::Twine &what) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
           << place.getColumn() << ": ";
  stream << "'" << op->getName() << "' " << what;
  return Error(ErrorKind::Lower, message);
}

static std::optional<ElementType> elementTypeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return elementTypeFromString(text);
}

namespace {
class PlanReader {
public:
  explicit PlanReader(ModuleOp module) : module(module) {}

  Result<HostPlan> read();

private:
  Status readArguments(func::FuncOp main);
  Status readBlock(Block &block, std::vector<PlanNode> &nodes);
  Status readLaunch(gpu::LaunchFuncOp launch, std::vector<PlanNode> &nodes);
  Status readLoop(scf::ForOp loop, std::vector<PlanNode> &nodes);
  Status readGlobal(memref::GetGlobalOp get);
  Status allocate(memref::AllocOp alloc);
  Result<uint64_t> bytesOf(Operation *op, MemRefType type) const;
  Result<PlanAddress> addressOf(Operation *op, Value value) const;
  /// A constant, an induction variable or a cast of one.
  Result<Affine> scalarOf(Operation *op, Value value) const;
  Result<uint32_t> kernelOf(gpu::LaunchFuncOp launch);
  void release(Value buffer);

  ModuleOp module;
  HostPlan host;
  llvm::DenseMap<Value, uint32_t> buffers;
  llvm::StringMap<uint32_t> globals, kernels, modules;
  /// Induction variables of the loops around, outermost first.
  llvm::SmallVector<Value> loops;
  /// Workspace buffers that are live now.
  llvm::SmallVector<uint32_t> live;
};
} // namespace

Result<uint64_t> PlanReader::bytesOf(Operation *op, MemRefType type) const {
  std::optional<ElementType> element = elementTypeOf(type.getElementType());
  std::optional<uint64_t> bytes;
  if (element && type.hasStaticShape() && type.getLayout().isIdentity())
    bytes = tensorBytes(*element, type.getShape().vec());
  if (bytes)
    return *bytes;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return refuse(op, "has the type " + text + ", which has no place in a plan");
}

Status PlanReader::readArguments(func::FuncOp main) {
  std::vector<std::pair<int64_t, PlanResult>> results;
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto element = main.getArgAttrOfType<TypeAttr>(number, "egg.element_type");
    if (!type || !element || !elementTypeOf(element.getValue()))
      return refuse(main, "has an argument without an element type");
    EGG_ASSIGN(uint64_t bytes, bytesOf(main, type));
    uint32_t buffer = uint32_t(host.plan.buffers.size());
    buffers[argument] = buffer;
    PlanBuffer place;
    place.bytes = bytes;
    auto index = main.getArgAttrOfType<IntegerAttr>(number, "egg.result_index");
    if (!index) {
      place.kind = PlanBuffer::Kind::Argument;
      PlanArgument planned;
      planned.type = *elementTypeOf(element.getValue());
      planned.shape = type.getShape().vec();
      planned.buffer = buffer;
      planned.align = elementBytes(planned.type);
      host.plan.arguments.push_back(std::move(planned));
    } else {
      place.kind = PlanBuffer::Kind::Result;
      auto name = main.getArgAttrOfType<StringAttr>(number, "egg.result_class");
      std::optional<ResultClass> known =
          name ? resultClassFromString(name.getValue()) : std::nullopt;
      if (!known)
        return refuse(main, "has a result without a class");
      PlanResult planned;
      planned.type = *elementTypeOf(element.getValue());
      planned.shape = type.getShape().vec();
      planned.buffer = buffer;
      planned.resultClass = *known;
      results.emplace_back(index.getInt(), std::move(planned));
    }
    host.plan.buffers.push_back(place);
  }
  llvm::sort(results,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto &[index, result] : results) {
    if (index != int64_t(host.plan.results.size()))
      return refuse(main, "does not number its results from 0 on");
    host.plan.results.push_back(std::move(result));
  }
  return Status();
}

Status PlanReader::allocate(memref::AllocOp alloc) {
  EGG_ASSIGN(uint64_t bytes, bytesOf(alloc, alloc.getType()));
  uint64_t size = llvm::alignTo(bytes, workspaceAlign);
  if (size < bytes)
    return refuse(alloc, "does not fit the address space");
  // The lowest gap between the live ones.
  llvm::sort(live, [&](uint32_t a, uint32_t b) {
    return host.plan.buffers[a].offset < host.plan.buffers[b].offset;
  });
  uint64_t offset = 0;
  for (uint32_t other : live) {
    const PlanBuffer &taken = host.plan.buffers[other];
    if (taken.offset >= offset && taken.offset - offset >= size)
      break;
    offset = std::max(
        offset, llvm::alignTo(taken.offset + taken.bytes, workspaceAlign));
  }
  if (offset + size < offset)
    return refuse(alloc, "does not fit the address space");
  PlanBuffer place;
  place.kind = PlanBuffer::Kind::Workspace;
  place.bytes = bytes;
  place.offset = offset;
  host.plan.workspaceBytes = std::max(host.plan.workspaceBytes, offset + size);
  uint32_t buffer = uint32_t(host.plan.buffers.size());
  host.plan.buffers.push_back(place);
  buffers[alloc.getResult()] = buffer;
  live.push_back(buffer);
  return Status();
}

void PlanReader::release(Value value) {
  auto found = buffers.find(value);
  if (found != buffers.end())
    llvm::erase(live, found->second);
}

Status PlanReader::readGlobal(memref::GetGlobalOp get) {
  auto [found, added] =
      globals.try_emplace(get.getName(), uint32_t(host.plan.buffers.size()));
  buffers[get.getResult()] = found->second;
  if (!added)
    return Status();
  auto global = module.lookupSymbol<memref::GlobalOp>(get.getName());
  auto values =
      global ? dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr())
             : DenseElementsAttr();
  if (!values)
    return refuse(get, "names no dense constant");
  EGG_ASSIGN(uint64_t bytes, bytesOf(get, get.getType()));
  ArrayRef<char> raw = values.getRawData();
  uint64_t unit = values.getElementType().getIntOrFloatBitWidth() / 8;
  std::string constant;
  if (values.isSplat() && raw.size() == unit)
    while (constant.size() < bytes)
      constant.append(raw.data(), raw.size());
  else
    constant.assign(raw.data(), raw.size());
  if (constant.size() != bytes)
    return refuse(get, "has " + llvm::Twine(constant.size()) +
                           " bytes of values for " + llvm::Twine(bytes) +
                           " bytes of memory");
  PlanBuffer place;
  place.kind = PlanBuffer::Kind::Constant;
  place.bytes = bytes;
  place.blob = uint32_t(host.constants.size());
  host.plan.buffers.push_back(place);
  host.constants.push_back(std::move(constant));
  return Status();
}

Result<PlanAddress> PlanReader::addressOf(Operation *op, Value value) const {
  auto found = buffers.find(value);
  if (found == buffers.end())
    return refuse(op, "uses memory that is neither an argument, nor allocated, "
                      "nor a constant");
  PlanAddress address;
  address.buffer = found->second;
  address.offset.steps.assign(loops.size(), 0);
  return address;
}

Result<Affine> PlanReader::scalarOf(Operation *op, Value value) const {
  Affine scalar;
  scalar.steps.assign(loops.size(), 0);
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    scalar.base = *constant;
    return scalar;
  }
  auto found = llvm::find(loops, value);
  if (found == loops.end())
    return refuse(op, "uses a scalar that is neither constant nor a loop's");
  auto induction = cast<BlockArgument>(*found);
  auto loop = cast<scf::ForOp>(induction.getOwner()->getParentOp());
  scalar.base = *getConstantIntValue(loop.getLowerBound());
  scalar.steps[found - loops.begin()] = *getConstantIntValue(loop.getStep());
  return scalar;
}

Result<uint32_t> PlanReader::kernelOf(gpu::LaunchFuncOp launch) {
  PlanKernel kernel;
  kernel.symbol = launch.getKernelName().str();
  auto sizes = [&](gpu::KernelDim3 dims, std::array<uint32_t, 3> &into) {
    Value values[] = {dims.x, dims.y, dims.z};
    for (int i = 0; i < 3; ++i) {
      std::optional<int64_t> size = getConstantIntValue(values[i]);
      if (!size || *size < 1 || *size > INT32_MAX)
        return false;
      into[i] = uint32_t(*size);
    }
    return true;
  };
  if (!sizes(launch.getGridSizeOperandValues(), kernel.grid) ||
      !sizes(launch.getBlockSizeOperandValues(), kernel.block))
    return refuse(launch, "has a grid or a block that is not constant");
  if (Value shared = launch.getDynamicSharedMemorySize()) {
    std::optional<int64_t> bytes = getConstantIntValue(shared);
    if (!bytes || *bytes < 0)
      return refuse(launch, "has shared memory of a size that is not constant");
    kernel.sharedBytes = uint64_t(*bytes);
  }
  auto [moduleNumber, newModule] = modules.try_emplace(
      launch.getKernelModuleName().getValue(), uint32_t(host.modules.size()));
  if (newModule)
    host.modules.push_back(launch.getKernelModuleName().str());
  kernel.module = moduleNumber->second;

  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << kernel.module << " " << kernel.symbol << " " << kernel.sharedBytes;
  for (uint32_t size : kernel.grid)
    stream << " " << size;
  for (uint32_t size : kernel.block)
    stream << " " << size;
  auto [number, added] =
      kernels.try_emplace(key, uint32_t(host.plan.kernels.size()));
  if (added)
    host.plan.kernels.push_back(std::move(kernel));
  return number->second;
}

Status PlanReader::readLaunch(gpu::LaunchFuncOp launch,
                              std::vector<PlanNode> &nodes) {
  PlanNode node;
  node.op = PlanNode::Op::Launch;
  EGG_ASSIGN(node.kernel, kernelOf(launch));
  for (Value operand : launch.getKernelOperands()) {
    PlanKernelArgument argument;
    if (isa<MemRefType>(operand.getType())) {
      argument.kind = PlanKernelArgument::Kind::Address;
      EGG_ASSIGN(argument.address, addressOf(launch, operand));
    } else if (operand.getType().isInteger(32) ||
               operand.getType().isInteger(64)) {
      argument.kind = operand.getType().isInteger(32)
                          ? PlanKernelArgument::Kind::I32
                          : PlanKernelArgument::Kind::I64;
      EGG_ASSIGN(argument.value, scalarOf(launch, operand));
    } else {
      return refuse(launch, "has an operand that is neither memory nor i32 nor "
                            "i64");
    }
    node.args.push_back(std::move(argument));
  }
  nodes.push_back(std::move(node));
  return Status();
}

Status PlanReader::readLoop(scf::ForOp loop, std::vector<PlanNode> &nodes) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step < 1 || loop.getNumResults() != 0)
    return refuse(loop, "has bounds that are not constant, or carries values");
  PlanNode node;
  node.op = PlanNode::Op::Loop;
  node.trips = *upper > *lower
                   ? llvm::divideCeil(uint64_t(*upper) - uint64_t(*lower),
                                      uint64_t(*step))
                   : 0;
  loops.push_back(loop.getInductionVar());
  Status body = readBlock(*loop.getBody(), node.body);
  loops.pop_back();
  if (!body)
    return body;
  if (node.trips > 0)
    nodes.push_back(std::move(node));
  return Status();
}

Status PlanReader::readBlock(Block &block, std::vector<PlanNode> &nodes) {
  for (Operation &op : block) {
    Status done;
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      done = allocate(alloc);
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      release(dealloc.getMemref());
    } else if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
      done = readGlobal(get);
    } else if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      done = readLaunch(launch, nodes);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      done = readLoop(loop, nodes);
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      PlanNode node;
      node.op = PlanNode::Op::Copy;
      EGG_ASSIGN(node.from, addressOf(copy, copy.getSource()));
      EGG_ASSIGN(node.to, addressOf(copy, copy.getTarget()));
      node.bytes = host.plan.buffers[node.to.buffer].bytes;
      if (node.bytes != host.plan.buffers[node.from.buffer].bytes)
        return refuse(copy, "is between buffers of different size");
      if (node.bytes > 0)
        nodes.push_back(std::move(node));
    } else if (!isa<arith::ConstantOp, arith::IndexCastOp, func::ReturnOp,
                    scf::YieldOp>(op)) {
      done = refuse(&op, "has no place in a launch plan");
    }
    if (!done)
      return done;
  }
  return Status();
}

Result<HostPlan> PlanReader::read() {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isDeclaration())
    return Error(ErrorKind::Lower, "there is no host function @main");
  EGG_TRY(readArguments(main));
  EGG_TRY(readBlock(main.getBody().front(), host.plan.nodes));
  return std::move(host);
}

Result<HostPlan> egg::planFromHost(ModuleOp module) {
  return PlanReader(module).read();
}
