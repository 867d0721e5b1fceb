#!/bin/sh
# The tables and the picture of README.md and docs/methods.md are what scripts/results.py makes of docs/results.
set -eu
chart=$SOTTO_BUILD/bench/bench_chart status=0
"$chart" > /dev/null 2>&1 || status=$? # 2: it wants arguments; else it is of another processor, or not built
[ "$status" -eq 2 ] && set -- --chart "$chart"
exec python3 -B "$SOTTO_SOURCE/scripts/results.py" --check "$@"
