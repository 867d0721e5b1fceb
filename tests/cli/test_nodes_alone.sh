#!/bin/sh
# A table of nodes without edges: read where the same file is named as the list and as its table of nodes, trained on features
# alone, asked about the next day's. A method that learns from edges refuses it and names the way out.
. "$(dirname "$0")/common.sh"
table() { # NAME SEED HEADER: customers whose class follows from their age
  awk -v seed="$2" -v header="$3" "$draws"'BEGIN {
    seeded(seed); count = split(header, name, ","); print header
    for (v = 0; v < 90; v++) {
      row["id"] = "c" seed "-" v; row["age"] = 20 + int(50 * draw()); row["town"] = v % 2 ? "bath" : seed > 1 && v > 80 ? "york" : "leeds"
      row["label"] = row["age"] > 45 ? "gold" : "basic"
      for (j = 1; j <= count; j++) printf "%s%s", row[name[j]], j < count ? "," : "\n" } }' > "$1"
}
table a.csv 1 id,age,town,label
table b.csv 2 town,age,id
expect 1 "nodes without edges, as both, the list and its table of nodes" "$SOTTO" data info a.csv
expect 0 "table of nodes a.csv; no edges" "$SOTTO" data info a.csv --nodes a.csv
"$SOTTO" data import a.csv a.sotto --nodes a.csv > /dev/null
expect 0 "^edges: none$" "$SOTTO" data schema a.sotto --yaml
"$SOTTO" data schema a.sotto --yaml > a.yaml
expect 0 "edges  *0" "$SOTTO" data info a.csv --schema a.yaml

# Features alone, from the table and from the dataset; answers about the next day's table by its own ids.
flags="--hidden 8 --encoder-epochs 200 --insecure-seed 3"
"$SOTTO" train --method mlp --data a.csv --nodes a.csv $flags --out table > /dev/null 2> log || { cat log >&2; fail "features alone"; }
"$SOTTO" train --method mlp --data a.sotto $flags --out file > /dev/null 2> log || { cat log >&2; fail "features alone, imported"; }
cmp table/model.safetensors file/model.safetensors || fail "a table and its dataset give other models"
expect 0 "york" "$SOTTO" predict table b.csv --out answers.csv
[ "$(wc -l < answers.csv)" -eq 91 ] || fail "not all nodes of the next day"
awk -F, 'NR == FNR { age[$3] = $2; next } FNR > 1 && age[$2] != "" { right += ($3 == (age[$2] > 45 ? "gold" : "basic")) } END { exit right < 80 }' b.csv answers.csv ||
  fail "answers do not follow the age"
sed 's/age/years/' b.csv > c.csv
expect 1 "Missing: age" "$SOTTO" predict table c.csv --out answers-c.csv

# Methods that learn from edges; a list that has none today is another thing, and is not refused: how many edges there are is private.
for method in best gap caribou progap dpdgc lpgnet pertgraph sage gnn vesper vfgnn fedavg feddep; do
  expect 1 "is a table of nodes without edges, and $method learns from edges; train on features alone with method mlp" \
    "$SOTTO" train --method $method --data a.sotto --out refused
  [ ! -e refused/model.safetensors ] || fail "$method trained"
done
echo source,target > empty.csv
"$SOTTO" data import empty.csv empty.sotto --nodes a.csv > /dev/null
"$SOTTO" train --method best --data empty.sotto --epsilon 1 --hidden 4 --epochs 2 --encoder-epochs 2 --out empty > /dev/null 2> log || { cat log >&2; fail "a list without edges"; }
echo "nodes alone are trained on their features"
