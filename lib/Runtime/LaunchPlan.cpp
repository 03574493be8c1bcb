//===- LaunchPlan.cpp - Types and JSON of the launch plan -----------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See docs/formats.md, "The launch plan".
//
//===----------------------------------------------------------------------===//

#include "egg/Runtime/LaunchPlan.h"

#include "PlanJson.h"

using namespace egg;

namespace {
struct TypeFacts {
  ElementType type;
  std::string_view text;
  uint64_t bytes;
};
constexpr TypeFacts types[] = {
    {ElementType::F64, "f64", 8}, {ElementType::F32, "f32", 4},
    {ElementType::F16, "f16", 2}, {ElementType::BF16, "bf16", 2},
    {ElementType::I64, "i64", 8}, {ElementType::I32, "i32", 4},
    {ElementType::I16, "i16", 2}, {ElementType::I8, "i8", 1},
    {ElementType::I1, "i1", 1},
};

constexpr std::pair<ResultClass, std::string_view> classes[] = {
    {ResultClass::Exact, "exact"},
    {ResultClass::Elementwise, "elementwise"},
    {ResultClass::Accumulation, "accumulation"},
};

constexpr std::pair<PlanBuffer::Kind, std::string_view> bufferKinds[] = {
    {PlanBuffer::Kind::Argument, "argument"},
    {PlanBuffer::Kind::Result, "result"},
    {PlanBuffer::Kind::Workspace, "workspace"},
    {PlanBuffer::Kind::Constant, "constant"},
};

/// The enumerator spelt as the string `value`; throws JsonError.
template <typename E, size_t N>
E readEnum(const JsonValue &value,
           const std::pair<E, std::string_view> (&spellings)[N]) {
  std::string text = value.string(64), known;
  for (const auto &[result, spelling] : spellings) {
    if (text == spelling)
      return result;
    known += (known.empty() ? "" : ", ") + std::string(spelling);
  }
  value.fail("'" + text + "' is not known here; one of " + known + " is");
}

ElementType readType(const JsonValue &value) {
  std::string text = value.string(64);
  if (auto type = elementTypeFromString(text))
    return *type;
  value.fail("'" + text + "' is no element type");
}

std::vector<int64_t> readShape(const JsonValue &value) {
  std::vector<int64_t> shape;
  for (const JsonValue &dimension : value.list(64))
    shape.push_back(dimension.integer(0));
  return shape;
}

uint32_t readIndex(JsonObject &object, std::string_view name) {
  return uint32_t(object.integer(name, 0, UINT32_MAX));
}

uint64_t readBytes(JsonObject &object, std::string_view name) {
  return uint64_t(object.integer(name, 0));
}

Affine readAffine(const JsonValue &value, const PlanLimits &limits) {
  JsonObject object(value);
  Affine affine;
  affine.base = object.integer("base");
  for (const JsonValue &step : object.list("steps", limits.loopDepth))
    affine.steps.push_back(step.integer());
  object.finish();
  return affine;
}

PlanAddress readAddress(const JsonValue &value, const PlanLimits &limits) {
  JsonObject object(value);
  PlanAddress address;
  address.buffer = readIndex(object, "buffer");
  address.offset = readAffine(object.field("offset"), limits);
  object.finish();
  return address;
}

PlanKernelArgument readKernelArgument(const JsonValue &value,
                                      const PlanLimits &limits) {
  JsonObject object(value);
  PlanKernelArgument argument;
  if (!object.has("scalar")) {
    argument.address = readAddress(value, limits);
    return argument;
  }
  JsonValue type = object.field("scalar");
  std::string text = type.string(64);
  if (text != "i32" && text != "i64")
    type.fail("'" + text + "' is no type of a scalar; i32 and i64 are");
  argument.kind = text == "i32" ? PlanKernelArgument::Kind::I32
                                : PlanKernelArgument::Kind::I64;
  argument.value = readAffine(object.field("value"), limits);
  object.finish();
  return argument;
}

std::array<uint32_t, 3> readExtents(const JsonValue &value) {
  std::vector<JsonValue> list = value.list(3);
  if (list.size() != 3)
    value.fail("must hold 3 extents, not " + std::to_string(list.size()));
  std::array<uint32_t, 3> extents;
  for (size_t i = 0; i < 3; ++i)
    extents[i] = uint32_t(list[i].integer(1, INT32_MAX));
  return extents;
}

PlanKernel readKernel(const JsonValue &value) {
  JsonObject object(value);
  PlanKernel kernel;
  kernel.symbol = object.string("symbol", 4096);
  kernel.module = readIndex(object, "module");
  kernel.grid = readExtents(object.field("grid"));
  kernel.block = readExtents(object.field("block"));
  kernel.cluster = readExtents(object.field("cluster"));
  kernel.sharedBytes = readBytes(object, "shared_bytes");
  kernel.flops = readBytes(object, "flops");
  kernel.bytes = readBytes(object, "bytes");
  object.finish();
  return kernel;
}

/// Reads nodes; `count` is the number read so far in the whole plan.
std::vector<PlanNode> readNodes(const JsonValue &value,
                                const PlanLimits &limits, unsigned depth,
                                uint32_t &count) {
  if (depth > limits.loopDepth)
    value.fail("loops lie more than " + std::to_string(limits.loopDepth) +
                   " deep in each other",
               ErrorKind::Limit);
  std::vector<PlanNode> nodes;
  for (const JsonValue &element : value.list(limits.nodes)) {
    if (++count > limits.nodes)
      value.fail("the plan holds more than " + std::to_string(limits.nodes) +
                     " nodes",
                 ErrorKind::Limit);
    JsonObject object(element);
    JsonValue op = object.field("op");
    std::string text = op.string(64);
    PlanNode node;
    if (text == "launch") {
      node.op = PlanNode::Op::Launch;
      node.kernel = readIndex(object, "kernel");
      for (const JsonValue &arg : object.list("args", limits.kernelArguments))
        node.args.push_back(readKernelArgument(arg, limits));
    } else if (text == "copy") {
      node.op = PlanNode::Op::Copy;
      node.to = readAddress(object.field("to"), limits);
      node.from = readAddress(object.field("from"), limits);
      node.bytes = readBytes(object, "bytes");
    } else if (text == "memset") {
      node.op = PlanNode::Op::Memset;
      node.to = readAddress(object.field("to"), limits);
      node.bytes = readBytes(object, "bytes");
      node.value = uint8_t(object.integer("value", 0, 255));
    } else if (text == "loop") {
      node.op = PlanNode::Op::Loop;
      node.trips = object.integer("trips", 0);
      node.body = readNodes(object.field("body"), limits, depth + 1, count);
    } else {
      op.fail("'" + text +
              "' is not known here; one of launch, copy, memset, "
              "loop is");
    }
    object.finish();
    nodes.push_back(std::move(node));
  }
  return nodes;
}

template <typename E, size_t N>
std::string spell(E value,
                  const std::pair<E, std::string_view> (&spellings)[N]) {
  for (const auto &[candidate, spelling] : spellings)
    if (candidate == value)
      return std::string(spelling);
  return "";
}

Json writeAffine(const Affine &affine) {
  return {{"base", affine.base}, {"steps", affine.steps}};
}

Json writeAddress(const PlanAddress &address) {
  return {{"buffer", address.buffer}, {"offset", writeAffine(address.offset)}};
}

Json writeNodes(const std::vector<PlanNode> &nodes) {
  Json list = Json::array();
  for (const PlanNode &node : nodes) {
    Json object;
    switch (node.op) {
    case PlanNode::Op::Launch: {
      Json args = Json::array();
      for (const PlanKernelArgument &arg : node.args) {
        if (arg.kind == PlanKernelArgument::Kind::Address) {
          args.push_back(writeAddress(arg.address));
          continue;
        }
        Json scalar;
        scalar["scalar"] =
            arg.kind == PlanKernelArgument::Kind::I32 ? "i32" : "i64";
        scalar["value"] = writeAffine(arg.value);
        args.push_back(std::move(scalar));
      }
      object["op"] = "launch";
      object["kernel"] = node.kernel;
      object["args"] = std::move(args);
      break;
    }
    case PlanNode::Op::Copy:
      object["op"] = "copy";
      object["to"] = writeAddress(node.to);
      object["from"] = writeAddress(node.from);
      object["bytes"] = node.bytes;
      break;
    case PlanNode::Op::Memset:
      object["op"] = "memset";
      object["to"] = writeAddress(node.to);
      object["bytes"] = node.bytes;
      object["value"] = node.value;
      break;
    case PlanNode::Op::Loop:
      object["op"] = "loop";
      object["trips"] = node.trips;
      object["body"] = writeNodes(node.body);
      break;
    }
    list.push_back(std::move(object));
  }
  return list;
}
} // namespace

