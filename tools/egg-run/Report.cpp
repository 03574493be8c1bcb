//===- Report.cpp - what egg-run says in the end ----------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "egg/Support/Json.h"
#include "egg/Support/TextGuard.h"

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace egg;

/// Appends printf's text.
[[gnu::format(printf, 2, 3)]] static void say(std::string &out,
                                              const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  if (length > 0) {
    size_t at = out.size();
    out.resize(at + size_t(length) + 1);
    vsnprintf(out.data() + at, size_t(length) + 1, format, again);
    out.pop_back();
  }
  va_end(again);
}

static std::string extents(const std::array<uint32_t, 3> &shape) {
  return std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
         std::to_string(shape[2]);
}

static void sayBuild(std::string &out, const Report &report) {
  const CompiledPayload &compiled = report.built->compiled;
  const LaunchPlan &plan = compiled.plan;
  say(out, "%s for %s (%s): %zu kernels, %llu launches, workspace %llu bytes\n",
      report.payload.c_str(), report.deviceName.c_str(), report.chip.c_str(),
      plan.kernels.size(), (unsigned long long)planWork(plan).launches,
      (unsigned long long)plan.workspaceBytes);
  say(out, "  ptx %s\n", compiled.ptxHash.c_str());
  if (report.assembled)
    say(out, "  artifact %s\n", report.built->artifactHash.c_str());
  for (const BuildRemark &remark : compiled.remarks)
    say(out, "  remark (%s): %s\n", remark.kind.c_str(),
        remark.message.c_str());
  if (!report.listDispatches && !report.time)
    return;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const PlanKernel &kernel = plan.kernels[i];
    say(out, "  kernel %s: grid %s, block %s", kernel.symbol.c_str(),
        extents(kernel.grid).c_str(), extents(kernel.block).c_str());
    if (report.assembled) {
      const KernelResources &used = report.built->kernels[i];
      say(out, ", %lld registers, %llu bytes shared, %lld spilled, stack %lld",
          (long long)used.registers,
          (unsigned long long)(used.sharedBytes + kernel.sharedBytes),
          (long long)(used.spillStoreBytes + used.spillLoadBytes),
          (long long)used.stackBytes);
    }
    if (report.assembled && report.occupancy[i])
      say(out, ", occupancy %.0f %%", 100 * *report.occupancy[i]);
    out += '\n';
  }
}

static void sayCheck(std::string &out, const eval::CheckAnswer &check) {
  say(out, "correct (%.1f s)\n", check.seconds);
  for (const eval::SetReport &set : check.sets) {
    std::string name(eval::toString(set.distribution));
    if (set.aliased)
      name += ", two arguments in one buffer";
    if (!set.evidence) {
      say(out, "  %s: no evidence, too much of the golden is not finite\n",
          name.c_str());
      continue;
    }
    for (size_t i = 0; i < set.results.size(); ++i) {
      const eval::ResultReport &result = set.results[i];
      say(out, "  %s, result %zu: error %.3g, limit %.3g", name.c_str(), i,
          result.error, result.limit);
      if (result.referenceError)
        say(out, ", reference %.3g", *result.referenceError);
      out += '\n';
    }
  }
  for (const eval::MutantReport &mutant : check.mutants)
    say(out, "  mutant %s: %s\n", mutant.name.c_str(),
        mutant.killed ? "refused" : "NOT refused");
  for (const std::string &note : check.notes)
    say(out, "  note: %s\n", note.c_str());
}

static void sayTime(std::string &out, const Report &report) {
  const eval::TimeAnswer &time = *report.time;
  say(out, "time %.6g ms, median of %zu %s", time.ms, time.samples.size(),
      report.graph ? "graph replays" : "launches");
  out += '\n';
  if (!report.floor)
    return;
  const PayloadFloor &floor = *report.floor;
  say(out, "floor %.6g ms: %llu bytes of arguments and results once", floor.ms,
      (unsigned long long)floor.bytes);
  if (floor.flops && *floor.flops > 0)
    say(out, ", %.6g operations in contractions", *floor.flops);
  else if (!floor.flops)
    say(out, ", operations not known");
  say(out, ", at the data sheet's rates");
  if (time.ms > 0)
    say(out, "; the time is at %.1f %% of it", 100 * floor.ms / time.ms);
  out += '\n';
}

