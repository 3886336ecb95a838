#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests: deploy/test.sh [preset]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
deploy/prepare.sh "$preset"
printf '\n== ctest\n'
ctest --preset "$preset" --parallel "$(nproc)"
