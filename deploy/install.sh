#!/usr/bin/env bash
# Installs those packages of the lists that are missing: deploy/install.sh LIST...
set -euo pipefail

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing=()
for list; do
  while read -r package; do
    case $package in '' | '#'*) continue ;; esac
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done <"$list"
done
[ ${#missing[@]} -gt 0 ] || exit 0

# The lists name packages of Debian 12; elsewhere some of them have other names, or are missing.
if ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
  echo "install.sh: this is not Debian 12 (bookworm), whose packages $* names; install these yourself: ${missing[*]}" >&2
  exit 1
fi

printf '\n== installing %s packages: %s\n' "${#missing[@]}" "${missing[*]}"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
