#!/usr/bin/env bash
# Installs what is missing, builds the programs that it needs, and trains on four emulated IPUs.
# Arguments go to the program: --help lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
deploy/prepare.sh release digits popc ipud copse
printf '\n== build/release/bin/digits %s\n' "$*"
exec build/release/bin/digits "$@"
