#!/bin/sh
# uninstall.sh BUILD PREFIX: removes what `cmake --install BUILD --prefix PREFIX` puts there, under $DESTDIR when that
# is set. It installs once more, into a temporary folder, to know the names.
set -eu
build=$1 prefix=$2 root=${DESTDIR:-}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage cmake --install "$build" --prefix "$prefix" > /dev/null
(cd "$stage" && find . ! -type d) | sed 's/^\.//' | while IFS= read -r file; do rm -f "$root$file"; done
(cd "$stage" && find . -depth -type d -name sotto) | sed 's/^\.//' | while IFS= read -r folder; do
  [ ! -d "$root$folder" ] || rmdir "$root$folder" 2> /dev/null || echo "kept $root$folder: other files are in it" >&2
done
