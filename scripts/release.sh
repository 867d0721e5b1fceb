#!/bin/sh
# A release of the commit that is checked out, into dist/: source archive, Debian packages, wheel and source distribution of the
# Python package (dist/python/), notes, the list of parts (SPDX), and the digests of all. release.sh [--key FILE] [--twice]
# --key signs the digests with an Ed25519 private key (PEM), such as the key.pem of `sotto identity init`. --twice makes all again
# in another folder and compares: the same commit and the same packages of Debian and PyPI give the same bytes.
set -eu
fail() { echo "no release: $*" >&2; exit 1; }
key='' twice=''
while [ $# -gt 0 ]; do
  case $1 in
    --twice) twice=yes; shift ;;
    --key)
      key=$(realpath -e "${2:-}") || fail "--key needs the file of a key"
      openssl pkey -in "$key" -noout -text | grep -q '^ED25519 Private' || fail "$key has no Ed25519 private key"
      shift 2 ;;
    *) fail "unknown argument $1; release.sh [--key FILE] [--twice]" ;;
  esac
done
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(sotto VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
says() { # says FILE PATTERN: the version stands there, too
  grep -q "$2" "$1" || fail "$1 does not say $version, as CMakeLists.txt does"
}
says include/sotto/base.h "define SOTTO_VERSION \"$version\""
says debian/changelog "^sotto ($version)"
says docs/sotto.1 "sotto $version"
says python/pyproject.toml "^version = \"$version\""
section=Unreleased
if git tag --points-at HEAD | grep -qx "v$version"; then
  says CHANGELOG.md "^## \[$version\] - 20[0-9][0-9]-"
  section=$version
elif git tag --points-at HEAD | grep -q '^v'; then
  fail "the tag of this commit is not v$version"
else
  echo "a trial: this commit has no tag v$version" >&2
fi
[ -z "$(git status --porcelain --untracked-files=no)" ] || fail "there are changes that are not committed"

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
rm -rf build-release dist
git worktree prune
make_in() { # make_in FOLDER: a checkout of the commit, and the release in FOLDER/dist
  git worktree add -q --detach "$1" HEAD
  (
    cd "$1"
    mkdir dist
    git -c tar.umask=022 archive --format=tar --prefix="sotto-$version/" HEAD | gzip -9n > "dist/sotto-$version.tar.gz"
    scripts/deb.sh dist >&2
    scripts/python_wheel.sh >&2
    scripts/python_sdist.sh >&2
    awk -v title="## [$section]" '/^## / { on = index($0, title) == 1; next } on' CHANGELOG.md > "dist/sotto-$version-notes.md"
    python3 scripts/parts.py "$version" dist
    cd dist
    find . -type f | sed 's|^\./||' | sort | xargs sha256sum > ../SHA256SUMS
    mv ../SHA256SUMS .
  )
}
make_in build-release/1
cp -r build-release/1/dist dist
if [ -n "$twice" ]; then
  make_in build-release/2
  diff dist/SHA256SUMS build-release/2/dist/SHA256SUMS >&2 || fail "the second one is another; compare dist with build-release/2/dist"
  echo "made twice, the same bytes"
fi
rm -rf build-release
git worktree prune
if [ -n "$key" ]; then
  openssl pkeyutl -sign -rawin -inkey "$key" -in dist/SHA256SUMS -out dist/SHA256SUMS.sig || fail "the key does not sign"
  echo "signed by the key with this public half:"
  openssl pkey -in "$key" -pubout
else
  echo "unsigned: no --key"
fi
cat dist/SHA256SUMS
