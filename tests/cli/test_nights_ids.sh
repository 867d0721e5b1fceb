#!/bin/sh
# Nights know nodes by their ids: tables in another order, without some nodes, with new ones. The release is that of the usual order.
. "$(dirname "$0")/common.sh"
awk "$draws"'BEGIN { seeded(5); print "id,age,income,town,label" > "may.nodes.csv"; print "payer,payee" > "may.csv"; split("low mid high", words, " ")
  for (v = 0; v < 120; v++) { class = v % 3 + 1
    print "c" v "," 20 + 9 * class + int(9 * draw()) "," 900 * class + int(500 * draw()) "," (v % 2 ? "bath" : "leeds") "," words[class] > "may.nodes.csv"
    if (v > 2) print "c" v - 3 ",c" v > "may.csv" } }'
"$SOTTO" train --method best --data may.csv --epsilon 2 --delta 1e-3 --epochs 5 --encoder-epochs 5 --out run > /dev/null 2>&1 || fail "the training"
night() { name=$1; shift; "$SOTTO" predict "${run:-run}" "$@" --nightly --out "$name.csv" > "$name.log" 2>&1 || { cat "$name.log" >&2; fail "$name"; }; }
night first may.csv --nights 9 --epsilon 4

# june FOLDER ORDER COLUMNS: June's table: 20 customers are gone, 5 are new; in this order.
june() {
  mkdir "$1"
  { head -n 1 may.nodes.csv; { tail -n +22 may.nodes.csv; for v in 1 2 3 4 5; do echo "n$v,33,2000,bath,"; done; } | $2; } > "$1/june.nodes.csv"
  awk -F, 'NR == FNR { have[$1]; next } FNR == 1 || ($1 in have && $2 in have)' "$1/june.nodes.csv" may.csv > "$1/june.csv"
  printf 'n1,c50\nn2,n1\n' >> "$1/june.csv"
}
june plain cat
june turned tac
night turned-june turned/june.csv
[ "$(wc -l < turned-june.csv)" -eq 106 ] || fail "not all nodes of June, and those alone, have answers"
sed -n 2p turned-june.csv | grep -q "^0,n5," || { head -n 3 turned-june.csv >&2; fail "answers are not in the order of the table"; }

# The night before in another order, with all nodes, is a night like any other; a repeated night has the same bytes.
mkdir back && { head -n 1 may.nodes.csv; tail -n +2 may.nodes.csv | tac; } > back/may.nodes.csv && cp may.csv back/may.csv
night third back/may.csv
night again turned/june.csv --night 2
cmp again.csv turned-june.csv || fail "a repeated night has other answers"
night plain-june plain/june.csv --night 2
for order in plain turned; do cut -d, -f2- $order-june.csv | sort > $order.sorted; done
cmp plain.sorted turned.sorted || fail "the same night in another order has other answers"
cut -d, -f2 third.csv | sed -n 2p | grep -q c119 || fail "the third night's order"
sed '2s/,[0-9]*,/,99,/' may.nodes.csv > back/may.nodes.csv
expect 1 "Features of a node stay as they were" "$SOTTO" predict run back/may.csv --nightly --out none.csv
expect 1 "night 1 had no node 'n" "$SOTTO" predict run turned/june.csv --nightly --night 1 --out none.csv
echo "nights know nodes by their ids"
