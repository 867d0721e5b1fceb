#!/bin/sh
# What the compiled files call has no cycle of folders, and none of more than two files; planted ones are found.
set -eu
cd "$SOTTO_SOURCE"
python3 -B scripts/floors.py --quiet --build "$SOTTO_BUILD"
exec python3 -B tests/house/planted_floors.py
