#!/bin/sh
# Methods of one owner with one graph: result, statement, ledger, determinism, resumption, refusals.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
train() { "$SOTTO" train --data g.sotto --hidden 16 --encoder-epochs 15 --epochs 15 "$@"; }

for method in gap caribou; do
  before=$(charges g.sotto)
  train --method $method --epsilon 2 --out $method --json 2> /dev/null | tail -n 1 > result
  [ $(($(charges g.sotto) - before)) -eq 1 ] || fail "$method: one release was not one charge"
  grep -q '"epsilon":\(2\.0\|1\.999\)' result || { cat result; fail "$method: did not spend epsilon 2"; }
  grep -q '"exposed": \[\]' $method/statement.json || fail "$method: says that something was exposed"
  grep -q 'anyone who sees the published model' $method/statement.json || fail "$method: names another adversary"
  first_class $method | grep -Eq "^(strong|moderate|weak)$" || fail "$method: is not called private"

  # Without privacy: no charge, no claim; two ways to ask for the same run.
  before=$(charges g.sotto)
  train --method $method --adjacency none --not-private --out $method-none > /dev/null 2>&1
  train --method $method --epsilon inf --not-private --out $method-inf > /dev/null 2>&1
  [ "$(charges g.sotto)" -eq "$before" ] || fail "$method: charged for a release without noise"
  cmp $method-none/model.safetensors $method-inf/model.safetensors || fail "$method: none is not epsilon inf"
  grep -q "edges of .*NOT protected: the graph was used without noise" $method-none/statement.json || fail "$method: a run without noise is called private"

  # The model does not depend on the number of threads; noise differs from run to run.
  train --method $method --insecure-seed 1 --threads 1 --out $method-t1 > /dev/null 2>&1
  train --method $method --insecure-seed 1 --threads 2 --out $method-t2 > /dev/null 2>&1
  cmp $method-t1/model.safetensors $method-t2/model.safetensors || fail "$method: two threads, another model"
  grep -q "NOT protected: noise from a fixed seed" $method-t1/statement.json || fail "$method: a fixed seed is not stamped NOT PRIVATE"
  train --method $method --out $method-s1 > /dev/null 2>&1
  train --method $method --out $method-s2 > /dev/null 2>&1
  cmp -s $method-s1/model.safetensors $method-s2/model.safetensors && fail "$method: noise repeats itself"

  # A run cut short after its release: the release is used again, and not charged again.
  before=$(charges g.sotto)
  train --method $method --out $method-cut > /dev/null 2>&1
  cp $method-cut/model.safetensors $method-cut/seed-1/release.bin .
  rm $method-cut/seed-1/result.json $method-cut/seed-1/model.safetensors
  "$SOTTO" train --resume --out $method-cut > /dev/null 2>&1 || fail "$method: could not be resumed"
  cmp release.bin $method-cut/seed-1/release.bin || fail "$method: resuming made another release"
  cmp model.safetensors $method-cut/model.safetensors || fail "$method: resuming gave another model"
  [ $(($(charges g.sotto) - before)) -eq 1 ] || fail "$method: resuming charged again"
  rm $method-cut/seed-1/result.json
  expect 1 "was begun with" "$SOTTO" train --resume --out $method-cut --epsilon 3
  rm $method-none/seed-1/result.json
  expect 1 "was begun with" "$SOTTO" train --resume --out $method-none --layers 3

  # Over the budget: status 3, and no release.
  "$SOTTO" ledger budget g.sotto --epsilon 1 > /dev/null
  expect 3 "budget is 1" train --method $method --out $method-refused
  [ -z "$(find $method-refused -name 'release.bin')" ] || fail "$method: a refused run left a release"
  "$SOTTO" ledger budget g.sotto --epsilon 1000 > /dev/null

  for combination in sum max mean attention; do
    train --method $method --combine $combination --out $method-$combination > /dev/null 2>&1 ||
      fail "$method: combination $combination"
  done
  expect 2 "max-degree: node level" train --method $method --adjacency node --out refused
  expect 2 "epsilon: must be above 0" train --method $method --epsilon 0 --out refused
  expect 2 "layers: 0 is outside 1" train --method $method --layers 0 --out refused
done
expect 2 "contraction: must be below 1" train --method caribou --contraction 1 --out refused
expect 2 "does not have 'mean', but: gcn" train --method caribou --aggregator mean --out refused
[ ! -e refused ] || fail "a refused run left a folder"
for word in contraction residual degree_floor layers sensitivity noise
do grep -q "\"$word\"" caribou/statement.json || fail "caribou's statement lacks $word"; done
grep -q '"mechanism": "contractive"' caribou/statement.json || fail "caribou's mechanism is not named"

# The other changes of a contractive release, which a resumed run could miss.
expect 1 "was begun with" "$SOTTO" train --resume --out caribou-none --beta 0.25
