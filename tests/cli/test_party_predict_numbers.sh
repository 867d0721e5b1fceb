#!/bin/sh
# Two parties of runs that learnt numbers answer together: the numbers of one process, about the run's own nodes and other
# data, once and as two services that stay up. What leaves is what leaves in a run of classes.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"

# made NAME SEED: NAME.csv and NAME.nodes.csv, of 200 accounts whose salary follows from their column and their neighbours'.
made() {
  python3 - "$1" "$2" << 'END'
import random, sys
name = sys.argv[1]
random.seed(int(sys.argv[2]))
nodes = 200
x = [[random.gauss(0, 1) for _ in range(2)] for _ in range(nodes)]
edges = sorted({tuple(sorted(random.sample(range(nodes), 2))) for _ in range(4 * nodes)})
beside = [[] for _ in range(nodes)]
for a, b in edges:
    beside[a].append(b), beside[b].append(a)
y = [1000 + 100 * (3 * x[v][0] + 6 * sum(x[u][0] for u in beside[v]) / max(1, len(beside[v]))) for v in range(nodes)]
with open(f"{name}.csv", "w") as file:
    file.write("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in edges))
with open(f"{name}.nodes.csv", "w") as file:
    file.write("id,a,b,salary\n" + "".join(f"n{v},{x[v][0]},{x[v][1]},{y[v]:.2f}\n" for v in range(nodes)))
END
}
made today 3
made tomorrow 8
rm g.sotto
"$SOTTO" data import today.csv g.sotto --label salary --task regression > /dev/null
"$SOTTO" data import tomorrow.csv new.sotto --label salary --task regression > /dev/null
awk 'BEGIN { print "id"; for (v = 0; v < 200; v++) print "n" v }' > ids.csv
sed -i 's/^seeds: .*/seeds: 1/' run.yaml
grep -Ev '^(epsilon|epochs|publication)' run.yaml > mlp.yaml

# train_two FLAGS: one process, and two parties, of the same seed.
train_two() {
  rm -rf whole da la
  case $* in *mlp*) run_file=mlp.yaml ;; *) run_file=run.yaml ;; esac
  "$SOTTO" train "$run_file" --data g.sotto --threads 1 --task regression "$@" --out whole > /dev/null 2> whole.log || { cat whole.log >&2; fail "$*"; }
  data da --task regression "$@" > /dev/null 2> da.log &
  label la --task regression "$@" > /dev/null 2> la.log || { cat la.log >&2; fail "the label party failed with $*"; }
  wait $! || { cat da.log >&2; fail "the data party failed with $*"; }
}
ask_data() { "$SOTTO" run predict da --role data --dir bank --peer partner --listen "$host:$port" "$@"; }
ask_label() { ${program:-"$SOTTO"} run predict la --role label --dir partner --peer "bank=$host:$port" "$@"; }

# both DATA_FLAGS LABEL_FLAGS: one prediction, in d.out and l.out; false where one fails.
both() {
  ask_data $1 > d.out 2>&1 &
  pid=$!
  ask_label $2 > l.out 2>&1
  of_label=$?
  wait $pid && [ $of_label -eq 0 ]
}
answers() { both "$@" || { cat d.out l.out >&2; fail "no answer with $*"; }; }

# same WHOLE PARTIES: numbers of the same nodes, to 1e-5 of each; and not one number for all.
same() {
  python3 - "$1" "$2" << 'END' || fail "$1 and $2 differ"
import csv, sys
one, two = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
assert [list(a) for a in one[:1]] == [["node", "id", "number"]] and one[0].keys() == two[0].keys(), (one[0], two[0])
assert [a["node"] for a in one] == [b["node"] for b in two], "other nodes"
assert all(abs(float(a["number"]) - float(b["number"])) <= 1e-5 * abs(float(a["number"])) for a, b in zip(one, two)), "other numbers"
assert len({a["number"] for a in one}) > len(one) / 2, "one number for all: the comparison is blind"
END
}
# measured OUT RESULT: the R2 of the test nodes is the one that training measured.
measured() {
  python3 - "$1" "$2" << 'END' || { cat "$1" >&2; fail "another R2 than in training"; }
import json, re, sys
found = re.search(r"R2, RMSE, MAE +(\S+), \S+, \S+ of 40 test nodes", open(sys.argv[1]).read())
assert found and abs(float(found[1]) - json.load(open(sys.argv[2]))["test"]["r2"]["mean"]) < 6e-5
END
}

for flags in "--method mlp" "--epsilon inf" "--layer-weights --releases 2 --release-width 8 --constant 1" ""; do
  train_two $flags
  before=$(charges g.sotto)
  "$SOTTO" predict whole > /dev/null
  answers "" ""
  same whole/predictions.csv la/predictions.csv
  measured l.out la/result.json
  [ ! -e da/predictions.csv ] || fail "the data party learnt what the label party alone should"
  [ "$(charges g.sotto)" -eq "$before" ] || fail "a prediction was charged with $flags"
  [ "$flags" = "--epsilon inf" ] || continue
  # Other data without noise: exact layers, named as exposed; nothing of them is stored.
  answers "--data new.sotto --epsilon inf" "--data ids.csv --epsilon inf"
  "$SOTTO" predict whole new.sotto --out new.csv > /dev/null 2>&1
  same new.csv la/predictions-1.csv
  grep -q '"layer.asked"' da/predictions.json || { cat da/predictions.json >&2; fail "exact layers are not named as exposed"; }
  [ ! -e da/predictions ] && [ "$(charges new.sotto)" -eq "$before" ] || fail "layers without noise were charged"
