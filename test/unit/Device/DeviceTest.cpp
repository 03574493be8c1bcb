//===- DeviceTest.cpp - Tests of device descriptions and the roofline -----===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of the files are held against the data sheets' peaks.
//
//===----------------------------------------------------------------------===//

#include "egg/Device/DeviceSpec.h"
#include "egg/Device/Roofline.h"
#include "egg/Support/File.h"
#include "egg/Support/Json.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>

using namespace egg;

namespace {
std::string folder() {
  const char *source = std::getenv("EGG_SOURCE_DIR");
  return std::string(source ? source : EGG_SOURCE_DIR) + "/lib/Device/devices";
}

DeviceSpec h200() { return findDevice("h200").take(); }

std::string editError(const std::string &field, const Json &value) {
  Json json = *parseJson(deviceToJson(h200()));
  if (value.is_null())
    json.erase(field);
  else
    json[field] = value;
  auto spec = deviceFromJson(dumpJson(json));
  return spec ? "" : spec.error().str();
}
} // namespace

TEST(Device, KnowsEveryFile) {
  std::set<std::string> files, known;
  for (const auto &entry : std::filesystem::directory_iterator(folder())) {
    auto text = readFile(entry.path().string(), 1 << 20);
    auto spec = deviceFromJson(*text);
    ASSERT_TRUE(spec.ok()) << entry.path() << spec.error().str();
    EXPECT_EQ(spec->id, entry.path().stem().string());
    files.insert(spec->id);
  }
  for (const DeviceSpec &spec : knownDevices())
    known.insert(spec.id);
  EXPECT_EQ(files, known);
  EXPECT_EQ(known,
            (std::set<std::string>{"sm_80_a100", "sm_89_l40s", "sm_90a_h100",
                                   "sm_90a_h200", "sm_100a_b200"}));
}

TEST(Device, RoundTrips) {
  for (const DeviceSpec &spec : knownDevices()) {
    std::string text = deviceToJson(spec);
    auto read = deviceFromJson(text);
    ASSERT_TRUE(read.ok()) << read.error().str();
    EXPECT_EQ(deviceToJson(*read), text);
  }
}

TEST(Device, AgreesWithTheDataSheets) {
  // Dense peaks in 10^12 operations a second; the tensor figures of the H100
  // are quoted at 1830 MHz, so the peak at its highest clock is above them.
  struct Sheet {
    const char *device;
    InstructionClass kind;
    double tera, tolerance;
  };
  const Sheet sheets[] = {
      {"a100", InstructionClass::F64, 9.7, 0.01},
      {"a100", InstructionClass::F32, 19.5, 0.01},
      {"a100", InstructionClass::TF32Tensor, 156, 0.01},
      {"a100", InstructionClass::F16Tensor, 312, 0.01},
      {"a100", InstructionClass::I8Tensor, 624, 0.01},
      {"l40s", InstructionClass::F32, 91.6, 0.01},
      {"l40s", InstructionClass::F16Tensor, 362, 0.02},
      {"h100", InstructionClass::F32, 66.9, 0.01},
      {"h100", InstructionClass::F64, 33.5, 0.01},
      {"h100", InstructionClass::F16Tensor, 989.4 * 1980 / 1830, 0.01},
      {"h200", InstructionClass::F8Tensor, 1978.9 * 1980 / 1830, 0.01},
      {"b200", InstructionClass::BF16Tensor, 2250, 0.07},
      {"b200", InstructionClass::F32, 75, 0.01},
  };
  for (const Sheet &sheet : sheets) {
    DeviceSpec spec = findDevice(sheet.device).take();
    EXPECT_NEAR(spec.peakOps(sheet.kind) / 1e12, sheet.tera,
                sheet.tera * sheet.tolerance)
        << sheet.device << " " << toString(sheet.kind);
  }
}

TEST(Device, IsFoundByManyNames) {
  for (const char *name :
       {"h200", "H200", "sm_90a_h200", "NVIDIA H200", "nvidia h200 sxm 141gb"})
    EXPECT_EQ(findDevice(name)->id, "sm_90a_h200") << name;
  EXPECT_EQ(findDevice("NVIDIA A100-SXM4-80GB")->chip, "sm_80");
  auto missing = findDevice("h300");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("sm_100a_b200"), std::string::npos);
  EXPECT_FALSE(findDevice("").ok());
  EXPECT_FALSE(findDevice("sm_90a").ok()) << "names two devices";
}

