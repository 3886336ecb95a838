#!/usr/bin/env bash
# Installs the packages that are missing, then builds a preset: deploy/prepare.sh [release|dev|asan|tsan|clang]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}

say() { printf '\n== %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing=()
while read -r package; do
  case $package in '' | '#'*) continue ;; esac
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done <deploy/packages.txt

if [ ${#missing[@]} -gt 0 ]; then
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

say "building (preset $preset, into build/$preset)"
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake --preset "$preset" "${launcher[@]}" >"build-$preset.log" 2>&1 || { cat "build-$preset.log"; exit 1; }
rm -f "build-$preset.log"
cmake --build --preset "$preset"
