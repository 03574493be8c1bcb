//===- EggAttrs.cpp - attributes of the egg dialect -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Dialect/Egg/EggDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace egg;
using namespace egg::ir;

#include "egg/Dialect/Egg/EggEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "egg/Dialect/Egg/EggAttrs.cpp.inc"

void EggDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "egg/Dialect/Egg/EggAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

namespace {
struct BitLimit {
  StringRef name;
  size_t bits;
};
} // namespace

static constexpr unsigned kMaxRank = 16;

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  SmallVector<int64_t> hull;
  for (const LinearLayout::OutDim &out : layout.getOuts())
    hull.push_back(int64_t(1) << out.bits);
  auto bases = [&](StringRef name) {
    SmallVector<int64_t> flat;
    for (unsigned bit = 0, e = layout.getInBits(name); bit < e; ++bit)
      for (uint64_t coord : layout.unflattenOut(layout.getBasis(name, bit)))
        flat.push_back(coord);
    return flat;
  };
  return get(context, hull, bases(kRegister), bases(kLane), bases(kWarp),
             bases(kBlock));
}

LinearLayout LayoutAttr::getLinearLayout() const {
  SmallVector<LinearLayout::OutDim> outs;
  for (auto [d, size] : llvm::enumerate(getHull()))
    outs.push_back(
        {tileDimName(d), unsigned(llvm::countr_zero(uint64_t(size)))});
  SmallVector<LinearLayout::InDim> ins;
  unsigned rank = getHull().size();
  auto add = [&](StringRef name, ArrayRef<int64_t> flat) {
    LinearLayout::InDim dim{name.str(), {}};
    for (unsigned i = 0; rank && i < flat.size(); i += rank) {
      uint64_t basis = 0;
      for (unsigned d = 0; d < rank; ++d)
        basis = basis << outs[d].bits | uint64_t(flat[i + d]);
      dim.bases.push_back(basis);
    }
    ins.push_back(dim);
  };
  add(kBlock, getBlocks());
  add(kWarp, getWarps());
  add(kLane, getLanes());
  add(kRegister, getRegisters());
  return LinearLayout(ins, outs);
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> hull,
                                 ArrayRef<int64_t> registers,
                                 ArrayRef<int64_t> lanes,
                                 ArrayRef<int64_t> warps,
                                 ArrayRef<int64_t> blocks) {
  size_t rank = hull.size();
  if (rank == 0 || rank > kMaxRank)
    return emitError() << "a layout has 1 to " << kMaxRank
                       << " dimensions, not " << rank;
  unsigned bits = 0;
  for (int64_t size : hull) {
    if (size <= 0 || !llvm::has_single_bit(uint64_t(size)))
      return emitError()
             << "the hull of a layout is made of powers of two, and " << size
             << " is none";
    bits += llvm::countr_zero(uint64_t(size));
  }
  if (bits > 62)
    return emitError() << "the hull of a layout has at most 62 bits, not "
                       << bits;
  std::pair<BitLimit, ArrayRef<int64_t>> dims[] = {
      {{"register", 12}, registers},
      {{"lane", 5}, lanes},
      {{"warp", 5}, warps},
      {{"block", 4}, blocks}};
  for (auto &[limit, flat] : dims) {
    if (flat.size() % rank != 0)
      return emitError() << "a base of '" << limit.name << "' has " << rank
                         << " coordinates, one a dimension of the hull";
    if (flat.size() / rank > limit.bits)
      return emitError() << "'" << limit.name << "' has at most " << limit.bits
                         << " bits, not " << flat.size() / rank;
    for (auto [i, coord] : llvm::enumerate(flat))
      if (coord < 0 || coord >= hull[i % rank])
        return emitError() << "base " << i / rank << " of '" << limit.name
                           << "' has coordinate " << coord << " in dimension "
                           << i % rank << ", whose hull is " << hull[i % rank];
  }
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getHull().size())
    return emitError() << "a tensor of rank " << shape.size()
                       << " cannot have a layout of rank " << getHull().size();
  for (auto [d, extent] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(extent) &&
        getHull()[d] != int64_t(1) << hullBits(extent))
      return emitError() << "dimension " << d << " of " << extent
                         << " elements needs a hull of "
                         << (int64_t(1) << hullBits(extent)) << ", not "
                         << getHull()[d];
  return success();
}

