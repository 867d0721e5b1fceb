#!/bin/sh
# The source tree keeps its structure: no finding of scripts/house.py but those that are listed as known.
set -eu
cd "$SOTTO_SOURCE"
exec python3 -B scripts/house.py --known scripts/house-known.txt
