//===- Answers.cpp - answers of the worker protocol -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Protocol.h"

#include "egg/Support/Json.h"

#include <cmath>

using namespace egg;
using namespace egg::eval;

namespace {

constexpr int64_t protocolVersion = 1;
constexpr int64_t most = std::numeric_limits<int64_t>::max();

Frame pack(Json ok, const Nonce &nonce) {
  Frame frame;
  frame.nonce = nonce;
  frame.header =
      dumpJson({{"protocol", protocolVersion}, {"ok", std::move(ok)}});
  return frame;
}

/// JSON has no infinity: a figure that is not finite is null.
Json figure(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

double readFigure(JsonObject &object, std::string_view name) {
  JsonValue value = object.field(name);
  return value.isNull() ? std::numeric_limits<double>::infinity()
                        : value.number();
}

/// Calls `read` with the object `ok` of an answer and requires that it asks for
/// every field. Anything that cannot be read: `worker-died`.
template <typename F>
auto unpack(const Frame &frame, F &&read)
    -> Result<decltype(read(std::declval<JsonObject &>()))> {
  auto broken = [](const Error &error) {
    return Error(ErrorKind::WorkerDied,
                 "the worker's answer cannot be read: " + error.message);
  };
  Result<Json> json = parseJson(frame.header);
  if (!json)
    return broken(json.error());
  Error reported;
  bool isError = false;
  using T = decltype(read(std::declval<JsonObject &>()));
  Result<T> result = readJson([&]() -> T {
    JsonObject header(*json, "answer");
    header.version(protocolVersion, "protocol");
    if (header.has("error")) {
      JsonObject object = header.object("error");
      std::string kind = object.string("kind", 64);
      std::optional<ErrorKind> known = errorKindFromString(kind);
      if (!known)
        object.fail("'" + kind + "' is no kind of error");
      reported = Error(*known, object.string("message"));
      object.finish();
      header.finish();
      isError = true;
      return T();
    }
    JsonObject ok = header.object("ok");
    T value = read(ok);
    ok.finish();
    header.finish();
    return value;
  });
  if (!result)
    return broken(result.error());
  if (isError)
    return reported;
  return result;
}

Json toJson(const ResultReport &r) {
  return {{"error", figure(r.error)},
          {"limit", figure(r.limit)},
          {"reference_error",
           r.referenceError ? figure(*r.referenceError) : Json(nullptr)},
          {"max_ulp", figure(r.maxUlp)},
          {"norm_error", figure(r.normError)},
          {"max_error", figure(r.maxError)}};
}

ResultReport readResult(const JsonValue &value) {
  JsonObject object(value);
  ResultReport r;
  r.error = readFigure(object, "error");
  r.limit = readFigure(object, "limit");
  JsonValue reference = object.field("reference_error");
  if (!reference.isNull())
    r.referenceError = reference.number();
  r.maxUlp = readFigure(object, "max_ulp");
  r.normError = readFigure(object, "norm_error");
  r.maxError = readFigure(object, "max_error");
  object.finish();
  return r;
}

SetReport readSet(const JsonValue &value) {
  JsonObject object(value);
  SetReport set;
  JsonValue name = object.field("distribution");
  std::optional<Distribution> d = distributionFromString(name.string(64));
  if (!d)
    name.fail("is no distribution");
  set.distribution = *d;
  set.aliased = object.boolean("aliased");
  set.evidence = object.boolean("evidence");
  for (const JsonValue &result : object.list("results"))
    set.results.push_back(readResult(result));
  object.finish();
  return set;
}

} // namespace

Frame egg::eval::encodeAnswer(const Error &error, const Nonce &nonce) {
  Frame frame;
  frame.nonce = nonce;
  frame.header = dumpJson(
      {{"protocol", protocolVersion},
       {"error",
        {{"kind", toString(error.kind)}, {"message", error.message}}}});
  return frame;
}

Frame egg::eval::encodeAnswer(const InfoAnswer &info, const Nonce &nonce) {
  return pack({{"name", info.name},
               {"compute_capability", info.computeCapability},
               {"driver", info.driverVersion},
               {"memory_bytes", info.memoryBytes},
               {"free_bytes", info.freeBytes},
               {"l2_bytes", info.l2Bytes},
               {"multiprocessors", info.multiprocessors}},
              nonce);
}

Frame egg::eval::encodeAnswer(const CheckAnswer &answer, const Nonce &nonce) {
  Json sets = Json::array(), mutants = Json::array();
  for (const SetReport &set : answer.sets) {
    Json results = Json::array();
    for (const ResultReport &result : set.results)
      results.push_back(toJson(result));
    sets.push_back({{"distribution", toString(set.distribution)},
                    {"aliased", set.aliased},
                    {"evidence", set.evidence},
                    {"results", std::move(results)}});
  }
  for (const MutantReport &mutant : answer.mutants)
    mutants.push_back({{"name", mutant.name}, {"killed", mutant.killed}});
  return pack({{"sets", std::move(sets)},
               {"mutants", std::move(mutants)},
               {"notes", answer.notes},
               {"workspace_bytes", answer.workspaceBytes},
               {"seconds", answer.seconds}},
              nonce);
}

Frame egg::eval::encodeAnswer(const TimeAnswer &answer, const Nonce &nonce) {
  Json clocks;
  if (answer.clocks)
    clocks = {{"least_mhz", answer.clocks->leastMhz},
              {"most_mhz", answer.clocks->mostMhz},
              {"reasons", answer.clocks->reasons}};
  return pack(
      {{"ms", answer.ms},
       {"samples", answer.samples},
       {"floor_ms", answer.floorMs ? Json(*answer.floorMs) : Json(nullptr)},
       {"gated", answer.gated},
       {"replays", answer.replays},
       {"workspace_bytes", answer.workspaceBytes},
       {"clocks", std::move(clocks)}},
      nonce);
}

Frame egg::eval::encodeAnswer(RunAnswer answer, const Nonce &nonce) {
  Json results = Json::array();
  std::vector<std::string> blobs;
  for (RunAnswer::Output &output : answer.outputs) {
    results.push_back({{"type", output.type}, {"shape", output.shape}});
    blobs.push_back(std::move(output.bytes));
  }
  Frame frame = pack({{"results", std::move(results)}}, nonce);
  frame.blobs = std::move(blobs);
  return frame;
}

Frame egg::eval::encodeDone(const Nonce &nonce) {
  return pack(Json::object(), nonce);
}

Result<InfoAnswer> egg::eval::decodeInfo(const Frame &frame) {
  return unpack(frame, [](JsonObject &ok) {
    InfoAnswer info;
    info.name = ok.string("name", 1024);
    info.computeCapability =
        unsigned(ok.integer("compute_capability", 0, 9999));
    info.driverVersion = int(ok.integer("driver", 0, 1000000));
    info.memoryBytes = uint64_t(ok.integer("memory_bytes", 0));
    info.freeBytes = uint64_t(ok.integer("free_bytes", 0));
    info.l2Bytes = uint64_t(ok.integer("l2_bytes", 0));
    info.multiprocessors = unsigned(ok.integer("multiprocessors", 0, 1000000));
    return info;
  });
}

Result<CheckAnswer> egg::eval::decodeCheck(const Frame &frame) {
  return unpack(frame, [](JsonObject &ok) {
    CheckAnswer answer;
    for (const JsonValue &value : ok.list("sets"))
      answer.sets.push_back(readSet(value));
    for (const JsonValue &value : ok.list("mutants")) {
      JsonObject object(value);
      MutantReport mutant;
      mutant.name = object.string("name", 64);
      mutant.killed = object.boolean("killed");
      object.finish();
      answer.mutants.push_back(mutant);
    }
    for (const JsonValue &value : ok.list("notes"))
      answer.notes.push_back(value.string());
    answer.workspaceBytes = uint64_t(ok.integer("workspace_bytes", 0, most));
    answer.seconds = ok.number("seconds", 0);
    return answer;
  });
}

Result<TimeAnswer> egg::eval::decodeTime(const Frame &frame) {
  return unpack(frame, [](JsonObject &ok) {
    TimeAnswer answer;
    answer.ms = ok.number("ms", 0);
    for (const JsonValue &value : ok.list("samples", 1000000))
      answer.samples.push_back(value.number(0));
    JsonValue floor = ok.field("floor_ms");
    if (!floor.isNull())
      answer.floorMs = floor.number(0);
    answer.gated = ok.boolean("gated");
    answer.replays = uint64_t(ok.integer("replays", 0));
    answer.workspaceBytes = uint64_t(ok.integer("workspace_bytes", 0));
    JsonValue clocks = ok.field("clocks");
    if (!clocks.isNull()) {
      JsonObject object(clocks);
      ClockReport report;
      report.leastMhz = unsigned(object.integer("least_mhz", 0, 1000000));
      report.mostMhz = unsigned(object.integer("most_mhz", 0, 1000000));
      report.reasons = uint64_t(object.integer("reasons", 0));
      object.finish();
      answer.clocks = report;
    }
    return answer;
  });
}

Result<RunAnswer> egg::eval::decodeRun(Frame frame) {
  return unpack(frame, [&frame](JsonObject &ok) {
    RunAnswer answer;
    std::vector<JsonValue> results = ok.list("results", 1024);
    if (results.size() != frame.blobs.size())
      ok.fail("there are " + std::to_string(results.size()) + " results and " +
              std::to_string(frame.blobs.size()) + " blobs");
    for (size_t i = 0; i < results.size(); ++i) {
      JsonObject object(results[i]);
      RunAnswer::Output output;
      output.type = object.string("type", 16);
      for (const JsonValue &extent : object.list("shape", 64))
        output.shape.push_back(uint64_t(extent.integer(0)));
      object.finish();
      output.bytes = std::move(frame.blobs[i]);
      answer.outputs.push_back(std::move(output));
    }
    return answer;
  });
}

Status egg::eval::decodeDone(const Frame &frame) {
  Result<bool> read = unpack(frame, [](JsonObject &) { return true; });
  if (!read)
    return read.error();
  return Status();
}
