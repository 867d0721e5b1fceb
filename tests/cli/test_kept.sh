#!/bin/sh
# Files of a finished run that were edited or exchanged: predict, serve, nights and the schema's print refuse them by name.
. "$(dirname "$0")/common.sh"

awk 'BEGIN {
  print "source,target" > "a.csv"; print "id,age,city,label" > "a.nodes.csv"
  for (v = 0; v < 60; v++) {
    age = 20 + v * 7 % 50
    printf "c%d,%d,%s,%s\n", v, age, v % 2 ? "Rome" : "Oslo", (age > 45) ? "gold" : "basic" > "a.nodes.csv"; printf "c%d,c%d\n", v, (v + 2) % 60 > "a.csv"
  }
}'
"$SOTTO" data schema a.csv --yaml > s.yaml
train() { "$SOTTO" train --data a.csv --schema s.yaml --hidden 8 "$@" > /dev/null 2>&1 || fail "train $*"; }
train --method gnn --epochs 20 --out run
train --method gnn --epochs 20 --seed 2 --out other
expect 0 "nodes  *60" "$SOTTO" predict run
# edited FILE SED: a copy of the run with the file changed is refused, and the message names the file.
edited() {
  rm -rf copy && cp -r run copy && sed -i "$2" "copy/$1"
  expect 1 "copy/$1: is not the file of the training" "$SOTTO" predict copy a.csv --out x.csv
  grep -q "Bring it back from a copy, or train again" output || fail "no way out"
}
edited schema.yaml 's/classes: \["basic", "gold"\]/classes: ["gold", "basic"]/'
expect 1 "schema.yaml: is not the file of the training" "$SOTTO" data schema copy
expect 1 "schema.yaml: was changed" "$SOTTO" serve copy --listen 127.0.0.1:0
edited schema.yaml 's/\["Oslo", "Rome"\]/["Rome", "Oslo"]/'
edited schema.yaml 's/"age"/"years"/'
edited run.yaml 's/^layers: .*/layers: 1/'
rm -rf copy && cp -r run copy && cp other/seed-2/model.safetensors copy/seed-1/model.safetensors
expect 1 "copy/seed-1/model.safetensors: is not the file of the training" "$SOTTO" predict copy
rm -rf copy && cp -r run copy && cp other/facts copy/facts && printf x >> copy/facts
expect 1 "copy/facts: is not the file of the training" "$SOTTO" predict copy
# A file that goes before the right one, in a folder where it was not.
rm -rf copy && cp -r run copy && sed 's/"basic", "gold"/"gold", "basic"/' run/schema.yaml > copy/owner-only/schema.yaml
expect 1 "owner-only/schema.yaml: is not the file of the training" "$SOTTO" predict copy

# Where words follow from private rows, their file is the owner's, and so is its digest.
train --method mlp --encoder-epochs 20 --label-epsilon 2 --out labels
[ -f labels/owner-only/schema.yaml ] || fail "the schema is not the owner's"
grep -q schema labels/evidence.json && fail "evidence.json has a digest of what the owner alone has"
rm -rf copy && cp -r labels copy && sed -i 's/"basic", "gold"/"gold", "basic"/' copy/owner-only/schema.yaml
expect 1 "copy/owner-only/schema.yaml: is not the file of the training" "$SOTTO" predict copy
