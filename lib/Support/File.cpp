//===- File.cpp - Files, folders and file descriptors ---------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX calls behind Result.
//
//===----------------------------------------------------------------------===//

#include "egg/Support/File.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace egg;

namespace {
std::string systemReason(int code) {
  return std::generic_category().message(code);
}

/// Flushes a folder, so that a rename in it survives a crash. Some file systems
/// refuse; the rename stands all the same.
void flushFolder(const std::string &folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd)
    ::fsync(fd.get());
}
} // namespace

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
  if (this != &other) {
    reset();
    fd = other.release();
  }
  return *this;
}

int FileDescriptor::release() {
  int held = fd;
  fd = -1;
  return held;
}

void FileDescriptor::reset() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

Result<std::string> egg::readFile(const std::string &path, uint64_t maxBytes) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd)
    return Error(ErrorKind::Parse,
                 "cannot open '" + path + "': " + systemReason(errno));
  struct stat info;
  if (::fstat(fd.get(), &info) != 0)
    return Error(ErrorKind::Parse,
                 "cannot examine '" + path + "': " + systemReason(errno));
  if (!S_ISREG(info.st_mode))
    return Error(ErrorKind::Parse, "'" + path + "' is not a regular file");
  auto tooLarge = [&](uint64_t bytes) {
    return Error(ErrorKind::Limit, "'" + path + "' holds " +
                                       std::to_string(bytes) +
                                       " bytes; at most " +
                                       std::to_string(maxBytes) + " are read");
  };
  if (uint64_t(info.st_size) > maxBytes)
    return tooLarge(info.st_size);
  // The size is a hint: files in /proc say 0, and a file may still grow.
  std::string bytes;
  size_t filled = 0;
  bytes.resize(size_t(info.st_size) + 1);
  while (true) {
    if (filled == bytes.size())
      bytes.resize(bytes.size() + 65536);
    ssize_t count =
        ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return Error(ErrorKind::Parse,
                   "cannot read '" + path + "': " + systemReason(errno));
    if (count == 0)
      break;
    filled += size_t(count);
    if (filled > maxBytes)
      return tooLarge(filled);
  }
  bytes.resize(filled);
  return bytes;
}

Status egg::writeFileAtomically(const std::string &path, std::string_view bytes,
                                unsigned mode) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  // mkostemp makes the name unguessable and refuses an existing file or link.
  std::string temporary = path + ".XXXXXX";
  FileDescriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd)
    return Error(ErrorKind::Internal, "cannot make a file in '" + folder +
                                          "' to write '" + path +
                                          "': " + systemReason(errno));
  auto fail = [&](const char *step, int code) -> Status {
    ::unlink(temporary.c_str());
    return Error(ErrorKind::Internal,
                 std::string("cannot ") + step + " '" + path + "' (" +
                     std::to_string(bytes.size()) + " bytes): " +
                     systemReason(code) + "; the file is left as it was");
  };
  size_t written = 0;
  while (written < bytes.size()) {
    ssize_t count =
        ::write(fd.get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return fail("write", count < 0 ? errno : ENOSPC);
    written += size_t(count);
  }
  if (::fchmod(fd.get(), mode) != 0)
    return fail("set the mode of", errno);
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS)
    return fail("flush", errno);
  // A quota or a network disk may report a full disk only here.
  if (::close(fd.release()) != 0)
    return fail("close", errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail("rename to", errno);
  flushFolder(folder);
  return Status();
}

Status egg::makePrivateFolders(const std::string &path) {
  if (path.empty())
    return Error(ErrorKind::Internal, "the name of a folder is empty");
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end != path.size() && path[end] != '/')
      continue;
    std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) == 0)
      continue;
    int code = errno;
    struct stat info;
    if (::stat(part.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      continue;
    return Error(ErrorKind::Internal, "cannot make the folder '" + part +
                                          "': " + systemReason(code));
  }
  return Status();
}

Result<TempDir> TempDir::create(std::string_view prefix) {
  const char *base = std::getenv("TMPDIR");
  std::string folder = base && *base ? base : "/tmp";
  folder += "/" + std::string(prefix) + "-XXXXXX";
  if (!::mkdtemp(folder.data()))
    return Error(ErrorKind::Internal, "cannot make a temporary folder '" +
                                          folder + "': " + systemReason(errno));
  return TempDir(std::move(folder));
}

TempDir::TempDir(TempDir &&other) noexcept : folder(other.release()) {}

TempDir &TempDir::operator=(TempDir &&other) noexcept {
  if (this != &other) {
    TempDir old(std::move(*this));
    folder = other.release();
  }
  return *this;
}

TempDir::~TempDir() {
  if (folder.empty())
    return;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::string TempDir::release() {
  std::string held = std::move(folder);
  folder.clear();
  return held;
}

std::string egg::programFolder() {
  std::error_code code;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", code);
  return code ? std::string() : self.parent_path().string();
}

Result<std::string> egg::findProgram(const std::string &name,
                                     const std::string &firstFolder) {
  auto runnable = [](const std::string &path) {
    struct stat info;
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    if (runnable(name))
      return name;
    return Error(ErrorKind::MissingTool,
                 "'" + name + "' is not a program that can be run");
  }
  const char *variable = std::getenv("PATH");
  std::string list = firstFolder + ":" + (variable ? variable : "");
  for (size_t start = 0; start <= list.size();) {
    size_t end = list.find(':', start);
    if (end == std::string::npos)
      end = list.size();
    std::string folder = list.substr(start, end - start);
    start = end + 1;
    // An empty entry of PATH means the current folder: never searched.
    if (!folder.empty() && runnable(folder + "/" + name))
      return folder + "/" + name;
  }
  return Error(
      ErrorKind::MissingTool,
      "the program '" + name + "' is neither in " +
          (firstFolder.empty() ? "" : "'" + firstFolder + "' nor in ") +
          "PATH (" + (variable ? variable : "not set") +
          "); install it or give its path");
}
