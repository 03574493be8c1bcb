//===- CApi.cpp - The C interface of the runtime --------------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin: no exception crosses it, and each failure is kept for its thread.
//
//===----------------------------------------------------------------------===//

#include "egg-c/runtime.h"

#include "egg/Runtime/Executable.h"
#include "egg/Support/File.h"

#include <cstring>
#include <exception>

using namespace egg;

struct EggExecutable {
  Executable program;
};

namespace {
constexpr uint64_t maxFileBytes = uint64_t(4) << 30;

struct LastError {
  int32_t code = EGG_OK;
  std::string kind, message;
};
thread_local LastError lastError;

int32_t codeOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Parse:
    return EGG_ERROR_PARSE;
  case ErrorKind::Verify:
    return EGG_ERROR_VERIFY;
  case ErrorKind::Limit:
    return EGG_ERROR_LIMIT;
  case ErrorKind::Unsupported:
    return EGG_ERROR_UNSUPPORTED;
  case ErrorKind::WrongArch:
    return EGG_ERROR_WRONG_ARCH;
  case ErrorKind::NoDevice:
    return EGG_ERROR_NO_DEVICE;
  case ErrorKind::DeviceBusy:
    return EGG_ERROR_DEVICE_BUSY;
  case ErrorKind::Mps:
    return EGG_ERROR_MPS;
  case ErrorKind::Load:
    return EGG_ERROR_LOAD;
  case ErrorKind::Launch:
    return EGG_ERROR_LAUNCH;
  case ErrorKind::IllegalAccess:
    return EGG_ERROR_ILLEGAL_ACCESS;
  case ErrorKind::Timeout:
    return EGG_ERROR_TIMEOUT;
  case ErrorKind::OutOfMemory:
    return EGG_ERROR_OUT_OF_MEMORY;
  case ErrorKind::DeviceLost:
    return EGG_ERROR_DEVICE_LOST;
  default:
    return EGG_ERROR_INTERNAL;
  }
}

int32_t keep(const Error &error) {
  lastError.code = codeOf(error.kind);
  lastError.kind = toString(error.kind);
  lastError.message = error.message;
  return lastError.code;
}

/// Runs `call`, which returns a Status.
template <typename F> int32_t guarded(F &&call) {
  try {
    Status status = call();
    return status ? EGG_OK : keep(status.error());
  } catch (const std::bad_alloc &) {
    return keep(Error(ErrorKind::OutOfMemory, "the host is out of memory"));
  } catch (const std::exception &failure) {
    return keep(Error(ErrorKind::Internal, failure.what()));
  }
}

Status nullPointer(const char *what) {
  return Error(ErrorKind::Verify, std::string(what) + " is null");
}

Result<Executable> load(std::string_view bytes, int32_t device,
                        const char *expectedHash) {
  EGG_ASSIGN(Artifact artifact,
             unpackArtifact(bytes, expectedHash ? expectedHash : ""));
  EGG_ASSIGN(Driver driver, Driver::open());
  EGG_ASSIGN(Context context, device < 0 ? Context::current(driver)
                                         : Context::create(driver, device));
  return Executable::load(context, artifact);
}

/// Fills `tensor` for entry `index` of `list`.
template <typename T>
int32_t describe(const EggExecutable *executable, const std::vector<T> &list,
                 int32_t index, EggTensor *tensor, uint64_t align,
                 int32_t argument) {
  return guarded([&]() -> Status {
    const T &entry = list[size_t(index)];
    *tensor = EggTensor{int32_t(entry.type),
                        int32_t(entry.shape.size()),
                        entry.shape.data(),
                        executable->program.plan().buffers[entry.buffer].bytes,
                        align,
                        argument};
    return Status();
  });
}

template <typename T>
Status checkIndex(const EggExecutable *executable, const std::vector<T> &list,
                  int32_t index, const EggTensor *tensor) {
  if (!tensor)
    return nullPointer("the tensor to be filled");
  if (index < 0 || size_t(index) >= list.size())
    return Error(ErrorKind::Verify, "index " + std::to_string(index) +
                                        " is asked for; there are " +
                                        std::to_string(list.size()));
  return Status();
}
} // namespace

