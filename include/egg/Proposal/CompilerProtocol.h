//===- CompilerProtocol.h - what the compiler's child is asked --*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests and answers of docs/formats.md, "The compiler protocol", as
// types that both sides share. They hold text and numbers only: the asking side
// knows no IR.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_PROPOSAL_COMPILERPROTOCOL_H
#define EGG_PROPOSAL_COMPILERPROTOCOL_H

#include "egg/Support/Frame.h"
#include "egg/Support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace egg {

/// A tensor's element type, spelt as in docs/formats.md, and its static shape.
struct TensorSignature {
  std::string type;
  std::vector<int64_t> shape;

  /// Number of elements; nullopt when the product does not fit 63 bits or an
  /// extent is negative.
  std::optional<int64_t> elements() const;
  /// `4x8xf32`, or `f32` for rank 0.
  std::string str() const;
};
bool operator==(const TensorSignature &a, const TensorSignature &b);

/// Which arithmetic a build or a run uses: the payload's own, or f64 for every
/// float value inside (the golden; docs/formats.md says what happens at the
/// borders).
enum class Promotion { None, F64 };

/// A payload: MLIR text, and the name that diagnostics give as its file.
struct PayloadText {
  std::string name = "payload";
  std::string text;
};

/// Asks for a payload's canonical text and facts; nothing is compiled.
struct VerifyRequest {
  PayloadText payload;
};

/// What a contraction computes with, and how many operations it is, a multiply
/// and an add being two.
struct ContractionWork {
  std::string type;
  double flops = 0;
};

struct VerifyAnswer {
  /// Name of the entry function, without the sigil.
  std::string entry;
  std::vector<TensorSignature> arguments, results;
  /// Operations in the module, the module included.
  int64_t ops = 0;
  /// Numbers of the arguments of which every element is read for certain.
  std::vector<int64_t> wholeArguments;
  /// The contractions that have to be computed; nullopt when that is not plain.
  std::optional<std::vector<ContractionWork>> contractions;
  /// The module as the printer writes it: locations, comments and alias names
  /// are gone, so equal payloads have equal text.
  std::string canonical;
};

/// Asks for PTX and a launch plan.
struct BuildRequest {
  PayloadText payload;
  /// A DeviceSpec, as JSON text.
  std::string device;
  /// Path of libdevice's bitcode; the child reads it.
  std::string libdevice;
  Promotion promote = Promotion::None;
  /// Whether the lowered MLIR comes back too.
  bool emitMlir = false;
};
/// What the compiler says about its own work: `passed`, `missed`, `failed` or
/// `analysis`.
struct BuildRemark {
  std::string kind, message;
};
struct BuiltModule {
  std::string name, ptx;
};
struct BuildAnswer {
  /// The launch plan, as JSON text.
  std::string plan;
  std::vector<BuiltModule> modules;
  /// The bytes of each constant, in the order of the plan's blobs.
  std::vector<std::string> constants;
  std::vector<BuildRemark> remarks;
  /// Empty unless asked for.
  std::string mlir;
  /// The version of LLVM that made the PTX, for example `22.1.8`.
  std::string llvmVersion;
};

/// Asks for the results of a payload run on the CPU.
struct RunCpuRequest {
  PayloadText payload;
  Promotion promote = Promotion::None;
  /// One an argument of the entry function, and its bytes: dense, row-major,
  /// little-endian.
  std::vector<TensorSignature> inputs;
  std::vector<std::string> inputBytes;
};
struct RunCpuAnswer {
  std::vector<TensorSignature> results;
  std::vector<std::string> resultBytes;
};

using CompilerRequest =
    std::variant<VerifyRequest, BuildRequest, RunCpuRequest>;

/// The frame of a request; its nonce is left zero.
Frame encodeRequest(const CompilerRequest &request);

/// Fails with kind `parse` and the field's name when a field is missing,
/// unknown or out of range, when a blob that the header speaks of is not there
/// or one that it does not speak of is, and when the protocol's version is not
/// 1.
Result<CompilerRequest> decodeRequest(const Frame &frame);

/// The frame of an answer or of an error; its nonce is left zero.
Frame encodeAnswer(const VerifyAnswer &answer);
Frame encodeAnswer(const BuildAnswer &answer);
Frame encodeAnswer(const RunCpuAnswer &answer);
Frame encodeError(const Error &error);

/// The answer to a request of that kind. An error that the child answered comes
/// back as the error itself; a malformed answer fails with `builder-died`,
/// since nothing that the child says can be believed then.
Result<VerifyAnswer> decodeVerifyAnswer(const Frame &frame);
Result<BuildAnswer> decodeBuildAnswer(const Frame &frame);
Result<RunCpuAnswer> decodeRunCpuAnswer(const Frame &frame);

} // namespace egg

#endif // EGG_PROPOSAL_COMPILERPROTOCOL_H
