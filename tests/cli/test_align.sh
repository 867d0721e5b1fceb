#!/bin/sh
# Alignments on the command line.
. "$(dirname "$0")/common.sh"

printf 'n,customer\n1,anna\n2,"b, c"\n3,dora\n4,emil\n' > a.csv
printf 'customer,n\r\nemil,9\r\n"b, c",8\r\nzoe,7\r\nanna,6\r\n' > b.csv
printf 'customer\nanna\nemil\nx\n' > c.csv

expect 0 "common    3 ids of all 2 parties" "$SOTTO" align --ids a.csv --peer-ids b.csv --column customer --out two
cut -d, -f2- two/party-0/aligned.csv > left
cut -d, -f2- two/party-1/aligned.csv > right
cmp left right || fail "the parties' orders differ"
[ "$(sort left | tr '\n' ' ')" = '"b, c" anna emil id ' ] || fail "wrong ids: $(cat left)"
grep -q '^1,"b, c"$' two/party-0/aligned.csv || fail "wrong row"
grep -q '^1,"b, c"$' two/party-1/aligned.csv || fail "wrong row"
grep -q '"role": "leaf"' two/party-1/statement.json || fail "no statement of the leaf"
grep -q 'which of its own ids each single leaf has' two/party-0/statement.json && fail "with two parties there is one list"

expect 0 "party 1   4 ids, 3 in common" "$SOTTO" align --ids a.csv --peer-ids b.csv c.csv --column customer --out three
for p in 0 1 2; do [ "$(cut -d, -f2- three/party-$p/aligned.csv | sort | tr '\n' ' ')" = 'anna emil id ' ] || fail "party $p"; done
cmp three/party-1/aligned.csv three/party-2/aligned.csv > /dev/null && fail "rows of the two parties are not the same"
grep -q 'which of its own ids each single leaf has' three/party-0/statement.json || fail "the hub's view is not stated"

expect 0 '"common": 3' "$SOTTO" align --ids a.csv --peer-ids b.csv --column customer --json
printf 'a\nb\na\n' > twice
expect 1 "twice: lines 1 and 3 have the same id" "$SOTTO" align --ids twice --peer-ids c.csv
expect 1 "absent: could not open it" "$SOTTO" align --ids absent --peer-ids c.csv
expect 1 "no column is named 'name'" "$SOTTO" align --ids a.csv --peer-ids b.csv --column name
expect 2 "--ids names" "$SOTTO" align --peer-ids c.csv
expect 2 "--peer-ids names" "$SOTTO" align --ids c.csv
expect 2 "did you mean --column" "$SOTTO" align --colum x
