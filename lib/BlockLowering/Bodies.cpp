//===- Bodies.cpp - the regions of linalg ops on vectors --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace egg;

static Type widen(Type element, unsigned width) {
  return width == 1 ? element : VectorType::get({width}, element);
}

Value StageEmitter::splat(Value scalar, unsigned width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(
      b, scalar.getLoc(), VectorType::get({width}, scalar.getType()), scalar);
}

Value StageEmitter::vectorOf(ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return elements.front();
  Type type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, elements.front().getLoc(), type,
                                        elements);
}

Value StageEmitter::elementOf(Value vector, unsigned index) {
  if (!isa<VectorType>(vector.getType()))
    return vector;
  return vector::ExtractOp::create(b, vector.getLoc(), vector, int64_t(index));
}

Value StageEmitter::makeConstant(TypedAttr value, unsigned width) {
  Location loc = stage.getLoc();
  if (width == 1)
    return arith::ConstantOp::create(b, loc, value);
  auto type = VectorType::get({width}, value.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, Attribute(value)));
}

SmallVector<Value>
StageEmitter::inlineBody(Block &body, ArrayRef<Value> arguments, unsigned width,
                         llvm::function_ref<Value(int64_t)> indexOf) {
  DenseMap<Value, Value> values;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    values[argument] = value;
  auto lookup = [&](Value value) -> Value {
    if (Value known = values.lookup(value))
      return known;
    return splat(lookupScalar(value), width);
  };
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      values[index] = indexOf(index.getDim());
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      values[constant] =
          makeConstant(cast<TypedAttr>(constant.getValue()), width);
      continue;
    }
    if (width == 1 || OpTrait::hasElementwiseMappableTraits(&op)) {
      SmallVector<Value> operands;
      for (Value operand : op.getOperands())
        operands.push_back(lookup(operand));
      SmallVector<Type> types;
      for (Type type : op.getResultTypes())
        types.push_back(widen(type, width));
      if (op.getNumRegions() == 0) {
        Operation *made = b.create(op.getLoc(), op.getName().getIdentifier(),
                                   operands, types, op.getAttrs());
        for (auto [from, to] : llvm::zip(op.getResults(), made->getResults()))
          values[from] = to;
        continue;
      }
    }
    // Anything else, one element at a time.
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (unsigned i = 0; i < width; ++i) {
      IRMapping mapping = scalars;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          if (values.contains(operand))
            mapping.map(operand, elementOf(values[operand], i));
          else if (!op.isAncestor(operand.getParentBlock()->getParentOp()) ||
                   operand.getParentBlock() == &body)
            mapping.map(operand, lookupScalar(operand));
        }
      });
      Operation *made = b.clone(op, mapping);
      for (auto [list, result] : llvm::zip(results, made->getResults()))
        list.push_back(result);
    }
    for (auto [from, list] : llvm::zip(op.getResults(), results))
      values[from] = vectorOf(list);
  }
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(lookup(value));
  return yielded;
}
