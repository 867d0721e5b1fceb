#!/bin/sh
# The two commands of the README in bare roots of Debian and Ubuntu: roots.sh [--demo] [SUITE ...], else bookworm, trixie and noble.
# --demo: the first alone. Each root begins with the package `make` alone. Needs root, debootstrap and package archives. Bare roots and what was printed are
# kept in build-roots/.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "need root, for a root of its own" >&2; exit 1; }
command -v debootstrap > /dev/null || { echo "need debootstrap" >&2; exit 1; }
commands="demo test"
[ "${1:-}" != --demo ] || { commands=demo; shift; }
[ $# -gt 0 ] || set -- bookworm trixie noble
mkdir -p build-roots
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# bootstrap SUITE: a bare root. Debian has no script for Ubuntu's newer suites, which all take one; half of the packages are in universe.
bootstrap() {
  set -- "$1" "$root"
  if [ "$1" = noble ]; then
    keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    [ -f $keys ] || echo "$keys is not here: what the archive serves is not checked" >&2
    set -- "$([ -f $keys ] && echo --keyring=$keys || echo --no-check-gpg)" --components=main,universe "$@" \
      http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy
  fi
  debootstrap --variant=minbase --include=make,ca-certificates "$@"
}
# inside COMMAND...: in the root, with processes and mounts of its own, which end with it.
inside() {
  unshare --mount --pid --fork --kill-child sh -c 'root=$1; shift
    mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount -t sysfs sys "$root/sys" && mount --rbind /dev "$root/dev" || exit 1
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive exec chroot "$root" "$@"' inside "$root" "$@"
}
for suite in "$@"; do
  if [ ! -f "build-roots/$suite.tar" ]; then
    rm -rf "$root"
    bootstrap "$suite" > "build-roots/$suite.log"
    cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
    rm -f "$root/etc/apt/apt.conf.d/"docker-*
    tar -cf build-roots/part -C "$root" . && mv build-roots/part "build-roots/$suite.tar"
  else
    rm -rf "$root" && mkdir "$root"
    tar -xf "build-roots/$suite.tar" -C "$root"
  fi
  chmod 755 "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  echo "127.0.0.1 localhost" > "$root/etc/hosts" # as an installer writes; debootstrap does not
  mkdir "$root/sotto"
  git archive HEAD | tar -x -C "$root/sotto"
  for command in $commands; do
    log=build-roots/$suite-$command.log
    begin=$(date +%s)
    inside make -C /sotto "$command" > "$log" 2>&1 || { tail -n 30 "$log" >&2; echo "FAILED: make $command on $suite" >&2; exit 1; }
    echo "$suite: make $command in $(($(date +%s) - begin)) s"
  done
  grep -q "private model" "build-roots/$suite-demo.log" || { echo "FAILED: no table on $suite" >&2; exit 1; }
  [ "$commands" = demo ] || grep "tests passed" "build-roots/$suite-test.log"
done
