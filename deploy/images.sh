#!/usr/bin/env bash
# Builds the images copse/ipud, copse/rbufd and copse/host from a build tree: deploy/images.sh
# [build/release [IMAGE...]] With names of images it builds these; `launch` is copse/host with what
# poprun needs to start instances in other containers. Layers that did not change are kept: a second
# call takes a second or two.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
shift $(($# > 0 ? 1 : 0))
targets=${*:-ipud rbufd host}

deploy/base-image.sh
tree=$build/images/tree
rm -rf "$tree"
cmake --install "$build" --prefix "$tree" --strip >/dev/null

log=$build/images/log
for target in $targets; do
  echo "building copse/$target"
  docker build --file deploy/Dockerfile --target "$target" --tag "copse/$target" "$tree" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    exit 1
  }
done
for target in $targets; do
  docker image inspect --format '{{index .RepoTags 0}}  {{.Size}} bytes' "copse/$target"
done
