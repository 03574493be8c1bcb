//===- egg-run.cpp - build one kernel, check it, time it --------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Emit.h"
#include "Options.h"
#include "Report.h"

#include "egg/Device/DeviceSpec.h"
#include "egg/Search/Builder.h"
#include "egg/Search/Occupancy.h"
#include "egg/Search/Runner.h"
#include "egg/Support/File.h"
#include "egg/Support/Progress.h"
#include "egg/Support/TextGuard.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

using namespace egg;

/// The device that is built for when none is named and none is there.
static const char *const defaultDevice = "h200";

namespace {
/// One call of egg-run: what it was asked for, and what it has found out.
class Session {
public:
  explicit Session(const ToolOptions &options)
      : options(options), progress(stderr, options.quiet || options.json) {}

  Status run();

private:
  bool needsGpu() const {
    return options.check || options.time || options.once;
  }
  /// Whether ptxas has to run.
  bool needsCubin() const {
    return needsGpu() || options.emit == "cubin" || options.emit == "sass" ||
           options.emit == "artifact" ||
           (options.emit.empty() && !options.cpu && !options.listDispatches);
  }

  Status readPayload();
  Status chooseDevice();
  Status build();
  Status runOnCpu();
  Status measure();
  void fillOccupancy();
  eval::Request request() const;

  const ToolOptions &options;
  Progress progress;
  PayloadText payload;
  DeviceSpec device;
  std::shared_ptr<Compiler> compiler;
  std::unique_ptr<LocalBuilder> builder;
  std::unique_ptr<Runner> runner;
  Report report;
};
} // namespace

/// All inputs are untrusted, also to the parent: only bytes are looked at.
Status Session::readPayload() {
  TextLimits limits;
  EGG_ASSIGN(payload.text, readFile(options.payload, limits.maxBytes));
  payload.name = options.payload;
  report.payload = options.payload;
  return checkText(payload.text, payload.name, limits);
}

Status Session::chooseDevice() {
  if (needsGpu()) {
    RunnerOptions worker;
    worker.program = options.worker;
    worker.prefix = options.workerPrefix;
    EGG_ASSIGN(runner, WorkerRunner::create(worker));
    progress.step("asking for the GPU");
    EGG_ASSIGN(report.gpu, runner->info(request()));
    spdlog::info("GPU {}: {}", options.gpu, report.gpu->name);
  }
  std::string name = !options.device.empty() ? options.device
                     : report.gpu            ? report.gpu->name
                                             : defaultDevice;
  EGG_ASSIGN(device, findDevice(name));
  unsigned capability = unsigned(device.major() * 10 + device.minor());
  if (report.gpu && report.gpu->computeCapability != capability)
    return Error(ErrorKind::WrongArch,
                 "the device " + device.name + " is " + device.chip +
                     ", but GPU " + std::to_string(options.gpu) + ", " +
                     report.gpu->name + ", has compute capability " +
                     std::to_string(report.gpu->computeCapability / 10) + "." +
                     std::to_string(report.gpu->computeCapability % 10));
  report.chip = device.chip;
  report.deviceName = device.name;
  return Status();
}

void Session::fillOccupancy() {
  const std::vector<PlanKernel> &kernels = report.built->compiled.plan.kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelResources &used = report.built->kernels[i];
    int64_t threads = int64_t(kernels[i].block[0]) * kernels[i].block[1] *
                      kernels[i].block[2];
    report.occupancy.push_back(
        occupancyOf(device, threads, used.registers,
                    used.sharedBytes + int64_t(kernels[i].sharedBytes))
            .share);
  }
}

Status Session::build() {
  EGG_ASSIGN(CudaTools tools,
             CudaTools::find(options.ptxas, options.libdevice,
                             ToolPlaces::fromEnvironment(), needsCubin()));
  spdlog::info("libdevice {}, ptxas {} ({})", tools.libdevice, tools.ptxas,
               tools.ptxasVersion);
  builder = std::make_unique<LocalBuilder>(compiler, tools, device);
  BuildJob job;
  job.payload = payload;
  job.promote = options.f64 ? Promotion::F64 : Promotion::None;
  job.emitMlir = options.emit == "mlir";
  progress.step("building " + payload.name);
  report.listDispatches = options.listDispatches;
  report.assembled = needsCubin();
  if (needsCubin()) {
    EGG_ASSIGN(report.built, builder->build(job));
    fillOccupancy();
  } else {
    BuiltPayload built;
    EGG_ASSIGN(built.compiled, builder->compile(job));
    report.built = std::move(built);
  }
  return Status();
}

