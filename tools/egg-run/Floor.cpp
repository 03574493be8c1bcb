//===- Floor.cpp - how fast a payload can be at best ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floor.h"

#include <algorithm>

using namespace egg;

/// Operations a second of contractions of a type; 0 when not known.
static double contractionRate(const DeviceSpec &device,
                              const std::string &type) {
  auto best = [&](InstructionClass plain, InstructionClass tensor,
                  double products) {
    return std::max(device.peakOps(plain), device.peakOps(tensor) / products);
  };
  if (type == "f64")
    return best(InstructionClass::F64, InstructionClass::F64Tensor, 1);
  if (type == "f32")
    return best(InstructionClass::F32, InstructionClass::TF32Tensor, 3);
  if (type == "f16")
    return best(InstructionClass::F16, InstructionClass::F16Tensor, 1);
  if (type == "bf16")
    return best(InstructionClass::BF16, InstructionClass::BF16Tensor, 1);
  if (type == "i8")
    return best(InstructionClass::I32, InstructionClass::I8Tensor, 1);
  return 0;
}

PayloadFloor egg::floorOf(const VerifyAnswer &facts, const LaunchPlan &plan,
                          const DeviceSpec &device) {
  PayloadFloor floor;
  for (int64_t number : facts.wholeArguments)
    if (uint64_t(number) < plan.arguments.size())
      floor.bytes += plan.buffers[plan.arguments[size_t(number)].buffer].bytes;
  // A buffer that two results share is written once.
  std::vector<uint32_t> written;
  for (const PlanResult &result : plan.results)
    if (plan.buffers[result.buffer].kind == PlanBuffer::Kind::Result &&
        std::find(written.begin(), written.end(), result.buffer) ==
            written.end()) {
      written.push_back(result.buffer);
      floor.bytes += plan.buffers[result.buffer].bytes;
    }
  double computing = 0;
  if (facts.contractions) {
    floor.flops = 0;
    for (const ContractionWork &work : *facts.contractions) {
      *floor.flops += work.flops;
      if (double rate = contractionRate(device, work.type); rate > 0)
        computing += work.flops / rate;
    }
  }
  double moving = device.memoryGBps > 0
                      ? double(floor.bytes) / (device.memoryGBps * 1e9)
                      : 0;
  floor.ms = 1e3 * std::max(computing, moving);
  return floor;
}
