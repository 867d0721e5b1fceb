#!/bin/sh
# Tomorrow's data: more nodes and other edges are answered after a charged release, with its price said before. Each command makes one,
# also for the same edges; --again repeats one and reads no edge.
. "$(dirname "$0")/common.sh"

# Customers in three groups. Features say the group of most a little, edges say it well. The first 500 nodes of 700 are
# today's; tomorrow has all, with other edges and without labels.
awk -v today=500 'function word(v) { return "c" v % 3 }
function draw() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
BEGIN {
  seed = 7
  print "id,f1,f2,f3,label" > "today.nodes.csv"; print "id,f1,f2,f3" > "new.nodes.csv"
  print "id,f1,f2,f3,label" > "truth.nodes.csv"
  print "source,target" > "today.csv"; print "source,target" > "new.csv"; print "source,target" > "truth.csv"
  for (v = 0; v < 700; v++) {
    row = v
    for (j = 0; j < 3; j++) row = row "," (v % 3 == j ? 0.5 : 0) + draw() + draw()
    print row > "new.nodes.csv"; print row "," word(v) > "truth.nodes.csv"
    if (v < today) print row "," word(v) > "today.nodes.csv"
  }
  for (i = 0; i < 6000; i++) {
    a = int(draw() * 700); b = draw() < 0.85 ? int(draw() * 233) * 3 + a % 3 : int(draw() * 700)
    if (a == b || b >= 700) continue
    if (i % 2 && a < today && b < today) print a "," b > "today.csv"
    if (!(i % 2) || i % 3) { print a "," b > "new.csv"; print a "," b > "truth.csv" }
  }
}'
"$SOTTO" data import today.csv today.sotto > /dev/null
"$SOTTO" data import new.csv new.sotto > /dev/null
"$SOTTO" data import truth.csv truth.sotto > /dev/null
head -n 2 new.csv > bare.csv && cp new.nodes.csv bare.nodes.csv && "$SOTTO" data import bare.csv bare.sotto > /dev/null
accuracy() { sed -n 's/.*accuracy         \([0-9.]*\) of 700 labelled nodes/\1/p' output; }

for flags in "--method best --layers 2" "--method best --layers 1" "--method gap" "--method caribou" "--method progap" "--method lpgnet" "--method vesper --layers 1" \
  "--method vesper --publication layers --releases 2 --layer-weights"; do
  rm -rf run
  "$SOTTO" train $flags --data today.sotto --epsilon 8 --delta 1e-4 --encoder-epochs 60 --epochs 80 --out run > /dev/null 2> log || { cat log >&2; fail "$flags"; }
  expect 1 "made and charged when epsilon is given" "$SOTTO" predict run new.sotto
  before=$(charges new.sotto)
  expect 0 "epsilon 8 at edge level, will be charged" "$SOTTO" predict run new.sotto --epsilon 8 --out first.csv
  grep -q "will be charged to account 'today'" output || fail "$flags: a later version pays from another account"
  made=$(($(charges new.sotto) - before))
  [ "$made" -ge 1 ] || fail "$flags: a release of new data was not charged"
  grep -q '"epsilon": 8.0' run/predictions/1/statement.json || grep -q '"epsilon": 7.99' run/predictions/1/statement.json ||
    { grep epsilon run/predictions/1/statement.json >&2; fail "$flags: the statement says another epsilon"; }
  grep -q "the training of the model, which has a statement of its own" run/predictions/1/statement.json || fail "$flags: nothing of the training"
  expect 0 "release 1 in run/predictions/1 answers again: nothing is charged" "$SOTTO" predict run new.sotto --again 1 --out again.csv
  cmp first.csv again.csv || fail "$flags: the same release answers otherwise"
  [ "$(($(charges new.sotto) - before))" -eq "$made" ] || fail "$flags: a release that was repeated was charged again"
  [ ! -e run/predictions/2 ] || fail "$flags: a release that was repeated made another folder"
  expect 0 "It is release 2 of the run" "$SOTTO" predict run new.sotto --epsilon 8 --out second.csv
  [ "$(($(charges new.sotto) - before))" -eq "$((2 * made))" ] || fail "$flags: the same data was not drawn and charged anew"

  # Labels and edges have no part in answers that are repeated; labels measure them. Edges help, noise or not; much noise helps less.
  expect 0 "of 700 labelled nodes" "$SOTTO" predict run truth.sotto --again 1 --out labelled.csv
  cmp first.csv labelled.csv || fail "$flags: labels have a part in the answers"
  high=$(accuracy)
  expect 0 "nodes            700" "$SOTTO" predict run bare.sotto --again 1 --out bare.csv
  cmp first.csv bare.csv || fail "$flags: edges have a part in answers that are repeated"
  expect 0 "will be charged" "$SOTTO" predict run truth.sotto --epsilon 0.05 --out low.csv
  low=$(accuracy)
  awk -v high="$high" -v low="$low" 'BEGIN { exit !(high > low && high > 0.6) }' || fail "$flags: accuracy $high at epsilon 8 and $low at 0.05"