std::string_view egg::toString(ElementType type) {
  for (const TypeFacts &facts : types)
    if (facts.type == type)
      return facts.text;
  return "";
}

std::optional<ElementType> egg::elementTypeFromString(std::string_view text) {
  for (const TypeFacts &facts : types)
    if (facts.text == text)
      return facts.type;
  return std::nullopt;
}

uint64_t egg::elementBytes(ElementType type) {
  for (const TypeFacts &facts : types)
    if (facts.type == type)
      return facts.bytes;
  return 0;
}

bool egg::isFloat(ElementType type) {
  return type == ElementType::F64 || type == ElementType::F32 ||
         type == ElementType::F16 || type == ElementType::BF16;
}

std::optional<int64_t> egg::elementCount(const std::vector<int64_t> &shape) {
  // A zero anywhere makes the tensor empty, even beside huge dimensions.
  bool empty = false;
  int64_t count = 1;
  bool overflow = false;
  for (int64_t dimension : shape) {
    if (dimension < 0)
      return std::nullopt;
    if (dimension == 0)
      empty = true;
    else
      overflow |= __builtin_mul_overflow(count, dimension, &count);
  }
  if (empty)
    return 0;
  if (overflow)
    return std::nullopt;
  return count;
}

std::optional<uint64_t> egg::tensorBytes(ElementType type,
                                         const std::vector<int64_t> &shape) {
  std::optional<int64_t> count = elementCount(shape);
  int64_t bytes;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t(elementBytes(type)), &bytes))
    return std::nullopt;
  return uint64_t(bytes);
}

