#!/usr/bin/env bash
# From a bare Debian 12 to a first result: installs what is missing (as root),
# builds egg's tools and runs one kernel through them. With a GPU the kernel is
# checked and timed; without one it is built for an H200 and runs on the CPU.
#
#   tools/quickstart.sh [KERNEL.mlir]     benchmarks/kernels/small/softmax_f32.mlir
set -euo pipefail
case "${1:-}" in
  -*) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
kernel=$(realpath -- "${1:-$(dirname "${BASH_SOURCE[0]}")/../benchmarks/kernels/small/softmax_f32.mlir}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -f $kernel ]] || { echo "quickstart: there is no file $kernel" >&2; exit 2; }

step() { printf '\n== %s (%ds)\n' "$1" "$SECONDS"; }

step "dependencies"
tools/install-dependencies.sh

step "build"
mkdir -p build
cmake --preset default >build/configure-default.log 2>&1 ||
  { tail -30 build/configure-default.log >&2; exit 1; }
cmake --build --preset default --target egg-opt egg-run egg-eval-worker -- -j "$(nproc)"

step "kernel ${kernel##*/}"
run=build/default/bin/egg-run
if [[ -e /dev/nvidia0 ]]; then
  "$run" "$kernel" --check --time
else
  echo "no GPU here: the kernel is built for an H200, and its payload runs on the CPU"
  "$run" "$kernel" --device h200
  "$run" "$kernel" --cpu
fi
step "done"
