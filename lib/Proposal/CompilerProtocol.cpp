//===- CompilerProtocol.cpp - what the compiler's child is asked *- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "egg/Proposal/CompilerProtocol.h"

#include "egg/Support/Json.h"

#include <algorithm>

using namespace egg;

static const int64_t protocolVersion = 1;
/// Larger ranks and lists than any payload has, small enough to read at once.
static const size_t maxRank = 64, maxTensors = 4096;

std::optional<int64_t> TensorSignature::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
      return std::nullopt;
  return product;
}

std::string TensorSignature::str() const {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + type;
}

bool egg::operator==(const TensorSignature &a, const TensorSignature &b) {
  return a.type == b.type && a.shape == b.shape;
}

namespace {
/// Hands out the blobs of a frame by index and knows which were taken.
class BlobReader {
public:
  explicit BlobReader(const Frame &frame)
      : frame(frame), taken(frame.blobs.size(), false) {}

  const std::string &at(int64_t index, const JsonValue &field) {
    if (index < 0 || size_t(index) >= taken.size())
      field.fail("the frame holds " + std::to_string(taken.size()) +
                 " blobs, number " + std::to_string(index) + " is not there");
    taken[index] = true;
    return frame.blobs[index];
  }
  void finish() const {
    auto left = std::find(taken.begin(), taken.end(), false);
    if (left != taken.end())
      throw JsonError(
          Error(ErrorKind::Parse, "the header does not speak of blob number " +
                                      std::to_string(left - taken.begin()) +
                                      " of the frame"));
  }

private:
  const Frame &frame;
  std::vector<bool> taken;
};
} // namespace

static Json signaturesToJson(const std::vector<TensorSignature> &signatures) {
  Json list = Json::array();
  for (const TensorSignature &signature : signatures)
    list.push_back({{"type", signature.type}, {"shape", signature.shape}});
  return list;
}

