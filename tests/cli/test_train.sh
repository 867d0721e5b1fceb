#!/bin/sh
# The main job: result, budget, determinism, interruption, resumption.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
train() { "$SOTTO" train --data g.sotto --hidden 16 --encoder-epochs 15 --epochs 15 "$@"; }

# The last line on stdout is the result.
train --epsilon 2 --out one --json 2> /dev/null | tail -n 1 > result
for key in test accuracy auc macro_f1 baseline privacy epsilon delta adjacency sound mechanisms wire seconds peak_rss_mb
do grep -q "\"$key\":" result || fail "the result has no $key"; done
for file in run.yaml metrics.jsonl statement.json result.json model.safetensors
do [ -s "one/$file" ] || fail "the run folder has no $file"; done
[ "$(charges g.sotto)" -eq 1 ] || fail "one release was not one charge"
grep -q "^delta: 1e-6$" one/run.yaml || fail "the run file has another delta than a small graph asks for"
expect 1 "holds a run already" train --out one

# The model does not depend on the number of threads.
train --insecure-seed 1 --threads 1 --out t1 > /dev/null 2>&1
train --insecure-seed 1 --threads 2 --out t2 > /dev/null 2>&1
cmp t1/model.safetensors t2/model.safetensors || fail "two threads gave another model"
grep -q "NOT protected: noise from a fixed seed" t1/statement.json || fail "a fixed seed is not stamped NOT PRIVATE"
# Without it, noise differs from run to run.
train --out s1 > /dev/null 2>&1
train --out s2 > /dev/null 2>&1
cmp -s s1/model.safetensors s2/model.safetensors && fail "noise repeats itself"

# Over the budget: status 3, nothing sent, nothing charged.
before=$(charges g.sotto)
"$SOTTO" ledger budget g.sotto --epsilon 1 > /dev/null
expect 3 "budget is 1" train --out refused
[ "$(charges g.sotto)" -eq "$before" ] || fail "a refused release was charged"
[ ! -d refused ] || [ -z "$(find refused -name 'counts-*' -o -name 'model.safetensors')" ] || fail "a refused run left a release"
"$SOTTO" ledger budget g.sotto --epsilon 1000 > /dev/null

# Ctrl-C and kill -9 at any moment, then --resume: the undisturbed model, one charge a seed.
train --insecure-seed 5 --seeds 3 --out whole > /dev/null 2>&1
before=$(charges g.sotto)
round=0 cut=0
for event in run.yaml "seed-1/*" seed-1/model.safetensors "seed-2/*" seed-2/model.safetensors; do
  round=$((round + 1)) signal=KILL
  [ $((round % 2)) -eq 0 ] || signal=INT
  # No function: its shell would get the signal in the program's place.
  "$SOTTO" train --data g.sotto --hidden 16 --encoder-epochs 15 --epochs 15 --insecure-seed 5 --seeds 3 \
    --out "cut$round" > /dev/null 2>&1 &
  pid=$!
  await_or_end "$pid" "round $round: no $event" there "cut$round/$event"
  kill -s "$signal" "$pid" 2> /dev/null || true
  wait "$pid" || cut=$((cut + 1))
  [ -s "cut$round/run.yaml" ] || continue # stopped before it began
  "$SOTTO" train --resume --out "cut$round" > /dev/null 2>&1 || fail "round $round could not be resumed"
  for seed in 1 2 3; do
    cmp "whole/seed-$seed/model.safetensors" "cut$round/seed-$seed/model.safetensors" ||
      fail "round $round: seed $seed ended with another model"
  done
  after=$(charges g.sotto)
  [ $((after - before)) -eq 3 ] || fail "round $round made $((after - before)) charges, not 3"
  before=$after
done
[ "$cut" -gt 0 ] || fail "every run ended before its signal: nothing was cut short"

# Every method, aggregator and split runs; a run file does what flags do.
"$SOTTO" train --data g.sotto --method mlp --hidden 16 --encoder-epochs 15 --out mlp > /dev/null 2>&1
train --method gnn --aggregator gcn --not-private --out gcn > /dev/null 2>&1
train --method gnn --aggregator gin --not-private --out gin > /dev/null 2>&1
train --publication layers --aggregator gcn --split kfold --folds 5 --out kfold > /dev/null 2>&1
train --publication layers --aggregator mean --feature-scale standard --select-by auc --out mean > /dev/null 2>&1
printf 'method: mlp\ndata: g.sotto\nhidden: 16\nencoder-epochs: 15\n' > run.yaml
"$SOTTO" train run.yaml --out file > /dev/null 2>&1
cmp mlp/model.safetensors file/model.safetensors || fail "a run file gave another model than flags"
printf 'method: mlp\ndatta: g.sotto\n' > bad.yaml
expect 2 "line 2.*did you mean 'data'" "$SOTTO" train bad.yaml
# A deviation is of two seeds or more.
"$SOTTO" train run.yaml --out seeds1 > said 2> /dev/null
if grep -q '+-' said; then cat said >&2; fail "one seed has a deviation"; fi
"$SOTTO" train run.yaml --seeds 2 --out seeds2 2> /dev/null | grep -q 'mlp .* +- ' || fail "two seeds have no deviation"
