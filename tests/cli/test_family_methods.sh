#!/bin/sh
# Methods of one owner: what they refuse, what they charge, that threads do not matter, and resumption.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
# sage and pertgraph train one network and have no encoder.
train() {
  case "$*" in *"--method sage"* | *"--method pertgraph"* | *"--method mlp"* | *--resume*) encoder= ;; *) encoder="--encoder-epochs 15" ;; esac
  "$SOTTO" train --data g.sotto --hidden 16 $encoder --epochs 15 --weight-decay 0.0005 "$@"
}

# What a method does not protect it refuses before any work.
expect 2 "does not protect 'edge'" train --method sage --adjacency edge --out no1
expect 2 "max-degree: node level" train --method sage --adjacency node --out no2
expect 2 "max-degree: node level" train --method pertgraph --adjacency node --out no3
expect 2 "epsilon" train --method pertgraph --epsilon 0 --out no4
expect 1 "epsilon of an adjacency release" train --method pertgraph --epsilon 50 --out no5
[ "$(charges g.sotto)" -eq 0 ] || fail "a refused run was charged"

# Without privacy the statement says so, and nothing is charged.
none() {
  train --method "$1" --adjacency none --not-private --out "none-$1" > /dev/null 2>&1 || fail "$1 without privacy failed"
  grep -q "edges of .*NOT protected: the graph was used without noise" "none-$1/statement.json" || fail "$1: the statement does not say NOT PRIVATE"
  [ "$(charges g.sotto)" -eq "$before" ] || fail "$1 without privacy was charged"
}

# edge METHOD CHARGES KEPT [OPTION...]: charged so often under "edge", stated, the same for any number of
# threads, other noise in another run, refused over the budget, and resumed from the release KEPT for no
# second charge.
edge() {
  method=$1 count=$2 kept=$3
  shift 3
  before=$(charges g.sotto)
  train --method "$method" "$@" --insecure-seed 1 --threads 1 --out t1 > /dev/null 2>&1 || fail "$method failed"
  train --method "$method" "$@" --insecure-seed 1 --threads 2 --out t2 > /dev/null 2>&1
  cmp t1/model.safetensors t2/model.safetensors || fail "$method: two threads gave another model"
  grep -q "NOT protected: noise from a fixed seed" t1/statement.json || fail "$method: a fixed seed is not stamped NOT PRIVATE"
  train --method "$method" "$@" --epsilon 2 --out s1 > /dev/null 2>&1
  train --method "$method" "$@" --epsilon 2 --out s2 > /dev/null 2>&1
  cmp -s s1/model.safetensors s2/model.safetensors && fail "$method: noise repeats itself"
  [ $(($(charges g.sotto) - before)) -eq $((4 * count)) ] || fail "$method: not $count charges a run"
  grep -q '"adjacency": "edge"' s1/statement.json || fail "$method: the statement does not name the adjacency"
  first_class s1 | grep -Eq "^(strong|moderate|weak)$" || fail "$method: the statement does not say private"
  # The model is gone, the release is not: it is used again, and is not charged again.
  before=$(charges g.sotto)
  cp -r s1 again
  rm again/model.safetensors again/seed-1/model.safetensors again/seed-1/result.json
  cp again/seed-1/"$kept" kept
  "$SOTTO" train --resume --out again > /dev/null 2>&1 || fail "$method could not be resumed"
  cmp kept again/seed-1/"$kept" || fail "$method: a resumed run made another release"
  cmp s1/model.safetensors again/model.safetensors || fail "$method: a resumed run made another model"
  [ "$(charges g.sotto)" -eq "$before" ] || fail "$method: resuming was charged"
  # A release that was made at another epsilon is not taken for this run's.
  rm again/seed-1/result.json
  expect 1 "was begun with" train --resume --out again --method "$method" --epsilon 3 "$@"
  "$SOTTO" ledger budget g.sotto --epsilon 1 > /dev/null
  expect 3 "budget is 1" train --method "$method" "$@" --out refused
  [ ! -e refused ] || fail "$method: a refused run left a folder"
  "$SOTTO" ledger budget g.sotto --epsilon 1000000 > /dev/null
  rm -rf t1 t2 s1 s2 again refused
}

before=0
none sage
none pertgraph
none dpdgc
none lpgnet
none best
edge pertgraph 2 graph.sotto
edge pertgraph 1 graph.sotto --publication edgerand
edge pertgraph 2 graph.sotto --publication lapgraph
edge dpdgc 1 sums.sotto
edge best 1 counts-0.sotto
edge lpgnet 2 counts-1.sotto
expect 1 "0.01 to 1000 each" train --method lpgnet --epsilon 0.01 --out no7

