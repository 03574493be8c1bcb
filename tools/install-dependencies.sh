#!/usr/bin/env bash
# Installs what egg is built and tested with, on Debian 12 with root: packages of
# the distribution, the Python packages of the tests in build/venv and, where no
# CUDA toolkit is found, ptxas and libdevice in build/cuda. Does nothing that is
# done already. docs/install.md has the way for other machines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  cmake ninja-build g++ ccache git python3 python3-venv ca-certificates xz-utils
  llvm-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools clang-22 clang-format-22
  zlib1g-dev libzstd-dev libxml2-dev
  nlohmann-json3-dev libcli11-dev libspdlog-dev libsqlite3-dev libgtest-dev libcurl4-openssl-dev
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  if [[ $(id -u) != 0 ]]; then
    echo "install-dependencies: these packages are missing and installing them needs root: ${missing[*]}" >&2
    echo "install-dependencies: docs/install.md says how to go on without root" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  echo "installing ${#missing[@]} packages: ${missing[*]}"
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >build-apt.log 2>&1 ||
    { tail -20 build-apt.log >&2; exit 1; }
  rm -f build-apt.log
fi

# A stamp holds the hash of the requirements that a folder was made from.
up_to_date() { [[ -f $1/.stamp && $(<"$1/.stamp") == "$(sha256sum "$2")" ]]; }
stamp() { sha256sum "$2" >"$1/.stamp"; }

mkdir -p build
if ! up_to_date build/venv tools/requirements.txt; then
  rm -rf build/venv
  python3 -m venv build/venv
  build/venv/bin/pip install -q --disable-pip-version-check --require-hashes -r tools/requirements.txt
  stamp build/venv tools/requirements.txt
fi

if ! command -v ptxas >/dev/null && [[ ! -x ${CUDA_HOME:-/usr/local/cuda}/bin/ptxas ]]; then
  if ! up_to_date build/cuda tools/requirements-cuda.txt; then
    rm -rf build/cuda
    build/venv/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes \
      --target build/cuda -r tools/requirements-cuda.txt
    stamp build/cuda tools/requirements-cuda.txt
  fi
fi
