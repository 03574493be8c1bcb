//===- CudaToolsTest.cpp - ptxas and libdevice, found and run ---*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Search/CudaTools.h"

#include "FakeTools.h"

#include "gtest/gtest.h"

using namespace egg;
using egg::test::FakeTools;

static const char *const report = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'bar' for 'sm_90a'
ptxas info    : Function properties for bar
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compile time = 22.730 ms
ptxas info    : Compiling entry function 'foo' for 'sm_90a'
ptxas info    : Function properties for helper
    64 bytes stack frame, 8 bytes spill stores, 9 bytes spill loads
ptxas info    : Function properties for foo
    256 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 320 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 23.427 ms
)";

TEST(PtxasReport, GivesEachKernel) {
  std::vector<KernelResources> kernels = parsePtxasReport(report);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].symbol, "bar");
  EXPECT_EQ(kernels[0].registers, 4);
  EXPECT_EQ(kernels[0].stackBytes, 0);
  EXPECT_EQ(kernels[1].symbol, "foo");
  EXPECT_EQ(kernels[1].registers, 10);
  EXPECT_EQ(kernels[1].barriers, 1);
  EXPECT_EQ(kernels[1].sharedBytes, 2048);
  EXPECT_EQ(kernels[1].stackBytes, 320);
  // Not those of the function that it calls.
  EXPECT_EQ(kernels[1].spillStoreBytes, 16);
  EXPECT_EQ(kernels[1].spillLoadBytes, 20);
}

TEST(PtxasReport, TakesAnything) {
  EXPECT_TRUE(parsePtxasReport("").empty());
  EXPECT_TRUE(parsePtxasReport("Used 4 registers\n").empty());
  EXPECT_EQ(parsePtxasReport("Compiling entry function 'x").size(), 1u);
  EXPECT_EQ(parsePtxasReport("Compiling entry function 'x'\n"
                             "Used 99999999999999999999 registers")[0]
                .registers,
            0);
}

TEST(CudaTools, PrefersTheFirstRoot) {
  FakeTools fake;
  fake.toolkit("a", "13.0.88");
  fake.toolkit("b", "12.8.1");
  Result<CudaTools> tools = CudaTools::find(
      "", "", {{fake.path("none"), fake.path("b"), fake.path("a")}, {}});
  ASSERT_TRUE(tools.ok()) << tools.error().message;
  EXPECT_EQ(tools->ptxas, fake.path("b/bin/ptxas"));
  EXPECT_EQ(tools->libdevice, fake.path("b/nvvm/libdevice/libdevice.10.bc"));
  EXPECT_EQ(tools->ptxasVersion, "12.8.1");
  // SHA-256 of "bitcode".
  EXPECT_EQ(tools->libdeviceHash.size(), 64u);
}

TEST(CudaTools, FindsTheToolkitOfAProgramInPath) {
  FakeTools fake;
  fake.toolkit("a", "13.0.88");
  fake.link("a/bin/ptxas", "bin/ptxas");
  Result<CudaTools> tools = CudaTools::find("", "", {{}, {fake.path("bin")}});
  ASSERT_TRUE(tools.ok()) << tools.error().message;
  EXPECT_EQ(tools->ptxas, fake.path("bin/ptxas"));
  EXPECT_EQ(tools->libdevice, fake.path("a/nvvm/libdevice/libdevice.10.bc"));
}

TEST(CudaTools, SaysWhatIsMissing) {
  FakeTools fake;
  ToolPlaces nowhere{{fake.path("none")}, {}};
  Result<CudaTools> tools = CudaTools::find("", "", nowhere);
  ASSERT_FALSE(tools.ok());
  EXPECT_EQ(tools.error().kind, ErrorKind::MissingTool);
  EXPECT_NE(tools.error().message.find(
                "ptxas is not found (searched: " + fake.path("none") + ")"),
            std::string::npos);
  EXPECT_NE(tools.error().message.find("nvidia-cuda-nvcc"), std::string::npos);

  // A folder of that name is no program.
  fake.folder("x/bin/ptxas");
  EXPECT_FALSE(CudaTools::find("", "", {{fake.path("x")}, {}}).ok());
  EXPECT_FALSE(CudaTools::find(fake.path("x/bin/ptxas"), "", nowhere).ok());

  fake.script("y/bin/ptxas", "echo ', V13.0.1'");
  tools = CudaTools::find("", "", {{fake.path("y")}, {}});
  ASSERT_FALSE(tools.ok());
  EXPECT_EQ(tools.error().message.find("libdevice is not found"), 0u);

  // PTX can be made without ptxas.
  fake.file("l.bc", "bitcode");
  tools = CudaTools::find("", fake.path("l.bc"), nowhere, false);
  ASSERT_TRUE(tools.ok());
  EXPECT_EQ(tools->ptxas, "");
}

TEST(CudaTools, RefusesAnotherProgram) {
  FakeTools fake;
  fake.file("l.bc", "bitcode");
  fake.script("p", "echo hello");
  Result<CudaTools> tools =
      CudaTools::find(fake.path("p"), fake.path("l.bc"), {});
  ASSERT_FALSE(tools.ok());
  EXPECT_NE(tools.error().message.find("is this ptxas?"), std::string::npos);
}

TEST(Assemble, GivesWhatPtxasMade) {
  FakeTools fake;
  CudaTools tools = fake.toolkit("a", "13.0.88");
  Result<Assembly> assembly = assemble(tools, ".entry k\n", "sm_90a");
  ASSERT_TRUE(assembly.ok()) << assembly.error().message;
  EXPECT_EQ(assembly->cubin, "sm_90a:.entry k\n");
  ASSERT_EQ(assembly->kernels.size(), 1u);
  EXPECT_EQ(assembly->kernels[0].symbol, "k");
  EXPECT_EQ(assembly->kernels[0].registers, 7);
}

TEST(Assemble, PassesOnWhatPtxasSays) {
  FakeTools fake;
  CudaTools tools = fake.toolkit("a", "13.0.88");
  Result<Assembly> assembly = assemble(tools, "bad", "sm_90a");
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(assembly.error().kind, ErrorKind::Ptxas);
  EXPECT_EQ(assembly.error().message, "ptxas for sm_90a exited with code 255: "
                                      "ptxas fatal: no such instruction");
}

TEST(Assemble, EndsAtItsDeadline) {
  FakeTools fake;
  CudaTools tools = fake.toolkit("a", "13.0.88");
  Result<Assembly> assembly = assemble(tools, "slow", "sm_90a", 0.2);
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(assembly.error().kind, ErrorKind::Timeout);
}

TEST(Disassemble, NeedsATool) {
  FakeTools fake;
  Result<std::string> sass = disassemble("cubin", {{fake.path("a")}, {}});
  ASSERT_FALSE(sass.ok());
  EXPECT_EQ(sass.error().kind, ErrorKind::MissingTool);
  EXPECT_NE(sass.error().message.find("nvdisasm or cuobjdump"),
            std::string::npos);
  fake.script("a/bin/cuobjdump", "echo \"$1 $(cat \"$2\")\"");
  sass = disassemble("cubin", {{fake.path("a")}, {}});
  ASSERT_TRUE(sass.ok()) << sass.error().message;
  EXPECT_EQ(*sass, "-sass cubin\n");
}
