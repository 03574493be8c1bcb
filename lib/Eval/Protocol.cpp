//===- Protocol.cpp - requests of the worker protocol -----------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Eval/Protocol.h"

#include "egg/Support/Json.h"

#include <array>

using namespace egg;
using namespace egg::eval;

namespace {

constexpr int64_t protocolVersion = 1;
constexpr int64_t mostSamples = 1000000;
constexpr size_t mostArguments = 1024;

constexpr std::array<std::string_view, 5> kindNames = {"info", "check", "time",
                                                       "once", "run"};
constexpr std::array<std::string_view, 2> gateNames = {"pool", "whole"};
constexpr std::array<std::string_view, 2> modeNames = {"launch", "graph"};

/// The place of a string in a list of names, or a `parse` error that lists
/// them.
template <size_t N>
size_t choice(const JsonValue &value,
              const std::array<std::string_view, N> &names) {
  std::string text = value.string(64);
  std::string known;
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == text)
      return i;
    known += (i ? ", " : "") + std::string(names[i]);
  }
  value.fail("'" + text + "' is none of " + known);
}

/// Hands the blobs of a frame out, each once.
class Blobs {
public:
  explicit Blobs(std::vector<std::string> &blobs)
      : blobs(blobs), taken(blobs.size()) {}

  std::string take(const JsonValue &index) {
    if (blobs.empty())
      index.fail("names a blob, but the frame holds none");
    size_t i = size_t(index.integer(0, int64_t(blobs.size()) - 1));
    if (taken[i])
      index.fail("names blob " + std::to_string(i) + " a second time");
    taken[i] = true;
    return std::move(blobs[i]);
  }

  void finish(const JsonObject &header) const {
    for (size_t i = 0; i < taken.size(); ++i)
      if (!taken[i])
        header.fail("no field names blob " + std::to_string(i));
  }

private:
  std::vector<std::string> &blobs;
  std::vector<bool> taken;
};

bool readsGolden(RequestKind kind) {
  return kind == RequestKind::Check || kind == RequestKind::Time;
}
bool drawsInputs(RequestKind kind) {
  return readsGolden(kind) || kind == RequestKind::Once;
}

void readInputs(JsonObject &header, Request &request) {
  request.seed = uint64_t(header.integer("seed", 0));
  request.distributions.clear();
  for (const JsonValue &value : header.list("distributions", 16)) {
    std::optional<Distribution> d = distributionFromString(value.string(64));
    if (!d)
      value.fail("'" + value.string(64) + "' is no distribution");
    request.distributions.push_back(*d);
  }
  if (request.distributions.empty())
    header.fail("distributions holds no distribution");
  for (const JsonValue &value : header.list("integers", mostArguments)) {
    JsonObject object(value);
    IntegerRange range;
    range.argument = uint64_t(object.integer("argument", 0, mostArguments));
    range.low = object.integer("low");
    range.high = object.integer("high", range.low);
    object.finish();
    request.integers.push_back(range);
  }
}

void readCheck(JsonObject &header, Request &request) {
  request.gate = GateLevel(choice(header.field("gate"), gateNames));
  if (request.gate == GateLevel::Whole &&
      !enoughForWholeGate(request.distributions))
    header.fail("the whole gate needs the distributions normal, uniform, wide "
                "and one more");
  request.mutants = header.boolean("mutants");
  JsonValue tile = header.field("last_tile");
  if (!tile.isNull()) {
    JsonObject object(tile);
    LastTile last;
    last.argument = uint64_t(object.integer("argument", 0, mostArguments));
    last.dim = uint64_t(object.integer("dim", 0, 64));
    last.count = uint64_t(object.integer("count", 1));
    object.finish();
    request.lastTile = last;
  }
}

void readTime(JsonObject &header, Request &request) {
  request.mode = TimeMode(choice(header.field("mode"), modeNames));
  request.minMs = header.number("min_ms", 0, 600000);
  request.minSamples = uint64_t(header.integer("min_samples", 1, mostSamples));
  request.maxSamples = uint64_t(
      header.integer("max_samples", int64_t(request.minSamples), mostSamples));
  request.flush = header.boolean("flush");
  request.replays = uint64_t(header.integer("replays", 0, 100000));
  JsonValue peak = header.field("peak");
  if (!peak.isNull()) {
    JsonObject object(peak);
    Peak rates;
    rates.flopsPerSecond = object.number("flops_per_second", 1, 1e21);
    rates.bytesPerSecond = object.number("bytes_per_second", 1, 1e18);
    object.finish();
    request.peak = rates;
  }
}

