//===- EggOps.cpp - ops of the egg dialect ----------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/EggOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace egg::ir;

/// `t` if both types are the same, else `t -> u`.
static ParseResult parsePlaceTypes(OpAsmParser &parser, Type &source,
                                   Type &result) {
  if (parser.parseType(source))
    return failure();
  if (failed(parser.parseOptionalArrow())) {
    result = source;
    return success();
  }
  return parser.parseType(result);
}

static void printPlaceTypes(OpAsmPrinter &printer, Operation *, Type source,
                            Type result) {
  printer << source;
  if (source != result)
    printer << " -> " << result;
}

#define GET_OP_CLASSES
#include "egg/Dialect/Egg/EggOps.cpp.inc"

//===----------------------------------------------------------------------===//
// PlaceOp
//===----------------------------------------------------------------------===//

Speculation::Speculatability PlaceOp::getSpeculatability() {
  return Speculation::NotSpeculatable;
}

LogicalResult PlaceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "keeps shape and element type, and " << source
                         << " is not " << result << " but for the encoding";
  if (getDepth() < 1 || getDepth() > 64)
    return emitOpError() << "has depth = " << getDepth()
                         << ", which must be from 1 to 64";
  if (getSpace() == Space::registers) {
    for (StringRef name : {"swizzle", "pitch"})
      if ((*this)->hasAttr(name))
        return emitOpError() << "to registers has a '" << name
                             << "', which only a value in shared memory has; "
                                "give it a layout";
    if (getCopy() != Copy::automatic && getCopy() != Copy::ld)
      return emitOpError()
             << "to registers has copy = " << stringifyCopy(getCopy())
             << ", which copies into shared memory; use auto or ld";
    if (LayoutAttr layout = getLayoutAttr()) {
      if (failed(layout.verifyEncoding(result.getShape(),
                                       result.getElementType(),
                                       [&] { return emitOpError(); })))
        return failure();
      if (result.getEncoding() && result.getEncoding() != layout)
        return emitOpError() << "has a layout that is not the encoding of its "
                                "result";
    }
    return success();
  }
  if (getLayoutAttr())
    return emitOpError() << "to shared memory has a layout, which only a value "
                            "in registers has; give it a swizzle or a pitch";
  if (getSwizzle() &&
      !llvm::is_contained({0, 32, 64, 128}, int64_t(*getSwizzle())))
    return emitOpError() << "has swizzle = " << *getSwizzle()
                         << ", which must be 0, 32, 64 or 128 bytes";
  if (std::optional<uint64_t> pitch = getPitch()) {
    if (source.getRank() < 1)
      return emitOpError() << "has a pitch, and a tensor of rank 0 has no rows";
    int64_t last = source.getShape().back();
    if (int64_t(*pitch) < 1 ||
        (!ShapedType::isDynamic(last) && int64_t(*pitch) < last))
      return emitOpError() << "has pitch = " << int64_t(*pitch)
                           << " elements for rows of "
                           << (ShapedType::isDynamic(last)
                                   ? std::string("a dynamic number of")
                                   : std::to_string(last))
                           << " elements";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reading and writing through a map
//===----------------------------------------------------------------------===//

/// What read and write have in common: a tile, a tensor, the map between them.
static LogicalResult verifyMap(Operation *op, AffineMap map,
                               RankedTensorType tile, StringRef tileName,
                               RankedTensorType whole, StringRef wholeName,
                               size_t offsets, OperandRange indices,
                               std::optional<ArrayAttr> by) {
  if (int64_t(map.getNumDims()) != tile.getRank())
    return op->emitOpError()
           << "has a map of " << map.getNumDims() << " dimensions for a "
           << tileName << " of rank " << tile.getRank();
  if (map.getNumSymbols() != offsets + indices.size())
    return op->emitOpError()
           << "has a map of " << map.getNumSymbols() << " symbols for "
           << offsets << " offsets and " << indices.size() << " index tensors";
  if (int64_t(map.getNumResults()) != whole.getRank())
    return op->emitOpError()
           << "has a map of " << map.getNumResults() << " results for a "
           << wholeName << " of rank " << whole.getRank();
  if (tile.getElementType() != whole.getElementType())
    return op->emitOpError()
           << "has a " << tileName << " of " << tile.getElementType()
           << " and a " << wholeName << " of " << whole.getElementType();
  size_t maps = by ? by->size() : 0;
  if (maps != indices.size())
    return op->emitOpError()
           << "has " << indices.size() << " index tensors and " << maps
           << " maps for them";
  for (auto [k, value] : llvm::enumerate(indices)) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.getElementType().isIntOrIndex())
      return op->emitOpError()
             << "has index tensor " << k << " of " << type.getElementType()
             << ", which must be integers";
    AffineMap index = cast<AffineMapAttr>((*by)[k]).getValue();
    if (int64_t(index.getNumDims()) != tile.getRank() ||
        index.getNumSymbols() != 0 ||
        int64_t(index.getNumResults()) != type.getRank())
      return op->emitOpError()
             << "has map " << k << " of 'by' from " << index.getNumDims()
             << " dimensions and " << index.getNumSymbols() << " symbols to "
             << index.getNumResults() << " results; it must go from the "
             << tile.getRank() << " dimensions of the " << tileName
             << " to the " << type.getRank() << " of the index tensor";
  }
  return success();
}

