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
printf 'id;age\nanna;3\nbob;4\n' > own.csv
printf 'age,id\n1,anna\n2,carl\n' > their.csv
expect 0 "common    1 ids" "$SOTTO" align --ids own.csv --peer-ids their.csv --out unnamed
expect 1 "none of its columns is named 'id'; rename the column" "$SOTTO" align --ids own.csv --peer-ids a.csv --out unnamed-2
expect 2 "--ids names" "$SOTTO" align --peer-ids c.csv
expect 2 "--peer-ids names" "$SOTTO" align --ids c.csv
expect 2 "did you mean --column" "$SOTTO" align --colum x

# Tables come out in the common order, row beside row, also where no line names the columns.
expect 0 "common    3 ids" "$SOTTO" align --ids a.csv --peer-ids b.csv --column customer --join --out joined
[ "$(head -n 1 joined/party-0/joined.csv)" = n,customer ] || fail "no header in $(cat joined/party-0/joined.csv)"
[ "$(head -n 1 joined/party-1/joined.csv)" = customer,n ] || fail "no header in $(cat joined/party-1/joined.csv)"
[ "$(sort joined/party-0/joined.csv | tr '\n' ' ')" = '1,anna 2,"b, c" 4,emil n,customer ' ] || fail "$(cat joined/party-0/joined.csv)"
for p in 0 1; do tail -n +2 joined/party-$p/joined.csv | tr -d '0-9' | sed 's/^,//; s/,$//' > "rows-$p"; done
cmp rows-0 rows-1 || fail "the tables' orders differ"
tail -n +2 a.csv > bare-a.csv
awk -F, 'NR > 1' b.csv | sed 's/^\(.*\),\([0-9]\)/\2,\1/' > bare-b.csv
expect 0 "common    3 ids" "$SOTTO" align --ids bare-a.csv --peer-ids bare-b.csv --column-number 2 --join --out bare
[ "$(sort bare/party-0/joined.csv | tr '\n' ' ')" = '1,anna 2,"b, c" 4,emil ' ] || fail "$(cat bare/party-0/joined.csv)"
for p in 0 1; do cut -d, -f2- bare/party-$p/joined.csv > "rows-$p"; done
cmp rows-0 rows-1 || fail "the tables' orders differ"
expect 2 "one of the two" "$SOTTO" align --ids a.csv --peer-ids b.csv --column customer --column-number 2
expect 2 "counted from 1" "$SOTTO" align --ids a.csv --peer-ids b.csv --column-number 0
# Records of several lines, in a packed file: the rows that are written are those whose ids are common.
printf 'note,customer\n"one\ntwo",emil\nx,anna\n"\n,\n","b, c"\n' | gzip > tall.csv.gz
printf 'customer\nanna\nemil\n' > few.csv
expect 0 "common    2 ids" "$SOTTO" align --ids tall.csv.gz --peer-ids few.csv --column customer --join --out tall
[ "$(head -n 1 tall/party-0/joined.csv)" = note,customer ] || fail "no header in $(cat tall/party-0/joined.csv)"
[ "$(tail -n +2 tall/party-0/joined.csv | sort | tr '\n' ' ')" = '"one two",emil x,anna ' ] || fail "$(cat tall/party-0/joined.csv)"
expect 2 "the file is no table" "$SOTTO" align --ids c.csv --peer-ids c.csv --join
expect 1 "there is no column 3" "$SOTTO" align --ids a.csv --peer-ids b.csv --column-number 3
