//===- Memory.cpp - emulated memory with a shadow that finds races ---*- C++
//-*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>

using namespace egg::emulator;

void VectorClock::join(const VectorClock &other) {
  for (const auto &[block, theirs] : other.times) {
    std::vector<uint32_t> &ours = times[block];
    if (ours.size() < theirs.size())
      ours.resize(theirs.size());
    for (size_t warp = 0; warp < theirs.size(); ++warp)
      ours[warp] = std::max(ours[warp], theirs[warp]);
  }
}

Object::Object(std::string name, uint64_t bytes, bool initialised,
               uint64_t poison)
    : name(std::move(name)), data(bytes), cells(bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    data[i] = uint8_t(poison >> (8 * (i % 8)));
  if (initialised)
    markInitialised();
}

void Object::markInitialised() {
  for (Cell &cell : cells)
    cell.initialised = true;
}

/// Whether what (block, warp, lane) did at \p time is ordered before what
/// \p by does now.
static bool isOrdered(uint32_t block, uint32_t warp, uint32_t lane,
                      bool manyLanes, uint32_t time, const Accessor &by) {
  if (block == by.block && warp == by.warp)
    return time < by.time || (lane == by.lane && !manyLanes);
  return time <= by.clock->get(block, warp);
}

static std::string describe(uint32_t block, uint32_t warp, uint32_t lane) {
  return "thread " + std::to_string(warp * 32 + lane) + " of block " +
         std::to_string(block);
}

std::string Object::access(uint64_t offset, uint64_t count, AccessKind kind,
                           const Accessor &by, uint32_t launch) {
  if (readerLaunch != launch) {
    readerLists.clear();
    readerLaunch = launch;
  }
  for (uint64_t i = offset; i < offset + count; ++i) {
    Cell &cell = cells[i];
    if (cell.launch != launch) {
      cell.launch = launch;
      cell.written = false;
      cell.readers = 0;
    }
    if (kind != AccessKind::Write && !cell.initialised)
      return "reads byte " + std::to_string(i) + " of " + name +
             ", which nothing has written";
    if (cell.written && !(cell.atomic && kind == AccessKind::Atomic) &&
        !isOrdered(cell.block, cell.warp, cell.lane, false, cell.time, by))
      return std::string(kind == AccessKind::Read ? "reads" : "writes") +
             " byte " + std::to_string(i) + " of " + name +
             ", which was written by " +
             describe(cell.block, cell.warp, cell.lane) +
             " with nothing that orders the two";
    if (kind == AccessKind::Read) {
      if (!cell.readers) {
        readerLists.emplace_back();
        cell.readers = readerLists.size();
      }
      std::vector<Reader> &readers = readerLists[cell.readers - 1];
      auto mine = std::find_if(readers.begin(), readers.end(), [&](Reader &r) {
        return r.block == by.block && r.warp == by.warp;
      });
      if (mine == readers.end()) {
        readers.push_back({by.block, by.warp, by.lane, by.time, false});
      } else {
        mine->manyLanes =
            mine->time == by.time && (mine->manyLanes || mine->lane != by.lane);
        mine->lane = by.lane;
        mine->time = by.time;
      }
      continue;
    }
    if (cell.readers) {
      for (const Reader &r : readerLists[cell.readers - 1])
        if (!isOrdered(r.block, r.warp, r.lane, r.manyLanes, r.time, by))
          return "writes byte " + std::to_string(i) + " of " + name +
                 ", which was read by " + describe(r.block, r.warp, r.lane) +
                 " with nothing that orders the two";
      readerLists[cell.readers - 1].clear();
    }
    cell.written = cell.initialised = true;
    cell.atomic = kind == AccessKind::Atomic;
    cell.block = by.block;
    cell.warp = by.warp;
    cell.lane = by.lane;
    cell.time = by.time;
  }
  return {};
}
