#!/bin/sh
# Gaussian mechanism and James-Stein estimator on rows that vfgnn publishes (figure 5 of Zhou et al. 2021, by the error of
# rows): mean squared error of a row of norm 1, delta 1e-4, sound and the paper's accounting, to
# docs/results/vfgnn-noise.{csv,svg}. Fails where James-Stein is worse.
#   bench/vfgnn_noise.sh [DATA]     DATA: planetoid:cora under ../shared/data
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target bench_vfgnn_noise > /dev/null
csv=docs/results/vfgnn-noise.csv
build/bench/bench_vfgnn_noise "${1:-../shared/data/planetoid:cora}" 1e-4 3 > "$csv.partial"
mv "$csv.partial" "$csv"
cat "$csv"
awk -F, 'NR > 1 && ($5 > $4 || $6 > $5 * 1.001) { print "James-Stein is worse: " $0; bad = 1 } END { exit bad }' "$csv"
cmake --build build --target bench_chart > /dev/null
bench/plots.py vfgnn-noise
