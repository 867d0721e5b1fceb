#!/bin/sh
# Two parties train from CSV tables and answer about the next day's: columns in another order, new ids, a new word, a class that is
# absent. The columns and classes of the training decide, by name.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"

# tables NAME SEED HEADER LAST: NAME.csv and NAME.nodes.csv of the bank, NAME.labels.csv of the partner; 120 customers, whose towns are
# bath, leeds and, of the last 10 customers, LAST.
tables() {
  awk -v name="$1" -v seed="$2" -v header="$3" -v last="$4" "$draws"'BEGIN {
    seeded(seed); names = split(header, column, ","); print header > (name ".nodes.csv"); print "payer,payee" > (name ".csv")
    print "id,label" > (name ".labels.csv"); split("low mid high", words, " ")
    for (v = 0; v < 120; v++) {
      class = v % 3 + 1; if (name == "day2") class = v % 2 + 1
      row["id"] = "c" seed "-" v; row["age"] = 20 + 9 * class + int(12 * draw()); row["income"] = 900 * class * class + int(500 * draw())
      row["town"] = v >= 110 ? last : v % 2 ? "bath" : "leeds"
      for (j = 1; j <= names; j++) printf "%s%s", row[column[j]], j < names ? "," : "\n" > (name ".nodes.csv")
      print row["id"] "," words[class] > (name ".labels.csv")
      if (v > 2) print "c" seed "-" v - 3 "," row["id"] > (name ".csv") } }'
}
tables day1 1 "id,age,income,town" leeds
tables day2 2 "town,id,income,age" york
tables plain 2 "id,age,income,town" leeds
printf 'method: vesper\nepsilon: 4\nepochs: 5\nencoder-epochs: 5\nhidden: 8\n' > run.yaml
common="--listen $host:$port"
"$SOTTO" run run.yaml --role data --dir bank --peer partner $common --data day1.csv --out da > d.log 2>&1 &
pid=$!
"$SOTTO" run run.yaml --role label --dir partner --peer "bank=$host:$port" --data day1.labels.csv --out la > l.log 2>&1 ||
  { cat l.log >&2; wait $pid || cat d.log >&2; fail "the training from tables"; }
wait $pid || { cat d.log >&2; fail "the data party"; }
grep -q "features are standardised, since .income." d.log || { cat d.log >&2; fail "columns of different size are not standardised"; }
grep -q "variance: " da/schema.yaml || fail "the bank keeps no statistics of its columns"

# answers DAY: the two parties about that day's tables.
answers() {
  "$SOTTO" run predict da --role data --dir bank --peer partner $common --data "$1.csv" --epsilon 2 > d.out 2>&1 &
  pid=$!
  "$SOTTO" run predict la --role label --dir partner --peer "bank=$host:$port" --data "$1.labels.csv" --epsilon 2 --out "$1.answers" > l.out 2>&1
  of_label=$?
  wait $pid && [ $of_label -eq 0 ]
}
answers day2 || { cat d.out l.out >&2; fail "answers about the next day"; }
grep -q "10 nodes have a word that the training did not have (town=york)" d.out || { cat d.out >&2; fail "the new town is not said"; }
head -n 1 day2.answers | grep -q "p_high,p_low,p_mid" || { head -n 2 day2.answers >&2; fail "other names of classes"; }
grep -q ",c2-119," day2.answers || fail "answers have no ids"
sed -i 's/income/salary/' day2.nodes.csv
expect 1 "Missing: income" "$SOTTO" run predict da --role data --dir bank --peer partner $common --data day2.csv --epsilon 2
echo "two parties answer about the next day's tables by name"
