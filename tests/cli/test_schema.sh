#!/bin/sh
# Schemas of tables: printed, edited and given back; the table of the next day is matched by name in predict, nights of a plan and serve.
. "$(dirname "$0")/common.sh"

# Sixty customers; the class follows from age and city. The next day's table has other customers, another order of columns and a new city.
awk 'BEGIN {
  print "source,target" > "day1.csv"; print "id,age,city,since,member,segment" > "day1.nodes.csv"
  print "source,target" > "day2.csv"; print "since,member,city,id,age" > "day2.nodes.csv"
  split("Rome Paris Oslo", city, " ")
  for (v = 0; v < 60; v++) {
    age = 20 + v * 7 % 50; town = city[1 + v % 2]; day = sprintf("2024-01-%02d", 1 + v % 28)
    printf "c%d,%d,%s,%s,%d,%s\n", v, age, town, day, v % 2, (age > 45) ? "gold" : "basic" > "day1.nodes.csv"
    printf "%s,%d,%s,n%d,%d\n", day, v % 2, v % 10 == 9 ? "Oslo" : town, v, age > "day2.nodes.csv"
    printf "c%d,c%d\n", v, (v + 2) % 60 > "day1.csv"; printf "n%d,n%d\n", v, (v + 2) % 60 > "day2.csv"
  }
}'
"$SOTTO" data import day1.csv day1.sotto --label segment > /dev/null
expect 0 "city  *category  1 to 2  *refuse  *Paris | Rome" "$SOTTO" data schema day1.csv --label segment
grep -q "classes: basic | gold" output && grep -q "edges: from source to target" output || fail "classes or edges are missing"
"$SOTTO" data schema day1.csv --label segment --yaml > csv.yaml
"$SOTTO" data schema day1.sotto --yaml > native.yaml
cmp csv.yaml native.yaml || fail "a native file has another schema"
expect 0 '"name":"since","type":"date"' "$SOTTO" data schema day1.sotto --json
expect 2 "name one" "$SOTTO" data schema day1.sotto --json --yaml
expect 2 "goes with" "$SOTTO" data info day1.sotto --yaml

# Edited: a flag, a class and a word that do not occur, in an order of its own.
sed 's/type: number, missing: refuse}/type: flag}/; /"age"/s/flag/number/; s/\["basic", "gold"\]/["gold", "basic", "none"]/; s/"Paris"/"Paris", "Lima"/' native.yaml > stated.yaml
sed -i 's/"member", type: number, missing: refuse/"member", type: flag, missing: refuse/' stated.yaml
expect 0 "classes  *3" "$SOTTO" data import day1.csv stated.sotto --schema stated.yaml
grep -q "city=Paris | city=Lima | city=Rome" output || { cat output >&2; fail "words are not as stated"; }
sed '3s/,1,/,3,/' day1.nodes.csv > odd.nodes.csv && cp day1.csv odd.csv
expect 1 "line 3, column 5: '3' is no flag" "$SOTTO" data info odd.csv --schema stated.yaml
sed '5s/Paris/Pariss/;5s/Rome/Romee/' day1.nodes.csv > odd.nodes.csv
expect 1 "line 5, column 3: '[A-Z][a-z]*' is none of the words that the schema states" "$SOTTO" data info odd.csv --schema stated.yaml
sed '1s/age/years/' day1.nodes.csv > odd.nodes.csv
expect 1 "has a column 'years', and the schema none" "$SOTTO" data info odd.csv --schema stated.yaml
echo "columns: [" >> native.yaml
expect 1 "native.yaml: line" "$SOTTO" data info day1.csv --schema native.yaml
expect 1 "there is none" "$SOTTO" data info stated.sotto --schema stated.yaml