static ParseResult parseBases(AsmParser &parser, unsigned rank,
                              SmallVectorImpl<int64_t> &flat) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        size_t before = flat.size();
        if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
              return parser.parseInteger(flat.emplace_back());
            }))
          return failure();
        if (flat.size() - before != rank)
          return parser.emitError(loc)
                 << "a base has " << rank
                 << " coordinates, one a dimension of the hull, not "
                 << flat.size() - before;
        return success();
      });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> hull, bases[4];
  static constexpr llvm::StringLiteral names[] = {"register", "lane", "warp",
                                                  "block"};
  bool seen[4] = {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(hull.emplace_back());
      }))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    SMLoc nameLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return {};
    const auto *it = llvm::find(names, name);
    if (it == std::end(names)) {
      parser.emitError(nameLoc)
          << "a layout has register, lane, warp and block bits, no '" << name
          << "'";
      return {};
    }
    unsigned i = it - std::begin(names);
    if (seen[i]) {
      parser.emitError(nameLoc) << "'" << name << "' is given twice";
      return {};
    }
    seen[i] = true;
    if (parser.parseEqual() || parseBases(parser, hull.size(), bases[i]))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), hull, bases[0],
                                       bases[1], bases[2], bases[3]);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  size_t rank = getHull().size();
  printer << "<[";
  llvm::interleaveComma(getHull(), printer);
  printer << "]";
  auto print = [&](StringRef name, ArrayRef<int64_t> flat) {
    if (flat.empty())
      return;
    printer << ", " << name << " = [";
    for (size_t i = 0; i < flat.size(); i += rank) {
      printer << (i ? ", [" : "[");
      llvm::interleaveComma(flat.slice(i, rank), printer);
      printer << "]";
    }
    printer << "]";
  };
  print("register", getRegisters());
  print("lane", getLanes());
  print("warp", getWarps());
  print("block", getBlocks());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Lists of fields
//===----------------------------------------------------------------------===//

/// Parses `key = <uint>` or a bare flag; each at most once. `readField` reads
/// what follows the key, and fails on a key that it does not know.
static ParseResult
parseFields(AsmParser &parser,
            function_ref<ParseResult(StringRef, SMLoc)> readField) {
  SmallVector<StringRef> seen;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        StringRef key;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeyword(&key))
          return failure();
        if (llvm::is_contained(seen, key))
          return parser.emitError(loc) << "'" << key << "' is given twice";
        seen.push_back(key);
        return readField(key, loc);
      });
}

static ParseResult parseCount(AsmParser &parser, unsigned &value) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number = 0;
  if (parser.parseEqual() || parser.parseInteger(number))
    return failure();
  if (number < 1 || number > (1 << 20))
    return parser.emitError(loc) << number << " is not from 1 to " << (1 << 20);
  value = number;
  return success();
}

