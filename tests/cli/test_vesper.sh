#!/bin/sh
# The options of vesper: several releases, told labels, features on both sides, decoders, publications.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
train() { "$SOTTO" train --data g.sotto --hidden 8 --encoder-epochs 8 --epochs 9 "$@"; }
layers() { case $* in *--publication*) ;; *) set -- --publication layers "$@" ;; esac; train "$@"; }
has() { grep -q -- "$2" "$1" || fail "$1 lacks: $2"; }

# R releases are R charges of their own, together as dear as what was asked for.
layers --epsilon 2 --releases 3 --layer-weights --insecure-seed 3 --out three > /dev/null 2>&1
[ "$(charges g.sotto)" -eq 3 ] || fail "three releases made $(charges g.sotto) charges"
has three/statement.json '"releases_planned": 3'
has three/statement.json '"releases_made": 3'
grep -Eq '"epsilon": (2\.0|1\.99999)' three/statement.json || fail "three releases do not cost what was asked for"
for r in 1 2 3; do [ -s "three/seed-1/release-$r.bin" ] || fail "release $r was not kept"; done
cmp -s three/seed-1/release-1.bin three/seed-1/release-2.bin && fail "two releases are the same"

# Stopped at any moment and resumed: the same model, no second charge.
for pause in 2 4 6 10 20; do
  before=$(charges g.sotto)
  # Not by the function: the signal must reach the program itself.
  "$SOTTO" train --publication layers --data g.sotto --hidden 8 --encoder-epochs 8 --epochs 9 --epsilon 2 --releases 3 --layer-weights \
    --insecure-seed 3 --label-epsilon 2 --out "cut$pause" > /dev/null 2>&1 &
  pid=$!
  moment "$pause"
  kill -s KILL "$pid" 2> /dev/null || true
  wait "$pid" || true
  [ -s "cut$pause/run.yaml" ] || continue # stopped before it began
  "$SOTTO" train --resume --out "cut$pause" > /dev/null 2>&1 || fail "a run cut at $pause could not be resumed"
  [ $(($(charges g.sotto) - before)) -eq 3 ] || fail "cut at $pause: $(($(charges g.sotto) - before)) charges"
  [ -z "${first-}" ] || cmp "$first/owner-only/model.safetensors" "cut$pause/owner-only/model.safetensors" || fail "another model"
  first="cut$pause"
done

# Told labels: an account of their own, charged once for all seeds; the statement says what for.
train --epsilon inf --label-epsilon 1.5 --seeds 2 --out told > /dev/null 2>&1
grep -Eq '"epsilon": 1\.(5|49)' told/statement.json || fail "the statement has no epsilon of labels"
has told/statement.json '"mechanism": "randomized-response"'
has told/statement.json '"charges_made": 1'
[ -s told/reported-labels.sotto ] || fail "the told labels were not kept"
"$SOTTO" train --data g.sotto --method mlp --hidden 8 --encoder-epochs 8 --label-epsilon 1.5 --out toldmlp > /dev/null 2>&1
# Without noise on edges the account is shown at edge level, where all its charges count.
expect 0 "ledger .*, edge level: [0-9]* charges" train --epsilon inf --not-private --label-epsilon 2 --out bare-told
expect 2 "label-epsilon: method gap has no such option" train --method gap --label-epsilon 1 --out no1

# The rest runs, and what does not fit is refused.
for options in "--combine gru" "--label-features 0.5" "--label-features 0.5 --combine gru --releases 2" \
  "--release-width 2 --constant 3 --release-scale raw" "--publication gap" \
  "--publication vfgnn --max-degree 60"; do
  # shellcheck disable=SC2086
  layers --epsilon 2 $options --out "run-$(echo "$options" | tr -d ' -')" > /dev/null 2>&1 || fail "$options failed"
done
expect 1 "max-degree" train --publication vfgnn --out no2
expect 2 "one release" train --publication gap --releases 2 --out no3
expect 2 "release-scale raw" layers --releases 2 --release-scale unit --out no4

# As the paper has it: the claim beside what can be shown, every reason by name; a budget is held to the latter.
paper() { "$SOTTO" train --data g.sotto --hidden 8 --accounting paper --batch-size 32 --fan-out 5 --degree-floor 3 --epochs 3 "$@"; }
paper --aggregator gcn --insecure-seed 2 --threads 1 --out paper1 > told.txt 2> /dev/null || fail "--accounting paper failed"
paper --aggregator gcn --insecure-seed 2 --threads 2 --combine cat --out paper2 > /dev/null 2>&1
cmp paper1/model.safetensors paper2/model.safetensors || fail "two threads, another model"
grep -q "published: epsilon 4, which does not hold" told.txt || { cat told.txt >&2; fail "the table does not say what is claimed"; }
for words in '"accounting": "paper"' '"sound": false' '"claim": {' 'NOT protected' 'batches: theorem 2.1' 'gradients: they go back' \
  'neighbour cap: ' 'weights: one step of power' 'truncation: a node whose' 'measuring: '; do
  has paper1/statement.json "$words"
done
paper --epsilon inf --combine gru --out paper3 > /dev/null 2>&1 || fail "the paper's form without noise failed"
"$SOTTO" ledger budget g.sotto --epsilon 40 > /dev/null
expect 3 "budget is 40" paper --out paper4