static_assert(int(EGG_F64) == int(ElementType::F64) &&
                  int(EGG_BF16) == int(ElementType::BF16) &&
                  int(EGG_I1) == int(ElementType::I1),
              "the two lists of element types have the same order");

int32_t eggRuntimeVersion(void) { return EGG_RUNTIME_VERSION; }

int32_t eggLastError(void) { return lastError.code; }
const char *eggLastErrorKind(void) { return lastError.kind.c_str(); }
const char *eggLastErrorMessage(void) { return lastError.message.c_str(); }

EggExecutable *eggLoadMemory(const void *bytes, size_t size, int32_t device,
                             const char *expectedHash) {
  EggExecutable *made = nullptr;
  guarded([&]() -> Status {
    if (!bytes)
      return nullPointer("the artifact's memory");
    EGG_ASSIGN(Executable program,
               load(std::string_view(static_cast<const char *>(bytes), size),
                    device, expectedHash));
    made = new EggExecutable{std::move(program)};
    return Status();
  });
  return made;
}

EggExecutable *eggLoadFile(const char *path, int32_t device,
                           const char *expectedHash) {
  EggExecutable *made = nullptr;
  guarded([&]() -> Status {
    if (!path)
      return nullPointer("the artifact's path");
    EGG_ASSIGN(std::string bytes, readFile(path, maxFileBytes));
    Result<Executable> program = load(bytes, device, expectedHash);
    if (!program)
      return program.error().withContext(path);
    made = new EggExecutable{program.take()};
    return Status();
  });
  return made;
}

void eggUnload(EggExecutable *executable) { delete executable; }

int32_t eggArgumentCount(const EggExecutable *executable) {
  return executable ? int32_t(executable->program.plan().arguments.size()) : 0;
}

int32_t eggResultCount(const EggExecutable *executable) {
  return executable ? int32_t(executable->program.plan().results.size()) : 0;
}

int32_t eggArgument(const EggExecutable *executable, int32_t index,
                    EggTensor *tensor) {
  if (!executable)
    return keep(nullPointer("the executable").error());
  const auto &list = executable->program.plan().arguments;
  if (Status status = checkIndex(executable, list, index, tensor); !status)
    return keep(status.error());
  return describe(executable, list, index, tensor, list[size_t(index)].align,
                  -1);
}

int32_t eggResult(const EggExecutable *executable, int32_t index,
                  EggTensor *tensor) {
  if (!executable)
    return keep(nullPointer("the executable").error());
  const LaunchPlan &plan = executable->program.plan();
  if (Status status = checkIndex(executable, plan.results, index, tensor);
      !status)
    return keep(status.error());
  uint64_t align = 256;
  int32_t argument = -1;
  for (size_t i = 0; i < plan.arguments.size(); ++i) {
    if (plan.arguments[i].buffer != plan.results[size_t(index)].buffer)
      continue;
    argument = int32_t(i);
    align = plan.arguments[i].align;
  }
  return describe(executable, plan.results, index, tensor, align, argument);
}

uint64_t eggWorkspaceBytes(const EggExecutable *executable) {
  return executable ? executable->program.plan().workspaceBytes : 0;
}

int32_t eggLaunch(const EggExecutable *executable, void *stream,
                  const uint64_t *arguments, const uint64_t *results,
                  uint64_t workspace) {
  return guarded([&]() -> Status {
    if (!executable)
      return nullPointer("the executable");
    const LaunchPlan &plan = executable->program.plan();
    if (!arguments && !plan.arguments.empty())
      return nullPointer("the list of arguments");
    if (!results && !plan.results.empty())
      return nullPointer("the list of results");
    std::vector<DevicePtr> argumentList(arguments,
                                        arguments + plan.arguments.size());
    std::vector<DevicePtr> resultList(results, results + plan.results.size());
    Stream queue = executable->program.context().borrowStream(
        static_cast<cuda::StreamHandle>(stream));
    return executable->program.launch(queue, argumentList, resultList,
                                      workspace);
  });
}