done

# Another part of the model's nodes, and what is refused.
expect 0 "nodes            2," "$SOTTO" predict run new.sotto --again 1 --nodes 3,699
expect 0 "will be charged" "$SOTTO" predict run today.sotto --epsilon 8
expect 0 "whatever edges the data has" "$SOTTO" predict run today.sotto
expect 2 "numbers begin with 1" "$SOTTO" predict run new.sotto --again 0
expect 2 "leave --epsilon" "$SOTTO" predict run new.sotto --again 1 --epsilon 8
expect 2 "name the dataset" "$SOTTO" predict run --again 1
expect 1 "no finished release 99" "$SOTTO" predict run new.sotto --again 99
expect 1 "other nodes or features" "$SOTTO" predict run today.sotto --again 1
expect 2 "name the other dataset" "$SOTTO" predict run --epsilon 8
expect 2 "above 0" "$SOTTO" predict run new.sotto --epsilon 0
expect 2 "goes with --epsilon" "$SOTTO" predict run new.sotto --account mine
"$SOTTO" data generate sbm --nodes 50 --features 5 --classes 3 --out wide.sotto > /dev/null
expect 1 "those of the data have no names. The model reads: f1, f2, f3" "$SOTTO" predict run wide.sotto --epsilon 1
awk -F, 'NR > 1 { $5 = "c" NR % 4 } { print $1 "," $2 "," $3 "," $4 "," $5 }' truth.nodes.csv > many.nodes.csv
cp truth.csv many.csv
"$SOTTO" data import many.csv many.sotto > /dev/null
expect 0 "labels name a class that the model does not have (c3); they count as unknown" "$SOTTO" predict run many.sotto --epsilon 1

# A budget is asked first, and a refusal leaves nothing. --account: today and tomorrow pay from one.
rm -rf run
head -n -9 today.csv > may.csv && cp today.nodes.csv may.nodes.csv && "$SOTTO" data import may.csv may.sotto > /dev/null
head -n -9 new.csv > june.csv && cp new.nodes.csv june.nodes.csv && "$SOTTO" data import june.csv june.sotto > /dev/null
"$SOTTO" ledger account new customers > /dev/null
"$SOTTO" ledger budget --account customers --epsilon 60 > /dev/null
"$SOTTO" train --method best --data may.sotto --account customers --epsilon 2 --encoder-epochs 5 --epochs 5 --out run > /dev/null 2>&1
expect 3 "nothing was released" "$SOTTO" predict run june.sotto --epsilon 59
[ ! -e run/predictions ] || fail "a refused release left a folder"
expect 0 "epsilon [0-9.]* of 60 is spent" "$SOTTO" predict run june.sotto --epsilon 3
grep -q "charged to account 'customers'" output || fail "the account that pays is not named"
"$SOTTO" ledger show --account customers | grep "eps 3 " > /dev/null || fail "the account of the run did not pay"
expect 0 "answers again" "$SOTTO" predict run june.sotto --again 1
expect 0 "of 60 is spent" "$SOTTO" predict run june.sotto --epsilon 3 --account customers
[ "$("$SOTTO" ledger show --account customers | grep -c "eps 3 ")" -eq 2 ] || fail "the same data was not charged again"

# While a budget stands nearby, today's graph needs one, too.
"$SOTTO" ledger budget today.sotto --epsilon 999 > /dev/null
# Without noise other data is answered anew, and epsilon has no meaning.
"$SOTTO" train --method best --data today.sotto --epsilon inf --not-private --encoder-epochs 20 --epochs 20 --out clear > /dev/null 2>&1
expect 0 "of 700 labelled nodes" "$SOTTO" predict clear truth.sotto
expect 1 "has no noise" "$SOTTO" predict clear truth.sotto --epsilon 1
expect 1 "dpdgc: releases of other data are not made for its models yet" sh -c '"$SOTTO" train --method dpdgc --data today.sotto --epsilon 4 --encoder-epochs 2 --epochs 2 --out p > /dev/null 2>&1; "$SOTTO" predict p new.sotto --epsilon 1'
