# lit's configuration: one run holds the FileCheck tests, the GoogleTest
# binaries, the Python tests and the checks of the project itself.
import os
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "egg"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["lib", "example-project", "Inputs", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.egg_binary_dir, "test")

llvm_config.with_environment("PATH", [config.egg_tools_dir, config.llvm_tools_dir], append_path=True)
llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope --allow-unused-prefixes=false --dump-input-filter=error")
# The Python with the packages of tools/requirements.txt, if it has been made.
venv_python = os.path.join(config.egg_source_dir, "build", "venv", "bin", "python")
config.substitutions += [
    ("%python", venv_python if os.path.exists(venv_python) else sys.executable),
    ("%source", config.egg_source_dir),
    ("%build", config.egg_binary_dir),
    ("%llvm_include", os.path.join(config.llvm_tools_dir, "..", "include")),
    ("%plugin", os.path.join(config.egg_binary_dir, "lib", "libegg-plugin" + config.shlib_ext)),
]
# CUDA's assembler and device library, where the toolkit is.
# A toolkit, or what tools/install-dependencies.sh unpacked in its place.
cuda_home = next((home for home in [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda",
                                    os.path.join(config.egg_source_dir, "build", "cuda", "nvidia", "cu13")]
                  if os.path.exists(os.path.join(home, "bin", "ptxas"))), "")
for feature, path in [("ptxas", "bin/ptxas"), ("libdevice", "nvvm/libdevice/libdevice.10.bc")]:
    path = os.path.join(cuda_home, path)
    if os.path.exists(path):
        config.available_features.add(feature)
        config.substitutions.append(("%" + feature, path))
if os.path.exists(os.path.join(config.egg_source_dir, "build", "portable", "bin", "egg-opt")):
    config.available_features.add("portable")
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("cuda")