Status Session::runOnCpu() {
  progress.step("running " + payload.name + " on the CPU");
  EGG_ASSIGN(VerifyAnswer facts, compiler->verify({payload}));
  RunCpuRequest request;
  request.payload = payload;
  request.promote = options.f64 ? Promotion::F64 : Promotion::None;
  request.inputs = facts.arguments;
  uint64_t total = 0;
  for (const auto *tensors : {&facts.arguments, &facts.results})
    for (const TensorSignature &tensor : *tensors) {
      std::optional<uint64_t> bytes = bytesOf(tensor);
      total = bytes && *bytes <= maxCpuBytes ? total + *bytes : maxCpuBytes + 1;
      if (total > maxCpuBytes)
        return Error(ErrorKind::Limit,
                     "arguments and results take more than " +
                         std::to_string(maxCpuBytes) +
                         " bytes, which is the limit on the CPU");
    }
  for (size_t i = 0; i < facts.arguments.size(); ++i) {
    std::optional<eval::IntegerRange> range;
    for (const eval::IntegerRange &given : options.integers)
      if (given.argument == i)
        range = given;
    request.inputBytes.push_back(
        drawTensor(facts.arguments[i], options.seed + i, range));
  }
  EGG_ASSIGN(RunCpuAnswer answer, compiler->runCpu(request));
  report.cpuResults = answer.results;
  for (size_t i = 0; i < answer.results.size(); ++i) {
    EGG_ASSIGN(TensorStatistics statistics,
               statisticsOf(answer.results[i], answer.resultBytes[i]));
    report.cpuStatistics.push_back(std::move(statistics));
  }
  return Status();
}

/// What every request to the worker has in common.
eval::Request Session::request() const {
  eval::Request request;
  request.device = options.gpu;
  request.deadlineSeconds = options.deadline;
  request.seed = options.seed;
  request.integers = options.integers;
  request.peak = std::nullopt;
  if (report.built)
    request.candidate = report.built->artifact;
  return request;
}

/// The fastest rate of instructions that the plain lowering uses: no tensor
/// cores.
static double plainPeak(const DeviceSpec &device) {
  double peak = 0;
  for (InstructionClass used :
       {InstructionClass::F64, InstructionClass::F32, InstructionClass::F16,
        InstructionClass::BF16, InstructionClass::I32})
    peak = std::max(peak, device.peakOps(used));
  return peak;
}

Status Session::measure() {
  if (options.once) {
    progress.step("launching once");
    EGG_TRY(runner->once(request()));
    report.once = true;
  }
  if (!options.check && !options.time)
    return Status();

  eval::Request judged = request();
  LaunchPlan goldenPlan;
  if (options.check) {
    progress.step("building the golden");
    BuildJob job;
    job.payload = payload;
    job.promote = Promotion::F64;
    EGG_ASSIGN(BuiltPayload golden, builder->build(job));
    judged.golden = golden.artifact;
    goldenPlan = std::move(golden.compiled.plan);
    progress.step("checking");
    eval::Request check = judged;
    check.gate =
        options.wholeGate ? eval::GateLevel::Whole : eval::GateLevel::Pool;
    check.mutants = options.wholeGate;
    check.distributions = options.wholeGate ? eval::wholeDistributions()
                                            : eval::poolDistributions();
    EGG_ASSIGN(
        PlainCheck checked,
        checkPlain(*runner, check, report.built->compiled.plan, goldenPlan));
    report.check = std::move(checked.answer);
    // The timed launches are judged as well, in the same way.
    if (checked.ownReference)
      judged.reference = judged.candidate;
  }
  if (options.time) {
    progress.step("timing");
    eval::Request time = judged;
    time.mode = options.graph ? eval::TimeMode::Graph : eval::TimeMode::Launch;
    report.graph = options.graph;
    time.peak = eval::Peak{plainPeak(device), device.memoryGBps * 1e9};
    EGG_ASSIGN(report.time, runner->time(time));
    EGG_ASSIGN(VerifyAnswer facts, compiler->verify({payload}));
    report.floor = floorOf(facts, report.built->compiled.plan, device);
  }
  return Status();
}

Status Session::run() {
  EGG_TRY(readPayload());
  EGG_ASSIGN(compiler, CompilerProcesses::create());
  if (options.cpu)
    EGG_TRY(runOnCpu());
  if (needsGpu() || needsCubin() || options.listDispatches ||
      !options.emit.empty()) {
    EGG_TRY(chooseDevice());
    EGG_TRY(build());
    if (!options.emit.empty())
      EGG_TRY(emitBuilt(*report.built, options.emit, options.output));
    if (needsGpu())
      EGG_TRY(measure());
  }
  progress.clear();
  // What was emitted to standard output stands there alone.
  bool shared = !options.emit.empty() && options.output == "-";
  std::string text = options.json ? toJson(report) : toText(report);
  FILE *stream = shared ? stderr : stdout;
  if (shared && !options.verbose && !options.json)
    return Status();
  return writeAll(stream, "the report", text);
}

int main(int argc, char **argv) {
  ToolOptions options;
  if (std::optional<int> status = parseOptions(argc, argv, options))
    return *status;
  // A file that reaches the limit of its size is an error of writing.
  std::signal(SIGXFSZ, SIG_IGN);
  auto logger = spdlog::stderr_logger_st("egg-run");
  logger->set_pattern("%n: %v");
  logger->set_level(options.verbose ? spdlog::level::info
                                    : spdlog::level::warn);
  spdlog::set_default_logger(logger);

  Status done = Session(options).run();
  if (done)
    return 0;
  // Text of the payload may stand in the message.
  std::fprintf(stderr, "egg-run: error: %s\n",
               stripControls(done.error().str()).c_str());
  return 1;
}