static std::vector<TensorSignature> signaturesFromJson(JsonObject &object,
                                                       std::string_view name) {
  static const std::vector<std::string> types = {
      "f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1"};
  std::vector<TensorSignature> signatures;
  for (const JsonValue &element : object.list(name, maxTensors)) {
    JsonObject fields(element);
    TensorSignature signature;
    signature.type = fields.string("type", 16);
    if (std::find(types.begin(), types.end(), signature.type) == types.end())
      fields.fail("'" + signature.type + "' is no element type");
    for (const JsonValue &extent : fields.list("shape", maxRank))
      signature.shape.push_back(extent.integer(0));
    if (!signature.elements())
      fields.fail("the number of elements of " + signature.str() +
                  " does not fit 63 bits");
    fields.finish();
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

static const char *toText(Promotion promotion) {
  return promotion == Promotion::F64 ? "f64" : "none";
}

static Promotion promotionFromJson(JsonObject &object) {
  std::string text = object.string("promote", 16);
  if (text == "f64")
    return Promotion::F64;
  if (text != "none")
    object.fail("'promote' is '" + text + "'; known are 'none' and 'f64'");
  return Promotion::None;
}

static Json requestHeader(const char *kind, const PayloadText &payload) {
  return {
      {"protocol", protocolVersion}, {"kind", kind}, {"name", payload.name}};
}

static Frame makeFrame(const Json &header, std::vector<std::string> blobs) {
  Frame frame;
  frame.header = dumpJson(header);
  frame.blobs = std::move(blobs);
  return frame;
}

static Frame makeAnswer(const Json &ok, std::vector<std::string> blobs) {
  return makeFrame({{"protocol", protocolVersion}, {"ok", ok}},
                   std::move(blobs));
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static Frame encode(const VerifyRequest &request) {
  return makeFrame(requestHeader("verify", request.payload),
                   {request.payload.text});
}

static Frame encode(const BuildRequest &request) {
  Json header = requestHeader("build", request.payload);
  // The device travels as an object. What is no JSON stays a string, which the
  // child refuses with the reason.
  Json device =
      Json::parse(request.device, nullptr, /*allow_exceptions=*/false);
  header["device"] = device.is_discarded() ? Json(request.device) : device;
  header["libdevice"] = request.libdevice;
  header["promote"] = toText(request.promote);
  header["emit"] = Json::array();
  if (request.emitMlir)
    header["emit"].push_back("mlir");
  return makeFrame(header, {request.payload.text});
}

static Frame encode(const RunCpuRequest &request) {
  Json header = requestHeader("run-cpu", request.payload);
  header["inputs"] = signaturesToJson(request.inputs);
  header["promote"] = toText(request.promote);
  std::vector<std::string> blobs = {request.payload.text};
  blobs.insert(blobs.end(), request.inputBytes.begin(),
               request.inputBytes.end());
  return makeFrame(header, std::move(blobs));
}

Frame egg::encodeRequest(const CompilerRequest &request) {
  return std::visit([](const auto &known) { return encode(known); }, request);
}

/// Takes the payload, which is always blob 0.
static PayloadText readPayload(JsonObject &header, BlobReader &blobs) {
  JsonValue name = header.field("name");
  return {name.string(4096), blobs.at(0, name)};
}

static CompilerRequest readRequest(const Frame &frame, const Json &json) {
  JsonObject header(json, "");
  BlobReader blobs(frame);
  header.version(protocolVersion, "protocol");
  std::string kind = header.string("kind", 64);
  CompilerRequest request;
  if (kind == "verify") {
    request = VerifyRequest{readPayload(header, blobs)};
  } else if (kind == "build") {
    BuildRequest build;
    build.payload = readPayload(header, blobs);
    JsonValue device = header.field("device");
    if (!device.json().is_object())
      device.fail("must be an object");
    build.device = dumpJson(device.json());
    build.libdevice = header.string("libdevice", 4096);
    build.promote = promotionFromJson(header);
    for (const JsonValue &emit : header.list("emit", 16)) {
      if (emit.string() != "mlir")
        emit.fail("'" + emit.string() + "' is not known; only 'mlir' is");
      build.emitMlir = true;
    }
    request = std::move(build);
  } else if (kind == "run-cpu") {
    RunCpuRequest run;
    run.payload = readPayload(header, blobs);
    run.inputs = signaturesFromJson(header, "inputs");
    run.promote = promotionFromJson(header);
    JsonValue inputs = header.field("inputs");
    for (size_t i = 0; i < run.inputs.size(); ++i)
      run.inputBytes.push_back(blobs.at(i + 1, inputs));
    request = std::move(run);
  } else {
    header.fail("the request is '" + kind +
                    "'; known are 'verify', 'build' and 'run-cpu'",
                ErrorKind::Unsupported);
  }
  header.finish();
  blobs.finish();
  return request;
}

Result<CompilerRequest> egg::decodeRequest(const Frame &frame) {
  EGG_ASSIGN(Json header, parseJson(frame.header));
  return readJson([&] { return readRequest(frame, header); });
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Frame egg::encodeAnswer(const VerifyAnswer &answer) {
  Json contractions;
  if (answer.contractions) {
    contractions = Json::array();
    for (const ContractionWork &work : *answer.contractions)
      contractions.push_back({{"type", work.type}, {"flops", work.flops}});
  }
  return makeAnswer({{"entry", answer.entry},
                     {"arguments", signaturesToJson(answer.arguments)},
                     {"results", signaturesToJson(answer.results)},
                     {"ops", answer.ops},
                     {"whole_arguments", answer.wholeArguments},
                     {"contractions", std::move(contractions)},
                     {"canonical", 0}},
                    {answer.canonical});
}

Frame egg::encodeAnswer(const BuildAnswer &answer) {
  std::vector<std::string> blobs;
  auto add = [&](const std::string &bytes) {
    blobs.push_back(bytes);
    return int64_t(blobs.size() - 1);
  };
  Json ok;
  ok["plan"] = Json::parse(answer.plan, nullptr, /*allow_exceptions=*/false);
  ok["modules"] = Json::array();
  for (const BuiltModule &module : answer.modules)
    ok["modules"].push_back({{"name", module.name}, {"ptx", add(module.ptx)}});
  ok["constants"] = Json::array();
  for (const std::string &constant : answer.constants)
    ok["constants"].push_back(add(constant));
  ok["remarks"] = Json::array();
  for (const BuildRemark &remark : answer.remarks)
    ok["remarks"].push_back(
        {{"kind", remark.kind}, {"message", remark.message}});
  ok["llvm"] = answer.llvmVersion;
  if (!answer.mlir.empty())
    ok["mlir"] = add(answer.mlir);
  return makeAnswer(ok, std::move(blobs));
}

Frame egg::encodeAnswer(const RunCpuAnswer &answer) {
  return makeAnswer({{"results", signaturesToJson(answer.results)}},
                    answer.resultBytes);
}

Frame egg::encodeError(const Error &error) {
  return makeFrame({{"protocol", protocolVersion},
                    {"error",
                     {{"kind", std::string(toString(error.kind))},
                      {"message", error.message}}}},
                   {});
}

/// Reads an answer's `ok` with `read`, or its error. What is malformed is a
/// builder that died in spirit: its words mean nothing.
template <typename Answer, typename Read>
static Result<Answer> decodeAnswer(const Frame &frame, Read &&read) {
  std::optional<Error> answered;
  auto whole = [&]() -> Answer {
    Result<Json> json = parseJson(frame.header);
    if (!json)
      throw JsonError(json.error());
    JsonObject header(*json, "");
    BlobReader blobs(frame);
    header.version(protocolVersion, "protocol");
    Answer answer;
    if (header.has("error")) {
      JsonObject error = header.object("error");
      std::string kind = error.string("kind", 64);
      std::optional<ErrorKind> known = errorKindFromString(kind);
      if (!known)
        error.fail("'" + kind + "' is no kind of error");
      answered = Error(*known, error.string("message", 1 << 20));
      error.finish();
    } else {
      JsonObject ok = header.object("ok");
      answer = read(ok, blobs);
      ok.finish();
    }
    header.finish();
    blobs.finish();
    return answer;
  };
  Result<Answer> answer = readJson(whole);
  if (!answer)
    return Error(ErrorKind::BuilderDied,
                 "the compiler's answer is malformed: " +
                     answer.error().message);
  if (answered)
    return *answered;
  return answer;
}

Result<VerifyAnswer> egg::decodeVerifyAnswer(const Frame &frame) {
  return decodeAnswer<VerifyAnswer>(
      frame, [](JsonObject &ok, BlobReader &blobs) {
        VerifyAnswer answer;
        answer.entry = ok.string("entry", 4096);
        answer.arguments = signaturesFromJson(ok, "arguments");
        answer.results = signaturesFromJson(ok, "results");
        answer.ops = ok.integer("ops", 0);
        for (const JsonValue &number : ok.list("whole_arguments"))
          answer.wholeArguments.push_back(
              number.integer(0, int64_t(answer.arguments.size()) - 1));
        JsonValue contractions = ok.field("contractions");
        if (!contractions.isNull()) {
          answer.contractions.emplace();
          for (const JsonValue &element : contractions.list(65536)) {
            JsonObject work(element);
            answer.contractions->push_back(
                {work.string("type", 16), work.number("flops", 0)});
            work.finish();
          }
        }
        JsonValue canonical = ok.field("canonical");
        answer.canonical = blobs.at(canonical.integer(0), canonical);
        return answer;
      });
}

Result<BuildAnswer> egg::decodeBuildAnswer(const Frame &frame) {
  return decodeAnswer<BuildAnswer>(
      frame, [](JsonObject &ok, BlobReader &blobs) {
        BuildAnswer answer;
        JsonValue plan = ok.field("plan");
        if (!plan.json().is_object())
          plan.fail("must be an object");
        answer.plan = dumpJson(plan.json());
        for (const JsonValue &element : ok.list("modules")) {
          JsonObject module(element);
          JsonValue ptx = module.field("ptx");
          answer.modules.push_back(
              {module.string("name", 4096), blobs.at(ptx.integer(0), ptx)});
          module.finish();
        }
        for (const JsonValue &constant : ok.list("constants"))
          answer.constants.push_back(blobs.at(constant.integer(0), constant));
        for (const JsonValue &element : ok.list("remarks")) {
          JsonObject remark(element);
          answer.remarks.push_back(
              {remark.string("kind", 64), remark.string("message", 1 << 20)});
          remark.finish();
        }
        answer.llvmVersion = ok.string("llvm", 64);
        if (ok.has("mlir")) {
          JsonValue mlir = ok.field("mlir");
          answer.mlir = blobs.at(mlir.integer(0), mlir);
        }
        return answer;
      });
}

Result<RunCpuAnswer> egg::decodeRunCpuAnswer(const Frame &frame) {
  return decodeAnswer<RunCpuAnswer>(
      frame, [](JsonObject &ok, BlobReader &blobs) {
        RunCpuAnswer answer;
        answer.results = signaturesFromJson(ok, "results");
        JsonValue results = ok.field("results");
        for (size_t i = 0; i < answer.results.size(); ++i)
          answer.resultBytes.push_back(blobs.at(i, results));
        return answer;
      });
}
