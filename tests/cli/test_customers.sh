#!/bin/sh
# An ordinary table by default: 3500 customers with age, income and three categories, whose class follows a little from each. Columns are
# standardised, and the model beats rows of unit norm by far.
. "$(dirname "$0")/common.sh"
awk -v seed=1 "$draws"'BEGIN {
  seeded(seed); print "payer,payee" > "customers.csv"; print "id,age,income,segment,town,channel,label" > "customers.nodes.csv"
  split("basic silver gold", classes, " "); split("retail business student", segments, " "); split("Leeds Bath York Hull", towns, " "); split("web shop phone", channels, " ")
  for (v = 0; v < 3500; v++) {
    class = int(3 * draw()); g = sqrt(-2 * log(1 - draw())) * cos(6.2831853 * draw()); h = sqrt(-2 * log(1 - draw())) * cos(6.2831853 * draw())
    age = int(45 + 5 * (class - 1) + 12 * g); if (age < 18) age = 18; income = int(30000 + 9000 * (class - 1) + 12000 * h); if (income < 0) income = 0
    segment = draw() < 0.25 ? class : int(3 * draw()); town = int(4 * draw()); channel = draw() < 0.2 ? class : int(3 * draw())
    printf "c%d,%d,%d,%s,%s,%s,%s\n", v, age, income, segments[segment + 1], towns[town + 1], channels[channel + 1], classes[class + 1] > "customers.nodes.csv"
  }
  for (k = 0; k < 10500; k++) print "c" int(3500 * draw()) ",c" int(3500 * draw()) > "customers.csv" }'
# accuracy FLAGS...: of `best` with its edges, in per cent.
accuracy() {
  rm -rf run
  "$SOTTO" train --method best --data customers.csv --epsilon 4 --insecure-seed 1 --threads 1 --out run "$@" > log 2>&1 || { cat log >&2; fail "$*"; }
  awk '/^  best / { print $2 }' log
}
usual=$(accuracy)
grep -q "features are standardised, since 'income' is much larger than other columns" log || { cat log >&2; fail "it is not said"; }
rows=$(accuracy --feature-scale l2)
echo "3500 customers: $usual per cent by default, $rows with rows of unit norm"
awk -v usual="$usual" -v rows="$rows" 'BEGIN { exit !(usual >= 54.6 && usual > rows + 5) }' || fail "$usual by default, and $rows with rows of unit norm"
