//===- Compile.cpp - turns functions into programs --------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace egg::emulator;

FailureOr<ScalarType> egg::emulator::getScalarType(Type type) {
  if (type.isIndex())
    return ScalarType{ScalarType::Integer, 64};
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && integer.getWidth() <= 64)
    return ScalarType{ScalarType::Integer, uint8_t(integer.getWidth())};
  if (type.isF16())
    return ScalarType{ScalarType::F16, 16};
  if (type.isBF16())
    return ScalarType{ScalarType::BF16, 16};
  if (type.isF32())
    return ScalarType{ScalarType::F32, 32};
  if (type.isF64())
    return ScalarType{ScalarType::F64, 64};
  return failure();
}

int32_t Compiler::componentsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  if (auto memref = dyn_cast<MemRefType>(type))
    return 2 + 2 * memref.getRank();
  return 1;
}

int32_t Compiler::newRegisters(int32_t count) {
  int32_t first = program.registers;
  program.registers += count;
  return first;
}

int32_t Compiler::registersOf(Value value) {
  auto [it, isNew] = registers.try_emplace(value, 0);
  if (isNew)
    it->second = newRegisters(componentsOf(value.getType()));
  return it->second;
}

Instruction &Compiler::emit(Handler handler, Operation *op) {
  Instruction &instruction = program.code.emplace_back();
  instruction.handler = handler;
  instruction.op = op;
  return instruction;
}

Instruction &Compiler::emitBound(Handler handler, Operation *op) {
  llvm::SmallVector<int32_t, 4> operands, results;
  for (Value value : op->getOperands())
    operands.push_back(registersOf(value));
  for (Value value : op->getResults())
    results.push_back(registersOf(value));
  Instruction &instruction = emit(handler, op);
  instruction.operands.assign(operands.begin(), operands.end());
  instruction.results.assign(results.begin(), results.end());
  return instruction;
}

/// Copies `components` registers for the active lanes.
static void copyRegisters(Machine &, Warp &warp, const Instruction &at) {
  for (int32_t c = 0; c < at.components; ++c) {
    const uint64_t *from = warp.reg(at.operands[0] + c);
    uint64_t *to = warp.reg(at.results[0] + c);
    forActiveLanes(warp, [&](unsigned lane) { to[lane] = from[lane]; });
  }
}

void Compiler::emitCopies(Operation *op, ValueRange from, ValueRange to) {
  llvm::SmallVector<int32_t> sources;
  for (Value value : from)
    sources.push_back(registersOf(value));
  emitCopies(op, sources, to);
}

void Compiler::emitCopies(Operation *op, ArrayRef<int32_t> from,
                          ValueRange to) {
  auto copy = [&](int32_t source, int32_t target, int32_t count) {
    Instruction &instruction = emit(copyRegisters, op);
    instruction.operands = {source};
    instruction.results = {target};
    instruction.components = count;
  };
  // Through temporaries where there are several: a loop may swap its arguments.
  llvm::SmallVector<int32_t> sources(from);
  if (to.size() > 1)
    for (auto [source, target] : llvm::zip(sources, to)) {
      int32_t count = componentsOf(target.getType());
      int32_t temporary = newRegisters(count);
      copy(source, temporary, count);
      source = temporary;
    }
  for (auto [source, target] : llvm::zip(sources, to))
    copy(source, registersOf(target), componentsOf(target.getType()));
}

static const OpTable &getOpTable() {
  static const OpTable table = [] {
    OpTable made;
    addControlFlowOps(made);
    addElementwiseOps(made);
    addVectorOps(made);
    addMemoryOps(made);
    addGpuOps(made);
    return made;
  }();
  return table;
}

LogicalResult Compiler::compileOp(Operation *op) {
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (failed(getScalarType(element)))
      return op->emitError("has a result of type ")
             << type << ", which the emulator does not hold";
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return op->emitError(
          "has a scalable vector; the emulator needs fixed ones");
  }
  auto it = getOpTable().find(op->getName().getStringRef());
  if (it == getOpTable().end())
    return op->emitError("is not an op that the emulator runs");
  return it->second(*this, op);
}

static void failNarrow(Machine &machine, Warp &warp, const Instruction &at,
                       unsigned lane, int64_t value) {
  machine.fail(
      warp, at, lane,
      "computes the index " + llvm::Twine(value) +
          ", which does not fit the 32 bits that egg.index_bits gives");
}

static void checkNarrow(Machine &machine, Warp &warp, const Instruction &at) {
  const uint64_t *values = warp.reg(at.operands[0]);
  forActiveLanes(warp, [&](unsigned lane) {
    if (!llvm::isInt<32>(int64_t(values[lane])))
      failNarrow(machine, warp, at, lane, int64_t(values[lane]));
  });
}

