#!/bin/sh
# The main job on data the program makes: two parties, a private graph network, a table.
# usage: scripts/demo.sh PATH/TO/sotto [nodes]
set -eu
sotto=$1
nodes=${2:-10000}
epochs=${DEMO_EPOCHS:-100}
out=${DEMO_OUT:-runs/demo-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$out"
export SOTTO_LEDGER="$out/ledger.db" SOTTO_LEDGER_KEY="$out/owner.key"
[ -e "$SOTTO_LEDGER" ] || "$sotto" ledger init
say() { printf '\n== %s\n' "$*"; }

say "A graph of communities: party A holds the graph and features of each node, party B the community of each node"
"$sotto" data generate sbm --nodes "$nodes" --classes 6 --features 64 --inside 12 --outside 8 --signal 2 \
  --out "$out/graph.sotto"

say "A budget: party A releases no more than epsilon 8 about any edge"
"$sotto" ledger budget "$out/graph.sotto" --epsilon 8 --delta 1e-6

run() {
  name=$1; shift
  "$sotto" train --data "$out/graph.sotto" \
    --encoder-epochs "$epochs" --epochs "$epochs" --out "$out/$name" --json "$@" > "$out/$name.json"
}
say "Training with private edges (epsilon 4)"
run private --method vesper --epsilon 4 --delta 1e-6
say "Training without privacy, for comparison: the budget refuses it, --not-private allows it, and the ledger records it"
run open --method gnn --not-private

field() { # FILE PATH.OF.KEYS: a number of a result
  awk -v path="$2" 'BEGIN { n = split(path, key, ".") }
    { s = $0; for (i = 1; i <= n; i++) { at = index(s, "\"" key[i] "\":"); s = substr(s, at + length(key[i]) + 3) }
      sub(/[,}].*/, "", s); print s }' "$1"
}
say "Result (accuracy on test nodes, per cent)"
pr() { awk -v n="$1" -v x="$2" -v p="$3" 'BEGIN { printf "  %-28s %6.2f   %s\n", n, 100 * x, p }'; }
pr "private model" "$(field "$out/private.json" test.accuracy.mean)" \
  "epsilon $(field "$out/private.json" privacy.epsilon | cut -c1-6) at delta $(field "$out/private.json" privacy.delta | cut -c1-7)"
pr "model without edges" "$(field "$out/private.json" baseline.accuracy.mean)" "no edge was used"
pr "model without privacy" "$(field "$out/open.json" test.accuracy.mean)" "every edge is exposed"
printf '\n  run folder: %s\n' "$out/private"
"$sotto" ledger show "$out/graph.sotto"
printf '\n  next: open %s in a browser, and read docs/start.md\n' "$out/private/report.html"
