#!/bin/sh
# Nights of a graph that grows: the first says a price and charges it for all, later ones cost nothing, and after the last
# there is none.
. "$(dirname "$0")/common.sh"

# Customers in three groups, of which features say a little and edges much. Night N has 500 + 10 N of them; today is night 0.
awk 'function word(v) { return "c" v % 3 }
function draw() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
BEGIN {
  seed = 7
  for (night = 0; night <= 4; night++) {
    print "id,f1,f2,f3,label" > night ".nodes.csv"
    print "source,target" > night ".csv"
  }
  for (v = 0; v < 540; v++) {
    row = v
    for (j = 0; j < 3; j++) row = row "," (v % 3 == j ? 0.5 : 0) + draw() + draw()
    for (night = 0; night <= 4; night++) if (v < 500 + 10 * night) print row "," word(v) > night ".nodes.csv"
  }
  for (i = 0; i < 4000; i++) {
    a = int(draw() * 540); b = draw() < 0.85 ? int(draw() * 180) * 3 + a % 3 : int(draw() * 540)
    if (a == b) continue
    for (night = 0; night <= 4; night++) if (a < 500 + 10 * night && b < 500 + 10 * night) print a "," b > night ".csv"
  }
}'
for night in 0 1 2 3 4; do "$SOTTO" data import $night.csv $night.sotto > /dev/null; done
"$SOTTO" ledger account new customers > /dev/null
"$SOTTO" ledger budget --account customers --epsilon 8 > /dev/null
"$SOTTO" train --method best --layers 1 --data 0.sotto --account customers --epsilon 1 --delta 1e-6 --encoder-epochs 60 --epochs 80 --out run > /dev/null 2>&1 ||
  fail "no training"

expect 2 "name tonight" "$SOTTO" predict run --nightly
expect 2 "go with --nightly" "$SOTTO" predict run 1.sotto --epsilon 8 --nights 3
expect 1 "has no plan yet" "$SOTTO" predict run 1.sotto --nightly
expect 3 "the training has spent 1" "$SOTTO" predict run 1.sotto --nightly --epsilon 1 --nights 3
expect 3 "nothing was released" "$SOTTO" predict run 1.sotto --nightly --epsilon 9 --nights 3
[ ! -e run/nights/plan.json ] || fail "a refused plan was kept"

expect 0 "a plan of 3 nights: 1 release" "$SOTTO" predict run 1.sotto --nightly --epsilon 8 --nights 3
grep -q "night 1 of 3" output || fail "which night it is, is not said"
grep -q "when a night was made, and how many nodes came on it" run/nights/statement.json || fail "the statement does not say what is not covered"
[ -e run/nights/1/predictions.csv ] || fail "no predictions of the first night"
cp run/nights/1/predictions.csv first.csv
after=$(charges 0.sotto)
expect 0 "night 1 of 3 again" "$SOTTO" predict run 1.sotto --nightly --night 1
cmp first.csv run/nights/1/predictions.csv || fail "the same night answers otherwise"
expect 1 "2 was not made yet" "$SOTTO" predict run 1.sotto --nightly --night 2
expect 2 "numbers begin with 1" "$SOTTO" predict run 1.sotto --nightly --night 0
expect 2 "leave --epsilon, --nights" "$SOTTO" predict run 1.sotto --nightly --night 1 --epsilon 8
expect 2 "go with --nightly" "$SOTTO" predict run 1.sotto --night 1
expect 1 "a plan cannot change" "$SOTTO" predict run 2.sotto --nightly --epsilon 4 --nights 3
expect 0 "night 2 of 3" "$SOTTO" predict run 2.sotto --nightly
expect 1 "nodes of a next night" "$SOTTO" predict run 1.sotto --nightly
expect 0 "night 1 of 3 again" "$SOTTO" predict run 1.sotto --nightly --night 1
cmp first.csv run/nights/1/predictions.csv || fail "an earlier night answers otherwise"
expect 0 "night 3 of 3" "$SOTTO" predict run 3.sotto --nightly
accuracy=$(sed -n 's/.*accuracy         \([0-9.]*\) of 530 labelled nodes/\1/p' output)
awk -v accuracy="$accuracy" 'BEGIN { exit !(accuracy > 0.7) }' || fail "accuracy $accuracy"
expect 3 "all 3 nights of the plan are over" "$SOTTO" predict run 4.sotto --nightly
expect 3 "all 3 nights of the plan are over" "$SOTTO" predict run 3.sotto --nightly
[ "$(charges 0.sotto)" -eq "$((after + 2))" ] || fail "the ledger has not one entry of each night"
"$SOTTO" ledger show | grep -q "night 3 of 3, which the plan has paid" || fail "no word of the last night"
"$SOTTO" ledger show 2>&1 | grep -q "epsilon 8 at\|epsilon 7.9" || { "$SOTTO" ledger show >&2; fail "training and nights are not epsilon 8"; }

# An audit compares all nights, given the data of the latest one.
expect 1 "NOT AUDITED .*night-data: 0 has 500 nodes, and night 3 has 530" "$SOTTO" audit run --attack release
expect 0 "3 compared, 0 not" "$SOTTO" audit run --attack release --night-data 3.sotto
cp run/nights/2/counts.sotto kept.sotto
"$SOTTO" predict run 2.sotto --nightly --night 2 > /dev/null 2>&1 || fail "night 2 does not answer again"
cmp kept.sotto run/nights/2/counts.sotto || fail "an audit changes a release of a night"

# Nobody but the owner reads what takes the noise out.
[ -z "$(find run/nights/owner-only -type f ! -perm 0600)" ] || fail "files of the owner have another mode"
# What else is released of a night's graph is on the same account.
expect 3 "nothing was released" "$SOTTO" predict run 2.sotto --epsilon 4
echo "nights: ok"
