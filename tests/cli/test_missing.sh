#!/bin/sh
# Cells without a value: what fills them is of the training, and the tables of later days are filled by it too.
. "$(dirname "$0")/common.sh"

# Sixty customers. One in ten has no age, no city, no day; the class follows from the age.
awk 'BEGIN {
  print "source,target" > "a.csv"; print "id,age,city,since,label" > "a.nodes.csv"
  split("Rome Paris Oslo", city, " ")
  for (v = 0; v < 60; v++) {
    age = 20 + v * 7 % 50; day = sprintf("2024-01-%02d", 1 + v % 28); town = city[1 + v % 3]
    printf "c%d,%s,%s,%s,%s\n", v, v % 10 == 3 ? "" : age, v % 10 == 4 ? "NA" : town, v % 10 == 5 ? "" : day, (age > 45) ? "gold" : "basic" > "a.nodes.csv"
    printf "c%d,c%d\n", v, (v + 2) % 60 > "a.csv"
  }
}'
echo source,target > n.csv
day() { printf 'id,age,city,since\n'; printf "$1"; }
answer() { "$SOTTO" predict "$1" n.csv --out answers.csv > /dev/null && sed -n 2p answers.csv; }

# The mean, which run.yaml and the schema of the run keep.
expect 0 "with means of all nodes" "$SOTTO" data info a.csv --missing mean
expect 0 "run  *mean" "$SOTTO" train --method mlp --hidden 8 --encoder-epochs 30 --data a.csv --missing mean --out mean
mean=$(sed -n 's/.*"age".*fill: \[\([^]]*\)\].*/\1/p' mean/schema.yaml)
awk -F, -v mean="$mean" 'NR > 1 && $2 != "" { sum += $2; count++ } END { exit sum / count - mean > 1e-9 || mean - sum / count > 1e-9 }' a.nodes.csv ||
  fail "the schema has another mean: $mean"
day 'x,,Rome,2024-01-05\n' > n.nodes.csv && alone=$(answer mean)
day 'x,,Rome,2024-01-05\ny,90,Oslo,2024-01-05\n' > n.nodes.csv && [ "$(answer mean)" = "$alone" ] || fail "a cell is filled by the other rows of its day"
day "x,$mean,Rome,2024-01-05\n" > n.nodes.csv && [ "$(answer mean)" = "$alone" ] || fail "a cell is not filled by the mean of the training"
day 'x,40,,2024-01-05\n' > n.nodes.csv && word=$(answer mean)
day 'x,40,,2024-01-05\ny,40,Oslo,2024-01-05\n' > n.nodes.csv && [ "$(answer mean)" = "$word" ] || fail "a word is filled by the other rows of its day"
# A native file keeps it as well, and one that was not filled is filled by a training's.
"$SOTTO" data import a.csv a.sotto --missing mean > /dev/null
expect 0 "mean" "$SOTTO" data schema a.sotto
"$SOTTO" data schema a.sotto --yaml | grep -q "missing: mean, fill: \[$mean\]" || fail "the native file keeps no mean"

# Of the nodes that train, where the table says which.
awk 'BEGIN { for (v = 0; v < 60; v++) print v < 30 ? "train" : v < 45 ? "val" : "test" }' > split.txt
"$SOTTO" data import a.csv split.sotto --missing mean --split split.txt > output
grep -q "with means of the training nodes" output || fail "the mean is of other nodes"
now=$("$SOTTO" data schema split.sotto --yaml | sed -n 's/.*"age".*fill: \[\([^]]*\)\].*/\1/p')
awk -F, -v mean="$now" 'NR > 1 && NR < 32 && $2 != "" { sum += $2; count++ } END { exit sum / count - mean > 1e-9 || mean - sum / count > 1e-9 }' a.nodes.csv ||
  fail "not the mean of the training nodes: $now"

# Zero, and a declared value: a number, a day, a word.
expect 0 "run  *zero" "$SOTTO" train --method mlp --hidden 8 --encoder-epochs 30 --data a.csv --missing zero --out zero
day 'x,,Rome,2024-01-05\n' > n.nodes.csv && alone=$(answer zero)
day 'x,0,Rome,2024-01-05\n' > n.nodes.csv && [ "$(answer zero)" = "$alone" ] || fail "a cell is not filled with zero"
"$SOTTO" data schema a.csv --missing zero --yaml > zero.yaml
sed '/"age"/s/missing: zero/missing: value, fill: 40/; /"since"/s/missing: zero/missing: value, fill: 2024-01-09/; /"city"/s/missing: zero/missing: value, fill: Paris/' zero.yaml > value.yaml
expect 0 "missing values 18, as the schema says" "$SOTTO" data info a.csv --schema value.yaml
expect 0 "run  *value" "$SOTTO" train --method mlp --hidden 8 --encoder-epochs 30 --data a.csv --schema value.yaml --out value
day 'x,,,\n' > n.nodes.csv && alone=$(answer value)
day 'x,40,Paris,2024-01-09\n' > n.nodes.csv && [ "$(answer value)" = "$alone" ] || fail "a cell is not filled with the declared value"
refuses() { sed "$1" value.yaml > bad.yaml; expect 1 "$2" "$SOTTO" data info a.csv --schema bad.yaml; }
refuses 's/, fill: 40//' "needs the value, as in fill: 40"
refuses 's/fill: 40/fill: old/' "fills a column of this type with no value of it"
refuses 's/fill: "Paris"/fill: Lima/; s/fill: Paris/fill: Lima/' "fills a column of this type with no value of it"
refuses '/"age"/s/missing: value/missing: zero/' "fill goes with missing: value, and with missing: mean"

# What the training refused is refused, unless this day's table is said to be filled with zero; by its own mean it never is.
grep -v ',,\|,NA,' a.nodes.csv > full.nodes.csv && awk -F, 'NR == FNR { has[$1] = 1; next } FNR == 1 || (has[$1] && has[$2])' full.nodes.csv a.csv > full.csv
expect 0 "run  *full" "$SOTTO" train --method mlp --hidden 8 --encoder-epochs 30 --data full.csv --out full
day 'x,,Rome,2024-01-05\n' > n.nodes.csv
expect 1 "is not a value" "$SOTTO" predict full n.csv --out x.csv
expect 0 "nodes  *1" "$SOTTO" predict full n.csv --missing zero --out x.csv
expect 1 "the training kept no mean of it" "$SOTTO" predict full n.csv --missing mean --out x.csv

# Where rows are private a mean is a release, whether a cell lacks a value or not.
for data in "a.csv --missing mean" "full.csv --missing mean" a.sotto; do
  expect 1 "'age' of [a-z]* is filled with its mean, which follows from its rows" "$SOTTO" train --method mlp --adjacency node --classes 2 --data $data --out private
done
sed 's/words: \[[^]]*\]/words: ["Oslo", "Paris", "Rome"]/' value.yaml > declared.yaml
expect 0 "run  *private" "$SOTTO" train --method mlp --adjacency node --classes 2 --epochs 2 --data a.csv --schema declared.yaml --out private
