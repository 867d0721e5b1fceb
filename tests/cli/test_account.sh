#!/bin/sh
# sotto account: golden values (Google's dp_accounting and closed forms), calibration, lists, curves, bad input.
. "$(dirname "$0")/common.sh"

# near VALUE EXPECTED TOLERANCE WHAT
near() {
  awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t * b) }' ||
    fail "$4: got $1, expected $2"
}
key() { "$SOTTO" account "$@" --json | sed "s/.*\"$wanted\":\([-0-9.e]*\).*/\1/"; }
wanted=epsilon
near "$(key gaussian --noise 1 --delta 1e-5)" 4.3771781 1e-6 gaussian
near "$(key gaussian --noise 10 --count 100 --delta 1e-5)" 4.3771781 1e-6 "a hundred gaussians"
near "$(key contractive --noise 3 --layers 10 --lipschitz 0.5 --delta 1e-6)" 2.63829581 1e-6 contractive
near "$(key laplace --noise 1 --count 50 --delta 1e-6)" 41.6047966 1e-3 laplace
near "$(key subsampled-gaussian --noise 0.8 --rate 0.01 --count 1000 --delta 1e-6)" 3.70618968 1e-3 "pld, Poisson"
near "$(key subsampled-gaussian --noise 0.8 --rate 0.01 --count 1000 --delta 1e-6 --accountant rdp)" 4.29345675 1e-4 \
  "rdp, Poisson"
near "$(key subsampled-gaussian --noise 4 --population 10000 --batch 1000 --count 100 --delta 1e-6)" 2.56702978 1e-4 \
  "without replacement"
wanted=noise
near "$(key gaussian --epsilon 4 --delta 1e-5)" 1.08116185 1e-6 "noise of a gaussian"
# What is printed is rounded up: the noise that is asked for holds what was asked, with few digits too.
for e in 0.5 1 4 320; do
  for m in "gaussian --count 10" "laplace --count 5" "subsampled-gaussian --rate .001 --count 100"; do
    found=$("$SOTTO" account $m --epsilon $e --delta 1e-6 | sed 's/^noise \([^ ]*\) .*/\1/')
    wanted=epsilon
    key $m --noise "$found" --delta 1e-6 | awk -v e=$e '{ exit !($1 <= e && $1 > .98 * e) }' || fail "$m: noise $found for epsilon $e has another"
  done
done
expect 0 "^28 runs" "$SOTTO" account gaussian --noise 20 --epsilon 1 --delta 1e-5

printf 'gaussian noise=3 count=4\nlaplace noise=5 count=3 # a comment\n\nsubsampled-gaussian noise=1.2 rate=0.02 count=500\n' > list
wanted=epsilon
near "$(key --compose list --delta 1e-6)" 4.19944489 1e-3 "a list"
printf 'gaussian noise=3\ngausian noise=1\n' > bad
expect 2 "bad: line 2.*gaussian" "$SOTTO" account --compose bad
expect 2 "absent" "$SOTTO" account --compose absent
expect 2 "belongs in the list" "$SOTTO" account --compose list --noise 2

wanted=epsilon
# A paper's claim: the figures of a training with --accounting paper on 2,000 nodes.
near "$(key vesper-paper --noise 3.856187978 --sensitivity 0.2050609665 --population 1400 --batch 64 --count 110)" \
  3.999998585 1e-6 "VESPER's claim"
expect 0 "does not hold" "$SOTTO" account vesper-paper --noise 8 --population 1000 --batch 16
expect 0 "epsilon 11.* (paper: a published claim, no guarantee)" "$SOTTO" account noise-free-sampling --layers 2 --epochs 10 --sample 5 --degree 10 --rate 0.5 \
  --slack 1e-6 --delta 4.8e-7 --accountant paper
expect 2 "batch is 16 of 8" "$SOTTO" account vesper-paper --noise 8 --population 8 --batch 16
expect 2 "noise is 0" "$SOTTO" account vesper-paper --population 80 --batch 16
expect 2 "--epsilon" "$SOTTO" account vesper-paper --epsilon 8 --population 80 --batch 16

