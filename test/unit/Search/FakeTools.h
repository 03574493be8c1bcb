//===- FakeTools.h - programs of a few lines, for tests ---------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_TEST_UNIT_SEARCH_FAKETOOLS_H
#define EGG_TEST_UNIT_SEARCH_FAKETOOLS_H

#include "egg/Search/CudaTools.h"
#include "egg/Support/File.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

namespace egg::test {

inline constexpr const char *fakePtxas = R"sh(
test "$(cat kernel.ptx)" = slow && exec sleep 60
symbol=$(sed -n 's/^\.entry //p' kernel.ptx)
if [ -z "$symbol" ]; then
  echo 'ptxas fatal: no such instruction' >&2
  exit 255
fi
echo "Compiling entry function '$symbol' for '$3'" >&2
echo "Used 7 registers" >&2
printf %s: "$3" > kernel.cubin
cat kernel.ptx >> kernel.cubin
)sh";

/// A folder of files and shell scripts that is removed at the end.
class FakeTools {
public:
  FakeTools() : root(TempDir::create("egg-fake").take()) {}

  std::string path(const std::string &name) const {
    return root.path() + "/" + name;
  }
  void folder(const std::string &name) {
    std::filesystem::create_directories(path(name));
  }
  void file(const std::string &name, const std::string &text) {
    std::filesystem::create_directories(
        std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  void link(const std::string &target, const std::string &name) {
    folder(std::filesystem::path(name).parent_path());
    std::filesystem::create_symlink(path(target), path(name));
  }
  std::string script(const std::string &name, const std::string &body) {
    file(name, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + body + "\n");
    chmod(path(name).c_str(), 0755);
    return path(name);
  }
  /// A toolkit whose ptxas "assembles" a text that is one line ".entry NAME"
  /// to CHIP:TEXT, never ends for "slow" and refuses all else.
  CudaTools toolkit(const std::string &name, const std::string &version) {
    file(name + "/nvvm/libdevice/libdevice.10.bc", "bitcode");
    script(name + "/bin/ptxas",
           "if [ \"$1\" = --version ]; then echo 'release, V" + version +
               "'; exit; fi\n" + fakePtxas);
    return {path(name + "/bin/ptxas"),
            path(name + "/nvvm/libdevice/libdevice.10.bc"), version, "hash"};
  }

private:
  TempDir root;
};

} // namespace egg::test

#endif // EGG_TEST_UNIT_SEARCH_FAKETOOLS_H
