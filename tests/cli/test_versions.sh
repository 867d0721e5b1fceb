#!/bin/sh
# Budgets cover the versions of a dataset: changed, renamed, permuted, grown, in another form; and one ledger.
. "$(dirname "$0")/common.sh"

# graph NAME FIRST LAST LESS SEED: nodes cFIRST to cLAST with features, in an order of SEED, and all edges among them but LESS.
graph() {
  awk -v name="$1" -v first="$2" -v last="$3" -v less="$4" -v seed="$5" "$draws"'BEGIN {
    print "id,f1,f2,label" > name ".nodes.csv"; print "source,target" > name ".csv"
    seeded(seed); n = 0
    for (v = first; v <= last; v++) { at = int(draw() * ++n) + 1; order[n] = order[at]; order[at] = v }
    for (i = 1; i <= n; i++) { v = order[seed ? i : n + 1 - i]; if (!seed) v = first + i - 1
      print "c" v "," (v * 7919 % 1009) / 1009 "," (v * 104729 % 997) / 997 "," v % 2 > name ".nodes.csv" }
    for (v = first; v < last; v++) for (k = 1; k <= 4; k++) { u = v + k * k
      if (u <= last && less-- <= 0) print "c" v ",c" u > name ".csv" } }'
}
train() { "$SOTTO" train --method gap --hidden 4 --epochs 2 --encoder-epochs 2 --delta 1e-6 "$@"; }
full() { expect 3 "'may', edge level, at delta 1e-06: epsilon 4 is spent" train "$@" --epsilon 1 --out no; }

graph may 1 200 0 0
"$SOTTO" ledger budget may.csv --epsilon 4 > /dev/null
train --data may.csv --epsilon 4 --out run > /dev/null 2>&1 || fail "the first run"

# Five transactions less, under the same path; under another; renamed; rows in another order; grown; a part.
cp may.csv whole.csv
head -n -5 whole.csv > may.csv
full --data may.csv
grep -q "charged as a version of may, by the same node ids" output || fail "it is not said aloud"
cp whole.csv may.csv
graph june 1 200 5 0
full --data june.csv
cp june.csv other-name.csv && cp june.nodes.csv other-name.nodes.csv && full --data other-name.csv
graph turned 1 200 3 7
full --data turned.csv
graph grown 1 380 0 0
full --data grown.csv
graph part 60 130 0 0
full --data part.csv
"$SOTTO" data import june.csv --out june.sotto > /dev/null 2>&1 || "$SOTTO" data import june.csv june.sotto > /dev/null
full --data june.sotto

# No noise at all, and node level, need what the budget asks for, too; it is told before anything is spent.
expect 3 "has a budget at edge level, and this run adds no noise" "$SOTTO" train --method gnn --data june.csv --epochs 2 --out no
expect 0 "may, edge level: 1 charges, epsilon 4 at delta 1e-06; budget 4" "$SOTTO" ledger show june.csv
[ ! -e no ] || fail "a refused run left a folder"

# Other customers are another thing, without a word; but not under a path or a name that was given before.
graph branch 1000 1200 0 0
train --data branch.csv --epsilon 1 --out branch > output 2>&1 || fail "other nodes were refused"
grep -q "version of" output && fail "other nodes are taken for a version"
graph far 3000 3150 2 0
mkdir there && sed 's/c3/x3/g' far.csv > there/may.csv
sed 's/^c3/x3/; s/,0\./,0.5/g' far.nodes.csv > there/may.nodes.csv
full --data there/may.csv
grep -q "by the same name" output || fail "by what is not said"
cp there/may.csv there/may.nodes.csv . && full --data may.csv
cp whole.csv may.csv && graph may 1 200 0 0

# A name that a generator gave is nobody's word: two such graphs are two things, also as parts.
"$SOTTO" data generate sbm --nodes 120 --features 6 --seed 3 --out a.sotto > /dev/null
"$SOTTO" ledger budget a.sotto --epsilon 2 > /dev/null
expect 3 "nothing was released" train --data a.sotto --epsilon 3 --out no
"$SOTTO" data generate sbm --nodes 120 --features 6 --seed 4 --out b.sotto > /dev/null
train --data b.sotto --epsilon 3 --out b > output 2>&1 || { cat output >&2; fail "another graph of the generator was refused"; }
"$SOTTO" data split b.sotto --horizontal --clients 2 --parts --out part > /dev/null
train --data part-1.sotto --epsilon 3 --out part > output 2>&1 || { cat output >&2; fail "a part of another graph was refused"; }