# Trained on the text as stated; the run folder has the schema.
expect 0 "features are standardised, since 'since' is much larger" "$SOTTO" train --method gnn --hidden 8 --epochs 30 --data day1.csv --schema stated.yaml --out run
grep -q "classes: no node of day1 has 'none'; macro F1 leaves out" output || fail "a class without nodes is not said"
"$SOTTO" data schema run --yaml | sed 's/, mean: [^]]*\], variance: [^]]*\]//' > kept.yaml
"$SOTTO" data schema stated.sotto --yaml > wanted.yaml
cmp kept.yaml wanted.yaml || fail "the run has another schema than its data"
[ "$(grep -c "mean: \[.*variance: \[" run/schema.yaml)" -eq 4 ] || fail "the run does not keep the statistics of its columns"
expect 0 "nodes            60, of 3 classes" "$SOTTO" predict run
head -n 1 run/predictions.csv | grep -q "p_gold,p_basic,p_none" || fail "classes are not as stated"

# The next day, as text and as a native file: the same answers, by the model's columns and classes.
expect 0 "6 nodes have a word that the training did not have (city=Oslo)" "$SOTTO" predict run day2.csv --out text.csv
grep -q "^0,n0,\(gold\|basic\|none\),0" text.csv || fail "no id or no class in $(sed -n 2p text.csv)"
"$SOTTO" data import day2.csv day2.sotto --types member=flag > /dev/null
expect 0 '"unseen":{"count":1,"nodes":6,"labels":0,"words":"city=Oslo"}' "$SOTTO" predict run day2.sotto --out native.csv --json
cmp text.csv native.csv || fail "the native file is answered otherwise"
# The run's own customers in another order of columns: the same probabilities, and all labels are known.
awk -F, -v OFS=, '{ print $6, $3, $1, $5, $4, $2 }' day1.nodes.csv > moved.nodes.csv && cp day1.csv moved.csv
"$SOTTO" predict run --out own.csv > /dev/null
expect 0 "of 60 labelled nodes" "$SOTTO" predict run moved.csv --out moved.out.csv
cmp own.csv moved.out.csv || fail "the order of columns has a part in the answers"

# Five rows alone are standardised by the statistics of the training: what the model makes of their features is the same.
head -n 6 day2.nodes.csv > few.nodes.csv && printf 'source,target\nn0,n1\n' > few.csv
"$SOTTO" predict run day2.csv --nodes 0-4 --out all.csv --embeddings all.e > /dev/null 2>&1
"$SOTTO" predict run few.csv --out few.out --embeddings few.e > /dev/null 2>&1
paste -d, all.e few.e | awk -F, 'NR > 1 { n = NF / 2; for (j = 2; j <= n; j++) { d = $j - $(n + j); if (d < -1e-4 || d > 1e-4) bad = 1 } } END { exit bad || NR != 6 }' ||
  fail "rows are scaled by the rows around them"
# Tables of like columns, and what is asked for, stay as they are.
"$SOTTO" train --method gnn --hidden 8 --epochs 2 --feature-scale l2 --data day1.csv --schema stated.yaml --out unit > log 2>&1 || fail "gnn did not train"
grep -q standardised log && fail "the word of the user does not count"
grep -q "mean:" unit/schema.yaml && fail "statistics without a use"
cp day1.csv like.csv
sed '1d' day1.nodes.csv | awk -F, -v OFS=, 'BEGIN { print "id,age,old,label" } { print $1, $2 / 10, $2 % 7, $6 }' > like.nodes.csv
"$SOTTO" train --method gnn --hidden 8 --epochs 2 --data like.csv --out like > log 2>&1 || fail "gnn did not train"
grep -q standardised log && fail "columns of one size are standardised"

# Columns that do not fit are named on both sides; names on one side alone are refused.
sed '1s/age/years/' day2.nodes.csv > odd.nodes.csv && cp day2.csv odd.csv
expect 1 "Missing: age. Not in the model: years." "$SOTTO" predict run odd.csv
"$SOTTO" data import day2.csv plain.sotto --types city=drop > /dev/null
expect 1 "Of another type: city (category in the model, drop here), member (flag in the model, number here)" "$SOTTO" predict run plain.sotto
"$SOTTO" data generate sbm --nodes 60 --features 6 --classes 3 --out bare.sotto > /dev/null
expect 1 "those of the data have no names. The model reads: age, city, since, member" "$SOTTO" predict run bare.sotto
"$SOTTO" train --method gnn --hidden 8 --epochs 5 --data bare.sotto --out unnamed > /dev/null 2>&1 || fail "gnn did not train"
[ ! -e unnamed/schema.yaml ] || fail "data without names has a schema"
expect 1 "has no schema.yaml to match them by" "$SOTTO" predict unnamed stated.sotto

# Night after night: tonight's table has the run's customers first and new ones behind, and its columns in another order.
"$SOTTO" train --method best --epsilon 4 --delta 1e-4 --encoder-epochs 5 --epochs 5 --data day1.csv --schema stated.yaml --out night > /dev/null 2>&1 || fail "best did not train"
awk -F, -v OFS=, 'NR == FNR { print $1, $2, $3, $4, $5; next } FNR > 1 { print $4, $5, $3, $1, $2 }' day1.nodes.csv day2.nodes.csv > tonight.nodes.csv
cat day1.csv > tonight.csv && echo "n1,c1" >> tonight.csv && cp tonight.csv turned.csv
awk -F, -v OFS=, '{ print $5, $3, $1, $4, $2 }' tonight.nodes.csv > turned.nodes.csv
expect 0 "nodes            120, of 3 classes" "$SOTTO" predict night turned.csv --nightly --epsilon 8 --nights 3 --out turned.out
expect 0 "nodes            120, of 3 classes" "$SOTTO" predict night tonight.csv --nightly --night 1 --out tonight.out
cmp turned.out tonight.out || fail "the order of columns has a part in the answers of a night"

# Words and classes are the owner's where labels are protected.
"$SOTTO" train --method vesper --layers 1 --epsilon 4 --delta 1e-4 --label-epsilon 4 --encoder-epochs 5 --epochs 5 --data stated.sotto --out labels > /dev/null 2>&1 || fail "vesper did not train"
[ ! -e labels/schema.yaml ] && [ -e labels/owner-only/schema.yaml ] || fail "names of protected labels are for anyone"

# Answers over HTTP by id, with names of classes; ids that are not there are listed.
"$SOTTO" serve run --listen "$host:7301" > serve.out 2> serve.log &
pid=$!
serve() { python3 "$SOTTO_SOURCE/tests/cli/serve.py" "$host:7301" "$@"; }
serve until /ready '"ready":true'
serve ask POST /predict '{"ids": ["c7", "n1", "c0"], "top": 1}' > answer
grep -q '{"node":7,"id":"c7","classes":\[[0-2]\],"names":\["\(gold\|basic\|none\)"\],"probabilities":\[' answer || { cat answer >&2; fail "no answer by id"; }
grep -q '"unknown":\["n1"\]' answer || { cat answer >&2; fail "an id that is not there is not said"; }
serve ask POST /predict '{"ids": ["n1"]}' > answer
grep -q '"answers":\[\],"unknown":\["n1"\]' answer || { cat answer >&2; fail "no empty answer"; }
serve ask POST /predict '{"ids": ["c1"], "nodes": [1]}' > answer
[ "$(head -n 1 answer)" = 400 ] || { cat answer >&2; fail "two names for the nodes"; }
serve ask POST /predict '{"ids": [7]}' > answer
[ "$(head -n 1 answer)" = 400 ] || { cat answer >&2; fail "a number as an id"; }
# Tomorrow's table in the place of today's, and the service loads it.
cp day2.csv day1.csv && cp day2.nodes.csv day1.nodes.csv
serve ask POST /reload > reload
serve until /health '"generation":2'
serve ask POST /predict '{"ids": ["n1"], "top": 1}' > answer
grep -q '"id":"n1"' answer || { cat answer serve.log >&2; fail "the next day is not answered"; }

# Where rows are private, a word that one node alone has would change the size of the model: words are declared.
awk 'BEGIN { print "id,town,label" > "one.nodes.csv"; print "source,target" > "one.csv"
  for (v = 0; v < 60; v++) { print "c" v "," (v == 7 ? "Hamelin" : v % 2 ? "Ulm" : "Bonn") "," (v % 3 ? "a" : "b") > "one.nodes.csv"
    if (v) print "c" v - 1 ",c" v > "one.csv" } }'
private="--method mlp --adjacency node --epsilon 4 --classes 2 --hidden 4"
# shellcheck disable=SC2086
expect 1 "the words of 'town' were found in rows of one, and at node level they cannot be" "$SOTTO" train $private --data one.csv --out found
[ ! -e found/seed-1 ] || fail "words that were found are trained on"
"$SOTTO" data schema one.csv --yaml > declared.yaml
# shellcheck disable=SC2086
expect 0 "node level" "$SOTTO" train $private --data one.csv --schema declared.yaml --out declared
sed 's/Hamelin/Ulm/' one.nodes.csv > other.nodes.csv
cp one.csv other.csv
# shellcheck disable=SC2086
expect 0 "node level" "$SOTTO" train $private --data other.csv --schema declared.yaml --out other
[ "$(wc -c < declared/model.safetensors)" -eq "$(wc -c < other/model.safetensors)" ] || fail "a word of one node changes the model's size"
"$SOTTO" data import one.csv one.sotto > /dev/null
# shellcheck disable=SC2086
expect 0 "node level" "$SOTTO" train $private --data one.sotto --out imported
