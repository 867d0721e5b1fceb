#!/bin/sh
# At node level the owner of the data gets answers that are exact and marked as not private, in owner-only/: about the run's own nodes and, where
# no release is read, about others, without a release or a charge. No service gives them to others. Each client of locsage answers by its own model.
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
trained best --method best --max-degree 60 --epochs 10
trained gap --method gap --max-degree 60 --layers 2 --steps 40
trained progap --method progap --max-degree 60 --layers 2 --steps 40
trained caribou --method caribou --max-degree 60 --steps 40
trained dpdgc --method dpdgc --max-degree 60 --steps 40
trained lpgnet --method lpgnet --max-degree 60 --layers 2 --steps 40
mark="these answers are exact and not private"
# answers_alone RUN: about its own nodes, in owner-only/, by the model that training measured, and for nobody else.
answers_alone() {
  expect 0 "$mark" "$SOTTO" predict "$1"
  [ "$(wc -l < "$1/owner-only/predictions.csv")" -eq 301 ] || fail "$1: not an answer for each of 300 nodes in owner-only"
  [ ! -e "$1/predictions.csv" ] || fail "$1: its answers are for anyone"
  expect 1 "answers read rows of features without noise, and a service would give them to others" "$SOTTO" serve "$1" --listen "$host:7421"
  "$SOTTO" predict "$1" --json 2> /dev/null > "$1.json" || fail "$1: no summary"
}
# as_measured RUN: its answers have the accuracy that training measured.
as_measured() {
  measured=$(grep -o '"test":{"accuracy":{"mean":[0-9.]*' "$1/owner-only/result.json" | sed 's/.*://' | awk '{ printf "%.4f", $1 }')
  expect 0 "accuracy         $measured of" "$SOTTO" predict "$1"
}
for run in fedavg mlp sage pertgraph best; do
  spent=$(charges g.sotto)
  answers_alone $run
  expect 0 "$mark" "$SOTTO" predict $run other.sotto --out "$run-other.csv"
  [ "$(wc -l < "$run-other.csv")" -eq 121 ] || fail "$run: not an answer for each of 120 other nodes"
  [ "$(charges g.sotto)" -eq "$spent" ] || fail "$run: an answer was charged"
  [ "$(charges other.sotto)" -eq 0 ] || fail "$run: an answer about other data was charged"
  expect 1 "at node level answers about any data read its rows without noise" "$SOTTO" predict $run other.sotto --epsilon 4
done
for run in mlp best; do as_measured $run; done
# From the rows that the training released: about its own nodes and about no other data.
for run in gap progap caribou dpdgc lpgnet; do
  spent=$(charges g.sotto)
  answers_alone $run
  as_measured $run
  expect 1 "$run: its answers read rows that the training released" "$SOTTO" predict $run other.sotto
  expect 1 "no release of other data is made at node level" "$SOTTO" predict $run other.sotto --epsilon 4
  [ "$(charges g.sotto)" -eq "$spent" ] || fail "$run: an answer was charged"
  [ "$(charges other.sotto)" -eq 0 ] || fail "$run: other data was charged"
  for file in release.bin aggregate-2.sotto counts-1.sotto; do
    [ -e $run/seed-1/$file ] || continue
    cp -r $run $run-less
    rm $run-less/seed-1/$file
    expect 1 "$file\|has no sums of stage 2" "$SOTTO" predict $run-less
  done
  [ -e $run-less ] || fail "$run: has no released rows, so none were taken away"
done

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
