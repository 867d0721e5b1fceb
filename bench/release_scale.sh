#!/bin/sh
# A release of two noisy layers, 64 columns, on power-law graphs of 10^6 to 10^8 entries (mean degree 50): a table
# and a plot in docs/results/release-scale.{csv,svg}, with the exponent b of seconds = a entries^b, fitted by least
# squares to the logarithms. Each size is run three times, and the fastest is kept. Takes about 15 GB of disk
# in $SOTTO_SCRATCH (or /tmp), half of it at a time.
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target bench_release > /dev/null
scratch=$(mktemp -d "${SOTTO_SCRATCH:-/tmp}/release-scale.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
csv=docs/results/release-scale.csv
mkdir -p docs/results
echo "entries,seconds,floor_seconds,times_floor,peak_mb,graph_and_features_mb,times_memory" > "$csv"
for entries in 1000000 3000000 10000000 30000000 100000000; do
  build/bench/bench_release make "$scratch/graph.sotto" $((entries / 50)) $((entries / 2)) 64
  for round in 1 2 3; do build/bench/bench_release run "$scratch/graph.sotto" 2; done > "$scratch/rounds"
  sort -t, -g -k2 "$scratch/rounds" | head -n 1 >> "$csv"
done
cat "$csv"
cmake --build build --target bench_chart > /dev/null
bench/plots.py release-scale
