//===- File.h - Files, folders and file descriptors -------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading with a limit, writing atomically, private temporary folders.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_FILE_H
#define EGG_SUPPORT_FILE_H

#include "egg/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace egg {

/// A file descriptor that closes itself.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept;
  ~FileDescriptor() { reset(); }

  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }
  int release();
  void reset();

private:
  int fd = -1;
};

/// The bytes of the regular file `path`. Fails with `parse` when it cannot be
/// read or is no regular file (a FIFO would block), with `limit` when it holds
/// more than `maxBytes`.
Result<std::string> readFile(const std::string &path, uint64_t maxBytes);

/// Writes `bytes` to a new file beside `path`, flushes it to the disk and
/// renames it over `path`, so that a reader sees the old file or the new one.
/// A full disk (or any other failure) leaves the old file, removes the new one
/// and fails with `internal` and the system's reason.
Status writeFileAtomically(const std::string &path, std::string_view bytes,
                           unsigned mode = 0644);

/// Makes `path` and what lies above it; each new folder has mode 0700. An
/// existing folder stays as it is.
Status makePrivateFolders(const std::string &path);

/// A new folder of mode 0700 under $TMPDIR (else /tmp), removed with all it
/// holds when the object dies. Symbolic links in it are removed, not followed.
class TempDir {
public:
  static Result<TempDir> create(std::string_view prefix = "egg");
  TempDir(TempDir &&other) noexcept;
  TempDir &operator=(TempDir &&other) noexcept;
  ~TempDir();

  const std::string &path() const { return folder; }

  /// Gives the folder up: it is no longer removed.
  std::string release();

private:
  explicit TempDir(std::string folder) : folder(std::move(folder)) {}
  std::string folder;
};

/// The folder of the running program, without a slash at the end; tools find
/// each other there. Empty when the system does not tell.
std::string programFolder();

/// The path of `name` if it can be run: `name` itself when it holds a slash,
/// else the first hit in `firstFolder` (when not empty) and then in $PATH.
/// Fails with `missing-tool` and the places that were searched.
Result<std::string> findProgram(const std::string &name,
                                const std::string &firstFolder = "");

} // namespace egg

#endif // EGG_SUPPORT_FILE_H
