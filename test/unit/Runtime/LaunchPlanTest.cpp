//===- LaunchPlanTest.cpp - Tests of the launch plan ----------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its JSON, its checks at the extremes, its unrolling.
//
//===----------------------------------------------------------------------===//

#include "TestPlans.h"

#include "gtest/gtest.h"

using namespace egg;

namespace {
std::string verifyError(const LaunchPlan &plan) {
  Status status = verifyPlan(plan, 1, {16});
  return status ? "" : status.error().message;
}

/// A plan with a result and a workspace of 1000 bytes each, and `nodes`.
LaunchPlan memoryPlan(std::vector<PlanNode> nodes) {
  LaunchPlan plan;
  plan.results = {{ElementType::I8, {1000}, 0, ResultClass::Exact}};
  plan.buffers = {{PlanBuffer::Kind::Result, 1000},
                  {PlanBuffer::Kind::Workspace, 1000, 0}};
  plan.workspaceBytes = 1000;
  plan.nodes = std::move(nodes);
  return plan;
}

PlanNode memset(uint32_t buffer, int64_t base, std::vector<int64_t> steps,
                uint64_t bytes) {
  PlanNode node;
  node.op = PlanNode::Op::Memset;
  node.to = at(buffer, base, std::move(steps));
  node.bytes = bytes;
  return node;
}

PlanNode loop(int64_t trips, std::vector<PlanNode> body) {
  PlanNode node;
  node.op = PlanNode::Op::Loop;
  node.trips = trips;
  node.body = std::move(body);
  return node;
}

/// The JSON of addPlan with one text replaced.
std::string edited(const std::string &from, const std::string &to) {
  std::string text = planToJson(addPlan());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string readError(const std::string &text) {
  auto plan = planFromJson(text);
  return plan ? "" : plan.error().message;
}
} // namespace

TEST(LaunchPlan, RoundTripsThroughJson) {
  LaunchPlan plan = addPlan();
  plan.nodes.push_back(
      loop(3, {memset(3, 8, {16}, 4), loop(0, {memset(2, 0, {1, -2}, 1)})}));
  plan.nodes[1].args.push_back(scalar(PlanKernelArgument::Kind::I32, -5, {7}));
  std::string text = planToJson(plan);
  auto read = planFromJson(text);
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_EQ(planToJson(*read), text);
  EXPECT_EQ(read->nodes[2].body[1].body[0].to.offset.steps,
            (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(verifyError(addPlan()), "");
}

TEST(LaunchPlan, ReadsTheDocumentedText) {
  auto plan = planFromJson(R"({"format": 1,
    "arguments": [{"type": "f32", "shape": [4096, 1024], "buffer": 0, "align": 4}],
    "results":   [{"type": "f32", "shape": [4096], "buffer": 1, "class": "accumulation"}],
    "buffers": [{"kind": "argument",  "bytes": 16777216},
                {"kind": "result",    "bytes": 16384},
                {"kind": "workspace", "bytes": 65536, "offset": 0},
                {"kind": "constant",  "bytes": 64, "blob": 0}],
    "workspace_bytes": 65536,
    "kernels": [{"symbol": "main_sum_0", "module": 0, "grid": [128, 1, 1], "block": [256, 1, 1],
                 "cluster": [1, 1, 1], "shared_bytes": 0, "flops": 0, "bytes": 0}],
    "nodes": [{"op": "launch", "kernel": 0,
               "args": [{"buffer": 0, "offset": {"base": 0, "steps": []}},
                        {"scalar": "i64", "value": {"base": 7, "steps": []}}]},
              {"op": "copy", "to": {"buffer": 1, "offset": {"base": 0, "steps": []}},
               "from": {"buffer": 2, "offset": {"base": 64, "steps": []}}, "bytes": 64},
              {"op": "memset", "to": {"buffer": 2, "offset": {"base": 0, "steps": []}}, "bytes": 64, "value": 0},
              {"op": "loop", "trips": 10, "body": []}]})");
  ASSERT_TRUE(plan.ok()) << plan.error().str();
  EXPECT_TRUE(verifyPlan(*plan, 1, {64}).ok());
}

TEST(LaunchPlan, RefusesOddJson) {
  EXPECT_EQ(readError(edited("\"align\":4", "\"align\":0")),
            "plan.arguments[0].align: 0 is out of range: 1 to 1048576");
  EXPECT_EQ(readError(edited("\"f32\"", "\"f31\"")),
            "plan.arguments[0].type: 'f31' is no element type");
  EXPECT_EQ(readError(edited("[256]", "[-256]")),
            "plan.arguments[0].shape[0]: -256 is out of range: 0 to "
            "9223372036854775807");
  EXPECT_EQ(readError(edited("\"format\":1", "\"format\":2")),
            "plan.format: 2 is not known here; only 1 is. A newer egg may "
            "have written it");
  EXPECT_EQ(readError(edited("\"launch\"", "\"lunch\"")),
            "plan.nodes[1].op: 'lunch' is not known here; one of launch, "
            "copy, memset, loop is");
  EXPECT_EQ(readError(edited("\"kind\":\"result\"",
                             "\"kind\":\"result\",\"offset\":0")),
            "plan.buffers[2]: the field 'offset' is not known here");
  EXPECT_EQ(readError(edited("\"grid\":[1,1,1]", "\"grid\":[1,1]")),
            "plan.kernels[0].grid: must hold 3 extents, not 2");
  EXPECT_EQ(readError(edited("\"grid\":[1,1,1]", "\"grid\":[1,1,0]")),
            "plan.kernels[0].grid[2]: 0 is out of range: 1 to 2147483647");
  EXPECT_NE(readError("{}"), "");
  EXPECT_NE(readError(""), "");
}

TEST(LaunchPlan, LimitsNesting) {
  LaunchPlan plan;
  std::vector<PlanNode> nodes;
  for (int depth = 0; depth < 9; ++depth)
    nodes = {loop(1, std::move(nodes))};
  plan.nodes = nodes;
  EXPECT_NE(verifyError(plan).find("loops in each other"), std::string::npos);
  auto read = planFromJson(planToJson(plan));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::Limit);
}

TEST(LaunchPlan, ChecksTheInterface) {
  auto broken = [](auto &&change) {
    LaunchPlan plan = addPlan();
    change(plan);
    return verifyError(plan);
  };
  EXPECT_EQ(broken([](LaunchPlan &p) { p.arguments[0].buffer = 9; }),
            "launch plan: argument 0 lies in buffer 9 of 5");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.arguments[1].buffer = 0; }),
            "launch plan: argument 1 shares buffer 0 with argument 0");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.arguments[0].shape = {257}; }),
            "launch plan: argument 0 has 1028 bytes, its buffer 1024");
  EXPECT_EQ(broken([](LaunchPlan &p) {
              p.arguments[0].shape = {INT64_MAX, INT64_MAX};
            }),
            "launch plan: argument 0 has a shape whose size overflows");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.arguments[0].align = 6; }),
            "launch plan: argument 0 has an alignment of 6, which is no power "
            "of two");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.results[0].buffer = 3; }),
            "launch plan: result 0 lies in a buffer of another kind");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.results.push_back(p.results[0]); }),
            "launch plan: result 1 shares buffer 2 with another result");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.results.clear(); }),
            "launch plan: buffer 2 is neither an argument nor a result");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.buffers[3].offset = 512; }),
            "launch plan: buffer 3 ends at byte 1536 of a workspace of 1280");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.buffers[3].offset = 8; }),
            "launch plan: buffer 3 lies at offset 8 of the workspace, which "
            "is no multiple of 256");
  EXPECT_NE(
      broken([](LaunchPlan &p) { p.buffers[3].offset = UINT64_MAX - 255; }),
      "");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.buffers[4].blob = 1; }),
            "launch plan: buffer 4 is constant 1 of 1");
  EXPECT_EQ(broken([](LaunchPlan &p) { p.buffers[4].bytes = 17; }),
            "launch plan: buffer 4 has 17 bytes, its constant 16");
  // In place, with another type of the same size.
  EXPECT_EQ(broken([](LaunchPlan &p) {
              p.results.push_back(
                  {ElementType::I32, {256}, 0, ResultClass::Exact});
            }),
            "launch plan: result 1 is argument 0 updated in place, but of "
            "another type or shape");
}

