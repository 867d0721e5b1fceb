#!/bin/sh
# At node level the owner of the data gets answers that are exact and marked as not private: about the run's own nodes and about others, without
# a release or a charge, in owner-only/. No service gives them to others. Each client of locsage answers by its own model.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 300 --features 8 --classes 3 --out g.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 120 --features 8 --classes 3 --seed 9 --out other.sotto > /dev/null
node="--adjacency node --epsilon 8 --delta 1e-5 --classes 3 --threads 1"
# trained NAME FLAGS...: a run at node level.
trained() {
  name=$1
  shift
  # shellcheck disable=SC2086
  "$SOTTO" train --data g.sotto --out "$name" $node "$@" > "$name.log" 2>&1 || { cat "$name.log" >&2; fail "$name"; }
}
trained fedavg --method fedavg --clients 3 --rounds 20
trained mlp --method mlp --epochs 10
trained sage --method sage --max-degree 60 --epochs 4
trained pertgraph --method pertgraph --max-degree 60 --epochs 4
mark="these answers are exact and not private"
for run in fedavg mlp sage pertgraph; do
  spent=$(charges g.sotto)
  expect 0 "$mark" "$SOTTO" predict $run
  [ "$(wc -l < $run/owner-only/predictions.csv)" -eq 301 ] || fail "$run: not an answer for each of 300 nodes in owner-only"
  [ ! -e $run/predictions.csv ] || fail "$run: its answers are for anyone"
  expect 0 "$mark" "$SOTTO" predict $run other.sotto --out "$run-other.csv"
  [ "$(wc -l < "$run-other.csv")" -eq 121 ] || fail "$run: not an answer for each of 120 other nodes"
  [ "$(charges g.sotto)" -eq "$spent" ] || fail "$run: an answer was charged"
  [ "$(charges other.sotto)" -eq 0 ] || fail "$run: an answer about other data was charged"
  expect 1 "at node level answers about any data read its rows without noise" "$SOTTO" predict $run other.sotto --epsilon 4
  expect 1 "answers read rows of features without noise, and a service would give them to others" "$SOTTO" serve $run --listen "$host:7421"
  "$SOTTO" predict $run --json 2> /dev/null > $run.json || fail "$run: no summary"
done
# The accuracy is the one that training measured, over all clients together.
trained=$(grep -o '"test":{"accuracy":{"mean":[0-9.]*' mlp/owner-only/result.json | sed 's/.*://' | awk '{ printf "%.4f", $1 }')
expect 0 "accuracy         $trained of" "$SOTTO" predict mlp

# locsage: one model a client, each about its own nodes; other data are of no client.
"$SOTTO" train --method locsage --data g.sotto --clients 3 --rounds 8 --threads 1 --out local > local.log 2>&1 || { cat local.log >&2; fail "locsage"; }
expect 0 "of 300\|300, of 3 classes" "$SOTTO" predict local
own=$(python3 - << 'END'
import csv, json
rows = list(csv.DictReader(open("local/seed-1/owner-only/parts.csv")))
clients = json.load(open("local/seed-1/owner-only/clients.json"))
test = [sum(r["part"] == "test" and r["client"] == str(c["client"]) for r in rows) for c in clients]
print("%.4f" % (sum(n * c["own_test"]["accuracy"] for n, c in zip(test, clients)) / sum(test)))
END
)
expect 0 "accuracy         $own of" "$SOTTO" predict local
expect 1 "each client has a model of its own, and other data are of no client" "$SOTTO" predict local other.sotto

# A model, a generator or scores of one client that are not those of the training are found.
changed() { # RUN FILE: a byte of it is another one
  python3 -c 'import sys; f = open(sys.argv[1], "r+b"); f.seek(-1, 2); b = f.read(1); f.seek(-1, 2); f.write(bytes([b[0] ^ 1]))' "$1/seed-1/$2"
  expect 1 "$2: is not the file of the training" "$SOTTO" predict "$1"
}
"$SOTTO" train --method fedsage+ --data g.sotto --clients 2 --partition communities --rounds 3 --generator-epochs 2 --threads 1 --out plus > plus.log 2>&1 ||
  { cat plus.log >&2; fail "fedsage+"; }
"$SOTTO" predict plus > /dev/null || fail "a whole run answers"
cp -r plus whole
changed plus owner-only/scores-2.safetensors
rm -rf plus
mv whole plus
changed plus owner-only/generator-1-1.safetensors
