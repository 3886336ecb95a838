#!/usr/bin/env bash
# Makes the Debian packages copse, libcopse-dev and python3-pva of a build, in BUILD/packages;
# installs them in a bare Debian 12 container, and runs there the first program and the demo, both
# compiled from the installed examples: deploy/package.sh [build/release] deploy/package.sh
# --only-make [build/release]     makes them and tries nothing (needs no Docker engine)
set -euo pipefail
cd "$(dirname "$0")/.."
tries=yes
if [ "${1:-}" = --only-make ]; then
  tries=
  shift
fi
build=${1:-build/release}
packages=$(realpath "$build")/packages

if ! command -v cpack >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
  echo "package.sh: cpack (package cmake) and dpkg-shlibdeps (package dpkg-dev) are needed; install them" >&2
  exit 1
fi
rm -rf "$packages"
mkdir -p "$packages"
cpack --config "$build/CPackConfig.cmake" -B "$packages" >"$packages/log" 2>&1 || {
  tail -n 20 "$packages/log" >&2
  exit 1
}
rm -rf "$packages/_CPack_Packages"
ls -l "$packages"/*.deb
[ -n "$tries" ] || exit 0

deploy/base-image.sh
docker run --rm --volume "$packages:/packages:ro" debian:bookworm-slim bash -euc '
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends /packages/*.deb make g++ cmake pkg-config python3 \
    libcli11-dev nlohmann-json3-dev libssl-dev >/dev/null
  copse --version
  test -s /usr/share/doc/copse/copyright
  python3 -c "import pva, libpvti"
  pkg-config --exists --print-errors poplar popops poplin popnn gcl popdist
  cp -r /usr/share/copse/examples /tmp/examples
  cd /tmp/examples/first
  make COPSE=/usr >/dev/null
  ./first
  cmake -S /tmp/examples -B /tmp/build -D CMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build /tmp/build --target digits >/dev/null
  /tmp/build/bin/digits --data /tmp/examples/digits'
