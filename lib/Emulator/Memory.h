//===- Memory.h - emulated memory with a shadow that finds races ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_EMULATOR_MEMORY_H
#define EGG_LIB_EMULATOR_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace egg::emulator {

/// What one warp knows to have happened: for each warp of each block a time up
/// to which all that it did is ordered before now. (Vector clocks, as in
/// FastTrack: Flanagan and Freund, PLDI 2009.)
class VectorClock {
public:
  uint32_t get(uint32_t block, uint32_t warp) const {
    auto it = times.find(block);
    return it == times.end() || warp >= it->second.size() ? 0
                                                          : it->second[warp];
  }
  void set(uint32_t block, uint32_t warp, uint32_t time) {
    std::vector<uint32_t> &row = times[block];
    if (row.size() <= warp)
      row.resize(warp + 1);
    row[warp] = time;
  }
  void join(const VectorClock &other);

private:
  std::map<uint32_t, std::vector<uint32_t>> times;
};

/// Who touches memory: a thread, and what its warp knows.
struct Accessor {
  uint32_t block;
  uint32_t warp;
  uint32_t lane;
  uint32_t time; ///< the warp's own time; a warp operation advances it
  const VectorClock *clock;
};

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// One allocation. The host's single thread is block 0, warp 0, lane 0 of
/// launch 0: launches are ordered, so no access races with an earlier launch.
class Object {
public:
  Object(std::string name, uint64_t bytes, bool initialised, uint64_t poison);

  const std::string &getName() const { return name; }
  uint64_t size() const { return data.size(); }
  uint8_t *bytes() { return data.data(); }

  /// Records an access of \p count bytes from \p offset, which must be in
  /// bounds, and returns what is wrong with it, or an empty string.
  std::string access(uint64_t offset, uint64_t count, AccessKind kind,
                     const Accessor &by, uint32_t launch);

  /// Marks all bytes as written by nobody in particular.
  void markInitialised();

private:
  /// The last write and the reads since, of one byte. Reads by several threads
  /// are kept as one entry a warp would need; the first two warps are kept, a
  /// third read is folded into `manyReaders`, which no later write of the same
  /// launch may follow without every reader's warp being ordered: those warps
  /// are kept in `readers`.
  struct Cell {
    uint32_t launch = 0;
    bool written = false;     ///< in this launch
    bool atomic = false;      ///< that write was atomic
    bool initialised = false; ///< ever
    uint32_t block = 0, warp = 0, lane = 0, time = 0;
    uint32_t readers = 0; ///< index + 1 into the object's reader lists
  };
  struct Reader {
    uint32_t block, warp, lane, time;
    bool manyLanes;
  };

  std::string name;
  std::vector<uint8_t> data;
  std::vector<Cell> cells;
  /// Reader lists of the current launch, one for each byte that was read.
  std::vector<std::vector<Reader>> readerLists;
  uint32_t readerLaunch = 0;
};

} // namespace egg::emulator

#endif // EGG_LIB_EMULATOR_MEMORY_H