"$SOTTO" account gaussian --noise 2 --delta 1e-6 --curve --plot curve.svg > curve.csv
[ "$(head -n 1 curve.csv)" = "epsilon,delta" ] || fail "the curve has no header"
[ "$(wc -l < curve.csv)" -eq 102 ] || fail "the curve has not 101 points"
grep -q "<polyline" curve.svg || fail "the plot has no line"

for words in "gaussian --noise -1" "gaussian --noise nan" "gaussian --noise inf" "gaussian --noise 1 --delta 0" \
  "gaussian --noise 1 --delta 1" "gaussian --noise 1 --delta nan" "gaussian" "gaussian --epsilon 0" \
  "subsampled-gaussian --noise 1 --rate 1.5" "subsampled-gaussian --noise 1" "contractive --noise 1 --lipschitz 1" \
  "gaussian --noise 1 --count 4611686018427387905" "gaussian --noise 1 --count 0" "gaussian --noise 1 --rate 0.1" \
  "gaussian --noise 1 --accountant gpd" "nothing --noise 1" "gaussian --noise 1 --noize 2"; do
  # shellcheck disable=SC2086
  expect 2 "sotto: " "$SOTTO" account $words
  grep -q "^epsilon" output && fail "$words: a number was printed"
done

# Theorem 1 of Zhang et al. 2024, as the formulas have it: samples S below and above the degree D, L layers, N epochs, rate R.
theorem() { # S D L N R: epsilon and the printed delta, by awk, with a slack of 1e-6
  awk -v s="$1" -v d="$2" -v l="$3" -v n="$4" -v r="$5" 'BEGIN {
    slack = 1e-6; k = l * n
    if (s < d) { e = log((d + 1) / (d + 1 - s)); keep = 1 - s / d }
    else { e = s * log((d + 1) / d); keep = ((d - 1) / d) ^ s }
    u = sqrt(log(exp(1) + e * sqrt(k) / slack)); o = sqrt(log(1 / slack)); if (o < u) u = o
    t = k * e * (exp(e) - 1) / (exp(e) + 1) + e * u * sqrt(2 * k); if (k * e < t) t = k * e
    printf "%.6f %.9f\n", log(1 + r * (exp(t) - 1)), r * keep ^ k * (1 - slack) }'
}
for row in "1 100 1 1 0.5" "5 10 2 10 0.1" "5 10 1 100 1" "15 10 2 1 0.25" "9 1 1 2 0.75" "3 5 2 50 0.5"; do
  # shellcheck disable=SC2086
  set -- $row
  # shellcheck disable=SC2046
  set -- "$@" $(theorem $row)
  said=$("$SOTTO" account noise-free-sampling --sample "$1" --degree "$2" --layers "$3" --epochs "$4" --rate "$5" \
    --slack 1e-6 --accountant paper --delta "$(awk -v d="$7" 'BEGIN { printf "%.9f", d + 1e-6 }')" --json |
    grep -o '"epsilon":[0-9.e+-]*' | cut -d: -f2)
  awk -v a="$said" -v b="$6" 'BEGIN { exit !(a - b < 1e-5 && b - a < 1e-5) }' ||
    fail "noise-free-sampling $row: epsilon $said, and $6 by the theorem"
done

# Delta 0 has one form, also where the zero has a sign, and a delta is never shown smaller than it is.
for zero in 0 -0 0e5; do
  expect 0 "^epsilon 2 at delta 0 (pure) (pld)" "$SOTTO" account laplace --noise 1 --count 2 --delta "$zero"
done
expect 0 "for epsilon 1 at delta 0 (pure)" "$SOTTO" account laplace --epsilon 1 --delta 0
expect 0 "epsilon 2 at delta 0 (pure)" "$SOTTO" account laplace --noise 1 --epsilon 2 --delta -0
expect 0 '"delta":0.0,' "$SOTTO" account laplace --noise 1 --delta -0 --json
expect 0 "at delta 1.24e-06" "$SOTTO" account gaussian --noise 1 --delta 1.2341e-6
expect 0 "stated epsilon .* at delta 0.0124" "$SOTTO" audit mechanism laplace --trials 2000 --delta 0.01234
exit 0
