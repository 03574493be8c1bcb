//===- StageEmitter.h - code of one grid stage for each thread ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_BLOCKLOWERING_STAGEEMITTER_H
#define EGG_LIB_BLOCKLOWERING_STAGEEMITTER_H

#include "egg/BlockLowering/BlockLowering.h"
#include "egg/Dialect/Egg/EggOps.h"
#include "egg/Dialect/Egg/LinearLayout.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace egg {

/// A value of the stage as the threads hold it: each thread has `registers`
/// elements, in chunks of 2^chunkBits that are consecutive along the tile's
/// last dimension. A chunk is a scalar if it has one element, else a vector.
struct Tile {
  LinearLayout layout;
  unsigned registers = 1;
  unsigned chunkBits = 0;
  llvm::SmallVector<int64_t> bounds;             ///< largest extents
  llvm::SmallVector<mlir::OpFoldResult> extents; ///< of the original code
  /// The register that holds a point, by the register part of its flat
  /// coordinate.
  llvm::DenseMap<uint64_t, unsigned> registerAt;
  /// One a chunk; null until something asks for it.
  llvm::SmallVector<mlir::Value> chunks;

  unsigned chunkSize() const { return 1u << chunkBits; }
  unsigned numChunks() const { return registers >> chunkBits; }
};

/// A tile in shared memory: row-major on its bounds.
struct SharedTile {
  mlir::Value memory; ///< of one dimension, in workgroup memory
  llvm::SmallVector<int64_t> bounds;
};

/// `value < limit`, where the value is a thread's part plus a constant.
struct Guard {
  mlir::Value base; ///< null if there is no thread's part
  int64_t constant = 0;
  mlir::OpFoldResult limit; ///< of the kernel's code
  int64_t baseDivisor = 1;
  bool operator==(const Guard &other) const {
    return base == other.base && constant == other.constant &&
           limit == other.limit;
  }
};

/// How a tile's elements lie in a tensor in memory.
struct MemoryAccess {
  mlir::AffineMap map;
  mlir::AffineExpr flat; ///< of the tile's dimensions and the offsets
  llvm::SmallVector<mlir::Value> offsets; ///< in the kernel
  llvm::SmallVector<int64_t> offsetDivisors;
  llvm::SmallVector<int64_t> steps; ///< one a tile dimension, if `isLinear`
  bool isLinear = true;
  mlir::Value memory; ///< flat
  llvm::SmallVector<int64_t> shape;
  mlir::Value tile;
  bool checkSource = false;
  mlir::Value base; ///< the thread's part of the address; null if there is none
  int64_t baseDivisor = 0;
  llvm::SmallVector<mlir::Value>
      threadParts; ///< of each tile dimension; may be null
};

/// Emits the body of a stage into a kernel. Ops on registers are only noted
/// when they are met; their chunks are made when a write, a reduction, a
/// contraction, a copy to shared memory or a loop asks for them, so that code
/// goes element by element through whole chains.
class StageEmitter {
public:
  /// \p memory maps the tensors that the stage reads, and its shared_outs, to
  /// memrefs among the kernel's arguments.
  StageEmitter(mlir::scf::ForallOp stage, mlir::gpu::GPUFuncOp kernel,
               unsigned threads, const BlockLoweringOptions &options,
               const mlir::IRMapping &memory);

  /// Fails with an error at the op that the lowering does not know.
  mlir::LogicalResult emit();

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using Type = mlir::Type;
  using LogicalResult = mlir::LogicalResult;

