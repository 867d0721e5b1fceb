#!/bin/sh
# The audit of all methods by one command: the program as it is has no objection, one with half of the noise has.
. "$(dirname "$0")/common.sh"

# Without sanitizers where there is such a build: every method is trained.
plain=$SOTTO
[ -x "$SOTTO_PLAIN" ] && plain=$SOTTO_PLAIN
[ -d /dev/shm ] && export TMPDIR=/dev/shm
# A sound program is objected to with a probability of at most 1e-9.
"$plain" audit --self --trials 400 --pairs 200 --confidence 0.999999999 > honest ||
  { cat honest >&2; fail "the program objects to itself"; }
grep -q "verdict *no objection" honest || fail "no verdict"
for method in $("$SOTTO" methods --json 2> /dev/null | grep -o '"name": *"[a-z+]*"' | cut -d'"' -f4); do
  grep -q "^  $method[ ,]" honest || [ "$method" = locsage ] || [ "$method" = globsage ] || [ "$method" = fedsage+ ] ||
    fail "$method is not in the table"
done
for method in best gap; do
  expect 1 "canary .*FAILED" "$SOTTO_HALF_NOISE" audit --self --attack canary --method "$method" --trials 400
done
expect 0 '"confidence":0.999999999,' "$plain" audit --self --method mlp --trials 400 --confidence 0.999999999 --json
expect 0 "example" "$SOTTO" audit --self --help
expect 2 "none with a private variant" "$SOTTO" audit --self --method nothing
expect 2 "takes no run folder" "$SOTTO" audit --self run
expect 2 "trials" "$SOTTO" audit --self --method gap --trials 5
expect 2 "pairs: take 64 or more" "$SOTTO" audit --self --method gap --pairs 0
expect 2 "'linkteller' is none of one-run, canary, release" "$SOTTO" audit --self --attack canary,linkteller
expect 2 "confidence: take 0.5 to below 1" "$SOTTO" audit --self --confidence 1
expect 2 "without mpirun" env OMPI_COMM_WORLD_SIZE=2 "$SOTTO" audit --self

# One training of a run's own method, charged to nobody.
"$SOTTO" data generate sbm --nodes 1000 --classes 3 --features 8 --seed 3 --out sbm.sotto > /dev/null 2>&1
"$SOTTO" train --method gap --epsilon 4 --delta 1e-5 --data sbm.sotto --hidden 8 --epochs 3 --encoder-epochs 3 --out run \
  > /dev/null 2>&1 || fail "gap did not train"
expect 0 "canaries in one training" "$SOTTO" audit run --attack one-run
expect 0 '"confidence":0.99,.*"guesses":' "$SOTTO" audit run --attack one-run --confidence 0.99 --json
expect 2 "confidence: take 0.5 to below 1" "$SOTTO" audit run --attack one-run --confidence 2
[ "$(charges sbm.sotto)" -eq 1 ] || fail "an audit charged the ledger"
expect 1 "has place for" "$SOTTO" audit run --attack one-run --pairs 10
