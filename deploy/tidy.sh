#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy: deploy/tidy.sh [SOURCE...]. Without sources, on
# those with threads, sockets or bytes from outside, where its checks find most. Builds only what
# they include.
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/install.sh deploy/packages.txt deploy/packages-tidy.txt
# Precompiled headers are of one compiler only, and clang-tidy is another one.
cmake --preset clang -B build/tidy -DCOPSE_PRECOMPILED_HEADERS=OFF >/dev/null
cmake --build build/tidy --target copse_wire_schema

if [ $# -eq 0 ]; then
  mapfile -t sources < <(git ls-files 'fabric/*.cpp' 'sync/*.cpp' 'remote-buffers/*.cpp' 'ipud/src/daemon/*.cpp' \
    'host-runtime/session/*.cpp')
  set -- "${sources[@]}"
fi
# Several sources of a target are checked at once, as they are compiled: most of the time goes into
# what they include. That sources are included is not suspicious then.
mapfile -t units < <(printf '/%s"\n' "$@" |
  grep --recursive --files-with-matches --include '*.cxx' --fixed-strings --file - build/tidy)
if [ ${#units[@]} -eq 0 ]; then
  echo "tidy.sh: no target of build/tidy compiles $*" >&2
  exit 1
fi
# clang-tidy also counts the warnings of headers that are not ours.
printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-16 -p build/tidy --quiet --checks=-bugprone-suspicious-include \
  2> >(grep -v ' warnings\? generated\.$' >&2)