Request readRequest(Frame &frame, const Json &json) {
  JsonObject header(json, "request");
  header.version(protocolVersion, "protocol");
  Request request;
  request.kind = RequestKind(choice(header.field("kind"), kindNames));
  request.device = unsigned(header.integer("device", 0, 1023));
  Blobs blobs(frame.blobs);
  request.deadlineSeconds = header.number("deadline_seconds", 0.01, 86400);
  if (request.kind != RequestKind::Info) {
    request.candidate = blobs.take(header.field("candidate"));
    request.maxWorkspaceBytes =
        uint64_t(header.integer("max_workspace_bytes", 0));
  }
  if (drawsInputs(request.kind))
    readInputs(header, request);
  if (readsGolden(request.kind)) {
    JsonValue golden = header.field("golden");
    if (!golden.isNull())
      request.golden = blobs.take(golden);
    else if (request.kind == RequestKind::Check)
      golden.fail("is null: a check needs a golden");
    JsonValue reference = header.field("reference");
    if (!reference.isNull())
      request.reference = blobs.take(reference);
    request.deterministic = header.boolean("deterministic");
  }
  if (request.kind == RequestKind::Check)
    readCheck(header, request);
  if (request.kind == RequestKind::Time)
    readTime(header, request);
  if (request.kind == RequestKind::Run) {
    uint64_t total = 0;
    for (const JsonValue &value : header.list("inputs", mostArguments)) {
      request.inputs.push_back(blobs.take(value));
      total += request.inputs.back().size();
    }
    if (total > maxRunBytes)
      header.fail("inputs hold " + std::to_string(total) +
                      " bytes; a run request moves at most " +
                      std::to_string(maxRunBytes),
                  ErrorKind::Limit);
  }
  header.finish();
  blobs.finish(header);
  return request;
}

} // namespace

FrameLimits egg::eval::requestLimits() {
  FrameLimits limits;
  limits.headerBytes = uint64_t(1) << 20;
  limits.blobCount = mostArguments + 3;
  limits.blobBytes = uint64_t(4) << 30;
  limits.totalBytes = uint64_t(8) << 30;
  return limits;
}

Result<Request> egg::eval::decodeRequest(Frame frame) {
  EGG_ASSIGN(Json json, parseJson(frame.header));
  return readJson([&] { return readRequest(frame, json); });
}

Frame egg::eval::encodeRequest(const Request &request, const Nonce &nonce) {
  Frame frame;
  frame.nonce = nonce;
  Json header;
  auto blob = [&frame](const std::string &bytes) {
    frame.blobs.push_back(bytes);
    return frame.blobs.size() - 1;
  };
  header["protocol"] = protocolVersion;
  header["kind"] = kindNames[size_t(request.kind)];
  header["device"] = request.device;
  header["deadline_seconds"] = request.deadlineSeconds;
  if (request.kind != RequestKind::Info) {
    header["candidate"] = blob(request.candidate);
    header["max_workspace_bytes"] = request.maxWorkspaceBytes;
  }
  if (drawsInputs(request.kind)) {
    header["seed"] = request.seed;
    header["distributions"] = Json::array();
    for (Distribution d : request.distributions)
      header["distributions"].push_back(toString(d));
    header["integers"] = Json::array();
    for (const IntegerRange &r : request.integers)
      header["integers"].push_back(
          {{"argument", r.argument}, {"low", r.low}, {"high", r.high}});
  }
  if (readsGolden(request.kind)) {
    header["golden"] = nullptr;
    header["reference"] = nullptr;
    if (!request.golden.empty())
      header["golden"] = blob(request.golden);
    if (request.reference)
      header["reference"] = blob(*request.reference);
    header["deterministic"] = request.deterministic;
  }
  if (request.kind == RequestKind::Check) {
    header["gate"] = gateNames[size_t(request.gate)];
    header["mutants"] = request.mutants;
    header["last_tile"] = nullptr;
    if (request.lastTile)
      header["last_tile"] = {{"argument", request.lastTile->argument},
                             {"dim", request.lastTile->dim},
                             {"count", request.lastTile->count}};
  }
  if (request.kind == RequestKind::Time) {
    header["mode"] = modeNames[size_t(request.mode)];
    header["min_ms"] = request.minMs;
    header["min_samples"] = request.minSamples;
    header["max_samples"] = request.maxSamples;
    header["flush"] = request.flush;
    header["replays"] = request.replays;
    header["peak"] = nullptr;
    if (request.peak)
      header["peak"] = {{"flops_per_second", request.peak->flopsPerSecond},
                        {"bytes_per_second", request.peak->bytesPerSecond}};
  }
  if (request.kind == RequestKind::Run) {
    header["inputs"] = Json::array();
    for (const std::string &input : request.inputs)
      header["inputs"].push_back(blob(input));
  }
  frame.header = dumpJson(header);
  return frame;
}
