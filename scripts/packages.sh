#!/bin/sh
# Installs the Debian packages of packages.txt, and of further lists that are named, that are missing; says nothing and
# needs no root when none is.
set -eu
cd "$(dirname "$0")/.."
missing=
for list in packages.txt "$@"; do
  while read -r name; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing="$missing $name"
  done < "$list"
done
[ -n "$missing" ] || exit 0
echo "installing Debian packages:$missing" >&2
sudo=
if [ "$(id -u)" -ne 0 ]; then
  sudo=$(command -v sudo) || { echo "need root or sudo to install:$missing" >&2; exit 1; }
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
