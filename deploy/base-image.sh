#!/usr/bin/env bash
# Makes the image debian:bookworm-slim, the base of Copse's images, unless it exists: pulls it, or,
# if no registry can be reached, makes it with debootstrap (as root) from the mirror that apt uses
# on this machine.
set -euo pipefail
image=debian:bookworm-slim
suite=bookworm

if docker image inspect "$image" >/dev/null 2>&1; then
  exit 0
fi
if timeout 60 docker pull --quiet "$image" >/dev/null 2>&1; then
  echo "pulled $image"
  exit 0
fi

mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" "Codename: $suite" | head -n 1)
if [ -z "$mirror" ]; then
  echo "base-image.sh: apt has no source of $suite on this machine to make $image from; add one, or load the image" >&2
  exit 1
fi
if ! command -v debootstrap >/dev/null; then
  echo "base-image.sh: no registry has $image, and debootstrap is not installed: run deploy/install.sh deploy/packages-containers.txt" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "base-image.sh: debootstrap needs root: run sudo $0" >&2
  exit 1
fi
echo "no registry: making $image with debootstrap from $mirror"
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
  tail -n 20 "$root.log" >&2
  exit 1
}
# The slim variant has no manuals, translations or package lists; copyrights stay.
rm -rf "$root"/usr/share/{man,info,locale,i18n} "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin \
  "$root"/var/cache/apt/archives/*.deb "$root"/var/log/*
find "$root/usr/share/doc" -type f ! -name copyright -delete
printf 'path-exclude /usr/share/man/*\npath-exclude /usr/share/locale/*\npath-exclude /usr/share/doc/*\npath-include /usr/share/doc/*/copyright\n' \
  >"$root/etc/dpkg/dpkg.cfg.d/slim"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # a build that is cut short is thrown away
tar -C "$root" --one-file-system -c . |
  docker import --change 'CMD ["bash"]' --change 'LABEL org.copse.base=debootstrap' - "$image" >/dev/null
echo "made $image"
