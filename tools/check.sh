#!/usr/bin/env bash
# Installs what is missing, builds both presets and runs every test. The last
# line is "N passed, N failed, N skipped"; the exit code is 0 only when none
# failed and some passed.
#
#   tools/check.sh [--filter REGEX]     run only the tests that match
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

filter=()
case "${1:-}" in
  "") ;;
  --filter) filter=(--filter "${2:?--filter needs a regular expression}") ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

step() { printf '\n== %s (%ds)\n' "$1" "$SECONDS"; }
jobs=$(nproc)

step "dependencies"
tools/install-dependencies.sh

for preset in default portable; do
  step "build, preset $preset"
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 ||
    { tail -30 "build/configure-$preset.log"; exit 1; }
  cmake --build --preset "$preset" -- -j "$jobs" --quiet
done
cmake --build --preset default --target EggUnitTests -- --quiet

step "tests"
log=build/tests.log
lit=$(sed -n 's/^LLVM_TOOLS_BINARY_DIR:[^=]*=//p' build/default/CMakeCache.txt)/lit
[[ -x $lit ]] || lit=/usr/lib/llvm-22/bin/lit
status=0
build/venv/bin/python "$lit" -sv -j "$jobs" --timeout 600 "${filter[@]}" \
  build/default/test build/default/test/unit 2>&1 | tee "$log" || status=$?

step "done"
build/venv/bin/python tools/count_results.py "$log" || status=1
exit "$status"
