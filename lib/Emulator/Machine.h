//===- Machine.h - programs, warps and the machine that runs them ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A function is compiled to a flat list of instructions. A value lives in
// registers: `components` consecutive registers of 32 lanes each, 64 bits a
// lane. Structured control flow becomes jumps and a stack of lane masks, so
// that a warp's whole state is data and it can stop at any instruction.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_EMULATOR_MACHINE_H
#define EGG_LIB_EMULATOR_MACHINE_H

#include "Memory.h"
#include "egg/Emulator/Emulator.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <map>
#include <memory>
#include <random>

namespace egg::emulator {

constexpr unsigned lanesPerWarp = 32;
using LaneMask = uint32_t;

/// An element type, as the emulator computes with it.
struct ScalarType {
  enum Kind : uint8_t { Integer, F16, BF16, F32, F64 } kind = Integer;
  uint8_t bits = 64; ///< width of an integer; `index` is 64

  unsigned bytes() const { return kind == Integer ? (bits + 7) / 8 : bits / 8; }
};

/// The scalar type of an integer, index or float type; fails for others.
mlir::FailureOr<ScalarType> getScalarType(mlir::Type type);

class Machine;
struct Warp;
struct Instruction;
using Handler = void (*)(Machine &, Warp &, const Instruction &);

/// One step of a warp. What the fields mean is up to the handler.
struct Instruction {
  Handler handler = nullptr;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int32_t, 4> operands; ///< first register of each operand
  llvm::SmallVector<int32_t, 2> results;  ///< first register of each result
  llvm::SmallVector<int64_t, 4> constants;
  int32_t components = 1;
  int32_t target = 0; ///< where a jump goes
  ScalarType type, resultType;
  const void *function = nullptr; ///< of an elementwise handler
};

struct Program {
  std::vector<Instruction> code;
  int32_t registers = 0;
  llvm::SmallVector<int32_t> arguments; ///< first register of each argument
  mlir::Operation *function = nullptr;
};

struct ThreadBlock;

/// The state of one warp; the host function runs as a warp of one lane.
struct Warp {
  uint32_t index = 0;
  LaneMask lanes = 1; ///< that exist
  LaneMask active = 1;
  int32_t next = 0; ///< instruction
  bool waiting = false, ended = false;
  std::vector<LaneMask> masks;
  std::vector<uint64_t> registers;
  uint32_t time = 1;
  VectorClock clock;
  ThreadBlock *block = nullptr;

  uint64_t *reg(int32_t index) { return &registers[index * lanesPerWarp]; }
};

/// One resident block.
struct ThreadBlock {
  uint32_t index = 0;
  std::array<uint64_t, 3> id = {0, 0, 0};
  std::vector<Warp> warps;
  std::vector<uint32_t> objects; ///< allocated for this block
  uint32_t dynamicShared = 0;    ///< object, if the launch asks for any
  llvm::DenseMap<mlir::Operation *, uint32_t> globals; ///< of workgroup memory
};

/// Everything of one run.
class Machine {
public:
  Machine(mlir::ModuleOp module, const EmulatorOptions &options)
      : module(module), options(options), random(options.seed) {}

  mlir::LogicalResult run(llvm::MutableArrayRef<EmulatedBuffer> arguments);

  /// Stops the run with an error at an instruction; the first one counts.
  void fail(Warp &warp, const Instruction &at, unsigned lane,
            const llvm::Twine &message);
  bool hasFailed() const { return failed; }

  /// The object of a memref.global: one for the module, or one for the block
  /// where it lies in workgroup memory. 0 after a failure.
  uint32_t getGlobal(Warp &warp, const Instruction &at);

  /// Makes an object and returns its number; 0 after a failure.
  uint32_t allocate(Warp &warp, const Instruction &at, llvm::Twine name,
                    uint64_t bytes, bool initialised);
  void release(uint32_t object);
  Object &object(uint32_t number) { return *objects[number]; }

  /// Loads or stores `bytes` at an address; records it in the shadow. Returns
  /// null after a failure.
  uint8_t *touch(Warp &warp, const Instruction &at, unsigned lane,
                 uint64_t object, int64_t byteOffset, uint64_t bytes,
                 AccessKind kind);