AffineMap ReadOp::getIndexMap(unsigned k) {
  return cast<AffineMapAttr>((*getBy())[k]).getValue();
}

AffineMap WriteOp::getIndexMap(unsigned k) {
  return cast<AffineMapAttr>((*getBy())[k]).getValue();
}

Speculation::Speculatability ReadOp::getSpeculatability() {
  // Without a fill the coordinates are promised to lie inside, where the op
  // stands; index tensors are read under such a promise in any case.
  return getFill() && getIndices().empty() ? Speculation::Speculatable
                                           : Speculation::NotSpeculatable;
}

LogicalResult ReadOp::verify() {
  if (failed(verifyMap(*this, getMap(), getResultType(), "result",
                       getSourceType(), "source", getOffsets().size(),
                       getIndices(), getBy())))
    return failure();
  int64_t dynamic = getResultType().getNumDynamicDims();
  if (int64_t(getSizes().size()) != dynamic)
    return emitOpError() << "has " << getSizes().size() << " sizes for "
                         << dynamic << " dynamic extents";
  if (getFill() && getFill().getType() != getSourceType().getElementType())
    return emitOpError() << "has a fill of " << getFill().getType()
                         << " for elements of "
                         << getSourceType().getElementType();
  return success();
}

MutableOperandRange WriteOp::getUpdatedDestinations() {
  return getDestMutable();
}

Operation *WriteOp::getIteratingParent() {
  if (auto parent =
          dyn_cast_or_null<InParallelOpInterface>((*this)->getParentOp()))
    return parent->getParentOp();
  return nullptr;
}

LogicalResult WriteOp::verify() {
  // That the destination is a shared_out is checked by scf.forall.in_parallel.
  if (!getIteratingParent())
    return emitOpError() << "must stand in the in_parallel of a grid loop";
  if (failed(verifyMap(*this, getMap(), getTileType(), "tile", getDestType(),
                       "destination", getOffsets().size(), getIndices(),
                       getBy())))
    return failure();
  Type element = getTileType().getElementType();
  if (getCombine() != Combine::none && !isa<FloatType, IntegerType>(element) &&
      !element.isIndex())
    return emitOpError() << "combines elements of " << element
                         << ", which must be floats or integers";
  if ((getCombine() == Combine::band || getCombine() == Combine::bor) &&
      !isa<IntegerType>(element))
    return emitOpError() << "combines elements of " << element << " by "
                         << stringifyCombine(getCombine())
                         << ", which is for integers";
  bool tma = getPath() == Path::tma || getPath() == Path::tma_reduce;
  if (tma && !getIndices().empty())
    return emitOpError() << "with index tensors cannot take path = "
                         << stringifyPath(getPath())
                         << ", which writes boxes; use direct or staged";
  if (getPath() == Path::tma && getCombine() != Combine::none)
    return emitOpError() << "with combine = " << stringifyCombine(getCombine())
                         << " cannot take path = tma, which replaces; use "
                            "tma_reduce or direct";
  if (getPath() == Path::tma_reduce && getCombine() == Combine::none)
    return emitOpError() << "with path = tma_reduce must combine";
  return success();
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

Speculation::Speculatability ScanOp::getSpeculatability() {
  return Speculation::RecursivelySpeculatable;
}

SmallVector<TypedAttr> ScanOp::getNeutralValues() {
  SmallVector<TypedAttr> values;
  if (std::optional<ArrayAttr> given = getNeutral()) {
    for (Attribute value : *given)
      values.push_back(cast<TypedAttr>(value));
    return values;
  }
  // One op on the two arguments of one input.
  Block &body = getCombiner().front();
  if (getInputs().size() != 1 || std::distance(body.begin(), body.end()) != 2)
    return values;
  Operation &only = body.front();
  if (only.getNumOperands() != 2 || only.getNumResults() != 1 ||
      body.getTerminator()->getOperand(0) != only.getResult(0))
    return values;
  if (llvm::any_of(only.getOperands(),
                   [&](Value v) {
                     auto argument = dyn_cast<BlockArgument>(v);
                     return !argument || argument.getOwner() != &body;
                   }) ||
      only.getOperand(0) == only.getOperand(1))
    return values;
  // -0.0 + x is x for every x, and 0.0 + -0.0 is not.
  if (auto add = dyn_cast<arith::AddFOp>(only)) {
    auto type = cast<FloatType>(add.getType());
    values.push_back(FloatAttr::get(
        type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true)));
    return values;
  }
  if (std::optional<TypedAttr> neutral = arith::getNeutralElement(&only))
    values.push_back(*neutral);
  return values;
}