  // StageEmitter.cpp: the walk.
  LogicalResult checkOp(Operation *op);
  void emitInductionVariables();
  LogicalResult emitOps(mlir::Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitLoop(mlir::scf::ForOp loop);
  LogicalResult addTiles();
  /// Which extents may fall short of their bounds, each with its bound.
  llvm::MapVector<Value, int64_t> getShortExtents();
  /// An index or scalar value of the stage, in the kernel; constants from
  /// outside are cloned at their first use.
  Value lookupScalar(Value value);

  // Chunks.cpp: values on demand.
  Tile &getTile(Value tile) { return tiles.find(tile)->second; }
  Value getChunk(Value tile, unsigned chunk);
  /// The elements in these registers as a vector, or a scalar for one.
  Value getElements(Value tile, llvm::ArrayRef<unsigned> registers);
  void force(Value tile);
  /// Forces \p count chunks of a tile from \p first, their loads before all
  /// else.
  void forceBatch(Value tile, unsigned first, unsigned count);
  unsigned batchOf(Value tile);
  void prefetch(Value tile, unsigned chunk, llvm::DenseSet<Value> &seen);
  Value computeChunk(Value tile, unsigned chunk);
  void computeLinalgChunk(mlir::linalg::LinalgOp op, unsigned result,
                          unsigned chunk);
  llvm::SmallVector<unsigned>
  operandRegisters(Value operand, mlir::AffineMap operandMap, Value result,
                   mlir::AffineMap resultMap,
                   llvm::ArrayRef<unsigned> registers);

  // Bodies.cpp: regions on vectors.
  llvm::SmallVector<Value>
  inlineBody(mlir::Block &body, llvm::ArrayRef<Value> arguments, unsigned width,
             llvm::function_ref<Value(int64_t)> indexOf);
  Value splat(Value scalar, unsigned width);
  Value vectorOf(llvm::ArrayRef<Value> elements);
  Value elementOf(Value vector, unsigned index);
  Value makeConstant(mlir::TypedAttr value, unsigned width);

  // Coordinates.cpp
  Value threadCoordinate(const LinearLayout &layout, unsigned d);
  int64_t threadDivisor(const LinearLayout &layout, unsigned d);
  int64_t threadMaximum(const LinearLayout &layout, unsigned d);
  int64_t registerCoordinate(const LinearLayout &layout, unsigned d,
                             unsigned reg);
  Value isFirstCopy(const LinearLayout &layout);

  // Access.cpp
  using Access = MemoryAccess;
  Access &getAccess(Operation *op, mlir::AffineMap map,
                    mlir::ValueRange offsets, Value tensor, Value tile,
                    bool checkSource);
  /// An extent of a tile, if it is known where code is being made.
  std::optional<int64_t> knownExtent(const Tile &tile, unsigned d) const;
  /// What an element needs to exist in dimension \p d; none if it always does.
  std::optional<Guard> existenceGuard(const Tile &tile, unsigned d,
                                      unsigned reg);
  llvm::SmallVector<Guard> guardsOf(const Access &access, unsigned reg);
  /// Every condition, and-ed; null if there are none.
  Value emitGuards(llvm::ArrayRef<Guard> guards);
  void emitGuarded(Value also, llvm::ArrayRef<Guard> guards,
                   llvm::function_ref<void()> body);
  /// One guard that holds for a whole chunk, if that is proven.
  bool isUniform(const Access &access, llvm::ArrayRef<unsigned> registers);
  Value addressOf(const Access &access, unsigned reg);
  unsigned alignmentOf(const Access &access, unsigned reg, unsigned width);
  Value loadChunk(ir::ReadOp read, unsigned chunk);
  LogicalResult emitWrite(ir::WriteOp write);
  Value toMemory(Value value);
  Value fromMemory(Value value, Type element);

  // Shared.cpp
  Value allocateShared(Type element, int64_t elements);
  LogicalResult emitSharedPlace(ir::PlaceOp place);
  LogicalResult emitConversion(ir::PlaceOp place);
  void storeShared(Value tile, const SharedTile &shared);
  Value loadShared(const SharedTile &shared, const Tile &like, unsigned chunk);
  /// To be called before a store to, or a load from, shared memory at the level
  /// of the block: puts a barrier where threads would meet without one.
  void beforeSharedStore(Value memory);
  void beforeSharedLoad(Value memory);
  void emitBarrier();

  // Reduce.cpp
  LogicalResult emitReduce(mlir::linalg::ReduceOp reduce);

  // Contract.cpp
  LogicalResult emitContract(mlir::linalg::LinalgOp op);

  mlir::scf::ForallOp stage;
  mlir::gpu::GPUFuncOp kernel;
  unsigned threads;
  const BlockLoweringOptions &options;
  mlir::IRMapping memory;
  mlir::IRMapping scalars;
  mlir::OpBuilder prologue, b;
  llvm::DenseMap<Value, Tile> tiles;
  llvm::DenseMap<Value, SharedTile> sharedTiles;
  std::map<std::pair<std::string, unsigned>, Value> threadCoordinates;
  llvm::DenseMap<Operation *, std::unique_ptr<Access>> accesses;
  llvm::DenseMap<Value, Value> flatMemory;
  int64_t sharedBytes = 0;
  /// Shared memory that was stored to, and loaded from, since the last barrier.
  llvm::DenseSet<Value> storedShared, loadedShared;
  /// For each loop around the code being made: has its body had a barrier yet?
  llvm::SmallVector<bool> barrierInLoop;
  /// Extents that are known to be full where code is being made.
  llvm::DenseSet<Value> fullExtents;
  Value threadId;
};

} // namespace egg

#endif // EGG_LIB_BLOCKLOWERING_STAGEEMITTER_H
