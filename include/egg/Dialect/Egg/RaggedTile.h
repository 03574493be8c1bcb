//===- RaggedTile.h - which elements of a hull exist ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout covers the power-of-two hull of a tile; elements outside the tile's
// shape do not exist. Where register bits alone decide, no code is needed.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_RAGGEDTILE_H
#define EGG_DIALECT_EGG_RAGGEDTILE_H

#include "egg/Dialect/Egg/LinearLayout.h"

namespace egg {

/// Does the element at this flat input exist, in a tile of this shape (one
/// extent an output dimension of `layout`, each at most its hull)?
bool elementExists(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape,
                   uint64_t flatIn);

/// What decides whether an element exists.
struct Raggedness {
  bool registers = false;
  bool lanes = false;
  bool warps = false;
  bool blocks = false;
  /// Nothing decides: the whole hull exists (or, with an extent of 0, nothing).
  bool isFull() const { return !registers && !lanes && !warps && !blocks; }
  /// Known when the code is made: no predicate at run time.
  bool isStatic() const { return !lanes && !warps && !blocks; }
};

/// Exact for a layout that reaches the whole hull; otherwise it may name a
/// dimension that decides nothing, never leave one out.
Raggedness getRaggedness(const LinearLayout &layout,
                         llvm::ArrayRef<int64_t> shape);

/// What is known of a register without knowing the thread.
enum class RegisterState { always, never, sometimes };

/// One state a register: does its element exist in every thread, in none, or
/// in some. Costs one pass over the threads at most.
llvm::SmallVector<RegisterState>
getRegisterStates(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

} // namespace egg

#endif // EGG_DIALECT_EGG_RAGGEDTILE_H
