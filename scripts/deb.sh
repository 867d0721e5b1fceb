#!/bin/sh
# Debian packages of the commit that is checked out, or of a source archive: deb.sh [FOLDER], else dist/. The program, the shared
# library and the development files. They are built in build-deb/, always at the same path, so that they are the same each time.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist}
for tool in dpkg-buildpackage dh lintian; do
  command -v $tool > /dev/null || { echo "need $tool: apt-get install dpkg-dev debhelper lintian" >&2; exit 1; }
done
mkdir -p "$out" build-deb
find build-deb -mindepth 1 -maxdepth 1 ! -name root.tar -exec rm -rf {} +
mkdir build-deb/sotto
if [ -e .git ]; then git archive HEAD; else tar -cf - --exclude=./build-deb --exclude="./$out" .; fi | tar -xf - -C build-deb/sotto
(cd build-deb/sotto && LC_ALL=C.UTF-8 TZ=UTC DEB_BUILD_OPTIONS="parallel=$(nproc) noautodbgsym" CCACHE_DISABLE=1 \
  dpkg-buildpackage -us -uc -b) > build-deb/log 2>&1 || { tail -n 30 build-deb/log >&2; exit 1; }
lintian --fail-on error,warning --suppress-tags bogus-mail-host build-deb/*.changes >&2
cp build-deb/*.deb "$out/"
for package in build-deb/*.deb; do echo "$out/$(basename "$package")"; done
