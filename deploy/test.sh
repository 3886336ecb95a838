#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests: deploy/test.sh [preset], or clang-tidy:
# deploy/test.sh tidy [SOURCE...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
if [ "$preset" = tidy ]; then
  exec deploy/tidy.sh "${@:2}"
fi
deploy/prepare.sh "$preset"
if timeout 60 docker info >/dev/null 2>&1; then
  deploy/install.sh deploy/packages-containers.txt ||
    echo 'test.sh: these packages cannot be installed, so tests with containers may be skipped' >&2
fi
printf '\n== ctest\n'
# Tests wait for a third of their time, for deadlines or for other processes.
ctest --preset "$preset" --parallel $(($(nproc) + 1))
