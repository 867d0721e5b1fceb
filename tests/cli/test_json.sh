#!/bin/sh
# --json of every verb: one document on standard output, with the keys that it always has.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 80 --classes 2 --features 4 --out d.sotto > /dev/null
cp d.sotto e.sotto
mkdir shapes
printf '1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n6\n6\n' > shapes/shapes_graph_indicator.txt
printf '1, 2\n2, 1\n3, 4\n4, 3\n5, 6\n6, 5\n7, 8\n8, 7\n9, 10\n10, 9\n11, 12\n12, 11\n' > shapes/shapes_A.txt
printf '0\n1\n0\n1\n0\n1\n' > shapes/shapes_graph_labels.txt
printf 'item,client,part\n0,1,train\n1,1,train\n2,1,validation\n3,1,validation\n4,1,test\n5,1,test\n' > parts.csv
printf 'a\nb\n' > ids

# prints KEYS WORDS...: the keys of the document, or, after "[", those of the first of a list.
cat > keys.py << 'END'
import json, sys
value = json.load(open("document"))
wanted = sys.argv[1]
if wanted.startswith("["):
    assert isinstance(value, list) and value, value
    value, wanted = value[0], wanted[1:]
assert sorted(value) == sorted(wanted.split()), (sorted(value), sorted(wanted.split()))
END
prints() {
  keys=$1
  shift
  "$SOTTO" "$@" --json > document 2> said || { cat said document >&2; fail "$*: failed"; }
  python3 keys.py "$keys" || { cat document >&2; fail "$*: other keys"; }
}
counts="name nodes edges features classes graphs mean_degree largest_degree isolated labelled published_split digest"
identity="name authority fingerprint words ends"
prints "methods" methods
prints "$counts" data generate sbm --nodes 80 --out g.sotto
prints "data label" data part d.sotto --data-out a.sotto --label-out b.sotto
prints "[$counts" data split d.sotto --vertical --out v
prints "[$counts" data split d.sotto --horizontal --clients 2 --out h
prints "$counts" data split d.sotto --ego 1 --count 4 --out ego.sotto
prints "epsilon adjacency account epsilon_spent delta budget counts" data histogram d.sotto --epsilon 1
prints "ledger" ledger init new.db
prints "account adjacency charges epsilon delta budget" ledger budget d.sotto --epsilon 90
prints "[time data id run mechanism adjacency mu epsilon description insecure" ledger show
prints "account" ledger account new north
prints "[name key named locked closed transfer edge node" ledger account list
prints "account locked" ledger lock --account north
prints "account closed" ledger close --account north
prints "file" ledger export chain.json
prints "file" ledger backup copy.db
prints "entries owner head" ledger verify
prints "epsilon delta noise accountant" account gaussian --noise 2
prints "curve" account gaussian --noise 2 --curve
prints "by graphs pairs resumed upper_bounds mean seconds starts out" compare shapes --by size --out t.npz
prints "clusters spread rounds rand_index cluster medoid" compare cluster shapes
prints "figure" compare plot t.npz --out t.svg
prints "svm svm_std knn knn_std majority C gamma neighbours graphs" compare classify t.npz --parts parts.csv
grep -q '"svm_std":null,.*"knn_std":null' document || fail "one test has a deviation: $(cat document)"
expect 0 "  kNN  *[0-9.]* *(k [0-9]*)" "$SOTTO" compare classify t.npz --parts parts.csv
if grep -q "+-" output; then fail "one test has a deviation: $(cat output)"; fi
"$SOTTO" train --method mlp --data d.sotto --not-private --encoder-epochs 2 --out run > /dev/null 2>&1 || fail "no run"
prints "estimate" plan --method mlp --data d.sotto --not-private --trainings
prints "nodes classes file rare measured_on measured_nodes test_accuracy accuracy_by_part confusion calibration unseen class_names" predict run
prints "report signed" report run
prints "$identity" identity init --name own --dir own
prints "$identity" identity init --name peer --dir peer
prints "$identity" identity trust peer/own.crt --dir own
prints "$identity" identity renew --dir own
prints "$identity" identity revoke peer --dir own
prints "[name own authority fingerprint words ends days problem" identity list --dir own
prints "request" identity init --name asks --dir asks --request