  /// Starts a kernel and runs it to its end.
  void launch(Warp &host, const Instruction &at, std::array<uint64_t, 3> grid,
              std::array<uint64_t, 3> block, uint64_t sharedBytes,
              llvm::StringRef kernelModule, llvm::StringRef kernel);

  mlir::ModuleOp module;
  const EmulatorOptions &options;
  EmulatorStatistics statistics;
  std::mt19937_64 random;

  // Of the running launch.
  std::array<uint64_t, 3> gridSize = {1, 1, 1}, blockSize = {1, 1, 1};
  uint64_t dynamicSharedBytes = 0;
  uint32_t launchNumber = 0;
  /// What an atomic location hands on from one thread to the next.
  std::map<std::pair<uint32_t, uint64_t>, VectorClock> atomicClocks;

private:
  mlir::FailureOr<const Program *> getProgram(mlir::Operation *function);
  void runWarp(Warp &warp, const Program &program, uint64_t steps);
  void runBlocks(const Program &program, Warp &host, const Instruction &at);
  void startBlock(ThreadBlock &block, uint64_t linear, const Program &program,
                  Warp &host, const Instruction &at);
  void releaseBarrier(ThreadBlock &block, const Program &program);

  bool failed = false;
  uint64_t liveBytes = 0;
  std::vector<std::unique_ptr<Object>> objects{1}; // number 0 is no object
  std::vector<uint32_t> freeNumbers;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Program>> programs;
  llvm::DenseMap<mlir::Operation *, uint32_t> globals;
};

/// The low \p bits of a value, as a signed number.
inline int64_t signExtend(uint64_t value, unsigned bits) {
  return bits >= 64 ? int64_t(value)
                    : int64_t(value << (64 - bits)) >> (64 - bits);
}

/// The low \p bits of a value.
inline uint64_t truncateBits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// Calls `body(lane)` for each active lane.
template <typename Body> void forActiveLanes(const Warp &warp, Body body) {
  for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
    if (warp.active >> lane & 1)
      body(lane);
}

/// Fills the registers of a static memref with the identity layout, for one
/// lane.
void setMemRef(Warp &warp, int32_t reg, unsigned lane, mlir::MemRefType type,
               uint64_t object, int64_t offset);

/// The bits of an integer or float attribute.
uint64_t getBits(mlir::Attribute element);

/// Turns a function into a program.
class Compiler {
public:
  Compiler(Program &program) : program(program) {}
  mlir::LogicalResult compile(mlir::Operation *function);

  /// Registers of a value, made at its first use: a scalar has one, a vector
  /// one an element, a memref 2 + 2 * rank (object, element offset, sizes,
  /// strides).
  int32_t registersOf(mlir::Value value);
  int32_t componentsOf(mlir::Type type);
  int32_t newRegisters(int32_t count);

  Instruction &emit(Handler handler, mlir::Operation *op);
  /// The same with operands and results bound to the op's own.
  Instruction &emitBound(Handler handler, mlir::Operation *op);
  mlir::LogicalResult compileBlock(mlir::Block &block);
  void emitCopies(mlir::Operation *op, mlir::ValueRange from,
                  mlir::ValueRange to);
  void emitCopies(mlir::Operation *op, llvm::ArrayRef<int32_t> from,
                  mlir::ValueRange to);

  Program &program;
  /// Whether the kernel says that `index` has 32 bits (egg.index_bits).
  bool narrowIndex = false;

private:
  mlir::LogicalResult compileOp(mlir::Operation *op);
  void checkIndices(mlir::Operation *op);
  llvm::DenseMap<mlir::Value, int32_t> registers;
};

/// Compiles one op; found by the op's name.
using OpCompiler = mlir::LogicalResult (*)(Compiler &, mlir::Operation *);
using OpTable = llvm::StringMap<OpCompiler>;

void addControlFlowOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addVectorOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addGpuOps(OpTable &table);

} // namespace egg::emulator

#endif // EGG_LIB_EMULATOR_MACHINE_H