std::string_view egg::toString(ResultClass resultClass) {
  for (const auto &[value, text] : classes)
    if (value == resultClass)
      return text;
  return "";
}

std::optional<ResultClass> egg::resultClassFromString(std::string_view text) {
  for (const auto &[value, spelling] : classes)
    if (spelling == text)
      return value;
  return std::nullopt;
}

LaunchPlan egg::readPlan(const JsonValue &value, const PlanLimits &limits) {
  JsonObject object(value);
  object.version(1);
  LaunchPlan plan;
  for (const JsonValue &element : object.list("arguments", limits.arguments)) {
    JsonObject entry(element);
    PlanArgument argument;
    argument.type = readType(entry.field("type"));
    argument.shape = readShape(entry.field("shape"));
    argument.buffer = readIndex(entry, "buffer");
    argument.align = uint64_t(entry.integer("align", 1, 1 << 20));
    entry.finish();
    plan.arguments.push_back(std::move(argument));
  }
  for (const JsonValue &element : object.list("results", limits.arguments)) {
    JsonObject entry(element);
    PlanResult result;
    result.type = readType(entry.field("type"));
    result.shape = readShape(entry.field("shape"));
    result.buffer = readIndex(entry, "buffer");
    result.resultClass = readEnum(entry.field("class"), classes);
    entry.finish();
    plan.results.push_back(std::move(result));
  }
  for (const JsonValue &element : object.list("buffers", limits.buffers)) {
    JsonObject entry(element);
    PlanBuffer buffer;
    buffer.kind = readEnum(entry.field("kind"), bufferKinds);
    buffer.bytes = readBytes(entry, "bytes");
    if (buffer.kind == PlanBuffer::Kind::Workspace)
      buffer.offset = readBytes(entry, "offset");
    if (buffer.kind == PlanBuffer::Kind::Constant)
      buffer.blob = readIndex(entry, "blob");
    entry.finish();
    plan.buffers.push_back(buffer);
  }
  plan.workspaceBytes = readBytes(object, "workspace_bytes");
  for (const JsonValue &element : object.list("kernels", limits.kernels))
    plan.kernels.push_back(readKernel(element));
  uint32_t count = 0;
  plan.nodes = readNodes(object.field("nodes"), limits, 0, count);
  object.finish();
  return plan;
}

Json egg::writePlan(const LaunchPlan &plan) {
  Json object;
  object["format"] = 1;
  object["arguments"] = Json::array();
  for (const PlanArgument &argument : plan.arguments)
    object["arguments"].push_back({{"type", toString(argument.type)},
                                   {"shape", argument.shape},
                                   {"buffer", argument.buffer},
                                   {"align", argument.align}});
  object["results"] = Json::array();
  for (const PlanResult &result : plan.results)
    object["results"].push_back({{"type", toString(result.type)},
                                 {"shape", result.shape},
                                 {"buffer", result.buffer},
                                 {"class", toString(result.resultClass)}});
  object["buffers"] = Json::array();
  for (const PlanBuffer &buffer : plan.buffers) {
    Json entry;
    entry["kind"] = spell(buffer.kind, bufferKinds);
    entry["bytes"] = buffer.bytes;
    if (buffer.kind == PlanBuffer::Kind::Workspace)
      entry["offset"] = buffer.offset;
    if (buffer.kind == PlanBuffer::Kind::Constant)
      entry["blob"] = buffer.blob;
    object["buffers"].push_back(std::move(entry));
  }
  object["workspace_bytes"] = plan.workspaceBytes;
  object["kernels"] = Json::array();
  for (const PlanKernel &kernel : plan.kernels)
    object["kernels"].push_back({{"symbol", kernel.symbol},
                                 {"module", kernel.module},
                                 {"grid", kernel.grid},
                                 {"block", kernel.block},
                                 {"cluster", kernel.cluster},
                                 {"shared_bytes", kernel.sharedBytes},
                                 {"flops", kernel.flops},
                                 {"bytes", kernel.bytes}});
  object["nodes"] = writeNodes(plan.nodes);
  return object;
}

Result<LaunchPlan> egg::planFromJson(std::string_view text,
                                     const PlanLimits &limits) {
  JsonLimits jsonLimits;
  jsonLimits.bytes = limits.jsonBytes;
  EGG_ASSIGN(Json json, parseJson(text, jsonLimits));
  return readJson([&] { return readPlan(JsonValue(json, "plan"), limits); });
}

std::string egg::planToJson(const LaunchPlan &plan) {
  return dumpJson(writePlan(plan));
}
