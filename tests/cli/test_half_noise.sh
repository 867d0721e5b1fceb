#!/bin/sh
# A build whose noise is half as wide as every plan and statement says: audits of its runs fail by name, those of
# the same runs by the program as it is do not.
. "$(dirname "$0")/common.sh"

# Without sanitizers where there is such a build, as the faulty program.
honest=$SOTTO
[ -x "$SOTTO_PLAIN" ] && honest=$SOTTO_PLAIN

"$SOTTO" data generate sbm --nodes 200 --classes 3 --features 8 --seed 3 --out sbm.sotto > /dev/null 2>&1
small="--data sbm.sotto --hidden 8 --epochs 4 --encoder-epochs 4"

# What is laid down is not touched: both programs state the same of the same run.
plan() {
  grep -E '"(epsilon|mu|noise|sensitivity|sigma|scale)"' "$1/statement.json"
}

# Of noise halved in each variant, test_noise_faults.sh; of each call, test_noise_sites.sh. Here: that statements are as they
# were, and that it is the auditing program whose noise is tested. A sound program is objected to with a probability of at most
# 1e-9.
audited() {
  "$1" audit "$2" --attack canary --trials 6000 --confidence 0.999999999
}

# judged NAME OPTIONS...: trained by the faulty program.
judged() {
  name=$1
  shift
  "$SOTTO_HALF_NOISE" train --out "$name" "$@" $small > log 2>&1 || { cat log >&2; fail "$name did not train"; }
  "$honest" train --out "$name-honest" "$@" $small > log 2>&1 || { cat log >&2; fail "$name-honest did not train"; }
  [ -n "$(plan "$name")" ] || fail "$name: the statement has no noise"
  [ "$(plan "$name")" = "$(plan "$name-honest")" ] || fail "$name: the two programs do not state the same"
  for run in "$name" "$name-honest"; do
    audited "$SOTTO_HALF_NOISE" "$run" > faulty 2>&1 &&
      { cat faulty >&2; fail "$run: noise that is halved is not caught"; }
    grep -q "canary" faulty && grep -q "verdict *FAILED" faulty ||
      { cat faulty >&2; fail "$run: failed, but not by the canary"; }
    audited "$honest" "$run" > honest 2>&1 ||
      { cat honest >&2; fail "$run: the program as it is is objected to"; }
  done
  grep -E "canary  |epsilon  |mu  |verdict" faulty
}

judged gap --method gap --epsilon 4 --layers 1 --delta 1e-4
judged best --method best --epsilon 2 --layers 2 --delta 1e-4
judged node --method gap --adjacency node --max-degree 120 --epsilon 8 --delta 1e-3 --layers 1 \
  --release-share 0.8 --encoder-share 0.1

# The same of single mechanisms.
for mechanism in gaussian laplace discrete-gaussian; do
  expect 1 "FAILED" "$SOTTO_HALF_NOISE" audit mechanism "$mechanism" --trials 20000
done

# The fault is in the test's own program, and in nothing that is installed.
nm "$SOTTO_HALF_NOISE" | grep -q __wrap_sotto_i_noise_pairs_exact || fail "the fault is not in the faulty program"
for product in "$SOTTO" "$SOTTO_BUILD/libsotto.so" "$SOTTO_BUILD/libsotto.a"; do
  ! nm "$product" | grep -q __wrap_sotto || fail "$product holds a fault"
done
