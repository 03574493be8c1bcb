//===- Error.cpp - The closed set of error kinds --------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The spelling of each kind.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/Error.h"

using namespace egg;

namespace {
struct Spelling {
  ErrorKind kind;
  std::string_view text;
};

constexpr Spelling spellings[] = {
    {ErrorKind::Parse, "parse"},
    {ErrorKind::Verify, "verify"},
    {ErrorKind::Limit, "limit"},
    {ErrorKind::Unsupported, "unsupported"},
    {ErrorKind::HostControlFlow, "host-control-flow"},
    {ErrorKind::TransformSilenceable, "transform-silenceable"},
    {ErrorKind::TransformDefinite, "transform-definite"},
    {ErrorKind::Lower, "lower"},
    {ErrorKind::BuilderDied, "builder-died"},
    {ErrorKind::MissingTool, "missing-tool"},
    {ErrorKind::Ptxas, "ptxas"},
    {ErrorKind::WrongArch, "wrong-arch"},
    {ErrorKind::NoDevice, "no-device"},
    {ErrorKind::DeviceBusy, "device-busy"},
    {ErrorKind::Mps, "mps"},
    {ErrorKind::Load, "load"},
    {ErrorKind::Launch, "launch"},
    {ErrorKind::IllegalAccess, "illegal-access"},
    {ErrorKind::OutOfBoundsWrite, "out-of-bounds-write"},
    {ErrorKind::Timeout, "timeout"},
    {ErrorKind::WrongResult, "wrong-result"},
    {ErrorKind::NotWritten, "not-written"},
    {ErrorKind::Nondeterministic, "nondeterministic"},
    {ErrorKind::InputModified, "input-modified"},
    {ErrorKind::RooflineFault, "roofline-fault"},
    {ErrorKind::OutOfMemory, "out-of-memory"},
    {ErrorKind::WorkerDied, "worker-died"},
    {ErrorKind::DeviceLost, "device-lost"},
    {ErrorKind::Internal, "internal"},
};
} // namespace

std::string_view egg::toString(ErrorKind kind) {
  for (const Spelling &spelling : spellings)
    if (spelling.kind == kind)
      return spelling.text;
  return "internal";
}

std::optional<ErrorKind> egg::errorKindFromString(std::string_view text) {
  for (const Spelling &spelling : spellings)
    if (spelling.text == text)
      return spelling.kind;
  return std::nullopt;
}

const std::vector<ErrorKind> &egg::allErrorKinds() {
  static const std::vector<ErrorKind> kinds = [] {
    std::vector<ErrorKind> list;
    for (const Spelling &spelling : spellings)
      list.push_back(spelling.kind);
    return list;
  }();
  return kinds;
}

std::string Error::str() const {
  return std::string(toString(kind)) + ": " + message;
}

Error Error::withContext(std::string_view context) const {
  return Error(kind, std::string(context) + ": " + message);
}
