#!/usr/bin/env bash
# The quick tests of the Python package: a wheel from the objects of build/, what an import does, and models whose digests are
# compared with the program's. Skips, and says so, where PyPI cannot be reached. scripts/python.sh makes the wheel for users.
set -euo pipefail
cd "$(dirname "$0")/.."
log=build-python/check.log
mkdir -p build-python
rm -rf build-python/check build-python/check-wheel
skip() {
  tail -n 2 "$log" >&2
  echo "SKIPPED: tests of the Python package. They need packages from $1, which cannot be had here ($log)"
  exit 0
}
./scripts/packages.sh python/packages.txt 2> $log || skip "python/packages.txt"
"${PYTHON:-python3}" -m venv build-python/check > $log 2>&1 || skip PyPI
build-python/check/bin/pip install -q --retries 1 --timeout 20 'pip>=24' 'scikit-build-core>=0.11' 'cffi>=1.16' 'numpy>=1.24' \
  'pytest>=8' 2> $log || skip PyPI
# The release build is afterwards what it was: without the extension, and with its own prefix.
trap 'cmake -S . -B build -DSOTTO_PYTHON=OFF -DCMAKE_INSTALL_PREFIX=/usr/local > /dev/null' EXIT
# The same compiler, or CMake would build everything anew: scikit-build-core takes that of Python.
CC=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' build/CMakeCache.txt)
export CC
build-python/check/bin/pip wheel -q ./python --no-build-isolation --no-deps -C build-dir=../build -w build-python/check-wheel
build-python/check/bin/pip install -q --no-deps build-python/check-wheel/sotto-*.whl
export SOTTO=$PWD/build/sotto
# Out of the way of the folder `sotto` that has no extension.
(cd python && ../build-python/check/bin/python -P -m pytest -q -p no:cacheprovider tests/test_import.py tests/test_main.py \
  tests/test_program.py)