LogicalResult ScanOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs an input";
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOpError() << "goes along dim = " << dim
                         << ", and its inputs have rank " << first.getRank();
  if (getScanned().size() != getInputs().size())
    return emitOpError() << "has " << getInputs().size() << " inputs, and "
                         << getScanned().size() << " scanned results";
  SmallVector<int64_t> rest(first.getShape());
  rest.erase(rest.begin() + dim);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getShape() != first.getShape())
      return emitOpError() << "has inputs of two shapes, " << first << " and "
                           << type;
    auto scanned = cast<RankedTensorType>(getScanned()[i].getType());
    if (scanned.getShape() != type.getShape() ||
        scanned.getElementType() != type.getElementType())
      return emitOpError() << "gives " << scanned << " for an input of "
                           << type;
    auto total = cast<RankedTensorType>(getTotals()[i].getType());
    if (total.getShape() != ArrayRef<int64_t>(rest) ||
        total.getElementType() != type.getElementType())
      return emitOpError() << "gives a total of " << total
                           << " for an input of " << type
                           << " along dim = " << dim;
  }
  if (std::optional<ArrayAttr> neutral = getNeutral()) {
    if (neutral->size() != getInputs().size())
      return emitOpError() << "has " << neutral->size()
                           << " neutral values for " << getInputs().size()
                           << " inputs";
    for (auto [i, value] : llvm::enumerate(*neutral)) {
      Type element =
          cast<RankedTensorType>(getInputs()[i].getType()).getElementType();
      auto typed = dyn_cast<TypedAttr>(value);
      if (!typed || typed.getType() != element)
        return emitOpError()
               << "has neutral value " << value << " for elements "
               << "of " << element;
    }
  }
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  Block &body = getCombiner().front();
  SmallVector<Type> elements;
  for (Value input : getInputs())
    elements.push_back(
        cast<RankedTensorType>(input.getType()).getElementType());
  size_t n = elements.size();
  if (body.getNumArguments() != 2 * n)
    return emitOpError() << "has a combiner of " << body.getNumArguments()
                         << " arguments for " << n
                         << " inputs; it takes an earlier and a later value of "
                            "each";
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (argument.getType() != elements[i % n])
      return emitOpError() << "has a combiner whose argument " << i << " is "
                           << argument.getType() << ", not " << elements[i % n];
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return emitOpError() << "has a combiner that does not end with egg.yield";
  if (!llvm::equal(yield.getValues().getTypes(), elements))
    return yield.emitOpError() << "gives " << yield.getValues().size()
                               << " values; the scan combines " << n
                               << " of its inputs' element types";
  int64_t extent = cast<RankedTensorType>(getInputs().front().getType())
                       .getDimSize(getDim());
  if ((getExclusive() || extent == 0) && getNeutralValues().empty())
    return emitOpError()
           << (getExclusive() ? "is exclusive"
                              : "goes along an empty dimension")
           << " and needs neutral values, which its combiner does "
              "not tell; give 'neutral'";
  return success();
}