TEST(LaunchPlan, ChecksKernels) {
  auto broken = [](auto &&change) {
    LaunchPlan plan = addPlan();
    change(plan.kernels[0]);
    return verifyError(plan);
  };
  EXPECT_EQ(broken([](PlanKernel &k) { k.module = 1; }),
            "launch plan: kernel 0 (fake_add) is in module 1 of 1");
  EXPECT_NE(broken([](PlanKernel &k) { k.symbol = "a b"; }), "");
  EXPECT_NE(broken([](PlanKernel &k) { k.symbol = ""; }), "");
  EXPECT_EQ(broken([](PlanKernel &k) { k.block = {1024, 2, 1}; }),
            "launch plan: kernel 0 (fake_add) has blocks of 2048 threads; at "
            "most 1024 can be launched");
  EXPECT_NE(broken([](PlanKernel &k) { k.block = {1, 1, 65}; }), "");
  EXPECT_NE(broken([](PlanKernel &k) { k.grid = {1, 65536, 1}; }), "");
  EXPECT_NE(broken([](PlanKernel &k) { k.grid = {1, 0, 1}; }), "");
  EXPECT_EQ(broken([](PlanKernel &k) { k.grid = {INT32_MAX, 1, 65535}; }), "");
  EXPECT_EQ(broken([](PlanKernel &k) {
              k.grid = {9, 1, 1};
              k.cluster = {2, 1, 1};
            }),
            "launch plan: kernel 0 (fake_add) has a grid of 9 in dimension 0, "
            "which clusters of 2 do not divide");
  EXPECT_NE(broken([](PlanKernel &k) { k.grid = k.cluster = {32, 1, 1}; }), "");
  EXPECT_NE(broken([](PlanKernel &k) { k.sharedBytes = UINT64_MAX; }), "");
}

