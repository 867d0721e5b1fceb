#!/bin/sh
# A service answers, logs and ends the same in three worlds: the owner's graph stays as it was trained on, it loses an edge before the
# service starts, or it loses an edge before a reload. Every method of the program that protects edges is served. Answers are compared
# to the last byte; times are left out.
. "$(dirname "$0")/common.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
at=$host:7401
awk 'function draw() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
BEGIN { seed = 3; print "id,f1,f2,f3,label" > "all.nodes.csv"; print "source,target" > "all.csv"
  for (v = 0; v < 60; v++) { row = v; for (j = 0; j < 3; j++) row = row "," (v % 3 == j ? 0.3 : 0) + draw(); print row ",c" v % 3 > "all.nodes.csv" }
  for (i = 0; i < 300; i++) { a = int(draw() * 60); b = int(draw() * 20) * 3 + a % 3; if (a != b) print a "," b > "all.csv" } }'
lines=$(wc -l < all.csv)
cp all.nodes.csv graph.nodes.csv
# The owner's file with all edges, and with one edge less.
for count in "$lines" "$((lines - 1))"; do
  head -n "$count" all.csv > graph.csv && "$SOTTO" data import graph.csv "graph-$count.sotto" > /dev/null
done

everyone="{\"nodes\":[$(seq -s , 0 59)]}"

# world NAME BEFORE LATER: edges when the service starts, and when it loads the run anew.
world() {
  rm -rf run && cp -r trained run && cp trained.db ledger.db && : > trace
  cp "graph-$2.sotto" graph.sotto
  "$SOTTO" serve run --listen "$at" > serve.log 2>&1 &
  pid=$!
  python3 "$script" "$at" world "$pid" "$everyone" "cp graph-$3.sotto graph.sotto" >> trace || { cat serve.log >&2; fail "$flags: no world $1"; }
  kill -TERM "$pid" 2> /dev/null || true
  status=0
  wait "$pid" || status=$?
  { echo "ends with $status"; cat serve.log
    find run -type f -printf '%p %s\n' | sort
    "$SOTTO" ledger show --account customers; } >> trace
  sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]*Z/TIME/g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g; s/loaded in [0-9.]+ s/loaded/; s/"(seconds|loaded|load_seconds)":[0-9.e+-]+/"\1"/g' trace > "$1.trace"
}

served=0
"$SOTTO" methods --json | python3 -c 'import json, sys
for method in json.load(sys.stdin)["methods"]:
    few = [f"--{option} 2" for option in ("epochs", "rounds", "encoder-epochs") if option in method["options"]]
    print("--method", method["name"], *few)' > methods
while read -r flags; do
  rm -rf trained ledger.db ledger.db-* graph.sotto.ledger
  "$SOTTO" ledger init > /dev/null && "$SOTTO" ledger account new customers > /dev/null
  cp "graph-$lines.sotto" graph.sotto
  # shellcheck disable=SC2086
  "$SOTTO" train $flags --data graph.sotto --account customers --adjacency edge --epsilon 4 --threads 1 --out trained > train.log 2>&1 < /dev/null || continue
  cp ledger.db trained.db
  world same "$lines" "$lines"
  grep -q '"ready":true' same.trace && served=$((served + 1))
  for other in "before $((lines - 1)) $((lines - 1))" "later $lines $((lines - 1))"; do
    # shellcheck disable=SC2086
    world $other
    diff same.trace "${other%% *}.trace" >&2 || fail "$flags: the world with an edge less, ${other%% *}, is seen at the service"
  done
done < methods
[ "$served" -ge 8 ] || { cat train.log same.trace >&2; fail "$served methods were served"; }
echo "serve worlds: ok, $served methods"
