#!/bin/sh
# Numbers from a table, through training, predictions, service, page, plan and audit.
. "$(dirname "$0")/common.sh"

python3 - << 'END'
import random
random.seed(3)
nodes = 400
x = [[random.gauss(0, 1) for _ in range(2)] for _ in range(nodes)]
edges = {tuple(sorted(random.sample(range(nodes), 2))) for _ in range(4 * nodes)}
beside = [[] for _ in range(nodes)]
for a, b in edges:
    beside[a].append(b), beside[b].append(a)
y = [1000 + 100 * (3 * x[v][0] + 6 * sum(x[u][0] for u in beside[v]) / max(1, len(beside[v]))) for v in range(nodes)]
with open("g.csv", "w") as file:
    file.write("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in sorted(edges)))
with open("g.nodes.csv", "w") as file:
    file.write("id,a,b,salary\n" + "".join(f"n{v},{x[v][0]},{x[v][1]},{y[v]:.2f}\n" for v in range(nodes)))
END
said="--data g.csv --label salary --task regression"
expect 1 "has real numbers" "$SOTTO" train --method best --data g.csv --label salary --out no
expect 0 "best  *R2 0\.[0-9]*, RMSE" "$SOTTO" train --method best $said --epsilon 4 --out run
grep -q "^task: regression$" run/run.yaml || fail "run.yaml does not say the task"
expect 2 "gap with adjacency edge learns classes alone" "$SOTTO" train --method gap $said --out no

# Predicted numbers have the quality that the training measured.
expect 0 "R2, RMSE, MAE" "$SOTTO" predict run
[ "$(head -n 1 run/predictions.csv)" = "node,id,number" ] || fail "$(head -n 1 run/predictions.csv)"
[ "$(wc -l < run/predictions.csv)" -eq 401 ] || fail "$(wc -l < run/predictions.csv) lines"
"$SOTTO" predict run --json > summary 2> /dev/null
python3 - summary run/result.json << 'END' || fail "$(cat summary)"
import json, sys
found, trained = (json.load(open(path)) for path in sys.argv[1:])
assert found["task"] == "regression" and found["measures"]["nodes"] == 80
assert set(trained["test"]) == {"r2", "rmse", "mae"}
for name, value in trained["test"].items():
    assert abs(found["measures"][name] / value["mean"] - 1) < 1e-4, name
END
expect 2 "predicts a number, and no classes" "$SOTTO" predict run --top 2
expect 0 "written to" "$SOTTO" predict run g.csv --epsilon 1 # another release, of today's table

# A service gives numbers, also of rows of new nodes.
"$SOTTO" serve run --listen "$host:7005" 2> log &
served=$!
await "the service is not ready" curl -fs "http://$host:7005/ready"
ask() { curl -s -H 'Content-Type: application/json' -d "$1" "http://$host:7005/predict"; }
number=$(sed -n 's/^5,n5,//p' run/predictions.csv)
ask '{"ids": ["n5"]}' | grep -qF "\"number\":$number}" || fail "$(ask '{"ids": ["n5"]}'), and not $number"
ask '{"rows": [{"a": 1, "b": 0}]}' | grep -q '"row":0,"number":[0-9]' || fail "$(ask '{"rows": [{"a": 1, "b": 0}]}')"
kill $served
wait $served || true

expect 0 "written to" "$SOTTO" report run --out page.html
grep -q "R2 on the test part" page.html || fail "the page has no R2"
expect 1 "reads class probabilities" "$SOTTO" audit run --attack link-stealing
expect 2 "not counted yet" "$SOTTO" plan --method best $said
