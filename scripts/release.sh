#!/bin/sh
# A release of the commit that is checked out, into dist/: source archive, Debian packages, the list of parts (SPDX) and their
# digests. release.sh --twice makes it again and compares: the same commit on the same packages of Debian gives the same bytes.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(sotto VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
fail() { echo "no release: $*" >&2; exit 1; }
says() { # says FILE PATTERN: the version stands there, too
  grep -q "$2" "$1" || fail "$1 does not say $version, as CMakeLists.txt does"
}
says include/sotto/base.h "define SOTTO_VERSION \"$version\""
says debian/changelog "^sotto ($version)"
says docs/sotto.1 "sotto $version"
if git tag --points-at HEAD | grep -qx "v$version"; then
  says CHANGELOG.md "^## \[$version\] - 20[0-9][0-9]-"
elif git tag --points-at HEAD | grep -q '^v'; then
  fail "the tag of this commit is not v$version"
else
  echo "a trial: this commit has no tag v$version" >&2
fi
[ -z "$(git status --porcelain --untracked-files=no)" ] || fail "there are changes that are not committed"

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
make_all() { # make_all FOLDER
  rm -rf "$1"
  mkdir -p "$1"
  git archive --format=tar --prefix="sotto-$version/" HEAD | gzip -9n > "$1/sotto-$version.tar.gz"
  scripts/deb.sh "$1" > /dev/null
  python3 scripts/parts.py "$version" "$1"
  (cd "$1" && sha256sum -- * > SHA256SUMS)
}
make_all dist
if [ "${1:-}" = --twice ]; then
  first=$(cat dist/SHA256SUMS)
  make_all dist
  [ "$first" = "$(cat dist/SHA256SUMS)" ] || { echo "$first" | diff - dist/SHA256SUMS >&2; fail "the second one is another"; }
  echo "made twice, the same bytes"
fi
cat dist/SHA256SUMS
