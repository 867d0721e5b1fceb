#!/bin/sh
# Every rule of scripts/house.py finds its planted fault.
set -eu
exec python3 -B "$(dirname "$0")/planted.py"