TEST(LaunchPlan, ChecksAddressesAtTheExtremes) {
  // Exactly to the end.
  EXPECT_EQ(verifyError(memoryPlan({memset(0, 0, {}, 1000)})), "");
  EXPECT_EQ(verifyError(memoryPlan({loop(10, {memset(0, 0, {100}, 100)})})),
            "");
  EXPECT_EQ(verifyError(memoryPlan({loop(10, {memset(0, 900, {-100}, 100)})})),
            "");
  // One too far, at either end.
  EXPECT_EQ(verifyError(memoryPlan({memset(0, 1, {}, 1000)})),
            "launch plan: node 0, the memset, reaches bytes 1 to 1001 of "
            "buffer 0, which has 1000");
  EXPECT_EQ(verifyError(memoryPlan({loop(11, {memset(0, 0, {100}, 1)})})),
            "launch plan: node 0.0, the memset, reaches bytes 0 to 1001 of "
            "buffer 0, which has 1000");
  EXPECT_EQ(verifyError(memoryPlan({loop(11, {memset(0, 900, {-90}, 1)})})),
            "");
  EXPECT_EQ(verifyError(memoryPlan({loop(12, {memset(0, 900, {-90}, 1)})})),
            "launch plan: node 0.0, the memset, reaches bytes -90 to 901 of "
            "buffer 0, which has 1000");
  // Numbers that wrap around in 64 bits.
  EXPECT_NE(verifyError(memoryPlan({memset(0, 8, {}, UINT64_MAX - 7)})), "");
  EXPECT_NE(
      verifyError(memoryPlan({loop(5, {memset(0, 0, {int64_t(1) << 62}, 1)})})),
      "");
  EXPECT_NE(verifyError(memoryPlan({loop(
                3, {loop(3, {memset(0, 0, {INT64_MAX, INT64_MIN + 1}, 1)})})})),
            "");
  EXPECT_NE(verifyError(
                memoryPlan({loop(INT64_MAX, {memset(0, 0, {INT64_MAX}, 1)})})),
            "");
  // A step for which there is no loop; a buffer that is not there.
  EXPECT_NE(verifyError(memoryPlan({memset(0, 0, {1}, 1)})), "");
  EXPECT_NE(verifyError(memoryPlan({memset(7, 0, {}, 1)})), "");
  EXPECT_NE(verifyError(memoryPlan({loop(0, {memset(7, 0, {}, 1)})})), "");
  // What never runs may lie anywhere.
  EXPECT_EQ(verifyError(memoryPlan({loop(0, {memset(0, 5000, {}, 1)})})), "");
  EXPECT_NE(verifyError(memoryPlan({loop(-1, {})})), "");
}

TEST(LaunchPlan, StepsOfTwoLoopsDoNotCancel) {
  // The sum is 0 when both loops are at the same trip, and far out otherwise.
  int64_t big = int64_t(1) << 61;
  LaunchPlan plan = memoryPlan({loop(2, {loop(2, {memset(0, 0, {}, 1)})})});
  plan.nodes[0].body[0].body[0].to.offset = {0, {big, -big}};
  EXPECT_NE(verifyError(plan), "");
}

TEST(LaunchPlan, ChecksScalars) {
  using Kind = PlanKernelArgument::Kind;
  auto withScalar = [](PlanKernelArgument argument, int64_t trips) {
    LaunchPlan plan = addPlan();
    plan.nodes[1].args = {argument};
    plan.nodes = {loop(trips, {plan.nodes[1]})};
    return verifyError(plan);
  };
  EXPECT_EQ(withScalar(scalar(Kind::I32, INT32_MAX - 9, {1}), 10), "");
  EXPECT_EQ(withScalar(scalar(Kind::I32, INT32_MAX - 9, {1}), 11),
            "launch plan: node 0.0, argument 0, takes values from 2147483638 "
            "to 2147483648, which i32 does not hold");
  EXPECT_EQ(withScalar(scalar(Kind::I64, INT64_MAX - 9, {1}), 10), "");
  EXPECT_NE(withScalar(scalar(Kind::I64, INT64_MAX - 9, {1}), 11), "");
  EXPECT_NE(withScalar(scalar(Kind::I64, INT64_MIN, {-1}), 2), "");
}

