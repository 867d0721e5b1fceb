#!/bin/sh
# Gaussian mechanism and James-Stein estimator on rows that vfgnn publishes (figure 5 of Zhou et al. 2021, by the error of
# rows): mean squared error of a row of norm 1, delta 1e-4, sound and the paper's accounting, to
# docs/results/vfgnn-noise.{csv,svg}. Fails where James-Stein is worse. gnuplot makes the plot.
#   bench/vfgnn_noise.sh [DATA]     DATA: planetoid:cora under ../shared/data
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target bench_vfgnn_noise > /dev/null
csv=docs/results/vfgnn-noise.csv
build/bench/bench_vfgnn_noise "${1:-../shared/data/planetoid:cora}" 1e-4 3 > "$csv.partial"
mv "$csv.partial" "$csv"
cat "$csv"
awk -F, 'NR > 1 && ($5 > $4 || $6 > $5 * 1.001) { print "James-Stein is worse: " $0; bad = 1 } END { exit bad }' "$csv"
command -v gnuplot > /dev/null || { echo "no gnuplot: no plot"; exit 0; }
gnuplot << 'EOF'
set datafile separator ","
file = "docs/results/vfgnn-noise.csv"
set terminal svg size 720,460 font "sans-serif,13"
set output "docs/results/vfgnn-noise.svg"
set logscale xy
set xtics (1, 2, 4, 8, 16, 32, 64)
set format y "10^{%L}"
set xlabel "epsilon, delta 1e-4"
set ylabel "mean squared error of a row of norm 1"
set key outside right
set grid
set title "vfgnn on cora: noise of published rows, 64 columns"
series(who, column) = sprintf("< awk -F, '$1 == \"%s\" { print $2 \",\" $%d }' %s", who, column, file)
plot series("sound", 4) using 1:2 with linespoints pt 7 title "sound, Gaussian", \
     series("sound", 5) using 1:2 with linespoints pt 5 title "sound, James-Stein", \
     series("sound", 6) using 1:2 with linespoints dt 2 title "sound, positive part", \
     series("paper", 4) using 1:2 with linespoints pt 6 title "paper, Gaussian", \
     series("paper", 5) using 1:2 with linespoints pt 4 title "paper, James-Stein", \
     series("paper", 6) using 1:2 with linespoints dt 3 title "paper, positive part"
EOF
