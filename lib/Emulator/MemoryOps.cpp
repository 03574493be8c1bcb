//===- MemoryOps.cpp - memref ops and vector accesses to memory ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cstring>

using namespace mlir;
using namespace egg::emulator;

namespace {

/// The registers of a memref value, for one lane.
struct MemRefView {
  MemRefView(Warp &warp, int32_t reg, unsigned lane, unsigned rank)
      : warp(warp), reg(reg), lane(lane), rank(rank) {}

  uint64_t &object() { return warp.reg(reg)[lane]; }
  uint64_t &offset() { return warp.reg(reg + 1)[lane]; }
  uint64_t &size(unsigned d) { return warp.reg(reg + 2 + d)[lane]; }
  uint64_t &stride(unsigned d) { return warp.reg(reg + 2 + rank + d)[lane]; }

  Warp &warp;
  int32_t reg;
  unsigned lane, rank;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loads and stores. operands: memref, indices...; constants: rank, alignment
// asked for in bytes (0: the element's).
//===----------------------------------------------------------------------===//

/// The element offset of \p indices, the last one advanced by \p ahead
/// elements; fails outside the memref.
static FailureOr<int64_t> locate(Machine &machine, Warp &warp,
                                 const Instruction &at, unsigned lane,
                                 int32_t memref, ArrayRef<int32_t> indices,
                                 int64_t ahead) {
  MemRefView view(warp, memref, lane, indices.size());
  int64_t offset = view.offset();
  for (auto [d, reg] : llvm::enumerate(indices)) {
    int64_t index = warp.reg(reg)[lane];
    if (d + 1 == indices.size())
      index += ahead;
    if (index < 0 || index >= int64_t(view.size(d))) {
      machine.fail(warp, at, lane,
                   "accesses index " + llvm::Twine(index) + " of dimension " +
                       llvm::Twine(d) + ", which has " +
                       llvm::Twine(int64_t(view.size(d))));
      return failure();
    }
    offset += index * int64_t(view.stride(d));
  }
  return offset;
}

/// Loads (or stores) `components` consecutive elements a lane; \p active tells
/// which of them.
template <typename IsActive>
static void moveElements(Machine &machine, Warp &warp, const Instruction &at,
                         int32_t memref, ArrayRef<int32_t> indices,
                         int32_t values, bool isStore, IsActive isActive) {
  unsigned bytes = at.type.bytes();
  forActiveLanes(warp, [&](unsigned lane) {
    bool first = true;
    for (int32_t c = 0; c < at.components && !machine.hasFailed(); ++c) {
      if (!isActive(c, lane))
        continue;
      FailureOr<int64_t> element =
          locate(machine, warp, at, lane, memref, indices, c);
      if (failed(element))
        return;
      MemRefView view(warp, memref, lane, indices.size());
      if (first && c == 0 && at.constants[0] &&
          (*element * bytes) % at.constants[0] != 0)
        return machine.fail(
            warp, at, lane,
            "accesses byte " + llvm::Twine(*element * bytes) + " of " +
                machine.object(view.object()).getName() +
                ", which is not aligned to the " +
                llvm::Twine(at.constants[0]) + " bytes that the op states");
      first = false;
      uint8_t *memory =
          machine.touch(warp, at, lane, view.object(), *element * bytes, bytes,
                        isStore ? AccessKind::Write : AccessKind::Read);
      if (!memory)
        return;
      uint64_t &value = warp.reg(values + c)[lane];
      if (isStore) {
        std::memcpy(memory, &value, bytes);
      } else {
        value = 0;
        std::memcpy(&value, memory, bytes);
        if (at.type.kind == ScalarType::Integer)
          value = truncateBits(value, at.type.bits);
      }
    }
  });
}

static void runLoad(Machine &machine, Warp &warp, const Instruction &at) {
  moveElements(machine, warp, at, at.operands[0],
               ArrayRef<int32_t>(at.operands).drop_front(), at.results[0],
               /*isStore=*/false, [](int32_t, unsigned) { return true; });
}

/// operands: value, memref, indices...
static void runStore(Machine &machine, Warp &warp, const Instruction &at) {
  moveElements(machine, warp, at, at.operands[1],
               ArrayRef<int32_t>(at.operands).drop_front(2), at.operands[0],
               /*isStore=*/true, [](int32_t, unsigned) { return true; });
}

/// operands: memref, indices..., mask, what stands where the mask is false.
static void runMaskedLoad(Machine &machine, Warp &warp, const Instruction &at) {
  ArrayRef<int32_t> operands(at.operands);
  int32_t mask = operands[operands.size() - 2], rest = operands.back();
  for (int32_t c = 0; c < at.components; ++c)
    forActiveLanes(warp, [&](unsigned lane) {
      warp.reg(at.results[0] + c)[lane] = warp.reg(rest + c)[lane];
    });
  moveElements(machine, warp, at, operands[0],
               operands.drop_front().drop_back(2), at.results[0],
               /*isStore=*/false, [&](int32_t c, unsigned lane) {
                 return warp.reg(mask + c)[lane] & 1;
               });
}

/// operands: memref, indices..., mask, value.
static void runMaskedStore(Machine &machine, Warp &warp,
                           const Instruction &at) {
  ArrayRef<int32_t> operands(at.operands);
  int32_t mask = operands[operands.size() - 2];
  moveElements(machine, warp, at, operands[0],
               operands.drop_front().drop_back(2), operands.back(),
               /*isStore=*/true, [&](int32_t c, unsigned lane) {
                 return warp.reg(mask + c)[lane] & 1;
               });
}

template <typename Op> static int64_t getAlignment(Op op) {
  return op.getAlignment().value_or(0);
}
static int64_t getAlignment(memref::LoadOp) { return 0; }
static int64_t getAlignment(memref::StoreOp) { return 0; }

template <typename Op>
static LogicalResult compileAccess(Compiler &compiler, Operation *op,
                                   Handler handler, Value memref, Type value) {
  auto type = cast<MemRefType>(memref.getType());
  if (isa<VectorType>(type.getElementType()))
    return op->emitError("accesses a memref of vectors; the emulator holds "
                         "memrefs of scalars");
  FailureOr<ScalarType> element = getScalarType(type.getElementType());
  if (failed(element))
    return op->emitError("accesses elements of type ")
           << type.getElementType() << ", which the emulator does not hold";
  if (auto vector = dyn_cast<VectorType>(value); vector && vector.getRank() > 1)
    return op->emitError("accesses a vector of rank ")
           << vector.getRank() << "; the emulator takes rank 1";
  if (isa<VectorType>(value) && type.getRank() == 0)
    return op->emitError("accesses a vector in a memref of rank 0");
  Instruction &at = compiler.emitBound(handler, op);
  at.type = *element;
  at.components = compiler.componentsOf(value);
  at.constants = {getAlignment(cast<Op>(op))};
  return success();
}

template <typename Op>
static LogicalResult compileLoad(Compiler &compiler, Operation *op) {
  return compileAccess<Op>(compiler, op, runLoad, op->getOperand(0),
                           op->getResult(0).getType());
}
template <typename Op>
static LogicalResult compileStore(Compiler &compiler, Operation *op) {
  return compileAccess<Op>(compiler, op, runStore, op->getOperand(1),
                           op->getOperand(0).getType());
}
static LogicalResult compileMaskedLoad(Compiler &compiler, Operation *op) {
  return compileAccess<vector::MaskedLoadOp>(compiler, op, runMaskedLoad,
                                             op->getOperand(0),
                                             op->getResult(0).getType());
}
static LogicalResult compileMaskedStore(Compiler &compiler, Operation *op) {
  return compileAccess<vector::MaskedStoreOp>(
      compiler, op, runMaskedStore, op->getOperand(0),
      op->getOperands().back().getType());
}

//===----------------------------------------------------------------------===//
// Atomics. operands: value, memref, indices...; constants: alignment, kind.
//===----------------------------------------------------------------------===//

static uint64_t combine(arith::AtomicRMWKind kind, uint64_t memory,
                        uint64_t value, ScalarType type) {
  auto floats = [&](auto function) -> uint64_t {
    if (type.kind == ScalarType::F64)
      return llvm::bit_cast<uint64_t>(double(function(
          llvm::bit_cast<double>(memory), llvm::bit_cast<double>(value))));
    return llvm::bit_cast<uint32_t>(
        float(function(llvm::bit_cast<float>(uint32_t(memory)),
                       llvm::bit_cast<float>(uint32_t(value)))));
  };
  int64_t a = signExtend(memory, type.bits), b = signExtend(value, type.bits);
  switch (kind) {
  case arith::AtomicRMWKind::addf:
    return floats([](auto x, auto y) { return x + y; });
  case arith::AtomicRMWKind::mulf:
    return floats([](auto x, auto y) { return x * y; });
  case arith::AtomicRMWKind::maximumf:
    return floats([](auto x, auto y) { return x != x || x > y ? x : y; });
  case arith::AtomicRMWKind::minimumf:
    return floats([](auto x, auto y) { return x != x || x < y ? x : y; });
  case arith::AtomicRMWKind::addi:
    return memory + value;
  case arith::AtomicRMWKind::muli:
    return memory * value;
  case arith::AtomicRMWKind::andi:
    return memory & value;
  case arith::AtomicRMWKind::ori:
    return memory | value;
  case arith::AtomicRMWKind::xori:
    return memory ^ value;
  case arith::AtomicRMWKind::maxs:
    return a > b ? memory : value;
  case arith::AtomicRMWKind::mins:
    return a < b ? memory : value;
  case arith::AtomicRMWKind::maxu:
    return std::max(memory, value);
  case arith::AtomicRMWKind::minu:
    return std::min(memory, value);
  default: // assign; others are refused at compilation
    return value;
  }
}

static void runAtomic(Machine &machine, Warp &warp, const Instruction &at) {
  ArrayRef<int32_t> operands(at.operands);
  unsigned bytes = at.type.bytes();
  forActiveLanes(warp, [&](unsigned lane) {
    if (machine.hasFailed())
      return;
    FailureOr<int64_t> element =
        locate(machine, warp, at, lane, operands[1], operands.drop_front(2), 0);
    if (failed(element))
      return;
    uint64_t object = warp.reg(operands[1])[lane];
    // Whatever an earlier atomic on this place knew is known from now on, and
    // this warp's knowledge is handed on: atomics act as acquire and release.
    VectorClock &location =
        machine.atomicClocks[{uint32_t(object), uint64_t(*element * bytes)}];
    warp.clock.join(location);
    uint8_t *memory = machine.touch(warp, at, lane, object, *element * bytes,
                                    bytes, AccessKind::Atomic);
    if (!memory)
      return;
    uint64_t old = 0;
    std::memcpy(&old, memory, bytes);
    uint64_t value = combine(arith::AtomicRMWKind(at.constants[1]), old,
                             warp.reg(operands[0])[lane], at.type);
    std::memcpy(memory, &value, bytes);
    warp.reg(at.results[0])[lane] = old;
    location.join(warp.clock);
  });
  ++warp.time;
  warp.clock.set(warp.block->index, warp.index, warp.time);
}

static LogicalResult compileAtomic(Compiler &compiler, Operation *op) {
  auto atomic = cast<memref::AtomicRMWOp>(op);
  using Kind = arith::AtomicRMWKind;
  if (llvm::is_contained({Kind::maxnumf, Kind::minnumf}, atomic.getKind()))
    return op->emitError("is an atomic that the emulator does not run");
  FailureOr<ScalarType> type = getScalarType(atomic.getValue().getType());
  if (failed(type) || type->kind == ScalarType::F16 ||
      type->kind == ScalarType::BF16)
    return op->emitError("is an atomic on ")
           << atomic.getValue().getType()
           << ", which the emulator does not run";
  Instruction &at = compiler.emitBound(runAtomic, op);
  at.type = *type;
  at.constants = {0, int64_t(atomic.getKind())};
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Mixed static and dynamic values: `constants` hold a kind and a value each,
/// dynamic ones the register.
static void appendMixed(Compiler &compiler, Instruction &at,
                        ArrayRef<OpFoldResult> values) {
  for (OpFoldResult value : values) {
    if (auto attribute = dyn_cast<Attribute>(value)) {
      at.constants.push_back(0);
      at.constants.push_back(cast<IntegerAttr>(attribute).getInt());
    } else {
      at.constants.push_back(1);
      at.constants.push_back(compiler.registersOf(cast<Value>(value)));
    }
  }
}

static int64_t readMixed(Warp &warp, const Instruction &at, unsigned lane,
                         unsigned index) {
  int64_t value = at.constants[2 * index + 1];
  return at.constants[2 * index] ? int64_t(warp.reg(value)[lane]) : value;
}

/// constants: offsets, sizes and strides, mixed. function: bits of the
/// dimensions that are dropped.
static void runSubview(Machine &machine, Warp &warp, const Instruction &at) {
  auto subview = cast<memref::SubViewOp>(at.op);
  unsigned rank = subview.getSourceType().getRank();
  unsigned resultRank = subview.getType().getRank();
  uint64_t dropped = reinterpret_cast<uintptr_t>(at.function);
  forActiveLanes(warp, [&](unsigned lane) {
    MemRefView from(warp, at.operands[0], lane, rank);
    MemRefView to(warp, at.results[0], lane, resultRank);
    int64_t offset = from.offset();
    unsigned kept = 0;
    for (unsigned d = 0; d < rank; ++d) {
      int64_t start = readMixed(warp, at, lane, d);
      int64_t size = readMixed(warp, at, lane, rank + d);
      int64_t stride = readMixed(warp, at, lane, 2 * rank + d);
      if (start < 0 || size < 0 ||
          (size > 0 && start + (size - 1) * stride >= int64_t(from.size(d))))
        return machine.fail(warp, at, lane,
                            "views " + llvm::Twine(size) + " elements from " +
                                llvm::Twine(start) + " with step " +
                                llvm::Twine(stride) + " of dimension " +
                                llvm::Twine(d) + ", which has " +
                                llvm::Twine(int64_t(from.size(d))));
      offset += start * int64_t(from.stride(d));
      if (dropped >> d & 1)
        continue;
      to.size(kept) = size;
      to.stride(kept) = stride * int64_t(from.stride(d));
      ++kept;
    }
    to.object() = from.object();
    to.offset() = offset;
  });
}

static LogicalResult compileSubview(Compiler &compiler, Operation *op) {
  auto subview = cast<memref::SubViewOp>(op);
  Instruction &at = compiler.emitBound(runSubview, op);
  appendMixed(compiler, at, subview.getMixedOffsets());
  appendMixed(compiler, at, subview.getMixedSizes());
  appendMixed(compiler, at, subview.getMixedStrides());
  uint64_t dropped = 0;
  llvm::SmallBitVector bits = subview.getDroppedDims();
  for (unsigned d : bits.set_bits())
    dropped |= uint64_t(1) << d;
  at.function = reinterpret_cast<const void *>(uintptr_t(dropped));
  return success();
}

/// constants: the offset, sizes and strides, mixed.
static void runReinterpret(Machine &, Warp &warp, const Instruction &at) {
  unsigned rank = at.components;
  unsigned sourceRank =
      cast<MemRefType>(at.op->getOperand(0).getType()).getRank();
  forActiveLanes(warp, [&](unsigned lane) {
    MemRefView from(warp, at.operands[0], lane, sourceRank);
    MemRefView to(warp, at.results[0], lane, rank);
    to.object() = from.object();
    // The offset is counted from the allocation's start, not from the view's.
    to.offset() = readMixed(warp, at, lane, 0);
    for (unsigned d = 0; d < rank; ++d) {
      to.size(d) = readMixed(warp, at, lane, 1 + d);
      to.stride(d) = readMixed(warp, at, lane, 1 + rank + d);
    }
  });
}

static LogicalResult compileReinterpret(Compiler &compiler, Operation *op) {
  auto cast_ = cast<memref::ReinterpretCastOp>(op);
  Instruction &at = compiler.emitBound(runReinterpret, op);
  at.components = cast_.getType().getRank();
  appendMixed(compiler, at, cast_.getMixedOffsets());
  appendMixed(compiler, at, cast_.getMixedSizes());
  appendMixed(compiler, at, cast_.getMixedStrides());
  return success();
}

/// Casts, memory space casts, assumptions: the registers as they are.
static void runSame(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c)
    forActiveLanes(warp, [&](unsigned lane) {
      warp.reg(at.results[0] + c)[lane] = warp.reg(at.operands[0] + c)[lane];
    });
}

static LogicalResult compileSame(Compiler &compiler, Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  Instruction &at = compiler.emitBound(runSame, op);
  at.components = compiler.componentsOf(op->getResult(0).getType());
  return success();
}

/// constants: the sizes of the expanded dimensions, mixed.
static void runExpand(Machine &, Warp &warp, const Instruction &at) {
  auto expand = cast<memref::ExpandShapeOp>(at.op);
  unsigned fromRank = expand.getSrcType().getRank();
  unsigned toRank = expand.getResultType().getRank();
  forActiveLanes(warp, [&](unsigned lane) {
    MemRefView from(warp, at.operands[0], lane, fromRank);
    MemRefView to(warp, at.results[0], lane, toRank);
    to.object() = from.object();
    to.offset() = from.offset();
    // A memref of rank 0 expands to ones.
    for (unsigned d = 0; d < toRank; ++d) {
      to.size(d) = readMixed(warp, at, lane, d);
      to.stride(d) = 1;
    }
    for (auto [d, group] : llvm::enumerate(expand.getReassociationIndices())) {
      int64_t stride = from.stride(d);
      for (int64_t e : llvm::reverse(group)) {
        to.stride(e) = stride;
        stride *= int64_t(to.size(e));
      }
    }
  });
}

static LogicalResult compileExpand(Compiler &compiler, Operation *op) {
  auto expand = cast<memref::ExpandShapeOp>(op);
  Instruction &at = compiler.emitBound(runExpand, op);
  appendMixed(compiler, at, expand.getMixedOutputShape());
  return success();
}

static void runCollapse(Machine &, Warp &warp, const Instruction &at) {
  auto collapse = cast<memref::CollapseShapeOp>(at.op);
  unsigned fromRank = collapse.getSrcType().getRank();
  unsigned toRank = collapse.getResultType().getRank();
  forActiveLanes(warp, [&](unsigned lane) {
    MemRefView from(warp, at.operands[0], lane, fromRank);
    MemRefView to(warp, at.results[0], lane, toRank);
    to.object() = from.object();
    to.offset() = from.offset();
    for (auto [d, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      int64_t size = 1, stride = 1;
      // The innermost dimension that is more than one element wide steps.
      for (int64_t e : group) {
        size *= int64_t(from.size(e));
        if (int64_t(from.size(e)) != 1 || e == group.front())
          stride = from.stride(e);
      }
      to.size(d) = size;
      to.stride(d) = stride;
    }
  });
}

static LogicalResult compileCollapse(Compiler &compiler, Operation *op) {
  compiler.emitBound(runCollapse, op);
  return success();
}

/// operands: memref of bytes, byte shift; constants: the sizes, mixed.
static void runView(Machine &machine, Warp &warp, const Instruction &at) {
  unsigned rank = at.components;
  unsigned bytes = at.type.bytes();
  forActiveLanes(warp, [&](unsigned lane) {
    MemRefView from(warp, at.operands[0], lane, 1);
    MemRefView to(warp, at.results[0], lane, rank);
    int64_t start = int64_t(from.offset() + warp.reg(at.operands[1])[lane]);
    if (start % bytes)
      return machine.fail(warp, at, lane,
                          "views elements of " + llvm::Twine(bytes) +
                              " bytes at byte " + llvm::Twine(start));
    to.object() = from.object();
    to.offset() = start / bytes;
    int64_t stride = 1;
    for (unsigned d = rank; d-- > 0;) {
      to.size(d) = readMixed(warp, at, lane, d);
      to.stride(d) = stride;
      stride *= int64_t(to.size(d));
    }
  });
}

static LogicalResult compileView(Compiler &compiler, Operation *op) {
  auto view = cast<memref::ViewOp>(op);
  Instruction &at = compiler.emitBound(runView, op);
  at.components = view.getType().getRank();
  at.type = *getScalarType(view.getType().getElementType());
  appendMixed(compiler, at,
              getMixedValues(view.getType().getShape(), view.getSizes(),
                             op->getContext()));
  return success();
}

static void runDim(Machine &machine, Warp &warp, const Instruction &at) {
  unsigned rank = cast<MemRefType>(at.op->getOperand(0).getType()).getRank();
  forActiveLanes(warp, [&](unsigned lane) {
    uint64_t index = warp.reg(at.operands[1])[lane];
    if (index >= rank)
      return machine.fail(warp, at, lane,
                          "asks for a dimension that is not there");
    warp.reg(at.results[0])[lane] =
        MemRefView(warp, at.operands[0], lane, rank).size(index);
  });
}

static LogicalResult compileDim(Compiler &compiler, Operation *op) {
  compiler.emitBound(runDim, op);
  return success();
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static bool isInKernel(Operation *op) {
  return op->getParentOfType<gpu::GPUFuncOp>() != nullptr;
}

/// One object a warp, a part of it for each lane; constants: whether it is
/// released by a dealloc rather than with the block.
static void runAllocate(Machine &machine, Warp &warp, const Instruction &at) {
  auto type = cast<MemRefType>(at.op->getResult(0).getType());
  uint64_t lanes = at.constants[0] ? lanesPerWarp : 1;
  uint32_t number = machine.allocate(
      warp, at, at.constants[0] ? "private memory" : "allocated memory",
      uint64_t(type.getNumElements()) * at.type.bytes() * lanes,
      /*initialised=*/false);
  if (!number)
    return;
  if (at.constants[0])
    warp.block->objects.push_back(number);
  forActiveLanes(warp, [&](unsigned lane) {
    setMemRef(warp, at.results[0], lane, type, number,
              lane * type.getNumElements());
  });
}

static LogicalResult compileAllocate(Compiler &compiler, Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  bool isAlloca = isa<memref::AllocaOp>(op);
  if (isInKernel(op) && !isAlloca)
    return op->emitError("allocates in a kernel, which would call a device "
                         "malloc for each thread");
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op->emitError("allocates a memref that is not static with the "
                         "identity layout");
  Instruction &at = compiler.emitBound(runAllocate, op);
  at.type = *getScalarType(type.getElementType());
  at.constants = {isInKernel(op)};
  return success();
}

static void runRelease(Machine &machine, Warp &warp, const Instruction &at) {
  machine.release(warp.reg(at.operands[0])[0]);
}

static LogicalResult compileRelease(Compiler &compiler, Operation *op) {
  if (isInKernel(op))
    return op->emitError("releases memory in a kernel");
  compiler.emitBound(runRelease, op);
  return success();
}

static void runGetGlobal(Machine &machine, Warp &warp, const Instruction &at) {
  uint32_t number = machine.getGlobal(warp, at);
  auto type = cast<MemRefType>(at.op->getResult(0).getType());
  forActiveLanes(warp, [&](unsigned lane) {
    setMemRef(warp, at.results[0], lane, type, number, 0);
  });
}

static LogicalResult compileGetGlobal(Compiler &compiler, Operation *op) {
  compiler.emitBound(runGetGlobal, op);
  return success();
}

/// A whole buffer to another, on the host.
static void runCopy(Machine &machine, Warp &warp, const Instruction &at) {
  auto type = cast<MemRefType>(at.op->getOperand(0).getType());
  uint64_t bytes = uint64_t(type.getNumElements()) * at.type.bytes();
  if (!bytes)
    return;
  MemRefView from(warp, at.operands[0], 0, type.getRank());
  MemRefView to(warp, at.operands[1], 0, type.getRank());
  const uint8_t *source =
      machine.touch(warp, at, 0, from.object(), from.offset() * at.type.bytes(),
                    bytes, AccessKind::Read);
  uint8_t *target = source ? machine.touch(warp, at, 0, to.object(),
                                           to.offset() * at.type.bytes(), bytes,
                                           AccessKind::Write)
                           : nullptr;
  if (target)
    std::memmove(target, source, bytes);
}

static LogicalResult compileCopy(Compiler &compiler, Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (isInKernel(op) || !type || !type.hasStaticShape() ||
        !type.getLayout().isIdentity())
      return op->emitError("copies something other than whole static buffers "
                           "on the host");
  }
  Instruction &at = compiler.emitBound(runCopy, op);
  at.type = *getScalarType(
      cast<MemRefType>(op->getOperand(0).getType()).getElementType());
  return success();
}

void egg::emulator::addMemoryOps(OpTable &table) {
  table["memref.load"] = compileLoad<memref::LoadOp>;
  table["memref.store"] = compileStore<memref::StoreOp>;
  table["vector.load"] = compileLoad<vector::LoadOp>;
  table["vector.store"] = compileStore<vector::StoreOp>;
  table["vector.maskedload"] = compileMaskedLoad;
  table["vector.maskedstore"] = compileMaskedStore;
  table["memref.atomic_rmw"] = compileAtomic;
  table["memref.subview"] = compileSubview;
  table["memref.reinterpret_cast"] = compileReinterpret;
  table["memref.cast"] = compileSame;
  table["memref.memory_space_cast"] = compileSame;
  table["memref.assume_alignment"] = compileSame;
  table["memref.expand_shape"] = compileExpand;
  table["memref.collapse_shape"] = compileCollapse;
  table["memref.view"] = compileView;
  table["memref.dim"] = compileDim;
  table["memref.alloc"] = compileAllocate;
  table["memref.alloca"] = compileAllocate;
  table["memref.dealloc"] = compileRelease;
  table["memref.get_global"] = compileGetGlobal;
  table["memref.copy"] = compileCopy;
}
