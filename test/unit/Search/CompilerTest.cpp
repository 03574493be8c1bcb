//===- CompilerTest.cpp - the compiler as a child process -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/Compiler.h"

#include "FakeTools.h"

#include "gtest/gtest.h"

#include <thread>

using namespace egg;
using egg::test::FakeTools;

static const char *const payload = R"(
func.func @main(%x: tensor<4xf32>, %n: i64) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
)";

static std::unique_ptr<CompilerProcesses>
compiler(CompilerOptions options = {}) {
  if (options.program.empty())
    options.program = EGG_OPT_PROGRAM;
  return CompilerProcesses::create(options).take();
}

static Error refusal(Compiler &compiler, const std::string &text) {
  Result<VerifyAnswer> answer = compiler.verify({{"k.mlir", text}});
  EXPECT_FALSE(answer.ok()) << text.substr(0, 80);
  return answer ? Error() : answer.error();
}

TEST(Compiler, GivesAPayloadsFacts) {
  auto child = compiler();
  Result<VerifyAnswer> answer = child->verify({{"k.mlir", payload}});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->entry, "main");
  ASSERT_EQ(answer->arguments.size(), 2u);
  EXPECT_EQ(answer->arguments[0].str(), "4xf32");
  EXPECT_EQ(answer->arguments[1].str(), "i64");
  EXPECT_EQ(answer->ops, 3);
  // The canonical text is its own canonical text.
  Result<VerifyAnswer> again = child->verify({{"again", answer->canonical}});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->canonical, answer->canonical);
}

/// A payload of these arguments, of which `body` makes %r: tensor<4x4xf16>.
static VerifyAnswer factsOf(const std::string &arguments,
                            const std::string &body) {
  Result<VerifyAnswer> answer = compiler()->verify(
      {{"k.mlir", "func.func @main(" + arguments +
                      ") -> tensor<4x4xf16> {\n"
                      "%e = tensor.empty() : tensor<4x4xf16>\n" +
                      body + "return %r : tensor<4x4xf16>\n}"}});
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return answer ? answer.take() : VerifyAnswer();
}

static const std::string twoArguments =
    "%a: tensor<4x6xf16>, %b: tensor<6x4xf16>";
static std::string product(const std::string &name, const std::string &left) {
  return name + " = linalg.matmul ins(" + left +
         ", %b : tensor<4x6xf16>, tensor<6x4xf16>) "
         "outs(%e : tensor<4x4xf16>) -> tensor<4x4xf16>\n";
}

TEST(Compiler, CountsAContractionOnce) {
  VerifyAnswer facts =
      factsOf(twoArguments, product("%r", "%a") + product("%unused", "%a"));
  EXPECT_EQ(facts.wholeArguments, (std::vector<int64_t>{0, 1}));
  ASSERT_TRUE(facts.contractions && facts.contractions->size() == 1);
  EXPECT_EQ(facts.contractions->front().type, "f16");
  EXPECT_EQ(facts.contractions->front().flops, 2 * 4 * 4 * 6);

  facts = factsOf(twoArguments,
                  product("%p", "%a") + product("%q", "%a") +
                      "%r = linalg.add ins(%p, %q : tensor<4x4xf16>, "
                      "tensor<4x4xf16>) outs(%e : tensor<4x4xf16>) -> "
                      "tensor<4x4xf16>\n");
  ASSERT_TRUE(facts.contractions);
  EXPECT_EQ(facts.contractions->size(), 1u);
}

TEST(Compiler, CountsNoContractionInALoop) {
  VerifyAnswer facts =
      factsOf(twoArguments,
              "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
              "%r = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %e) -> "
              "tensor<4x4xf16> {\n" +
                  product("%p", "%a") + "scf.yield %p : tensor<4x4xf16>\n}\n");
  EXPECT_TRUE(facts.wholeArguments.empty());
  EXPECT_FALSE(facts.contractions);
}

TEST(Compiler, CountsNoArgumentThatIsReadInParts) {
  const std::string copy =
      " = linalg.copy ins(%s : tensor<4x4xf16>) outs(%e : tensor<4x4xf16>) -> "
      "tensor<4x4xf16>\n";
  VerifyAnswer facts = factsOf(
      "%a: tensor<8x4xf16>",
      "%s = tensor.extract_slice %a[0, 0] [4, 4] [1, 1] : tensor<8x4xf16> to "
      "tensor<4x4xf16>\n%r" +
          copy);
  EXPECT_TRUE(facts.wholeArguments.empty());
  ASSERT_TRUE(facts.contractions);
  EXPECT_TRUE(facts.contractions->empty());
  // All of it in another shape.
  facts = factsOf("%a: tensor<16xf16>",
                  "%s = tensor.expand_shape %a [[0, 1]] output_shape [4, 4] : "
                  "tensor<16xf16> into tensor<4x4xf16>\n%r" +
                      copy);
  EXPECT_EQ(facts.wholeArguments, (std::vector<int64_t>{0}));
}

