//===- ReductionTree.h - known combiners and how they split -----*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_PIPELINES_REDUCTIONTREE_H
#define EGG_LIB_PIPELINES_REDUCTIONTREE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace egg {

/// One op that an output of a linalg.generic accumulates with.
struct Combiner {
  mlir::Operation *op;
  /// Which of its two operands is the accumulator.
  unsigned accumulator;
  /// The value n with combine(x, n) == x for every x, NaN and -0 included.
  mlir::TypedAttr neutral;
};

/// The combiner of the output `index`: an associative, commutative op of arith
/// that is the only user of the accumulator and is yielded. Float sums and
/// products count, as the tree is fixed and stated. Nothing if there is none.
std::optional<Combiner> matchCombiner(mlir::linalg::GenericOp op,
                                      unsigned index);

/// A space of nested loops split in an outer space and a leaf, each iteration
/// of the outer one running the leaf. With `stripped` >= 0 the loop of that
/// number is cut in pieces of `chunk` iterations, the last one shorter: it is
/// the last loop of `outer` (pieces) and the first of `leaf` (iterations).
struct TreeSplit {
  llvm::SmallVector<int64_t> outer;
  llvm::SmallVector<int64_t> leaf;
  int stripped = -1;
  int64_t chunk = 1;
};

/// Splits loops of these trip counts (outermost first), whose product is above
/// `limit`, so that a leaf has at most max(limit, chunk) iterations and the
/// outer space is smaller than the whole.
TreeSplit splitTree(llvm::ArrayRef<int64_t> trips, int64_t limit,
                    int64_t chunk);

} // namespace egg

#endif // EGG_LIB_PIPELINES_REDUCTIONTREE_H
