#!/bin/sh
# Predictions of a finished run on the command line.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 200 --classes 3 --features 8 --seed 3 --out sbm.sotto > /dev/null 2>&1
few="--data sbm.sotto --hidden 8 --epochs 20 --encoder-epochs 20"
"$SOTTO" train --method gnn --aggregator gcn $few --out clear > /dev/null 2>&1 || fail "gnn did not train"
"$SOTTO" train --method gap --epsilon 4 --delta 1e-4 $few --out noisy > /dev/null 2>&1 || fail "gap did not train"

expect 0 "example" "$SOTTO" predict --help
expect 2 "name a run folder" "$SOTTO" predict
expect 1 "run.yaml" "$SOTTO" predict nowhere

# The file: a header, then a line a node with the likeliest class and its probability first.
expect 0 "written to       clear/predictions.csv" "$SOTTO" predict clear
csv=clear/predictions.csv
[ "$(head -n 1 $csv)" = "node,class,probability,p0,p1,p2" ] || fail "the header is $(head -n 1 $csv)"
[ "$(wc -l < $csv)" -eq 201 ] || fail "not a line a node"
[ "$(stat -c %a $csv)" = 600 ] || fail "others may read predictions"
awk -F, 'NR > 1 && (NF != 6 || $1 != NR - 2 || $3 != $(4 + $2) || $3 < $4 || $3 < $5 || $3 < $6) { exit 1 }' $csv ||
  fail "a line does not begin with its node, likeliest class and probability"
awk -F, 'NR > 1 { sum = $4 + $5 + $6; if (sum < 0.9999 || sum > 1.0001) exit 1 }' $csv || fail "probabilities do not sum to 1"
expect 0 '"file":"other.csv"' "$SOTTO" predict noisy --out other.csv --json
[ "$(wc -l < other.csv)" -eq 201 ] || fail "--out does not have a line a node"