void Compiler::checkIndices(Operation *op) {
  if (!narrowIndex)
    return;
  for (Value result : op->getResults())
    if (result.getType().isIndex()) {
      int32_t reg = registersOf(result);
      emit(checkNarrow, op).operands = {reg};
    }
}

LogicalResult Compiler::compileBlock(Block &block) {
  for (Operation &op : block) {
    if (failed(compileOp(&op)))
      return failure();
    checkIndices(&op);
  }
  return success();
}

LogicalResult Compiler::compile(Operation *function) {
  program.function = function;
  if (auto kernels = function->getParentOfType<gpu::GPUModuleOp>())
    if (auto bits = kernels->getAttrOfType<IntegerAttr>("egg.index_bits"))
      narrowIndex = bits.getInt() == 32;
  Region &body = function->getRegion(0);
  if (!body.hasOneBlock())
    return function->emitError(
        "has several blocks; the emulator runs structured control flow only");
  for (Value argument : body.front().getArguments())
    program.arguments.push_back(registersOf(argument));
  return compileBlock(body.front());
}

//===----------------------------------------------------------------------===//
// Structured control flow
//===----------------------------------------------------------------------===//

/// if: saves the mask, goes on with the lanes whose condition holds; jumps if
/// there are none.
static void beginIf(Machine &, Warp &warp, const Instruction &at) {
  warp.masks.push_back(warp.active);
  LaneMask taken = 0;
  const uint64_t *condition = warp.reg(at.operands[0]);
  forActiveLanes(warp, [&](unsigned lane) {
    taken |= LaneMask(condition[lane] & 1) << lane;
  });
  // The other branch's lanes are kept beside the mask to restore.
  warp.masks.push_back(warp.active & ~taken);
  warp.active = taken;
  if (!taken)
    warp.next = at.target;
}

static void beginElse(Machine &, Warp &warp, const Instruction &at) {
  warp.active = warp.masks.back();
  if (!warp.active)
    warp.next = at.target;
}

static void endIf(Machine &, Warp &warp, const Instruction &) {
  warp.masks.pop_back();
  warp.active = warp.masks.back();
  warp.masks.pop_back();
}

static LogicalResult compileIf(Compiler &compiler, Operation *op) {
  auto ifOp = cast<scf::IfOp>(op);
  int32_t condition = compiler.registersOf(ifOp.getCondition());
  auto compileBranch = [&](Block *block) -> LogicalResult {
    if (!block)
      return success();
    if (failed(compiler.compileBlock(*block)))
      return failure();
    compiler.emitCopies(op, block->getTerminator()->getOperands(),
                        op->getResults());
    return success();
  };
  std::vector<Instruction> &code = compiler.program.code;
  compiler.emit(beginIf, op).operands = {condition};
  size_t begin = code.size() - 1;
  if (failed(compileBranch(ifOp.thenBlock())))
    return failure();
  compiler.emit(beginElse, op);
  size_t middle = code.size() - 1;
  code[begin].target = middle;
  if (failed(compileBranch(ifOp.elseBlock())))
    return failure();
  compiler.emit(endIf, op);
  code[middle].target = code.size() - 1;
  return success();
}

static void saveMask(Machine &, Warp &warp, const Instruction &) {
  warp.masks.push_back(warp.active);
}

static void restoreMask(Machine &, Warp &warp, const Instruction &) {
  warp.active = warp.masks.back();
  warp.masks.pop_back();
}

static void jump(Machine &, Warp &warp, const Instruction &at) {
  warp.next = at.target;
}

/// for: drops the lanes that are done; jumps to the end if none is left.
/// Operands: induction variable, upper bound; constants: unsigned or not.
static void testFor(Machine &, Warp &warp, const Instruction &at) {
  const uint64_t *iv = warp.reg(at.operands[0]);
  const uint64_t *upper = warp.reg(at.operands[1]);
  LaneMask going = 0;
  forActiveLanes(warp, [&](unsigned lane) {
    bool less = at.constants[0] ? iv[lane] < upper[lane]
                                : signExtend(iv[lane], at.type.bits) <
                                      signExtend(upper[lane], at.type.bits);
    going |= LaneMask(less) << lane;
  });
  warp.active = going;
  if (!going)
    warp.next = at.target;
}

