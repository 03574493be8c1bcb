/*===- egg-c/runtime.h - Launching what egg has compiled ----------*- C -*-===*\
|*                                                                            *|
|* Part of egg, under the Apache License v2.0 with LLVM Exceptions.           *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The C interface of libegg_runtime: loads an artifact (docs/formats.md) and *|
|* launches it on a CUDA stream with device pointers. The library needs       *|
|* nothing but the C library and opens the CUDA driver at run time.           *|
|*                                                                            *|
|* An artifact is executable code: its hash finds damage, not malice. Load    *|
|* only what you trust, or give the hash that you expect.                     *|
|*                                                                            *|
|* All functions may be called from any thread. One executable may be         *|
|* launched from several threads at once, each with its own stream, results   *|
|* and workspace. Functions that return an int return 0 or an EggError.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef EGG_C_RUNTIME_H
#define EGG_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EGG_API __attribute__((visibility("default")))

/** Changes when this header changes in a way that breaks callers. */
#define EGG_RUNTIME_VERSION 1
EGG_API int32_t eggRuntimeVersion(void);

/** The kinds of docs/formats.md that the runtime fails with. */
typedef enum EggError {
  EGG_OK = 0,
  EGG_ERROR_PARSE,
  EGG_ERROR_VERIFY,
  EGG_ERROR_LIMIT,
  EGG_ERROR_UNSUPPORTED,
  EGG_ERROR_WRONG_ARCH,
  EGG_ERROR_NO_DEVICE,
  EGG_ERROR_DEVICE_BUSY,
  EGG_ERROR_MPS,
  EGG_ERROR_LOAD,
  EGG_ERROR_LAUNCH,
  EGG_ERROR_ILLEGAL_ACCESS,
  EGG_ERROR_TIMEOUT,
  EGG_ERROR_OUT_OF_MEMORY,
  EGG_ERROR_DEVICE_LOST,
  EGG_ERROR_INTERNAL
} EggError;

/**
 * The last failure of a function of this library in this thread: its code, its
 * kind as docs/formats.md spells it, and a sentence. The texts stay until the
 * next failure in this thread. EGG_OK and empty texts when there was none.
 */
EGG_API int32_t eggLastError(void);
EGG_API const char *eggLastErrorKind(void);
EGG_API const char *eggLastErrorMessage(void);

/** A loaded artifact. */
typedef struct EggExecutable EggExecutable;

/** Uses the context that is current in the calling thread, such as PyTorch's;
 *  if there is none, device 0. */
#define EGG_CURRENT_CONTEXT (-1)

/**
 * Loads an artifact from a file or from memory onto `device` (an ordinal, or
 * EGG_CURRENT_CONTEXT). `expectedHash`, unless null, is the SHA-256 that the
 * artifact must have, as 64 lower-case hexadecimal digits. Returns null on
 * failure. `bytes` are not needed after the call.
 */
EGG_API EggExecutable *eggLoadFile(const char *path, int32_t device,
                                   const char *expectedHash);
EGG_API EggExecutable *eggLoadMemory(const void *bytes, size_t size,
                                     int32_t device, const char *expectedHash);

/** Unloads; null is allowed. Its work on the device must be done. */
EGG_API void eggUnload(EggExecutable *executable);

typedef enum EggElementType {
  EGG_F64,
  EGG_F32,
  EGG_F16,
  EGG_BF16,
  EGG_I64,
  EGG_I32,
  EGG_I16,
  EGG_I8,
  /** One byte, 0 or 1. */
  EGG_I1
} EggElementType;

/** A dense row-major tensor. */
typedef struct EggTensor {
  int32_t type; /**< An EggElementType. */
  int32_t rank;
  const int64_t *shape; /**< `rank` extents; lives as long as the executable. */
  uint64_t bytes;
  uint64_t align; /**< What the pointer must be aligned to. */
  /** For a result that is an argument updated in place, that argument; else
   *  -1. */
  int32_t argument;
} EggTensor;

EGG_API int32_t eggArgumentCount(const EggExecutable *executable);
EGG_API int32_t eggResultCount(const EggExecutable *executable);
EGG_API int32_t eggArgument(const EggExecutable *executable, int32_t index,
                            EggTensor *tensor);
EGG_API int32_t eggResult(const EggExecutable *executable, int32_t index,
                          EggTensor *tensor);

/** Bytes of device memory, aligned to 256, that each launch needs to itself
 *  until it is done; what is in it before does not matter. */
EGG_API uint64_t eggWorkspaceBytes(const EggExecutable *executable);

/**
 * Puts one run on `stream` (a CUstream or cudaStream_t; null is the default
 * stream) and returns without waiting, so it can be captured into a CUDA graph.
 * `arguments` and `results` hold one device address for each, `workspace` is
 * one or 0. The address of a result that is an argument must be that argument's
 * or 0. Results and workspace must share no memory with each other or with
 * arguments; alignments and overlaps are checked before anything is launched.
 */
EGG_API int32_t eggLaunch(const EggExecutable *executable, void *stream,
                          const uint64_t *arguments, const uint64_t *results,
                          uint64_t workspace);

#ifdef __cplusplus
}
#endif

#endif /* EGG_C_RUNTIME_H */
