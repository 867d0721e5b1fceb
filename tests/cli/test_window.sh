#!/bin/sh
# Training on the past, predictions for the days after it: one account pays for both.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate payments --nodes 600 --out all.sotto > /dev/null
"$SOTTO" data window all.sotto past.sotto --before 2025-10-01 | grep -q '2025-09 ' || fail "September is not there"
"$SOTTO" data info past.sotto | grep -q '2025-10 ' && fail "October is there"
"$SOTTO" train --method best --data past.sotto --epsilon 2 --delta 1e-6 --epochs 4 --out run > out 2>&1 || fail "no training: $(cat out)"
"$SOTTO" predict run all.sotto --epsilon 2 --out later.csv > out 2>&1 || fail "no predictions: $(cat out)"
grep -q "charged as a later version of the run's data" out || fail "the later window is another dataset: $(cat out)"
[ "$(wc -l < later.csv)" -eq 601 ] || fail "predictions of $(wc -l < later.csv) lines"
"$SOTTO" ledger show all.sotto > out
grep -q '2 charges, epsilon 4 ' out || fail "both are not in one account: $(cat out)"
"$SOTTO" data info all.sotto --before 2025-10-01 > out 2>&1 && fail "a flag without effect"
grep -q 'go with `sotto data window`' out || fail "$(cat out)"
true
