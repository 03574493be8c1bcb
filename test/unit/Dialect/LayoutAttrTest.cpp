//===- LayoutAttrTest.cpp - layouts in and out of the attribute -*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "egg/Dialect/Egg/EggDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace egg;
using namespace egg::test;

TEST(LayoutAttr, HoldsTheLayout) {
  mlir::MLIRContext context;
  context.loadDialect<ir::EggDialect>();
  std::mt19937 rng(31);
  llvm::SmallVector<LinearLayout> layouts = structuredLayouts();
  for (int i = 0; i < 100; ++i)
    layouts.push_back(randomLayout(rng, 1 + rng() % 3, 4, 4));
  for (const LinearLayout &layout : layouts) {
    if (layout.getOuts().empty()) // Rank 0 has no attribute.
      continue;
    ir::LayoutAttr attribute = ir::LayoutAttr::get(&context, layout);
    EXPECT_EQ(attribute.getLinearLayout().str(), layout.str());
    // And through text.
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << attribute;
    EXPECT_EQ(mlir::parseAttribute(text, &context), attribute) << text;
  }
}
