//===- Options.cpp - the command line of egg-run ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <CLI/CLI.hpp>

#include <cstdio>

using namespace egg;

static const char *const footer = R"(
Without an action it builds the payload and says what came out.

Examples:
  egg-run gelu.mlir                            build it for the default device
  egg-run gelu.mlir --emit=ptx                 print the PTX; needs no GPU, no ptxas
  egg-run gelu.mlir --emit=artifact -o g.egg   one file for libegg_runtime
  egg-run gelu.mlir --check --time             judge and time it on GPU 0
  egg-run gelu.mlir --check --whole            the whole gate, with four distributions
  egg-run gather.mlir --check --range 1=0:99   argument 1 holds indices 0 to 99
  egg-run gelu.mlir --cpu                      run it here, print statistics
  egg-run gelu.mlir --time --worker-prefix ssh --worker-prefix gpu1 \
          --worker /opt/egg/bin/egg-eval-worker    on another machine

egg-run starts egg-opt and egg-eval-worker, which it looks for beside itself,
then in PATH; EGG_OPT and EGG_EVAL_WORKER name others. ptxas and libdevice come
from CUDA_HOME, /usr/local/cuda, the packages beside the tools, or PATH.

--check runs the payload in its own types and in float64 (the golden) and applies
the gate of docs/evaluation.md. A plain build is what a reference usually is: none
is given, so a payload that loses digits by its own nature, as 1 + erf(x) does for
x near -3, fails the gate. Such a build is asked again with itself as reference; it
is right when each exact result has the golden's bits and any other agrees with the
golden to half of its type's digits, in norm, and a note in the report says so.

Exit status: 0 when all that was asked for was done and passed, 1 with one error
message otherwise, 2 for a wrong command line.)";

/// "ARG=LOW:HIGH", or an error for CLI11.
static std::string parseRange(const std::string &text,
                              std::vector<eval::IntegerRange> &ranges) {
  eval::IntegerRange range;
  unsigned long long argument = 0;
  long long low = 0, high = 0;
  int read = 0;
  if (std::sscanf(text.c_str(), "%llu=%lld:%lld%n", &argument, &low, &high,
                  &read) != 3 ||
      size_t(read) != text.size() || low > high)
    return "'" + text + "' is not ARGUMENT=LOW:HIGH, for example 1=0:99";
  range.argument = argument;
  range.low = low;
  range.high = high;
  ranges.push_back(range);
  return "";
}

std::optional<int> egg::parseOptions(int argc, char **argv,
                                     ToolOptions &options) {
  CLI::App app(
      "egg-run builds a kernel, checks it against a float64 golden and "
      "times it.",
      "egg-run");
  app.footer(footer);
  app.set_version_flag("--version", "egg " EGG_VERSION);
  app.add_option("payload", options.payload,
                 "The kernel: MLIR text, linalg on tensors of static shape")
      ->required();
  app.add_option("--device", options.device,
                 "The device to build for: a name that egg knows, or a JSON "
                 "file. Default: the GPU that is there, else h200");
  app.add_option("--gpu", options.gpu,
                 "Which GPU to run on, as CUDA counts them")
      ->capture_default_str();

  const char *actions = "Actions";
  app.add_flag("--check", options.check,
               "Compare with the golden on the GPU; an error when it fails")
      ->group(actions);
  app.add_flag("--time", options.time, "Time it on the GPU")->group(actions);
  app.add_flag("--once", options.once,
               "Launch it once on the GPU, for profilers and sanitizers")
      ->group(actions);
  app.add_flag("--cpu", options.cpu,
               "Run the payload on the CPU with normal inputs and print "
               "statistics of its results")
      ->group(actions);
  app.add_flag("--list-dispatches", options.listDispatches,
               "Print each kernel with its launch shape, as built")
      ->group(actions);
  app.add_option("--emit", options.emit,
                 "Write one of: mlir, ptx, plan, cubin, "
                 "sass, artifact")
      ->check(
          CLI::IsMember({"mlir", "ptx", "plan", "cubin", "sass", "artifact"}))
      ->group(actions);
  app.add_option(
         "-o,--output", options.output,
         "Where --emit writes: a file, a folder (one file a module), or "
         "- for standard output")
      ->capture_default_str();

  app.add_flag("--whole", options.wholeGate,
               "With --check: the whole gate and not the search's")
      ->needs("--check");
  app.add_flag("--graph", options.graph,
               "With --time: replays of a CUDA graph and not launches")
      ->needs("--time");
  app.add_flag("--f64", options.f64,
               "Build or run the golden: every float inside is float64")
      ->excludes("--check")
      ->excludes("--time");
  app.add_option("--seed", options.seed, "Seed of the inputs")
      ->capture_default_str();
  app.add_option_function<std::vector<std::string>>(
         "--range",
         [&](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             if (std::string wrong = parseRange(text, options.integers);
                 !wrong.empty())
               throw CLI::ValidationError("--range", wrong);
         },
         "ARGUMENT=LOW:HIGH, the values of an integer argument; indices need "
         "it")
      ->allow_extra_args(false);
  app.add_option("--deadline", options.deadline,
                 "Seconds that one request to the GPU may take")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();

  app.add_option("--ptxas", options.ptxas, "Path of ptxas");
  app.add_option("--libdevice", options.libdevice, "Path of libdevice.10.bc");
  app.add_option("--worker", options.worker, "Path of egg-eval-worker");
  app.add_option("--worker-prefix", options.workerPrefix,
                 "One argument of the command that starts the worker (ssh, "
                 "srun); give it once an argument. No shell is involved")
      ->allow_extra_args(false);
  app.add_flag("--json", options.json, "Print one JSON object");
  app.add_flag("-v,--verbose", options.verbose, "Say more on standard error");
  app.add_flag("-q,--quiet", options.quiet, "Say no progress")
      ->excludes("--verbose");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}
