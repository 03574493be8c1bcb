//===- EntryPoint.cpp - The edge between payload and host -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace egg;

unsigned egg::elementBytes(llvm::StringRef type) {
  return llvm::StringSwitch<unsigned>(type)
      .Cases({"f64", "i64"}, 8)
      .Cases({"f32", "i32"}, 4)
      .Cases({"f16", "bf16", "i16"}, 2)
      .Cases({"i8", "i1"}, 1)
      .Default(0);
}

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

Result<func::FuncOp> egg::findEntry(ModuleOp module, llvm::StringRef name) {
  SmallVector<func::FuncOp> open;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      return Error(ErrorKind::Verify,
                   "the payload declares the function @" +
                       function.getSymName().str() +
                       " without a body; a payload holds all that it calls");
    if (!name.empty() ? function.getSymName() == name : function.isPublic())
      open.push_back(function);
  }
  if (open.size() > 1)
    for (func::FuncOp function : open)
      if (function.getSymName() == "main")
        return function;
  if (open.size() == 1)
    return open.front();
  if (!name.empty())
    return Error(ErrorKind::Verify,
                 "the payload has no function @" + name.str());
  return Error(ErrorKind::Verify,
               "the payload has " + std::to_string(open.size()) +
                   " public functions and none of them is @main; name the "
                   "entry function or make the others private");
}

Result<HostTensor> egg::describeType(Type type) {
  HostTensor result;
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return Error(ErrorKind::Unsupported,
                   "the type " + spell(type) +
                       " at the edge of the payload is not static; give each "
                       "dimension a number");
    element = tensor.getElementType();
    result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  }
  result.type = spell(element);
  if (elementBytes(result.type) == 0)
    return Error(ErrorKind::Unsupported,
                 "the type " + spell(type) +
                     " at the edge of the payload is none of f64 f32 f16 bf16 "
                     "i64 i32 i16 i8 i1, or a tensor of one of them");
  return result;
}

void egg::addEntryPoint(ModuleOp module, func::FuncOp entry) {
  SymbolTable symbols(module);
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    // No symbol of C or of the lowering has a dot after this word.
    (void)symbols.rename(function, "payload." + function.getSymName().str());
    function.setPrivate();
  }

  auto bufferType = [](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return MemRefType::get(tensor.getShape(), tensor.getElementType());
    return MemRefType::get({}, type);
  };
  SmallVector<Type> types;
  for (Type type : entry.getArgumentTypes())
    types.push_back(bufferType(type));
  for (Type type : entry.getResultTypes())
    types.push_back(bufferType(type));

  Location loc = entry.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto shell = func::FuncOp::create(builder, loc, kEntryPoint,
                                    builder.getFunctionType(types, {}));
  shell->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
  Block *body = shell.addEntryBlock();
  builder.setInsertionPointToStart(body);

  SmallVector<Value> operands;
  for (auto [type, buffer] :
       llvm::zip_first(entry.getArgumentTypes(), body->getArguments())) {
    // Not writable: a payload that updates an argument gets a copy of it.
    if (isa<RankedTensorType>(type))
      operands.push_back(bufferization::ToTensorOp::create(
          builder, loc, type, buffer, /*restrict=*/true));
    else
      operands.push_back(memref::LoadOp::create(builder, loc, buffer));
  }
  auto call = func::CallOp::create(builder, loc, entry, operands);
  auto outputs = body->getArguments().drop_front(entry.getNumArguments());
  for (auto [result, buffer] : llvm::zip_equal(call.getResults(), outputs)) {
    if (isa<RankedTensorType>(result.getType())) {
      auto copy = bufferization::MaterializeInDestinationOp::create(
          builder, loc, result, buffer);
      copy.setRestrict(true);
      copy.setWritable(true);
    } else {
      memref::StoreOp::create(builder, loc, result, buffer);
    }
  }
  func::ReturnOp::create(builder, loc);
}