TEST(Device, IsReadFromAFile) {
  auto temporary = TempDir::create();
  DeviceSpec own = h200();
  own.id = "own";
  std::string path = temporary->path() + "/own.json";
  ASSERT_TRUE(writeFileAtomically(path, deviceToJson(own, 2)).ok());
  EXPECT_EQ(findDevice(path)->id, "own");
  ASSERT_TRUE(writeFileAtomically(path, "{}").ok());
  auto broken = findDevice(path);
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find(path), std::string::npos);
  EXPECT_FALSE(findDevice("./nothing.json").ok());
}

TEST(Device, RefusesOddFiles) {
  EXPECT_EQ(editError("multiprocessors", 0),
            "parse: device.multiprocessors: 0 is out of range: 1 to 4096");
  EXPECT_EQ(editError("multiprocessors", nullptr),
            "parse: device: the field 'multiprocessors' is missing");
  EXPECT_NE(editError("ptx_version", 91), "");
  EXPECT_NE(editError("extra", 1), "");
  EXPECT_NE(editError("memory_gbps", -1), "");
  EXPECT_EQ(editError("chip", "sm_90b"),
            "parse: device.chip: 'sm_90b' is not spelt like sm_80 or sm_90a");
  EXPECT_NE(editError("chip", "sm_"), "");
  EXPECT_NE(editError("chip", "sm_90aa"), "");
  EXPECT_EQ(editError("shared_bytes_per_block", 233472).substr(0, 7),
            "verify:");
  EXPECT_EQ(editError("threads_per_block", 4096).substr(0, 7), "verify:");
  EXPECT_NE(editError("format", 2), "");
  // A number without a source.
  Json json = *parseJson(deviceToJson(h200()));
  json["sources"].erase("l2_bytes");
  EXPECT_FALSE(deviceFromJson(dumpJson(json)).ok());
  json["sources"]["l2_bytes"] = "";
  EXPECT_FALSE(deviceFromJson(dumpJson(json)).ok());
}

TEST(Device, KnowsItsChip) {
  DeviceSpec spec = h200();
  EXPECT_EQ(spec.major(), 9);
  EXPECT_EQ(spec.minor(), 0);
  EXPECT_EQ(spec.ptxFeature(), "+ptx86");
  spec = findDevice("b200").take();
  EXPECT_EQ(spec.major(), 10);
  spec = findDevice("l40s").take();
  EXPECT_EQ(spec.minor(), 9);
  for (InstructionClass kind : allInstructionClasses())
    EXPECT_EQ(instructionClassFromString(toString(kind)), kind);
  EXPECT_EQ(allInstructionClasses().size(), instructionClassCount);
}

TEST(Roofline, TakesTheSlowerSide) {
  DeviceSpec spec = h200();
  // 4.8e9 bytes at 4800 GB/s are 1 ms.
  auto memory = roofline(spec, {1e6, InstructionClass::F32, 4.8e9});
  ASSERT_TRUE(memory.ok());
  EXPECT_DOUBLE_EQ(memory->floorMs, 1.0);
  EXPECT_EQ(memory->bound, RooflineBound::Memory);
  // A product of 8192^3 in f16 on tensor cores.
  auto compute = roofline(
      spec, {2.0 * 8192 * 8192 * 8192, InstructionClass::F16Tensor, 4e8});
  EXPECT_EQ(compute->bound, RooflineBound::Compute);
  EXPECT_NEAR(compute->floorMs, 1.0271, 1e-3);
  // A measured bandwidth instead of the data sheet's.
  EXPECT_DOUBLE_EQ(
      roofline(spec, {0, InstructionClass::F32, 4.8e9}, 2400)->floorMs, 2.0);
  EXPECT_DOUBLE_EQ(roofline(spec, {})->floorMs, 0.0);
}

TEST(Roofline, RefusesWhatMakesNoSense) {
  DeviceSpec spec = findDevice("l40s").take();
  EXPECT_EQ(roofline(spec, {1, InstructionClass::F64Tensor, 0}).error().kind,
            ErrorKind::Unsupported);
  EXPECT_TRUE(roofline(spec, {0, InstructionClass::F64Tensor, 1}).ok());
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(roofline(spec, {infinity, InstructionClass::F32, 0}).ok());
  EXPECT_FALSE(roofline(spec, {0, InstructionClass::F32, -1}).ok());
  EXPECT_FALSE(roofline(spec, {0, InstructionClass::F32, 0}, infinity).ok());
}
