#!/bin/sh
# Tables that are well written and cannot be trained on, or are no files: an error says so before anything is charged. What another
# day's table looks like has no part in its answers. (docs/tables.md has what the import itself decides.)
. "$(dirname "$0")/common.sh"

# table LABELS: e.csv and e.nodes.csv of 120 nodes, with the words of LABELS in turn
table() {
  awk -v words="$1" 'BEGIN {
    count = split(words, word, " "); print "source,target" > "e.csv"; print "id,x,town,label" > "e.nodes.csv"
    for (v = 0; v < 120; v++) {
      print "a" v ",a" (7 * v + 3) % 120 > "e.csv"
      printf "a%d,%d.5,%s,%s\n", v, v % 10, v % 3 ? "bath" : "leeds", count ? word[v % count + 1] : "" > "e.nodes.csv" } }'
}
train() { "$SOTTO" train --method best --data e.csv --epsilon 4 --epochs 5 --encoder-epochs 5 --threads 1 --out run "$@"; }
charged() { "$SOTTO" ledger show --json | grep -o '"data"' | wc -l; }

table "stays"
expect 1 "classes: each node of e with a label has the class 'stays', and a model tells two apart" train
table ""
expect 1 "e: no node has a label to learn; the option label names the column of classes" train
sed 's/,label$/,risk/; 2,$s/$/high/' e.nodes.csv > f.nodes.csv && cp e.csv f.csv
expect 1 "f: has no labels of nodes to learn; the option label names the column of classes" \
  "$SOTTO" train --method best --data f.csv --epsilon 4 --out run
[ "$(charged)" -eq 0 ] || fail "a refused table was charged"
table "stays"
train --classes 2 > log 2>&1 || { cat log >&2; fail "two declared classes"; }
rm -rf run
table "stays leaves"
train > log 2>&1 || { cat log >&2; fail "two classes"; }
expect 1 "is neither a file nor a folder, but a pipe or a device" "$SOTTO" data info /dev/null
mkfifo pipe.csv
expect 1 "pipe.csv: is neither a file nor a folder, but a pipe or a device" "$SOTTO" data info pipe.csv

# The table of another day in other forms: the same answers. --again reads no edge, so the release is one.
cp e.nodes.csv f.nodes.csv && cp e.csv f.csv
"$SOTTO" predict run f.csv --epsilon 1000 --out first.csv > log 2>&1 || { cat log >&2; fail "another day"; }
same() { # HOW
  "$SOTTO" predict run "${data:-f.csv}" --again 1 --out again.csv ${flags:-} > log 2>&1 || { cat log >&2; fail "$1"; }
  cmp first.csv again.csv || fail "$1: other answers"
}
[ -d run/predictions/1 ] || "$SOTTO" predict run f.csv --out first.csv > /dev/null 2>&1 || fail "another day without a release"
[ -d run/predictions/1 ] || same() { "$SOTTO" predict run "${data:-f.csv}" --out again.csv ${flags:-} > log 2>&1 || { cat log >&2; fail "$1"; }; cmp first.csv again.csv || fail "$1: other answers"; }
same "the same table"
tr , ';' < e.nodes.csv > f.nodes.csv
same "semicolons"
awk -F, 'BEGIN { OFS = "\t" } { print $1, $2, $3 }' e.nodes.csv > f.nodes.csv
same "tabs, without labels"
sed 's/\./,/' e.nodes.csv | awk -F, 'BEGIN { OFS = ";" } NR == 1 { print $1, $2, $3 } NR > 1 { print $1, $2 "," $3, $4 }' > f.nodes.csv
flags="--decimal ," same "decimal commas"
iconv -f UTF-8 -t UTF-16 e.nodes.csv > f.nodes.csv
same "UTF-16"
sed 's/$/\r/; s/^a\([0-9]*\),/" a\1 ",/' e.nodes.csv > f.nodes.csv
same "CR LF, quotes and blanks around ids"
rm f.nodes.csv && gzip -c e.nodes.csv > f.nodes.csv.gz
same "gzip"
rm f.nodes.csv.gz && awk -F, 'BEGIN { OFS = "," } { print $3, $1, $4, $2 }' e.nodes.csv > f.nodes.csv
same "columns in another order"
echo "odd tables are named, and forms of a table are one"
