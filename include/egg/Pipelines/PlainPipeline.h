//===- PlainPipeline.h - from a payload to kernels, no choices --*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PIPELINES_PLAINPIPELINE_H
#define EGG_PIPELINES_PLAINPIPELINE_H

#include "egg/Pipelines/PlainKernels.h"

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace egg {

/// Options of egg-lower-to-plain-kernels.
struct PlainPipelineOptions : mlir::PassPipelineOptions<PlainPipelineOptions> {
  Option<bool> promote{*this, "promote",
                       llvm::cl::desc("compute in f64: the golden"),
                       llvm::cl::init(false)};
  // The defaults are those of PlainKernelOptions; tests set small numbers.
  Option<int64_t> blockSize{*this, "block-size",
                            llvm::cl::desc("threads in a block, 1 to 1024"),
                            llvm::cl::init(PlainKernelOptions().blockSize)};
  Option<int64_t> sequentialLimit{
      *this, "sequential-limit",
      llvm::cl::desc("the longest reduction that is not split"),
      llvm::cl::init(PlainKernelOptions().sequentialLimit)};
  Option<int64_t> chunk{
      *this, "chunk",
      llvm::cl::desc("elements in a leaf of the tree of a longer reduction"),
      llvm::cl::init(PlainKernelOptions().chunk)};
  Option<int64_t> enoughPoints{
      *this, "enough-points",
      llvm::cl::desc("points from which on a reduction stays in one thread"),
      llvm::cl::init(PlainKernelOptions().enoughPoints)};
};

/// egg-verify-payload, egg-normalize-payload, egg-promote-to-f64 if asked,
/// egg-form-plain-kernels, then the upstream clean-up of the kernels
/// (canonicalize, cse). The result is what PlainKernels.h states.
void buildPlainPipeline(mlir::OpPassManager &manager,
                        const PlainPipelineOptions &options);

/// Registers the pipeline under `egg-lower-to-plain-kernels`.
void registerPlainPipeline();

} // namespace egg

#endif // EGG_PIPELINES_PLAINPIPELINE_H