/// Operands: induction variable, step; constants: whether the variable is an
/// index of 32 bits.
static void advanceFor(Machine &machine, Warp &warp, const Instruction &at) {
  uint64_t *iv = warp.reg(at.operands[0]);
  const uint64_t *step = warp.reg(at.operands[1]);
  forActiveLanes(warp, [&](unsigned lane) {
    if (signExtend(step[lane], at.type.bits) <= 0)
      machine.fail(warp, at, lane, "has a loop whose step is not positive");
    iv[lane] = truncateBits(iv[lane] + step[lane], at.type.bits);
    if (at.constants[0] && !llvm::isInt<32>(int64_t(iv[lane])))
      failNarrow(machine, warp, at, lane, int64_t(iv[lane]));
  });
}

static LogicalResult compileFor(Compiler &compiler, Operation *op) {
  auto forOp = cast<scf::ForOp>(op);
  std::vector<Instruction> &code = compiler.program.code;
  ScalarType type = *getScalarType(forOp.getInductionVar().getType());
  int32_t iv = compiler.registersOf(forOp.getInductionVar());
  int32_t upper = compiler.registersOf(forOp.getUpperBound());
  int32_t step = compiler.registersOf(forOp.getStep());
  compiler.emit(saveMask, op);
  compiler.emitCopies(op, ValueRange(forOp.getLowerBound()),
                      ValueRange(forOp.getInductionVar()));
  compiler.emitCopies(op, forOp.getInitArgs(), forOp.getRegionIterArgs());
  Instruction &test = compiler.emit(testFor, op);
  test.operands = {iv, upper};
  test.type = type;
  test.constants = {bool(forOp.getUnsignedCmp())};
  size_t head = code.size() - 1;
  if (failed(compiler.compileBlock(*forOp.getBody())))
    return failure();
  compiler.emitCopies(op, forOp.getYieldedValues(), forOp.getRegionIterArgs());
  Instruction &advance = compiler.emit(advanceFor, op);
  advance.operands = {iv, step};
  advance.type = type;
  advance.constants = {compiler.narrowIndex &&
                       forOp.getInductionVar().getType().isIndex()};
  compiler.emit(jump, op).target = head;
  compiler.emit(restoreMask, op);
  code[head].target = code.size() - 1;
  // Lanes that left early kept their values: only active lanes are written.
  compiler.emitCopies(op, forOp.getRegionIterArgs(), forOp.getResults());
  return success();
}

/// while: drops the lanes whose condition is false; jumps if none is left.
static void testWhile(Machine &, Warp &warp, const Instruction &at) {
  const uint64_t *condition = warp.reg(at.operands[0]);
  LaneMask going = 0;
  forActiveLanes(warp, [&](unsigned lane) {
    going |= LaneMask(condition[lane] & 1) << lane;
  });
  warp.active = going;
  if (!going)
    warp.next = at.target;
}

static LogicalResult compileWhile(Compiler &compiler, Operation *op) {
  auto whileOp = cast<scf::WhileOp>(op);
  std::vector<Instruction> &code = compiler.program.code;
  scf::ConditionOp condition = whileOp.getConditionOp();
  compiler.emit(saveMask, op);
  compiler.emitCopies(op, whileOp.getInits(), whileOp.getBeforeArguments());
  size_t head = code.size();
  if (failed(compiler.compileBlock(*whileOp.getBeforeBody())))
    return failure();
  // A lane's last pass leaves the results; later passes write over them.
  compiler.emitCopies(op, condition.getArgs(), whileOp.getResults());
  compiler.emit(testWhile, op).operands = {
      compiler.registersOf(condition.getCondition())};
  size_t test = code.size() - 1;
  compiler.emitCopies(op, condition.getArgs(), whileOp.getAfterArguments());
  if (failed(compiler.compileBlock(*whileOp.getAfterBody())))
    return failure();
  compiler.emitCopies(op, whileOp.getYieldOp().getOperands(),
                      whileOp.getBeforeArguments());
  compiler.emit(jump, op).target = head;
  compiler.emit(restoreMask, op);
  code[test].target = code.size() - 1;
  return success();
}

static void endWarp(Machine &, Warp &warp, const Instruction &) {
  warp.ended = true;
}

static LogicalResult compileReturn(Compiler &compiler, Operation *op) {
  if (op->getNumOperands())
    return op->emitError("returns values; the emulator's functions write to "
                         "their arguments");
  compiler.emit(endWarp, op);
  return success();
}

/// The parent op reads a terminator's operands itself.
static LogicalResult compileNothing(Compiler &, Operation *) {
  return success();
}

void egg::emulator::addControlFlowOps(OpTable &table) {
  table["scf.if"] = compileIf;
  table["scf.for"] = compileFor;
  table["scf.while"] = compileWhile;
  table["scf.yield"] = compileNothing;
  table["scf.condition"] = compileNothing;
  table["func.return"] = compileReturn;
  table["gpu.return"] = compileReturn;
}
