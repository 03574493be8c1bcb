//===- WorkerFixture.h - a worker on the fake driver ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TEST_UNIT_EVAL_WORKERFIXTURE_H
#define EGG_TEST_UNIT_EVAL_WORKERFIXTURE_H

#include "egg/Eval/Protocol.h"
#include "egg/Runtime/Artifact.h"
#include "egg/Support/Subprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace egg::eval::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// One kernel that takes the arguments' and results' pointers, a workspace if
/// there is one, then `extents`.
struct Program {
  std::string symbol;
  ElementType in = ElementType::F32, out = ElementType::F32;
  std::vector<int64_t> inShape = {8, 16}, outShape = {8, 16};
  ResultClass resultClass = ResultClass::Exact;
  std::vector<int64_t> extents = {128};
  unsigned inputs = 1, outputs = 1;
  uint64_t workspaceBytes = 0;
  bool inPlace = false;
  std::string chip = "sm_90";
  uint64_t flops = 0, bytes = 0;
};

inline std::string artifactOf(const Program &p) {
  Artifact artifact;
  artifact.chip = p.chip;
  artifact.toolchain = {"0.1.0", "22.1.8", "13.0.88", std::string(64, '0')};
  LaunchPlan &plan = artifact.plan;
  PlanKernel kernel;
  kernel.symbol = p.symbol;
  kernel.flops = p.flops;
  kernel.bytes = p.bytes;
  plan.kernels = {kernel};
  PlanNode node;
  std::string sizes;
  auto address = [&](PlanBuffer::Kind kind, uint64_t bytes) {
    PlanBuffer buffer;
    buffer.kind = kind;
    buffer.bytes = bytes;
    plan.buffers.push_back(buffer);
    PlanKernelArgument argument;
    argument.kind = PlanKernelArgument::Kind::Address;
    argument.address.buffer = uint32_t(plan.buffers.size() - 1);
    node.args.push_back(argument);
    sizes += "8,";
    return argument.address.buffer;
  };
  uint64_t inBytes = *tensorBytes(p.in, p.inShape);
  for (unsigned i = 0; i < p.inputs; ++i) {
    PlanArgument argument;
    argument.type = p.in;
    argument.shape = p.inShape;
    argument.align = elementBytes(p.in);
    argument.buffer = address(PlanBuffer::Kind::Argument, inBytes);
    plan.arguments.push_back(argument);
  }
  for (unsigned i = 0; i < p.outputs; ++i) {
    PlanResult result;
    result.type = p.out;
    result.shape = p.outShape;
    result.resultClass = p.resultClass;
    if (!p.inPlace)
      result.buffer =
          address(PlanBuffer::Kind::Result, *tensorBytes(p.out, p.outShape));
    plan.results.push_back(result);
  }
  if (p.workspaceBytes) {
    address(PlanBuffer::Kind::Workspace, p.workspaceBytes);
    plan.workspaceBytes = p.workspaceBytes;
  }
  for (int64_t extent : p.extents) {
    PlanKernelArgument argument;
    argument.kind = PlanKernelArgument::Kind::I64;
    argument.value.base = extent;
    node.args.push_back(argument);
    sizes += "8,";
  }
  sizes.pop_back();
  plan.nodes = {node};
  artifact.cubins = {"EGGFAKECUBIN\nkernel " + p.symbol + " params=" + sizes +
                     "\n"};
  Result<std::string> packed = packArtifact(artifact);
  EXPECT_TRUE(packed) << packed.error().str();
  return packed ? *packed : "";
}