# Data without ids: rows of features tell at edge level. At node level they are private, and nothing follows from them.
mkdir later
for inside in 11 13; do "$SOTTO" data generate sbm --nodes 120 --features 6 --seed 3 --inside $inside --out later/$inside.sotto > /dev/null; done
expect 3 "by the same rows of features" train --data later/11.sotto --epsilon 3 --out no
grep -q "and the budget is 2" output || fail "a version by its rows has another budget"
expect 0 "by the same rows of features" "$SOTTO" ledger show later/13.sotto
train --adjacency node --max-degree 60 --data later/13.sotto --epsilon 50 --out nodes > output 2>&1 || { cat output >&2; fail "at node level rows of features decided"; }

# The owner declares another thing by an account; while a budget stands nearby it needs one of its own.
"$SOTTO" ledger account new other > /dev/null
expect 3 "looks like a version of the data of account 'may'" train --data june.csv --account other --epsilon 1 --out no
"$SOTTO" ledger budget --account other --epsilon 2 --adjacency edge > /dev/null
train --data june.csv --account other --epsilon 1 --out june > output 2>&1 || { cat output >&2; fail "a declared thing with a budget"; }
expect 0 "other, edge level: 1 charges, epsilon 1 at" "$SOTTO" ledger show june.csv

# The prediction of the next day names the account that is full.
expect 3 "'may', edge level, at delta 1e-06: epsilon 4 is spent" "$SOTTO" predict run grown.csv --epsilon 1
graph tomorrow 5000 5100 0 0
expect 3 "'may', edge level, at delta 1e-06: epsilon 4 is spent" "$SOTTO" predict run tomorrow.csv --epsilon 1
[ ! -e run/predictions ] || fail "a refused prediction left a folder"

# Another ledger has none of these charges: that of another user, an empty one.
"$SOTTO" ledger init empty.db > /dev/null
charged=$(cat ledger.db | cksum)
for ledger in "$folder/empty.db" ""; do
  other() { if [ -n "$ledger" ]; then "$@" --ledger "$ledger"; else env -u SOTTO_LEDGER -u SOTTO_LEDGER_KEY HOME="$folder/home" "$@"; fi; }
  expect 3 "is charged to the ledger $folder/ledger.db" other "$SOTTO" train --method gap --data may.csv --epsilon 4 --out no
  expect 3 "is another one" other "$SOTTO" train --method gnn --data may.csv --epochs 2 --out no
  expect 3 "is another one" other "$SOTTO" ledger budget may.csv --epsilon 4
done
printf 'method: vesper\n' > run.yaml
expect 3 "is another one" env SOTTO_LEDGER="$folder/empty.db" "$SOTTO" run run.yaml --role data --data may.csv --insecure-loopback --listen "$host:7001" \
  --peer label --out no
[ ! -e no ] || fail "a run that was refused for its ledger left a folder"
[ "$charged" = "$(cat ledger.db | cksum)" ] || fail "the ledger changed"
# A copy of the run folder remembers it, too, where the data does not.
cp -r run copied
expect 3 "copied: is charged to the ledger" env SOTTO_LEDGER="$folder/empty.db" "$SOTTO" predict copied far.csv --epsilon 1
rm may.csv.ledger
expect 3 "copied: is charged to the ledger" "$SOTTO" train --resume --out copied --ledger "$folder/empty.db"
# A ledger that moved is the same one, and a wanted change is said.
cp ledger.db moved.db
expect 0 "verdict" "$SOTTO" train --resume --out run --ledger moved.db
expect 2 "move needs --reason" "$SOTTO" ledger move branch.csv --ledger empty.db
expect 1 "there is no data" "$SOTTO" ledger move nothing.csv --ledger empty.db --reason "a new office"
expect 0 "is charged to $folder/empty.db from now on" "$SOTTO" ledger move branch.csv --ledger "$folder/empty.db" --reason "a new office"
train --data branch.csv --epsilon 1 --out again --ledger "$folder/empty.db" > /dev/null 2>&1 || fail "the move did not hold"
expect 0 "move: branch.csv (.*: a new office)" "$SOTTO" ledger show --ledger empty.db
expect 3 "is charged to the ledger $folder/empty.db" train --data branch.csv --epsilon 1 --out no
echo garbage > branch.csv.ledger
expect 1 "does not name the ledger that was charged" train --data branch.csv --epsilon 1 --out no
expect 0 "all .* entries hold" "$SOTTO" ledger verify
echo "versions: ok"
