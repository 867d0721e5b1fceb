#!/bin/sh
# Structure of the source tree, formatting, clang-tidy, cppcheck: silent and 0 when nothing is found. Needs a
# build folder with the program.
set -eu
cd "$(dirname "$0")/.."
python3 -B scripts/house.py --known scripts/house-known.txt
python3 -B scripts/floors.py --quiet
python3 -B scripts/waits.py
python3 -B scripts/run_files.py --check
python3 -B scripts/decisions.py
git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror
git ls-files 'src/*.c' 'app/*.c' | xargs -P "$(nproc)" -n 1 clang-tidy -p build --quiet 2>/dev/null
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppress=missingIncludeSystem -j "$(nproc)" -Iinclude -Isrc -Iapp src app
echo "lint: nothing found"