TEST(LaunchPlan, RefusesWritesToWhatIsRead) {
  LaunchPlan plan = addPlan();
  plan.nodes[0].to = at(1);
  EXPECT_EQ(verifyError(plan),
            "launch plan: node 0 writes buffer 1, a constant or an argument "
            "that is no result");
  plan.results.push_back({ElementType::F32, {16, 16}, 1, ResultClass::Exact});
  EXPECT_EQ(verifyError(plan), "");
  plan.nodes[0] = memset(4, 0, {}, 16);
  EXPECT_NE(verifyError(plan), "");
}

TEST(LaunchPlan, LimitsUnrolling) {
  std::vector<PlanNode> inner = {memset(0, 0, {}, 1)};
  EXPECT_EQ(verifyError(memoryPlan({loop(100000, inner)})), "");
  auto status =
      verifyPlan(memoryPlan({loop(1000, {loop(1000, inner)})}), 0, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Limit);
  EXPECT_FALSE(
      verifyPlan(memoryPlan({loop(INT64_MAX, {loop(INT64_MAX, inner)})}), 0, {})
          .ok());
  // Many loops over nothing inside a long one.
  std::vector<PlanNode> empty(1000, loop(0, inner));
  EXPECT_FALSE(verifyPlan(memoryPlan({loop(100000, empty)}), 0, {}).ok());
  // Nothing at all, very often, takes no time.
  LaunchPlan idle = memoryPlan({loop(INT64_MAX, {})});
  EXPECT_EQ(verifyError(idle), "");
  EXPECT_EQ(unrollPlan(idle)->size(), 0u);
}

TEST(LaunchPlan, Unrolls) {
  LaunchPlan plan = memoryPlan(
      {loop(2, {memset(0, 1, {100}, 1), loop(3, {memset(1, 5, {50, -1}, 1)})}),
       loop(0, {memset(0, 0, {}, 1)})});
  ASSERT_EQ(verifyError(plan), "");
  auto flat = unrollPlan(plan);
  ASSERT_TRUE(flat.ok());
  std::vector<uint64_t> offsets;
  for (const FlatNode &node : *flat)
    offsets.push_back(node.toOffset);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{1, 5, 4, 3, 101, 55, 54, 53}));
}

TEST(LaunchPlan, RefusesCopiesOverThemselves) {
  PlanNode copy;
  copy.op = PlanNode::Op::Copy;
  copy.to = at(1, 100, {100});
  copy.from = at(1, 0, {100});
  copy.bytes = 100;
  LaunchPlan plan = memoryPlan({loop(9, {copy})});
  ASSERT_EQ(verifyError(plan), "");
  EXPECT_TRUE(unrollPlan(plan).ok());
  plan.nodes[0].body[0].bytes = 101;
  plan.nodes[0].trips = 8;
  ASSERT_EQ(verifyError(plan), "");
  EXPECT_FALSE(unrollPlan(plan).ok());
  // Two pieces of the workspace that share memory.
  plan = addPlan();
  plan.buffers.push_back({PlanBuffer::Kind::Workspace, 1280, 0});
  plan.nodes[0].to = at(5);
  plan.nodes[0].from = at(3);
  ASSERT_EQ(verifyError(plan), "");
  EXPECT_FALSE(unrollPlan(plan).ok());
}

TEST(LaunchPlan, CountsWork) {
  LaunchPlan plan = addPlan();
  plan.nodes = {loop(3, {plan.nodes[1]})};
  PlanWork work = planWork(plan);
  EXPECT_EQ(work.flops, 768u);
  EXPECT_EQ(work.bytes, 9216u);
  EXPECT_EQ(work.launches, 3u);
}

TEST(LaunchPlan, KnowsSizes) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({INT64_MAX, INT64_MAX, 0}), 0);
  EXPECT_FALSE(elementCount({INT64_MAX, 2}).has_value());
  EXPECT_FALSE(elementCount({-1}).has_value());
  EXPECT_EQ(tensorBytes(ElementType::I1, {8}), 8u);
  EXPECT_FALSE(tensorBytes(ElementType::F64, {int64_t(1) << 60}).has_value());
  for (const char *text :
       {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1"})
    EXPECT_EQ(toString(*elementTypeFromString(text)), text);
  EXPECT_FALSE(elementTypeFromString("index").has_value());
}
