#!/bin/sh
# sotto train that is cut short: status 130, metrics.jsonl without an epoch twice, one process a run folder, and
# nothing left of a run that was refused.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
flags="--data g.sotto --method gap --hidden 16 --encoder-epochs 40 --epochs 2000 --checkpoint-every 50 --insecure-seed 5"

# wait_for FOLDER PATTERN: until metrics.jsonl there has a line like that.
wait_for() { await "$1: no line '$2' came" grep -q "$2" "$1/metrics.jsonl"; }

# Cut at the decoder by a signal, torn at the end as by kill -9, and resumed: every epoch once, in order.
for signal in INT KILL; do
  # shellcheck disable=SC2086
  "$SOTTO" train $flags --out "cut-$signal" > log 2>&1 &
  pid=$!
  wait_for "cut-$signal" '"decoder","epoch":75,'
  expect 1 "another process is at work" "$SOTTO" train --resume --out "cut-$signal"
  kill -s "$signal" "$pid"
  status=0
  wait "$pid" 2> /dev/null || status=$?
  if [ "$signal" = INT ]; then
    [ "$status" -eq 130 ] || fail "Ctrl-C ended with $status"
    grep -q "go on with: sotto train --resume --out cut-INT" log || fail "Ctrl-C does not say how to go on"
  fi
  [ "$(stat -c %a "cut-$signal/metrics.jsonl")" = 600 ] || fail "others may read metrics.jsonl"
  [ -n "$(ls "cut-$signal/seed-1/owner-only/stages")" ] || fail "no checkpoint was kept"
  printf '{"seed":1,"stage":"deco' >> "cut-$signal/metrics.jsonl"
  "$SOTTO" train --resume --out "cut-$signal" > /dev/null 2>&1 || fail "could not be resumed after $signal"
  [ ! -e "cut-$signal/seed-1/owner-only/stages" ] || fail "checkpoints outlive the seed"
  grep -o '"stage":"[a-z]*","epoch":[0-9]*' "cut-$signal/metrics.jsonl" > epochs
  sort epochs | uniq -d > twice
  [ ! -s twice ] || { cat twice >&2; fail "after $signal an epoch is there twice"; }
  [ "$(grep -c '"encoder"' epochs)" -eq 40 ] || fail "after $signal epochs of the encoder are missing"
  last=$(grep '"decoder"' epochs | tail -n 1 | grep -o '[0-9]*$')
  [ "$(grep -c '"decoder"' epochs)" -eq "$last" ] || fail "after $signal epochs of the decoder are missing"
  [ "$(grep -c '"test"' "cut-$signal/metrics.jsonl")" -eq 1 ] || fail "after $signal the seed has not one result"
done

# A statement is of one set of options: a run does not go on with another epsilon, and threads may change.
cp cut-INT/statement.json stated
expect 1 "epsilon: cut-INT was begun with 4, and 8 is asked for" "$SOTTO" train --resume --out cut-INT --epsilon 8
cmp stated cut-INT/statement.json || fail "a refused run changed the statement"
expect 0 "verdict" "$SOTTO" train --resume --out cut-INT --threads 1

# Where no run was begun there is nothing to go on with: no new run, no folder, no charge.
before=$(charges g.sotto)
mkdir empty
expect 2 "nowhere holds no run to go on with" "$SOTTO" train --resume --out nowhere
expect 2 "nowhere holds no run to go on with" "$SOTTO" train --resume --out nowhere --data g.sotto --method gap --epsilon 4
expect 2 "empty holds no run to go on with" "$SOTTO" train --resume --out empty --data g.sotto --method gap --epsilon 4
printf 'method: gap\ndata: g.sotto\nepsilon: 4\n' > again.yaml
expect 2 "nowhere holds no run to go on with" "$SOTTO" train again.yaml --resume --out nowhere
[ ! -e nowhere ] && [ -z "$(ls empty)" ] || fail "a run that could not be resumed left a folder"
[ "$(charges g.sotto)" -eq "$before" ] || fail "a run that could not be resumed was charged"

# A run that is taken over whole changes nothing.
cp cut-INT/metrics.jsonl before
"$SOTTO" train --resume --out cut-INT > /dev/null 2>&1
cmp before cut-INT/metrics.jsonl || fail "a finished run that is shown again changed its metrics"

# Refused, or wrong before any work: no folder. One that was there stays.
"$SOTTO" ledger budget g.sotto --epsilon 0.5 > /dev/null
expect 3 "budget is 0.5" "$SOTTO" train --data g.sotto --method gap --out refused
[ ! -e refused ] || fail "a refused run left a folder"
expect 1 "leaves no" "$SOTTO" train --data g.sotto --method gap --adjacency none --not-private --train-share 0.001 --out wrong
[ ! -e wrong ] || fail "a run that failed its checks left a folder"
mkdir there
expect 3 "budget is 0.5" "$SOTTO" train --data g.sotto --method gap --out there
[ -d there ] || fail "a folder that was there is gone"
