//===- DeviceSpec.cpp - What a GPU can do, from a JSON file ---------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table says how each number is called in the file and what it may be.
//
//===----------------------------------------------------------------------===//

#include "egg/Device/DeviceSpec.h"

#include "EmbeddedDevices.h"
#include "egg/Support/File.h"
#include "egg/Support/Json.h"

#include <algorithm>
#include <cctype>
#include <cmath>

using namespace egg;

namespace {
constexpr uint64_t maxFileBytes = 1 << 20;
/// LLVM 22 knows PTX up to 9.0, and so does ptxas 13.0.
constexpr int oldestPtx = 70, newestPtx = 90;

constexpr std::pair<InstructionClass, std::string_view> classes[] = {
    {InstructionClass::F64, "f64"},
    {InstructionClass::F32, "f32"},
    {InstructionClass::F16, "f16"},
    {InstructionClass::BF16, "bf16"},
    {InstructionClass::I32, "i32"},
    {InstructionClass::F64Tensor, "f64_tensor"},
    {InstructionClass::TF32Tensor, "tf32_tensor"},
    {InstructionClass::F16Tensor, "f16_tensor"},
    {InstructionClass::BF16Tensor, "bf16_tensor"},
    {InstructionClass::F8Tensor, "f8_tensor"},
    {InstructionClass::I8Tensor, "i8_tensor"},
};
static_assert(std::size(classes) == instructionClassCount);

/// The integers of the file, in its order, and their least and greatest values.
struct Small {
  const char *name;
  int DeviceSpec::*member;
  int64_t least, most;
};
struct Large {
  const char *name;
  int64_t DeviceSpec::*member;
  int64_t least, most;
};
constexpr Small smalls[] = {
    {"multiprocessors", &DeviceSpec::multiprocessors, 1, 4096},
    {"clock_mhz", &DeviceSpec::clockMhz, 1, 100000},
    {"registers_per_multiprocessor", &DeviceSpec::registersPerMultiprocessor,
     1024, 1 << 24},
    {"registers_per_thread", &DeviceSpec::registersPerThread, 16, 65536},
    {"threads_per_block", &DeviceSpec::threadsPerBlock, 32, 65536},
    {"threads_per_multiprocessor", &DeviceSpec::threadsPerMultiprocessor, 32,
     65536},
    {"blocks_per_multiprocessor", &DeviceSpec::blocksPerMultiprocessor, 1,
     4096},
    {"warp_size", &DeviceSpec::warpSize, 32, 32},
    {"cluster_blocks", &DeviceSpec::clusterBlocks, 1, 16},
};
constexpr Large larges[] = {
    {"shared_bytes_per_multiprocessor",
     &DeviceSpec::sharedBytesPerMultiprocessor, 16384, 1 << 30},
    {"shared_bytes_per_block", &DeviceSpec::sharedBytesPerBlock, 16384,
     1 << 30},
    {"shared_bytes_reserved", &DeviceSpec::sharedBytesReserved, 0, 65536},
    {"l2_bytes", &DeviceSpec::l2Bytes, 1 << 16, int64_t(1) << 40},
    {"memory_bytes", &DeviceSpec::memoryBytes, 1 << 20, int64_t(1) << 50},
};

bool isChip(const std::string &chip) {
  size_t digits = 0;
  if (chip.compare(0, 3, "sm_") != 0)
    return false;
  while (3 + digits < chip.size() &&
         std::isdigit((unsigned char)chip[3 + digits]))
    ++digits;
  std::string rest = chip.substr(3 + digits);
  return digits >= 2 && digits <= 3 &&
         (rest.empty() || rest == "a" || rest == "f");
}

int chipNumber(const std::string &chip) {
  int number = 0;
  for (char c : chip.substr(std::min<size_t>(3, chip.size())))
    if (std::isdigit((unsigned char)c))
      number = number * 10 + (c - '0');
  return number;
}

DeviceSpec readDevice(const Json &json) {
  JsonObject object(json, "device");
  object.version(1);
  DeviceSpec spec;
  spec.name = object.string("name", 256);
  spec.id = object.string("id", 64);
  for (const JsonValue &value : object.list("driver_names", 64))
    spec.driverNames.push_back(value.string(256));
  JsonValue chip = object.field("chip");
  spec.chip = chip.string(16);
  if (!isChip(spec.chip))
    chip.fail("'" + spec.chip + "' is not spelt like sm_80 or sm_90a");
  spec.ptxVersion = int(object.integer("ptx_version", oldestPtx, newestPtx));
  for (const Small &field : smalls)
    spec.*field.member =
        int(object.integer(field.name, field.least, field.most));
  for (const Large &field : larges)
    spec.*field.member = object.integer(field.name, field.least, field.most);
  spec.memoryGBps = object.number("memory_gbps", 1, 1e6);
  JsonObject rates = object.object("ops_per_clock");
  for (const auto &[kind, name] : classes)
    spec.opsPerClock[size_t(kind)] = rates.number(name, 0, 1e7);
  rates.finish();

  // A source for each number, and for nothing else.
  JsonObject sources = object.object("sources");
  auto readSource = [&](const std::string &name) {
    spec.sources.emplace_back(name, sources.string(name, 1024));
    if (spec.sources.back().second.empty())
      sources.fail("the source of '" + name + "' is empty");
  };
  readSource("ptx_version");
  for (const Small &field : smalls)
    readSource(field.name);
  for (const Large &field : larges)
    readSource(field.name);
  readSource("memory_gbps");
  readSource("ops_per_clock");
  sources.finish();
  object.finish();

  auto verify = [&](bool holds, const std::string &message) {
    if (!holds)
      object.fail(message, ErrorKind::Verify);
  };
  verify(spec.sharedBytesPerBlock + spec.sharedBytesReserved <=
             spec.sharedBytesPerMultiprocessor,
         "a block's " + std::to_string(spec.sharedBytesPerBlock) + " and " +
             std::to_string(spec.sharedBytesReserved) +
             " reserved bytes of shared memory are more than the "
             "multiprocessor's " +
             std::to_string(spec.sharedBytesPerMultiprocessor));
  verify(spec.threadsPerBlock <= spec.threadsPerMultiprocessor,
         "a block's " + std::to_string(spec.threadsPerBlock) +
             " threads are more than the multiprocessor's " +
             std::to_string(spec.threadsPerMultiprocessor));
  verify(spec.threadsPerMultiprocessor % spec.warpSize == 0,
         "the multiprocessor's " +
             std::to_string(spec.threadsPerMultiprocessor) +
             " threads are no whole number of warps");
  verify(spec.opsPerClock[size_t(InstructionClass::F32)] > 0,
         "the device has no f32 instructions");
  return spec;
}

std::string lower(std::string text) {
  for (char &c : text)
    c = char(std::tolower((unsigned char)c));
  return text;
}
} // namespace

