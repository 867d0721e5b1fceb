#!/bin/sh
# One group of options on how to read a table: data, train, predict and audit take the same words.
. "$(dirname "$0")/common.sh"

# Forty customers of a firm that writes decimal commas, calls its classes `churn`, and lists two pairs of ends.
awk 'BEGIN {
  print "from;to;payer;payee" > "d1.csv"; print "id;age;city;note;churn" > "d1.nodes.csv"
  print "payee;payer;from;to" > "d2.csv"; print "city;id;gone;age" > "d2.nodes.csv"
  split("Rome Paris", city, " ")
  for (v = 0; v < 40; v++) {
    age = 20 + v * 7 % 50; town = city[1 + v % 2]; said = age > 45 ? "leaves" : "stays"
    printf "c%d;%d,5;%s;t%d;%s\n", v, age, town, v, said > "d1.nodes.csv"
    printf "%s;n%d;%s;%d,5\n", town, v, said, v == 3 ? -99 : age > "d2.nodes.csv"
    printf "c%d;c%d;c%d;c%d\n", v, v, v, (v + 2) % 40 > "d1.csv"; printf "n%d;n%d;n%d;n%d\n", (v + 2) % 40, v, v, v > "d2.csv"
  }
}'
read="--label churn --decimal , --types note=drop"
say="--source payer --target payee $read"
expect 1 "edges may go from 'from' to 'to', or from 'payer' to 'payee'" "$SOTTO" data info d1.csv $read
expect 0 "edges           40" "$SOTTO" data info d1.csv $say
expect 1 "give both" "$SOTTO" data info d1.csv --source payer $read
expect 1 "has no column 'payers' for an end of edges" "$SOTTO" data info d1.csv --source payers --target payee $read
expect 1 "are the same column" "$SOTTO" data info d1.csv --source payer --target payer $read
expect 1 "leave one of the two out" "$SOTTO" data info d1.csv --source payer --target payee $read --no-header
expect 2 "leave one of them out" "$SOTTO" train --data d1.csv --header --no-header
expect 2 "it is . or ," "$SOTTO" predict run d2.csv --decimal x
expect 1 "it is yes or no" "$SOTTO" train --data d1.csv --header=perhaps --method mlp
expect 1 "it is mean or zero" "$SOTTO" train --data d1.csv --missing median --method mlp

# The schema has the ends too, and what it names has to be there.
"$SOTTO" data schema d1.csv $say --yaml > s.yaml
grep -q 'edges: {source: "payer", target: "payee"}' s.yaml || fail "the schema has other ends"
expect 0 "edges           40" "$SOTTO" data info d1.csv --schema s.yaml --decimal ,
sed 's/"payer"/"payers"/' s.yaml > lost.yaml
expect 1 "has no column 'payers' for an end of edges" "$SOTTO" data info d1.csv --schema lost.yaml --decimal ,

# A training takes them, its run.yaml keeps them, and the run's own data is read so again.
expect 0 "run  *run" "$SOTTO" train --method gnn --hidden 8 --epochs 20 --data d1.csv $say --out run
grep -q "source: 'payer'" run/run.yaml && grep -q "decimal: ','" run/run.yaml || fail "run.yaml does not say how its table is read"
expect 0 "nodes            40, of 2 classes" "$SOTTO" predict run
expect 0 "linkteller" "$SOTTO" audit run --attack linkteller --sample 40 --data d1.csv $say

# Tomorrow: another name for the classes, another word for what is missing, which the schema of the run refuses.
expect 1 "no column 'gones'" "$SOTTO" predict run d2.csv --label gones --out x.csv
expect 0 "of 40 labelled nodes" "$SOTTO" predict run d2.csv --label gone --out x.csv
expect 1 "'20,5' has a comma" "$SOTTO" predict run d2.csv --label gone --decimal . --out x.csv
sed 's/,5//' d2.nodes.csv > d3.nodes.csv && cp d2.csv d3.csv
expect 1 "line 5, column 4: '-99' is not a value" "$SOTTO" predict run d3.csv --label gone --missing-words=-99 --out x.csv
expect 0 "city  *category" "$SOTTO" data schema run