# The perceptron at node level: charged before training, the same for any number of threads, and what was
# published is taken over by a resumed run, not made again.
node() { train --method mlp --adjacency node "$@"; }
expect 2 "batch-rate" node --batch-rate 0 --out no8
expect 2 "feature-scale" node --feature-scale standard --out no9
expect 2 "epsilon: must be finite" node --epsilon inf --out no10
before=$("$SOTTO" ledger show g.sotto --json | grep -o '"adjacency":"node"' | wc -l)
[ "$before" -eq 0 ] || fail "a refused run was charged at node level"
node --insecure-seed 1 --threads 1 --out t1 > /dev/null 2>&1 || fail "mlp at node level failed"
node --insecure-seed 1 --threads 2 --out t2 > /dev/null 2>&1
cmp t1/model.safetensors t2/model.safetensors || fail "mlp at node level: two threads gave another model"
grep -q "NOT protected: noise from a fixed seed" t1/statement.json || fail "mlp at node level: a fixed seed is not stamped NOT PRIVATE"
node --epsilon 2 --seeds 2 --out s1 > /dev/null 2>&1
grep -q '"adjacency": "node"' s1/statement.json || fail "the statement does not say node"
grep -q '"accountant": "pld"' s1/statement.json || fail "the statement does not say pld"
grep -Eq '"verdict_class": "(strong|moderate|weak)"' s1/statement.json || fail "mlp at node level is not private"
cmp s1/model.safetensors s1/seed-1/model.safetensors || fail "at node level the model was chosen by validation labels"
cp -r s1 again
rm again/seed-2/owner-only/result.json
before=$(charges g.sotto)
"$SOTTO" train --resume --out again > /dev/null 2>&1 || fail "mlp at node level could not be resumed"
cmp s1/seed-2/model.safetensors again/seed-2/model.safetensors || fail "a resumed run published another model"
[ "$(charges g.sotto)" -eq "$before" ] || fail "resuming at node level was charged"
"$SOTTO" ledger budget g.sotto --adjacency node --epsilon 1 > /dev/null
expect 3 "budget is 1" node --out refused
[ ! -e refused ] || fail "a refused run at node level left a folder"
"$SOTTO" ledger budget g.sotto --adjacency node --epsilon 1000000 > /dev/null

rm -rf t1 t2 s1 again
# Node level: a declared bound, charges, statement, threads, and graphs as cut.
private() { train --adjacency node --max-degree 60 --steps 10 "$@"; }
while read -r method count; do
  before=$(charges g.sotto)
  private --method "$method" --insecure-seed 1 --threads 1 --out t1 > /dev/null 2>&1 || fail "$method at node level"
  private --method "$method" --insecure-seed 1 --threads 2 --out t2 > /dev/null 2>&1
  cmp t1/model.safetensors t2/model.safetensors || fail "$method at node level: two threads gave another model"
  private --method "$method" --epsilon 2 --out s1 > /dev/null 2>&1
  [ $(($(charges g.sotto) - before)) -eq $((3 * count)) ] || fail "$method at node level: not $count charges a run"
  grep -q '"adjacency": "node"' s1/statement.json || fail "$method: the statement does not say node"
  grep -Eq '"verdict_class": "(strong|moderate|weak)"' s1/statement.json || fail "$method is not private"
  grep -q 'no node has more than 60 neighbours' s1/statement.json || fail "$method: the bound is not stated"
  expect 1 "above the declared bound 3: declare a larger one, or cut edges (degree-cut)" \
    train --method "$method" --adjacency node --max-degree 3 --out refused
  train --method "$method" --adjacency node --max-degree 3 --degree-cut --not-private --steps 2 --out cut > /dev/null 2>&1 ||
    fail "$method on a cut graph"
  grep -q 'for graphs as cut' cut/statement.json || fail "$method: the statement does not say that edges were cut"
  grep -q '"sound": false' cut/statement.json || fail "$method: a cut graph is called sound"
  grep -q '"verdict_class": "not protected"' cut/statement.json || fail "$method: a field calls a cut graph private"
  rm -rf t1 t2 s1 cut refused
done << END
gap 3
caribou 3
dpdgc 3
lpgnet 5
sage 1
pertgraph 1
END
before=$("$SOTTO" ledger show g.sotto --json | grep -o '"adjacency":"edge"' | wc -l)
train --method dpdgc --adjacency k-neighbour --neighbours 3 --not-private --out k3 > /dev/null 2>&1 || fail "k-neighbour level"
after=$("$SOTTO" ledger show g.sotto --json | grep -o '"adjacency":"edge"' | wc -l)
[ $((after - before)) -eq 1 ] || fail "k-neighbour level is not one charge at edge level"
grep -q '"adjacency": "k-neighbour"' k3/statement.json || fail "the statement does not say k-neighbour"
grep -q 'at most 3 undirected edges of one node' k3/statement.json || fail "the statement does not say k"
