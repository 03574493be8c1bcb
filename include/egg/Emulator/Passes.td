//===- Passes.td - the SIMT emulator as a pass ------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EMULATOR_PASSES
#define EGG_EMULATOR_PASSES

include "mlir/Pass/PassBase.td"

def EmulateKernelsPass : Pass<"egg-emulate-kernels", "::mlir::ModuleOp"> {
  let summary = "Run the host function and its kernels on the CPU, finding races";
  let description = [{
    Runs `@main` and the kernels that it launches in the SIMT emulator, and
    prints each argument of `@main` as it is afterwards, one line each, with at
    most `print-limit` elements. Arguments start as a fixed pattern: element i is
    ((7 i + 3) mod 16 - 8), a quarter of that for floats, its lowest bit for i1.

    The run is repeated for `schedules` seeds, each another order of blocks and
    warps. A race, an access out of bounds, a read of what was not written, a
    barrier that not all threads reach or a deadlock is an error at the op, as
    are results that depend on the schedule. The module is left as it is.
  }];
  let options = [
    Option<"schedules", "schedules", "unsigned", "4",
           "How many random orders of blocks and warps to run">,
    Option<"irregular", "irregular", "bool", "false",
           "Start from numbers without a period: h mod 61 - 30, h a hash of i">,
    Option<"seed", "seed", "uint64_t", "0", "Seed of the first order">,
    Option<"printLimit", "print-limit", "unsigned", "16",
           "Elements to print of each argument">,
    Option<"maxInstructions", "max-instructions", "uint64_t", "200000000",
           "Instructions of all warps before a run is given up">
  ];
}

#endif // EGG_EMULATOR_PASSES
