#!/usr/bin/env bash
# The source distribution of the Python package in dist/python/: what its build reads of the tree, with python/pyproject.toml at
# the top. `pip install dist/python/sotto-VERSION.tar.gz` builds it where the packages of packages.txt and python/packages.txt are.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' python/pyproject.toml)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
top=$stage/sotto-$version
mkdir "$top"
git ls-files -z CMakeLists.txt LICENSE cmake include src app tools proto bench docs python scripts/manual.py packages.txt |
  tar -c --null -T - | tar -x -C "$top"
sed -e 's|^cmake.source-dir = "\.\."|cmake.source-dir = "."|' -e 's|"\.\./build-python"|"build-python"|' \
  -e 's|^wheel.packages = .*|wheel.packages = ["python/sotto"]|' -e 's|"README.md"|"python/README.md"|' \
  -e 's|^testpaths = .*|testpaths = ["python/tests"]|' python/pyproject.toml > "$top/pyproject.toml"
rm "$top/python/pyproject.toml"
printf 'Metadata-Version: 2.1\nName: sotto\nVersion: %s\n' "$version" > "$top/PKG-INFO"
mkdir -p dist/python
tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$(git log -1 --format=%ct)" -C "$stage" "sotto-$version" |
  gzip -n > "dist/python/sotto-$version.tar.gz"
echo "dist/python/sotto-$version.tar.gz: $(stat -c %s "dist/python/sotto-$version.tar.gz") bytes"
