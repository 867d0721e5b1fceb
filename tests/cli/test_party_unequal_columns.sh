#!/bin/sh
# A client with another column, with no columns, or with a table in another form: all parties hear at once which it was.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
table columns 60 "x y z" "a b d"
table bare 60 "x y z" ""
names="columns: client3 has no 'c', and client1 has no 'd'"
refused columns.csv "$names" "$names"
refused bare.csv "those of client3 have none" "those of client3 have none"
"$SOTTO" data generate sbm --nodes 60 --features 4 --classes 3 --out other.sotto > /dev/null
refused other.sotto "those of client3 have none" "those of client3 have none"