done

# The last run, of layers with noise, goes on. What leaves is that of a run of classes, and the numbers where both agreed.
grep -q "this party sends: embeddings of the nodes that are asked for, and the layers that the run released of them" d.out ||
  { cat d.out >&2; fail "the data party does not say what it sends"; }
answers "--learns both" "--learns both --nodes 3,7-9"
grep -q "this party sends: numbers of nodes, and their predicted numbers" l.out || { cat l.out >&2; fail "the label party does not say what it sends"; }
"$SOTTO" predict whole --nodes 3,7-9 --out some.csv > /dev/null
same some.csv la/predictions-1.csv
same some.csv da/predictions-1.csv
grep -q "predicted numbers of the nodes" la/predictions.json || { cat la/predictions.json >&2; fail "no record of what was exposed"; }
ask_label --json > summary 2> /dev/null &
pid=$!
ask_data > d.out 2>&1 || { cat d.out >&2; fail "the data party, with --json at the other"; }
wait $pid || fail "--json"
grep -q '"task":"regression".*"measured_on":"test"' summary || { cat summary >&2; fail "the summary in JSON"; }
expect 2 "predicts a number, and no classes" ask_label --top 2

# A label party that lies: a number has one column, and is finite.
for lie in classes nan rows kind; do
  rm -f da/predictions-2.csv
  case $lie in classes) words="an answer has 2147483647 columns, and a predicted number has one" ;; *) words="answers" ;; esac
  SOTTO_LIE=$lie program=$SOTTO_LYING_ANSWER
  export SOTTO_LIE
  ! both "--learns data --nodes 3" "--learns data" || fail "$lie: answers that are none were taken"
  unset SOTTO_LIE program
  grep -q "$words" d.out || { cat d.out >&2; fail "$lie: the data party does not say '$words'"; }
  [ ! -e da/predictions-2.csv ] || fail "$lie: a refused answer was written"
done

# Other data: one charged release, the numbers of one process with the same noise, and no charge for the same again.
before=$(charges new.sotto)
answers "--data new.sotto --epsilon 2" "--data ids.csv --epsilon 2"
mv la/predictions-2.csv first.csv
[ "$(charges new.sotto)" -gt "$before" ] || fail "a release of other data was not charged"
made=$(charges new.sotto)
"$SOTTO" predict whole new.sotto --epsilon 2 > /dev/null 2>&1
same whole/predictions/1/predictions.csv first.csv
made_by_two=$(charges new.sotto)
answers "--data new.sotto --again 1" "--data new.sotto --epsilon 2"
same first.csv la/predictions-2.csv
grep -q "R2, RMSE, MAE .* of 200 known nodes" l.out || { cat l.out >&2; fail "the label party has numbers of other data, and no measure"; }
[ "$made" -gt "$before" ] && [ "$(charges new.sotto)" -eq "$made_by_two" ] || fail "a release that is kept was charged again"

# Two services: both learn, and say what the file says.
serve_both() {
  "$SOTTO" serve da --role data --dir bank --peer partner --listen-peer "$host:$port" --listen "$host:7301" --learns both "$@" >> d.log 2>&1 &
  data_pid=$!
  "$SOTTO" serve la --role label --dir partner --peer "bank=$host:$port" --listen "$host:7302" --learns both "$@" >> l.log 2>&1 &
  label_pid=$!
}
serve_both
for side in "$host:7301" "$host:7302"; do
  await "$side is not ready" curl -fs "http://$side/ready"
  curl -s -H 'Content-Type: application/json' -d '{"nodes": [5, 3, 199]}' "http://$side/predict" > answer
  python3 - answer la/predictions.csv << 'END' || { cat answer >&2; fail "$side answers otherwise than the file"; }
import csv, json, sys
wanted = {int(a["node"]): float(a["number"]) for a in csv.DictReader(open(sys.argv[2]))}
found = json.load(open(sys.argv[1]))["answers"]
assert [a["node"] for a in found] == [5, 3, 199] and all(set(a) == {"node", "id", "number"} for a in found)
assert all(abs(a["number"] - wanted[a["node"]]) <= 1e-5 * abs(wanted[a["node"]]) for a in found)
END
done
kill -TERM "$data_pid" "$label_pid"
wait "$data_pid" || { cat d.log >&2; fail "the data party's service did not end well"; }
wait "$label_pid" || { cat l.log >&2; fail "the label party's service did not end well"; }

# Features of the label party take part.
"$SOTTO" data part g.sotto --label-features 0.5 --data-out a.sotto --label-out b.sotto > /dev/null
rm -rf da la
data da --task regression --label-features 0.5 --data a.sotto > /dev/null 2>&1 &
label la --task regression --label-features 0.5 --data b.sotto > /dev/null 2> la.log || { cat la.log >&2; fail "label-features"; }
wait $!
answers "" ""
measured l.out la/result.json

# A perceptron on features reads no edge, so its answers about other data have no noise.
train_two --method mlp
"$SOTTO" predict whole new.sotto --out new.csv > /dev/null
answers "--data new.sotto --epsilon inf" "--data ids.csv --epsilon inf"
same new.csv la/predictions-1.csv
echo "two parties answer with the numbers of one process"