/// The payloads of test/lib/eval-kernels.
inline Program copyOf(const std::string &symbol) { return {symbol}; }
inline Program copyGolden(const std::string &symbol = "copy_golden") {
  Program p = {symbol};
  p.out = ElementType::F64;
  return p;
}
inline Program gaussOf(const std::string &symbol) {
  Program p = {symbol};
  p.resultClass = ResultClass::Elementwise;
  if (symbol == "gauss_golden")
    p.out = ElementType::F64;
  return p;
}
inline Program rowSumOf(const std::string &symbol, bool golden = false) {
  Program p = {symbol};
  p.outShape = {8};
  p.extents = {8, 16};
  p.resultClass = ResultClass::Accumulation;
  if (golden)
    p.out = ElementType::F64;
  return p;
}
inline Program pairOf(const std::string &symbol) {
  Program p = {symbol};
  p.inputs = 2;
  p.resultClass = ResultClass::Elementwise;
  if (symbol == "pair_golden")
    p.out = ElementType::F64;
  return p;
}
inline Program twinOf(const std::string &symbol) {
  Program p = {symbol};
  p.outputs = 2;
  if (symbol == "twin_golden")
    p.out = ElementType::F64;
  return p;
}
inline Program squareOf(const std::string &symbol, ElementType type) {
  Program p = {symbol};
  p.in = type;
  p.out = symbol.find("golden") == std::string::npos ? type : ElementType::F64;
  p.resultClass = ResultClass::Elementwise;
  return p;
}
inline Program incrementOf(const std::string &symbol) {
  Program p = {symbol};
  p.in = p.out = ElementType::I32;
  return p;
}

inline Request checkOf(const Program &candidate, const Program &golden,
                       GateLevel gate = GateLevel::Pool) {
  Request request;
  request.kind = RequestKind::Check;
  request.candidate = artifactOf(candidate);
  request.golden = artifactOf(golden);
  request.gate = gate;
  request.distributions =
      gate == GateLevel::Whole ? wholeDistributions() : poolDistributions();
  request.deadlineSeconds = 30;
  return request;
}

inline Request timeOf(const Program &candidate, const Program &golden) {
  Request request = checkOf(candidate, golden);
  request.kind = RequestKind::Time;
  request.flush = false;
  request.minMs = 0;
  request.minSamples = 5;
  return request;
}

/// A worker process on the fake driver.
class Worker {
public:
  explicit Worker(const Environment &extra = {}) {
    ProcessOptions options;
    options.arguments = {EGG_EVAL_WORKER};
    options.environment = {{"EGG_CUDA_DRIVER", EGG_FAKE_CUDA},
                           {"EGG_FAKE_KERNELS", EGG_FAKE_KERNELS_LIBRARY}};
    for (const auto &[name, value] : extra) {
      auto same = [&name = name](const auto &entry) {
        return entry.first == name;
      };
      auto old = std::find_if(options.environment.begin(),
                              options.environment.end(), same);
      if (old == options.environment.end())
        options.environment.emplace_back(name, value);
      else
        old->second = value;
    }
    Result<Child> started = Child::start(options);
    EXPECT_TRUE(started) << started.error().str();
    if (started)
      child = std::make_unique<Child>(started.take());
  }

  Result<Frame> ask(const Request &request, double deadline = 60) {
    return child->ask(encodeRequest(request, makeNonce()), deadline);
  }
  Result<Frame> askRaw(Frame frame) {
    frame.nonce = makeNonce();
    return child->ask(std::move(frame), 60);
  }
  Result<CheckAnswer> check(const Request &request) {
    EGG_ASSIGN(Frame frame, ask(request));
    return decodeCheck(frame);
  }
  Result<TimeAnswer> time(const Request &request) {
    EGG_ASSIGN(Frame frame, ask(request));
    return decodeTime(frame);
  }
  /// The error of a request that must fail.
  Error errorOf(const Request &request) {
    Result<Frame> frame = ask(request);
    if (!frame)
      return frame.error();
    Status done = decodeDone(*frame);
    EXPECT_FALSE(done) << frame->header;
    return done ? Error(ErrorKind::Internal, "no error") : done.error();
  }
  /// Closes its input and waits.
  ProcessEnd finish() { return child->finish(10); }

private:
  std::unique_ptr<Child> child;
};

} // namespace egg::eval::test

#endif // EGG_TEST_UNIT_EVAL_WORKERFIXTURE_H
