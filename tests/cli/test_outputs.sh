#!/bin/sh
# Files that a command writes never replace its inputs, a ledger, a key, or what a run wrote; and answers about some nodes
# never replace those about all.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 120 --features 4 --classes 2 --out g.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 120 --features 4 --classes 2 --seed 2 --out s-1.sotto > /dev/null
printf 'from,to\nx,y\ny,z\nz,x\n' > n.csv
printf 'id,label\nx,a\ny,b\nz,a\n' > n.nodes.csv
printf '3\na\nb\n' > ids
printf -- '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' > own.pem
shapes 8 3 2
"$SOTTO" train --method best --data g.sotto --epsilon 4 --hidden 4 --encoder-epochs 3 --out run > /dev/null 2>&1
"$SOTTO" train --method mlp --data g.sotto --hidden 4 --encoder-epochs 3 --out clear > /dev/null 2>&1
ln -s g.sotto linked.sotto
statement=$PWD/run/statement.json

# keeps FILE WORDS COMMAND...: the command is refused as wrong usage, says why, and the file has the same bytes.
keeps() {
  kept=$1 words=$2
  shift 2
  cp "$kept" before
  expect 2 "$words" "$SOTTO" "$@"
  cmp before "$kept" || fail "$*: $kept has other bytes"
}
input="is an input of this command" of_run="is a file of the run in" ledger="is a ledger"
keeps ledger.db "$ledger" ledger export ledger.db
keeps ledger.db "$ledger" predict run --out ledger.db
keeps ledger.db "$ledger" report run --out ledger.db
keeps ledger.db "$ledger" data generate sbm --nodes 50 --out ledger.db
ln ledger.db l.svg
keeps l.svg "$ledger" account gaussian --noise 2 --delta 1e-5 --plot l.svg
keeps owner.key "the key of ledgers" ledger export owner.key
keeps s-1.sotto "is a dataset" report run --out s-1.sotto
keeps s-1.sotto "is a dataset" predict run --out s-1.sotto
keeps s-1.sotto "is a dataset" ledger export s-1.sotto
keeps own.pem "a key or a certificate" data export g.sotto own.pem
keeps run/seed-1/counts-0.sotto "$of_run" predict run --out run/seed-1/counts-0.sotto
keeps run/statement.json "$of_run" report run --out run/statement.json
keeps run/statement.json "$of_run" predict run --out "$statement"
keeps run/model.safetensors "$of_run" data export g.sotto run/model.safetensors
keeps run/run.yaml "$of_run" predict run --embeddings run/run.yaml --out p.csv
(cd run/seed-1 && expect 2 "$of_run" "$SOTTO" ledger export result.json)
keeps g.sotto "$input" data part g.sotto --data-out g.sotto --label-out l.sotto
keeps g.sotto "$input" data part g.sotto --data-out d.sotto --label-out linked.sotto
[ ! -e d.sotto ] || fail "a refused command wrote its other file"
keeps g.sotto "$input" data part linked.sotto --data-out g.sotto --label-out l.sotto
keeps n.csv "$input" data export n.csv n.csv
keeps n.nodes.csv "$input" data export n.csv n.nodes.csv
keeps n.csv "$input" data import n.csv ./n.csv
keeps s-1.sotto "$input" data split s-1.sotto --vertical --out s
keeps s-1.sotto "$input" data split s-1.sotto --horizontal --clients 2 --out s
keeps s-1.sotto "$input" data split s-1.sotto --ego 1 --count 4 --out s-1.sotto
[ ! -e s-2.sotto ] || fail "a refused split wrote a part"
keeps shapes/shapes_A.txt "$input" data export shapes shapes/shapes_A.txt
keeps g.sotto "$input" predict clear g.sotto --out g.sotto
keeps g.sotto "$input" predict clear g.sotto --embeddings g.sotto --out p.csv
keeps ids "$input" predict clear --nodes @ids --out ids
printf 'a\nb\n' > left
printf 'b\nc\n' > right
mkdir -p joint/party-0
cp left joint/party-0/ids.txt
keeps joint/party-0/ids.txt "$input" align --ids joint/party-0/ids.txt --peer-ids right --out joint

# What a verb itself wrote, it writes again.
for _ in 1 2; do
  expect 0 "written to" "$SOTTO" predict run --out run/predictions.csv
  expect 0 "written to" "$SOTTO" report run --out run/report.html
  expect 0 "nodes" "$SOTTO" data import n.csv n.sotto
  "$SOTTO" ledger export chain.json || fail "an export does not replace one of before"
done

# Some nodes, and other data of a model that reads no edges: files of their own.
"$SOTTO" predict clear > /dev/null
cp clear/predictions.csv whole.csv
expect 0 "written to       clear/predictions-1.csv" "$SOTTO" predict clear --nodes 0-2
expect 0 "written to       clear/predictions-2.csv" "$SOTTO" predict clear --nodes 5
cmp whole.csv clear/predictions.csv || fail "answers about some nodes replaced those about all"
[ "$(wc -l < clear/predictions-1.csv)" -eq 4 ] && [ "$(wc -l < clear/predictions-2.csv)" -eq 2 ] || fail "not the nodes that were asked for"
expect 0 "written to       clear/predictions.csv" "$SOTTO" predict clear --nodes 0-119
cmp whole.csv clear/predictions.csv || fail "all nodes by their numbers are answered otherwise"
