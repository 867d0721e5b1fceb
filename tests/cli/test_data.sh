#!/bin/sh
# Generate, import, info, histogram.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --out a.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 300 --out b.sotto > /dev/null
cmp a.sotto b.sotto || fail "the same seed gave another graph"
"$SOTTO" data generate sbm --nodes 300 --seed 2 --out b.sotto > /dev/null
cmp -s a.sotto b.sotto && fail "another seed gave the same graph"
expect 0 '"nodes":300' "$SOTTO" data info a.sotto --json
"$SOTTO" data generate chains --classes 2 --chains 3 --length 8 --out c.sotto --json | grep -q '"nodes":48' ||
  fail "6 chains of 8 nodes have 48"

printf 'from,to\nx,y\ny,z\n' > edges.csv
"$SOTTO" data import edges.csv edges.sotto --json | grep -q '"edges":2' || fail "two edges were not read"
printf 'from,to\nx,y\ny\n' > ragged.csv
expect 1 "ragged.csv" "$SOTTO" data info ragged.csv
head -c 100 a.sotto > short.sotto
expect 1 "short.sotto" "$SOTTO" data info short.sotto

expect 0 "degree" "$SOTTO" data histogram a.sotto --epsilon 1 --bins 20
[ "$(charges a.sotto)" -eq 1 ] || fail "the histogram was not charged"
"$SOTTO" ledger budget a.sotto --epsilon 1.5 > /dev/null
expect 3 "budget is 1.5" "$SOTTO" data histogram a.sotto --epsilon 1 --bins 20
[ "$(charges a.sotto)" -eq 1 ] || fail "a refused histogram was charged"

"$SOTTO" data split a.sotto --vertical --holders 3 --proportion 2:1:1 --features --edges --out part > /dev/null
[ -f part-1.sotto ] && [ -f part-2.sotto ] && [ -f part-3.sotto ] || fail "split wrote other files"
expect 0 '"features":16' "$SOTTO" data info part-1.sotto --json
expect 0 '"labelled":0' "$SOTTO" data info part-2.sotto --json
expect 2 "is not 2 numbers" "$SOTTO" data split a.sotto --vertical --proportion 2:1:1 --out part
expect 2 "needs --vertical" "$SOTTO" data split a.sotto --out part
