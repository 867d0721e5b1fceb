#!/usr/bin/env bash
# Builds the wheel of the Python package (scripts/python_wheel.sh) and tests it in a virtual environment of its own, with packages
# from PyPI. $PYTHON chooses the interpreter (3.11 or newer).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
tested=build-python/venv
scripts/python_wheel.sh
wheel=$(echo dist/python/sotto-*.whl)

# Tests compare models with those of the program of the same build.
cmake --build build-python --target sotto -j "${JOBS:-$(nproc)}" >/dev/null
export SOTTO=$PWD/build-python/sotto

rm -rf $tested
"$python" -m venv $tested
$tested/bin/pip install -q "${wheel}[test]"
tested=$PWD/$tested
cd python # out of the way of the folder `sotto` that has no extension: tests import what is installed
"$tested/bin/python" -P -m pytest -q -p no:cacheprovider "$@"
