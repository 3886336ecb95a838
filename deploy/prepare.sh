#!/usr/bin/env bash
# Installs the packages that are missing, then builds a preset, or some targets of it:
# deploy/prepare.sh [release|dev|asan|tsan|clang|fuzz [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}

deploy/install.sh deploy/packages.txt

printf '\n== building (preset %s, into build/%s)\n' "$preset" "$preset"
launcher=()
# A tree that is configured already keeps its launcher: another one would compile all of it again.
if command -v ccache >/dev/null && [ ! -e "build/$preset/CMakeCache.txt" ]; then
  launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake --preset "$preset" "${launcher[@]}" >"build-$preset.log" 2>&1 || { cat "build-$preset.log"; exit 1; }
rm -f "build-$preset.log"
shift || true
cmake --build --preset "$preset" ${1:+--target "$@"}
