#!/bin/sh
# A year of 250 nights on transactions that grow by 0.3% a night, to docs/results/nights.{csv,svg}, and the noise of other
# schedules, to docs/results/nights-noise.csv. Some ten minutes.
#   bench/nights.sh [NODES]     nodes of the first night [20000]
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target bench_nights bench_chart > /dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/bench/bench_nights noise 8 1e-6 250 > "$folder/noise.csv"
build/bench/bench_nights year "${1:-20000}" 250 10 "$folder/year" > "$folder/nights.csv"
mv "$folder/noise.csv" docs/results/nights-noise.csv
mv "$folder/nights.csv" docs/results/nights.csv
bench/plots.py nights
cat docs/results/nights-noise.csv docs/results/nights.csv