TEST(Compiler, NamesThePlaceOfWhatItRefuses) {
  auto child = compiler();
  EXPECT_EQ(refusal(*child, "func.func @main() {\n  %0 = arith.bogus\n}")
                .message.substr(0, 11),
            "k.mlir:2:8:");
  Error error = refusal(*child, "func.func @main() -> f32 {\n  return\n}");
  EXPECT_EQ(error.kind, ErrorKind::Verify);
  EXPECT_EQ(error.message.substr(0, 11), "k.mlir:2:3:");
  error = refusal(*child, "module {}");
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_NE(error.message.find("no entry function"), std::string::npos);
  EXPECT_EQ(refusal(*child, "func.func @a() { return }\n"
                            "func.func @b() { return }")
                .kind,
            ErrorKind::Unsupported);
  error = refusal(*child, "llvm.func @main() { llvm.return }");
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_NE(error.message.find("a payload uses the dialects"),
            std::string::npos);
  EXPECT_EQ(
      refusal(*child, "func.func @main(%x: tensor<?xf32>) { return }").kind,
      ErrorKind::Unsupported);
}

TEST(Compiler, SurvivesHostileTexts) {
  auto child = compiler();
  std::string deep = "func.func @main() {\n";
  for (int i = 0; i < 20000; ++i)
    deep += "\"a.b\"() ({\n";
  EXPECT_EQ(refusal(*child, deep).kind, ErrorKind::Limit);
  EXPECT_EQ(refusal(*child, std::string(9 << 20, ' ')).kind, ErrorKind::Limit);
  EXPECT_EQ(refusal(*child, std::string("module\0{}", 9)).kind,
            ErrorKind::Parse);
  EXPECT_EQ(refusal(*child, "ML\xefR\x0d\x01").kind, ErrorKind::Parse);
  EXPECT_EQ(refusal(*child, "module {} {-# x #-}").kind, ErrorKind::Parse);
  EXPECT_EQ(refusal(*child, "transform.named_sequence @main() { "
                            "transform.yield }")
                .kind,
            ErrorKind::Unsupported);
  // All were answered by one child, which is well.
  EXPECT_TRUE(child->verify({{"k.mlir", payload}}).ok());
}

TEST(Compiler, ServesThreads) {
  auto child = compiler();
  std::vector<std::thread> threads;
  std::vector<int> good(3, 0);
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int times = 0; times < 2; ++times)
        good[i] += child->verify({{"k.mlir", payload}}).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, (std::vector<int>{2, 2, 2}));
}

TEST(Compiler, ReplacesItsChildren) {
  CompilerOptions options;
  options.requestsPerChild = 1;
  auto child = compiler(options);
  EXPECT_TRUE(child->verify({{"k.mlir", payload}}).ok());
  EXPECT_TRUE(child->verify({{"k.mlir", payload}}).ok());
}

TEST(Compiler, NamesTheSignalOfADeath) {
  FakeTools fake;
  CompilerOptions options;
  options.program = fake.script("opt", "echo 'LLVM ERROR: boom' >&2\n"
                                       "kill -SEGV $$");
  auto child = compiler(options);
  Result<VerifyAnswer> answer = child->verify({{"k.mlir", payload}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::BuilderDied);
  EXPECT_NE(answer.error().message.find("signal 11"), std::string::npos)
      << answer.error().message;
  EXPECT_NE(answer.error().message.find("LLVM ERROR: boom"), std::string::npos);
}

TEST(Compiler, EndsAtItsDeadline) {
  FakeTools fake;
  CompilerOptions options;
  options.program = fake.script("opt", "exec sleep 60");
  options.deadline = 0.3;
  auto child = compiler(options);
  Result<VerifyAnswer> answer = child->verify({{"k.mlir", payload}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::Timeout);
}

TEST(Compiler, BelievesNoNoise) {
  FakeTools fake;
  CompilerOptions options;
  options.program =
      fake.script("opt", "echo 'no frame, but some text'; exec sleep 60");
  options.deadline = 5;
  Result<VerifyAnswer> answer =
      compiler(options)->verify({{"k.mlir", payload}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::BuilderDied);
}

TEST(Compiler, SaysWhenItIsMissing) {
  CompilerOptions options;
  options.program = "/none/egg-opt";
  Result<std::unique_ptr<CompilerProcesses>> child =
      CompilerProcesses::create(options);
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().kind, ErrorKind::MissingTool);
}
