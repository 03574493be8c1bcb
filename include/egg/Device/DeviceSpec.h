//===- DeviceSpec.h - What a GPU can do, from a JSON file -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of each GPU, read by the lowering, the cost model, the
// roofline and the prompts. Every number in the file has its source beside it.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DEVICE_DEVICESPEC_H
#define EGG_DEVICE_DEVICESPEC_H

#include "egg/Support/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egg {

/// What executes an operation; a fused multiply-add counts as two.
enum class InstructionClass {
  F64,
  F32,
  F16,
  BF16,
  I32,
  F64Tensor,
  TF32Tensor,
  F16Tensor,
  BF16Tensor,
  F8Tensor,
  I8Tensor,
};
constexpr size_t instructionClassCount = 11;

/// The spelling in the file: `f32`, `tf32_tensor`, ...
std::string_view toString(InstructionClass instructionClass);
std::optional<InstructionClass>
instructionClassFromString(std::string_view text);
const std::vector<InstructionClass> &allInstructionClasses();

/// One GPU. Sizes are bytes.
struct DeviceSpec {
  /// For example `NVIDIA H200 SXM`.
  std::string name;
  /// The file's name without `.json`, for example `sm_90a_h200`.
  std::string id;
  /// The names that the driver gives to such devices.
  std::vector<std::string> driverNames;
  /// For LLVM and ptxas, for example `sm_90a`.
  std::string chip;
  /// The PTX version to write, 10 times major plus minor: 86 is PTX 8.6. Always
  /// stated to LLVM: its default for some chips ends the process.
  int ptxVersion = 0;

  int multiprocessors = 0;
  /// The highest clock of the multiprocessors in MHz.
  int clockMhz = 0;
  int64_t sharedBytesPerMultiprocessor = 0;
  /// The most that one block may have, static and dynamic.
  int64_t sharedBytesPerBlock = 0;
  /// What the driver takes from the multiprocessor's for each block.
  int64_t sharedBytesReserved = 0;
  int registersPerMultiprocessor = 0;
  int registersPerThread = 0;
  int threadsPerBlock = 0;
  int threadsPerMultiprocessor = 0;
  int blocksPerMultiprocessor = 0;
  int warpSize = 0;
  /// The most blocks of a portable cluster; 1 is no clusters.
  int clusterBlocks = 0;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  /// Of the memory, from the data sheet, in 10^9 bytes a second.
  double memoryGBps = 0;
  /// Operations a clock and multiprocessor; 0 where there are no such
  /// instructions.
  std::array<double, instructionClassCount> opsPerClock = {};

  /// For each number above, by its name in the file, where it is from.
  std::vector<std::pair<std::string, std::string>> sources;

  /// Operations a second of the whole device at its highest clock.
  double peakOps(InstructionClass instructionClass) const;
  /// Compute capability, from the chip: 9 and 0 for `sm_90a`.
  int major() const;
  int minor() const;
  /// `ptxVersion` as LLVM's feature: `+ptx86`.
  std::string ptxFeature() const;
};

/// Reads a description strictly: every field and a source for every number must
/// be there, and the numbers must fit each other. Fails with `parse`, `verify`,
/// `limit` or `unsupported`.
Result<DeviceSpec> deviceFromJson(std::string_view text);

/// The JSON; reading it gives the same description.
std::string deviceToJson(const DeviceSpec &spec, int indent = -1);

/// The devices that are built in.
const std::vector<DeviceSpec> &knownDevices();

/// A built-in device by its id, its name, a driver's name or the last part of
/// its id (`h200`), whatever the case; else, if `nameOrPath` holds a slash or
/// ends in `.json`, the description in that file. Fails with `parse` and the
/// names that are known.
Result<DeviceSpec> findDevice(const std::string &nameOrPath);

} // namespace egg

#endif // EGG_DEVICE_DEVICESPEC_H
