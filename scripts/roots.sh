#!/bin/sh
# `make demo` in bare roots of Debian: roots.sh [SUITE ...], else bookworm and trixie. Each root begins with the package `make` alone.
# Needs root, debootstrap and a package archive. Bare roots are kept in build-roots/.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "need root, for a root of its own" >&2; exit 1; }
command -v debootstrap > /dev/null || { echo "need debootstrap" >&2; exit 1; }
[ $# -gt 0 ] || set -- bookworm trixie
mkdir -p build-roots
root=$(mktemp -d)
trap 'umount "$root/proc" 2> /dev/null || true; rm -rf "$root"' EXIT
for suite in "$@"; do
  if [ ! -f "build-roots/$suite.tar" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=make,ca-certificates "$suite" "$root" > "build-roots/$suite.log"
    cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
    rm -f "$root/etc/apt/apt.conf.d/"docker-*
    tar -cf build-roots/part -C "$root" . && mv build-roots/part "build-roots/$suite.tar"
  else
    rm -rf "$root" && mkdir "$root"
    tar -xf "build-roots/$suite.tar" -C "$root"
  fi
  chmod 755 "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir "$root/sotto"
  git archive HEAD | tar -x -C "$root/sotto"
  mount -t proc proc "$root/proc"
  begin=$(date +%s)
  LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" make -C /sotto demo > "build-roots/$suite-demo.log" 2>&1 ||
    { tail -n 30 "build-roots/$suite-demo.log" >&2; echo "FAILED: make demo on $suite" >&2; exit 1; }
  grep -q "private model" "build-roots/$suite-demo.log" || { echo "FAILED: no table on $suite" >&2; exit 1; }
  echo "$suite: make demo in $(($(date +%s) - begin)) s"
  umount "$root/proc"
done