std::string egg::toText(const Report &report) {
  std::string out;
  if (report.built)
    sayBuild(out, report);
  if (report.gpu)
    say(out, "GPU %s, compute capability %u.%u, %u multiprocessors\n",
        report.gpu->name.c_str(), report.gpu->computeCapability / 10,
        report.gpu->computeCapability % 10, report.gpu->multiprocessors);
  if (report.once)
    say(out, "launched once\n");
  if (report.check)
    sayCheck(out, *report.check);
  if (report.time)
    sayTime(out, report);
  for (size_t i = 0; i < report.cpuResults.size(); ++i) {
    const TensorStatistics &values = report.cpuStatistics[i];
    say(out,
        "result %zu: %s, least %.6g, most %.6g, mean %.6g, rms %.6g, %llu not "
        "finite, sha256 %s\n",
        i, report.cpuResults[i].str().c_str(), values.least, values.most,
        values.mean, values.rms, (unsigned long long)values.nonFinite,
        values.hash.c_str());
  }
  return stripControls(out);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no infinity and no NaN: they are null.
static Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

static Json kernelsToJson(const Report &report) {
  Json kernels = Json::array();
  const LaunchPlan &plan = report.built->compiled.plan;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const PlanKernel &kernel = plan.kernels[i];
    Json json = {{"symbol", kernel.symbol},
                 {"grid", kernel.grid},
                 {"block", kernel.block}};
    if (report.assembled) {
      const KernelResources &used = report.built->kernels[i];
      json["registers"] = used.registers;
      json["shared_bytes"] = used.sharedBytes + int64_t(kernel.sharedBytes);
      json["spill_bytes"] = used.spillStoreBytes + used.spillLoadBytes;
      json["stack_bytes"] = used.stackBytes;
      json["occupancy"] =
          report.occupancy[i] ? Json(*report.occupancy[i]) : Json();
    }
    kernels.push_back(std::move(json));
  }
  return kernels;
}

static Json checkToJson(const eval::CheckAnswer &check) {
  Json sets = Json::array();
  for (const eval::SetReport &set : check.sets) {
    Json results = Json::array();
    for (const eval::ResultReport &result : set.results)
      results.push_back(
          {{"error", number(result.error)},
           {"limit", number(result.limit)},
           {"reference",
            result.referenceError ? number(*result.referenceError) : Json()}});
    sets.push_back(
        {{"distribution", std::string(eval::toString(set.distribution))},
         {"aliased", set.aliased},
         {"evidence", set.evidence},
         {"results", std::move(results)}});
  }
  Json mutants = Json::array();
  for (const eval::MutantReport &mutant : check.mutants)
    mutants.push_back({{"name", mutant.name}, {"killed", mutant.killed}});
  return {{"correct", true},
          {"sets", std::move(sets)},
          {"mutants", std::move(mutants)},
          {"notes", check.notes},
          {"seconds", number(check.seconds)}};
}

std::string egg::toJson(const Report &report) {
  Json json = {{"format", 1}, {"payload", report.payload}};
  if (report.built) {
    const CompiledPayload &compiled = report.built->compiled;
    json["device"] = report.deviceName;
    json["chip"] = report.chip;
    json["ptx_hash"] = compiled.ptxHash;
    if (report.assembled)
      json["artifact_hash"] = report.built->artifactHash;
    json["launches"] = planWork(compiled.plan).launches;
    json["workspace_bytes"] = compiled.plan.workspaceBytes;
    json["kernels"] = kernelsToJson(report);
    json["remarks"] = Json::array();
    for (const BuildRemark &remark : compiled.remarks)
      json["remarks"].push_back(
          {{"kind", remark.kind}, {"message", remark.message}});
  }
  if (report.gpu)
    json["gpu"] = {{"name", report.gpu->name},
                   {"compute_capability", report.gpu->computeCapability},
                   {"driver", report.gpu->driverVersion},
                   {"multiprocessors", report.gpu->multiprocessors}};
  if (report.check)
    json["check"] = checkToJson(*report.check);
  if (report.time)
    json["time"] = {{"mode", report.graph ? "graph" : "launch"},
                    {"ms", report.time->ms},
                    {"samples", report.time->samples},
                    {"floor_ms", report.time->floorMs
                                     ? Json(*report.time->floorMs)
                                     : Json()}};
  if (report.floor)
    json["floor"] = {
        {"ms", report.floor->ms},
        {"bytes", report.floor->bytes},
        {"flops", report.floor->flops ? Json(*report.floor->flops) : Json()}};
  for (size_t i = 0; i < report.cpuResults.size(); ++i) {
    const TensorStatistics &values = report.cpuStatistics[i];
    json["cpu"].push_back({{"type", report.cpuResults[i].type},
                           {"shape", report.cpuResults[i].shape},
                           {"least", values.least},
                           {"most", values.most},
                           {"mean", number(values.mean)},
                           {"rms", number(values.rms)},
                           {"not_finite", values.nonFinite},
                           {"sha256", values.hash}});
  }
  return dumpJson(json, 2) + "\n";
}