namespace {
/// Prints fields with commas between them.
struct FieldPrinter {
  AsmPrinter &printer;
  bool first = true;
  raw_ostream &next() {
    if (!first)
      printer << ", ";
    first = false;
    return printer.getStream();
  }
  void flag(StringRef name, bool value) {
    if (value)
      next() << name;
  }
  void count(StringRef name, unsigned value, unsigned normal = 0) {
    if (value != normal)
      next() << name << " = " << value;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// GridAttr
//===----------------------------------------------------------------------===//

Attribute GridAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  Order order = Order::linear;
  unsigned swizzle = 0, cluster = 1, inFlight = 1, threads = 0, minBlocks = 0;
  bool persistent = false, streamK = false, pdl = false;
  auto field = [&](StringRef key, SMLoc loc) -> ParseResult {
    if (key == "persistent")
      persistent = true;
    else if (key == "stream_k")
      streamK = true;
    else if (key == "pdl")
      pdl = true;
    else if (key == "cluster")
      return parseCount(parser, cluster);
    else if (key == "tiles_in_flight")
      return parseCount(parser, inFlight);
    else if (key == "threads")
      return parseCount(parser, threads);
    else if (key == "min_blocks")
      return parseCount(parser, minBlocks);
    else if (key == "order") {
      StringRef name;
      SMLoc nameLoc;
      if (parser.parseEqual())
        return failure();
      nameLoc = parser.getCurrentLocation();
      if (parser.parseKeyword(&name))
        return failure();
      std::optional<Order> kind = symbolizeOrder(name);
      if (!kind)
        return parser.emitError(nameLoc)
               << "the order of a grid is linear, swizzle, hilbert or "
                  "heavy_first, not '"
               << name << "'";
      order = *kind;
      int64_t number = 0;
      if (order == Order::swizzle) {
        if (parser.parseInteger(number))
          return failure();
        if (number < 1 || number > 65536)
          return parser.emitError(nameLoc)
                 << "a swizzle of " << number << " is not from 1 to 65536";
        swizzle = number;
      }
    } else
      return parser.emitError(loc)
             << "a grid has order, persistent, cluster, tiles_in_flight, "
                "stream_k, threads, min_blocks and pdl, no '"
             << key << "'";
    return success();
  };
  if (parseFields(parser, field))
    return {};
  return parser.getChecked<GridAttr>(start, parser.getContext(), order, swizzle,
                                     persistent, cluster, inFlight, streamK,
                                     threads, minBlocks, pdl);
}

void GridAttr::print(AsmPrinter &printer) const {
  printer << "<";
  FieldPrinter fields{printer};
  if (getOrder() == Order::swizzle)
    fields.next() << "order = swizzle " << getSwizzle();
  else if (getOrder() != Order::linear)
    fields.next() << "order = " << stringifyOrder(getOrder());
  fields.flag("persistent", getPersistent());
  fields.count("cluster", getCluster(), 1);
  fields.count("tiles_in_flight", getTilesInFlight(), 1);
  fields.flag("stream_k", getStreamK());
  fields.count("threads", getThreads());
  fields.count("min_blocks", getMinBlocks());
  fields.flag("pdl", getPdl());
  printer << ">";
}

LogicalResult GridAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Order order, unsigned swizzle, bool persistent,
                               unsigned cluster, unsigned tilesInFlight,
                               bool streamK, unsigned threads,
                               unsigned minBlocks, bool pdl) {
  if ((order == Order::swizzle) != (swizzle != 0))
    return emitError()
           << "a number of rows belongs to the swizzled order alone";
  if (!llvm::has_single_bit(cluster) || cluster > 16)
    return emitError() << "a cluster has 1, 2, 4, 8 or 16 blocks, not "
                       << cluster;
  if (tilesInFlight < 1 || tilesInFlight > 4)
    return emitError() << "1 to 4 tiles are in flight, not " << tilesInFlight;
  if (tilesInFlight > 1 && !persistent)
    return emitError() << tilesInFlight
                       << " tiles in flight need a persistent grid";
  if (streamK && !persistent)
    return emitError() << "stream_k needs a persistent grid";
  if (threads % 32 != 0 || threads > 1024)
    return emitError()
           << "a block has a multiple of 32 threads up to 1024, not "
           << threads;
  if (minBlocks > 32)
    return emitError() << "at most 32 blocks fit on a multiprocessor, not "
                       << minBlocks;
  return success();
}

//===----------------------------------------------------------------------===//
// ContractAttr
//===----------------------------------------------------------------------===//

/// "m64n256k16".
static bool readShape(StringRef text, unsigned &m, unsigned &n, unsigned &k) {
  return text.consume_front("m") && !text.consumeInteger(10, m) &&
         text.consume_front("n") && !text.consumeInteger(10, n) &&
         text.consume_front("k") && !text.consumeInteger(10, k) && text.empty();
}

Attribute ContractAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  StringRef name, shape, key;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  std::optional<Instruction> instruction = symbolizeInstruction(name);
  if (!instruction) {
    parser.emitError(loc)
        << "the instruction of a contraction is fma, mma_sync "
           "or wgmma, not '"
        << name << "'";
    return {};
  }
  unsigned m = 0, n = 0, k = 0, warps = 0;
  if (*instruction != Instruction::fma) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&shape))
      return {};
    if (!readShape(shape, m, n, k)) {
      parser.emitError(loc) << "the shape of an instruction is written "
                               "m64n256k16, not '"
                            << shape << "'";
      return {};
    }
  }
  if (parser.parseComma() || parser.parseKeyword("warps") ||
      parseCount(parser, warps) || parser.parseGreater())
    return {};
  return parser.getChecked<ContractAttr>(start, parser.getContext(),
                                         *instruction, m, n, k, warps);
}

void ContractAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyInstruction(getInstruction());
  if (getInstruction() != Instruction::fma)
    printer << " m" << getM() << "n" << getN() << "k" << getK();
  printer << ", warps = " << getWarps() << ">";
}

LogicalResult ContractAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Instruction instruction, unsigned m,
                                   unsigned n, unsigned k, unsigned warps) {
  if (warps < 1 || warps > 32)
    return emitError() << "1 to 32 warps share a contraction, not " << warps;
  switch (instruction) {
  case Instruction::fma:
    if (m || n || k)
      return emitError() << "fma has no shape";
    return success();
  case Instruction::mma_sync:
    if (m != 16 || n != 8 || !llvm::is_contained({4u, 8u, 16u, 32u}, k))
      return emitError() << "mma_sync has shape m16n8k4, m16n8k8, m16n8k16 or "
                            "m16n8k32, not m"
                         << m << "n" << n << "k" << k;
    return success();
  case Instruction::wgmma:
    if (m != 64 || n % 8 != 0 || n < 8 || n > 256 ||
        !llvm::is_contained({8u, 16u, 32u}, k))
      return emitError() << "wgmma has shape m64nNkK, N a multiple of 8 from 8 "
                            "to 256 and K 8, 16 or 32, not m"
                         << m << "n" << n << "k" << k;
    if (warps % 4 != 0)
      return emitError() << "wgmma is issued by groups of 4 warps, and "
                         << warps << " is no multiple of 4";
    return success();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// RolesAttr
//===----------------------------------------------------------------------===//

Attribute RolesAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  unsigned producer = 0, consumers = 0, producerRegs = 0, consumerRegs = 0;
  auto field = [&](StringRef key, SMLoc loc) -> ParseResult {
    if (key == "producer")
      return parseCount(parser, producer);
    if (key == "consumers")
      return parseCount(parser, consumers);
    if (key == "producer_registers")
      return parseCount(parser, producerRegs);
    if (key == "consumer_registers")
      return parseCount(parser, consumerRegs);
    return parser.emitError(loc)
           << "roles have producer, consumers, producer_registers and "
              "consumer_registers, no '"
           << key << "'";
  };
  if (parseFields(parser, field))
    return {};
  return parser.getChecked<RolesAttr>(start, parser.getContext(), producer,
                                      consumers, producerRegs, consumerRegs);
}

void RolesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  FieldPrinter fields{printer};
  fields.count("producer", getProducer());
  fields.count("consumers", getConsumers());
  fields.count("producer_registers", getProducerRegisters());
  fields.count("consumer_registers", getConsumerRegisters());
  printer << ">";
}

LogicalResult RolesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                unsigned producer, unsigned consumers,
                                unsigned producerRegisters,
                                unsigned consumerRegisters) {
  if (producer < 1 || producer > 4)
    return emitError() << "roles have 1 to 4 producer warps, not " << producer;
  if (consumers < 1 || consumers > 7)
    return emitError() << "roles have 1 to 7 consumer warp groups, not "
                       << consumers;
  for (unsigned count : {producerRegisters, consumerRegisters})
    if (count != 0 && (count < 24 || count > 240 || count % 8 != 0))
      return emitError() << "registers a thread are a multiple of 8 from 24 to "
                            "240, not "
                         << count;
  return success();
}
