/*===- CApiUser.c - A user of the C interface, in C ---------------*- C -*-===*\
|*                                                                            *|
|* Part of egg, under the Apache License v2.0 with LLVM Exceptions.           *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "egg-c/runtime.h"

/* Loads an artifact of two arguments and one result and launches it once. */
int eggTestRun(const void *bytes, size_t size, void *stream, uint64_t a,
               uint64_t b, uint64_t out, uint64_t workspace) {
  EggExecutable *program =
      eggLoadMemory(bytes, size, EGG_CURRENT_CONTEXT, NULL);
  uint64_t arguments[2] = {a, b};
  int code;
  if (!program)
    return eggLastError();
  code = eggLaunch(program, stream, arguments, &out, workspace);
  eggUnload(program);
  return code;
}