std::string_view egg::toString(InstructionClass instructionClass) {
  for (const auto &[kind, name] : classes)
    if (kind == instructionClass)
      return name;
  return "";
}

std::optional<InstructionClass>
egg::instructionClassFromString(std::string_view text) {
  for (const auto &[kind, name] : classes)
    if (name == text)
      return kind;
  return std::nullopt;
}

const std::vector<InstructionClass> &egg::allInstructionClasses() {
  static const std::vector<InstructionClass> list = [] {
    std::vector<InstructionClass> made;
    for (const auto &[kind, name] : classes)
      made.push_back(kind);
    return made;
  }();
  return list;
}

double DeviceSpec::peakOps(InstructionClass instructionClass) const {
  return opsPerClock[size_t(instructionClass)] * multiprocessors *
         (clockMhz * 1e6);
}

int DeviceSpec::major() const { return chipNumber(chip) / 10; }
int DeviceSpec::minor() const { return chipNumber(chip) % 10; }

std::string DeviceSpec::ptxFeature() const {
  return "+ptx" + std::to_string(ptxVersion);
}

Result<DeviceSpec> egg::deviceFromJson(std::string_view text) {
  JsonLimits limits;
  limits.bytes = maxFileBytes;
  limits.depth = 8;
  EGG_ASSIGN(Json json, parseJson(text, limits));
  return readJson([&] { return readDevice(json); });
}

std::string egg::deviceToJson(const DeviceSpec &spec, int indent) {
  Json object;
  object["format"] = 1;
  object["name"] = spec.name;
  object["id"] = spec.id;
  object["driver_names"] = spec.driverNames;
  object["chip"] = spec.chip;
  object["ptx_version"] = spec.ptxVersion;
  for (const Small &field : smalls)
    object[field.name] = spec.*field.member;
  for (const Large &field : larges)
    object[field.name] = spec.*field.member;
  object["memory_gbps"] = spec.memoryGBps;
  for (const auto &[kind, name] : classes)
    object["ops_per_clock"][std::string(name)] = spec.opsPerClock[size_t(kind)];
  object["sources"] = Json::object();
  for (const auto &[name, source] : spec.sources)
    object["sources"][name] = source;
  return dumpJson(object, indent);
}

const std::vector<DeviceSpec> &egg::knownDevices() {
  static const std::vector<DeviceSpec> list = [] {
    std::vector<DeviceSpec> made;
    for (const char *text : embeddedDevices())
      // A test reads each of them, so that none can be missing here.
      if (Result<DeviceSpec> spec = deviceFromJson(text))
        made.push_back(spec.take());
    return made;
  }();
  return list;
}

Result<DeviceSpec> egg::findDevice(const std::string &nameOrPath) {
  std::string wanted = lower(nameOrPath), known;
  for (const DeviceSpec &spec : knownDevices()) {
    bool hit = wanted == lower(spec.id) || wanted == lower(spec.name) ||
               wanted == lower(spec.id.substr(spec.id.rfind('_') + 1));
    for (const std::string &name : spec.driverNames)
      hit |= wanted == lower(name);
    if (hit)
      return spec;
    known += (known.empty() ? "" : ", ") + spec.id;
  }
  bool isPath =
      nameOrPath.find('/') != std::string::npos ||
      (wanted.size() > 5 && wanted.compare(wanted.size() - 5, 5, ".json") == 0);
  if (!isPath)
    return Error(ErrorKind::Parse,
                 "the device '" + nameOrPath + "' is not known; " + known +
                     " are, or give the path of a description "
                     "(./my_device.json)");
  EGG_ASSIGN(std::string text, readFile(nameOrPath, maxFileBytes));
  Result<DeviceSpec> spec = deviceFromJson(text);
  if (!spec)
    return spec.error().withContext(nameOrPath);
  return spec;
}
