#!/bin/sh
# Where a graph helps under node-level privacy: `best` compared with `mlp` at epsilon 8, delta 1e-6, on generated graphs of four
# classes whose degree, homophily and size grow. A line a graph: nodes, mean degree, share of neighbours of one's own
# class, accuracy of mlp and of best, their difference. SOTTO names the program; SEEDS how many trainings each (2).
set -eu
: "${SOTTO:=build/sotto}" "${SEEDS:=2}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOTTO_LEDGER="$work/ledger.db" SOTTO_LEDGER_KEY="$work/ledger.key"
"$SOTTO" ledger init > /dev/null

accuracy() { "$SOTTO" train --json "$@" 2> /dev/null | tail -n 1 | sed 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/'; }

# row NODES DEGREE SHARE
row() {
  inside=$(awk "BEGIN {print $2 * $3}") outside=$(awk "BEGIN {print $2 * (1 - $3)}")
  "$SOTTO" data generate sbm --nodes "$1" --inside "$inside" --outside "$outside" --signal 1 --out "$work/g.sotto" > /dev/null
  common="--data $work/g.sotto --adjacency node --epsilon 8 --delta 1e-6 --hidden 16 --seeds $SEEDS"
  bound=$(awk "BEGIN {print int(2 * $2 + 4)}")
  rm -rf "$work/mlp" "$work/best"
  # shellcheck disable=SC2086
  without=$(accuracy --method mlp $common --out "$work/mlp")
  # shellcheck disable=SC2086
  with=$(accuracy --method best $common --max-degree "$bound" --degree-cut --out "$work/best")
  awk "BEGIN {printf \"| %d | %g | %g | %.1f | %.1f | %+.1f |\\n\", $1, $2, $3, 100 * $without, 100 * $with, 100 * ($with - $without)}"
}

echo "| nodes | mean degree | neighbours of one's own class | mlp | best | gain |"
echo "|---|---|---|---|---|---|"
for share in 0.4 0.6 0.8; do
  for degree in 2 4 8 16 32; do row 10000 "$degree" "$share"; done
done
for nodes in 500 1000 2000 5000; do row "$nodes" 16 0.6; done
