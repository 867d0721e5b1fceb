#!/bin/sh
# Sotto for arm64 by Debian's cross compiler, and its quick tests under qemu-user: arm64.sh [CTEST FLAGS ...]. All of it is in a
# bare root of Debian 12 with packages of both architectures, kept in build-arm64/; this machine's packages stay as they
# are. Needs root, debootstrap, and a package archive.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "need root, for a root of its own" >&2; exit 1; }
command -v debootstrap > /dev/null || { echo "need debootstrap" >&2; exit 1; }
root=$PWD/build-arm64/root
jobs=${JOBS:-$(nproc)}
inside() { LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

# Tools are this machine's, libraries those of arm64.
if [ ! -f build-arm64/ready ]; then
  mkdir -p "$root"
  debootstrap --variant=minbase bookworm "$root" > build-arm64/debootstrap.log
  cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
  rm -f "$root/etc/apt/apt.conf.d/"docker-*
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  libraries=$(cat packages.txt tests/packages.txt | grep '^lib.*-dev$' | grep -v clang | sed 's/$/:arm64/')
  inside dpkg --add-architecture arm64
  inside apt-get update -qq
  # shellcheck disable=SC2086
  inside apt-get install -y -qq --no-install-recommends crossbuild-essential-arm64 cmake ninja-build pkg-config openssl \
    protobuf-c-compiler python3 qemu-user $libraries zlib1g-dev:arm64 > build-arm64/install.log 2>&1 ||
    { tail -n 20 build-arm64/install.log >&2; exit 1; }
  touch build-arm64/ready
fi

mkdir -p "$root/src" "$root/build"
trap 'umount "$root/src" "$root/proc" 2> /dev/null || true' EXIT
mount --bind . "$root/src"
mount -o remount,ro,bind "$root/src"
mount -t proc proc "$root/proc"
inside cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE=/src/cmake/arm64.cmake > /dev/null
inside ninja -C /build -j "$jobs"
# The structure of the tree and manual pages do not depend on the processor.
inside ctest --test-dir /build --output-on-failure -j "$jobs" --no-tests=error -L '^unit$' -E '^(house|cli)\.' "$@"
inside ctest --test-dir /build --output-on-failure -j "$jobs" -R '^cli\.(data|ledger|predict|usage)$'
