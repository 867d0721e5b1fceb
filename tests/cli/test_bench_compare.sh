#!/bin/sh
# bench/compare.py tells a slower figure from a busy machine.
set -eu
exec python3 -B "$(dirname "$0")/bench_compare.py"
