#!/bin/sh
# Where classes say nothing, pilots have holders count neighbours by clusters of each holder's own columns. Three processes
# over TLS train and are charged as one process; nobody else hears a cluster or its centre; answers count by the same centres.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"
"$SOTTO" data generate mines --nodes 6000 --out g.sotto > /dev/null
"$SOTTO" data generate mines --nodes 6000 --seed 2 --out new.sotto > /dev/null
for of in g new; do
  name=part
  [ $of = g ] || name=new
  "$SOTTO" data split $of.sotto --vertical --holders 2 --features --edges --label-holder 2 --out $name > /dev/null
done
words="--epsilon 16 --layers 1 --encoder-epochs 6 --epochs 60 --select-by auc"
$last "$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole $own $words > whole.log 2>&1 || { cat whole.log >&2; fail "one process"; }
all_three cells $words

# chose RUN: the pilots of the run chose clusters of features.
chose() { grep -q '"clusters":"features"' "$1"/seed-1/correction.json || { cat "$1"/seed-1/correction.json >&2; fail "$1: pilots chose classes"; }; }
auc() { sed 's/.*"test":{"accuracy":{[^}]*},"auc":{"mean":\([0-9.]*\).*/\1/' "$1"/result.json; }
chose whole
chose b-cells
auc whole | awk '{ exit !($1 > 0.62) }' || fail "the AUC is $(auc whole): no better than chance"
[ "$(auc whole)" = "$(auc b-cells)" ] || fail "holder2 measured something else than one process"
same_model s-cells a-cells b-cells whole
for part in a-cells/seed-1/pilots-1-1 a-cells/seed-1/pilots-1-2 a-cells/seed-1/counts-1-0 b-cells/seed-1/pilots-2-2 b-cells/seed-1/counts-2-0; do
  cmp $part.sotto "whole/seed-1/${part##*/}.sotto" || fail "$part is not the release of one process"
done

# All that a holder releases is one charge: in one process for both, between processes for each.
[ "$(charges g.sotto)" -eq 1 ] || fail "one process was charged $(charges g.sotto) times"
[ "$(charges part-1.sotto)" -eq 1 ] && [ "$(charges part-2.sotto)" -eq 1 ] || fail "pilots were charged by themselves"

# Centres stay with their holder. The kind leaves the label holder, which says so.
for of in a-cells b-cells; do [ -f $of/seed-1/owner-only/centres.safetensors ] || fail "$of keeps no centres"; done
[ -z "$(find s-cells -name 'centres*')" ] || fail "the server has centres"
grep -q '"payload": "clusters.kind"' b-cells/statement.json || fail "the label holder's statement lacks the kind"
grep -q '"payload": "clusters.kind"' a-cells/statement.json && fail "holder1's statement names what the label holder exposed"
"$SOTTO" audit whole > audit.log || { cat audit.log >&2; fail "the audit objects"; }
grep -q "a pilot and another node" audit.log || fail "no canary of pilots"

# Answers about another field, by the centres of the training.
answer() { # RUN ROLE FLAGS
  run_folder=$1 role=$2
  shift 2
  "$SOTTO" run predict "$run_folder" --role "$role" "$@" --epsilon 16 > "$role.out" 2>&1
}
answer s-cells server --dir hub --listen "$hub_address" --peer bank --peer shop & server_pid=$!
answer a-cells holder1 --data new-1.sotto --dir bank --listen "$bank_address" --peer "hub=$hub_address" --peer shop & bank_pid=$!
answer b-cells holder2 --data new-2.sotto --dir shop --peer "hub=$hub_address" --peer "bank=$bank_address" || { cat ./*.out >&2; fail "holder2 does not answer"; }
wait "$server_pid" || { cat server.out >&2; fail "the server does not answer"; }
wait "$bank_pid" || { cat holder1.out >&2; fail "holder1 does not answer"; }
# Fields of one name are versions of one account, which has the charge of the training too.
[ "$(charges new-1.sotto)" -eq 2 ] && [ "$(charges new-2.sotto)" -eq 2 ] || fail "counts of new edges were charged $(charges new-1.sotto) and $(charges new-2.sotto) times"
"$SOTTO" predict whole new.sotto --epsilon 16 --out whole.csv > whole.out 2>&1 || { cat whole.out >&2; fail "one process does not answer"; }
"$SOTTO" data export new.sotto new.npz > /dev/null 2>&1
# better FILE: of answers about new.sotto, the AUC is better than chance.
better() {
  python3 - "$1" << 'PYTHON' || fail "$1: answers are no better than chance"
import csv, struct, sys, zipfile
raw = zipfile.ZipFile("new.npz").read("labels.npy")
start = 10 + struct.unpack("<H", raw[8:10])[0]
rows = list(csv.DictReader(open(sys.argv[1])))
size = (len(raw) - start) // len(rows)
labels = [int.from_bytes(raw[start + size * i : start + size * (i + 1)], "little") for i in range(len(rows))]
ranked = sorted(range(len(rows)), key=lambda i: float(rows[i]["p1"]))
risky = sum(labels)
auc = (sum(place for place, i in enumerate(ranked) if labels[i]) - risky * (risky - 1) / 2) / risky / (len(rows) - risky)
print(f"{sys.argv[1]}: auc {auc:.4f}")
sys.exit(not auc > 0.62)
PYTHON
}
better b-cells/predictions-1.csv
better whole.csv
rm a-cells/seed-1/owner-only/centres.safetensors
answer s-cells server --dir hub --listen "$hub_address" --peer bank --peer shop & server_pid=$!
answer b-cells holder2 --data new-2.sotto --dir shop --peer "hub=$hub_address" --peer "bank=$bank_address" & shop_pid=$!
expect 1 "the folder lacks the files of its owner" "$SOTTO" run predict a-cells --role holder1 --data new-1.sotto --dir bank --listen "$bank_address" \
  --peer "hub=$hub_address" --peer shop --epsilon 16
wait "$server_pid" && fail "the server answered without holder1"
wait "$shop_pid" && fail "holder2 answered without holder1"
exit 0
