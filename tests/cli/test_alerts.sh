#!/bin/sh
# A rare class: measures before accuracy, thresholds kept with the model, columns of predictions.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate transactions --nodes 3000 --share 0.033 --seed 2 --out fraud.sotto > /dev/null 2>&1
"$SOTTO" data generate sbm --nodes 300 --classes 2 --features 8 --seed 3 --out even.sotto > /dev/null 2>&1
short="--hidden 8 --encoder-epochs 20"
expect 2 "share 0.6 of risky users" "$SOTTO" data generate transactions --nodes 3000 --share 0.6 --out no.sotto

# What comes first, and which measure selects: AUC where one of two classes is rare, unless the user says another.
expect 0 "rare class        1, " "$SOTTO" train --method best --data fraud.sotto --epsilon 4 --out rare
sed -n '/avg. precision/=' output > first
sed -n '/accuracy/=' output > second
[ "$(head -n 1 first)" -lt "$(head -n 1 second)" ] || fail "accuracy comes before average precision"
grep -q "^select-by: auc$" rare/run.yaml || fail "epochs of a rare class are selected by accuracy"
expect 0 "rare class" "$SOTTO" train --method mlp --data fraud.sotto $short --select-by accuracy --out said
grep -q "^select-by: accuracy$" said/run.yaml || fail "the user's select-by did not stay"
expect 0 "accuracy" "$SOTTO" train --method mlp --data even.sotto $short --out usual
grep -q "rare class" output && fail "an even class is called rare"
grep -q "^select-by: accuracy$" usual/run.yaml || fail "even classes are selected by AUC"
[ ! -e usual/seed-1/alerts.json ] || fail "a run without a rare class keeps alerts"

# A rate that nothing would read is refused before anything is charged.
expect 1 "alert-rate: no class of .* is rare" "$SOTTO" train --method best --data even.sotto --alert-rate 1% --out none
[ ! -e none ] || fail "a run with an alert rate that has no meaning is there"

# A rare class of two is fitted a second time with weights. Where classes are even there is one fit.
"$SOTTO" train --method gnn --data fraud.sotto --epochs 20 --hidden 8 --out weighed > /dev/null 2>&1
"$SOTTO" train --method gnn --data even.sotto --epochs 20 --hidden 8 --out once > /dev/null 2>&1
for stage in decoder decoder-weighted; do
  [ "$(grep -c "\"$stage\"" weighed/metrics.jsonl)" -eq 20 ] || fail "stage $stage: $(head -n 1 weighed/metrics.jsonl)"
done
for stage in encoder-weighted-3 network-weighted; do
  grep -q "\"$stage\"" rare/metrics.jsonl || fail "best has no second fit $stage"
done
grep -q "weighted" once/metrics.jsonl && fail "even classes are weighted"

# result.json has the rare class before the measures of all classes.
python3 - rare/result.json << 'END' || fail "result.json: $(cat rare/result.json)"
import json, sys
result = json.load(open(sys.argv[1]))
keys = list(result)
assert keys.index("rare") < keys.index("test"), keys
rare = result["rare"]
assert rare["class"] == 1 and 0.02 < rare["share"] < 0.05 and rare["alert_by"] == "rate"
test = rare["seeds"][0]["test"]
assert test["nodes"] == 600 and 0 < test["average_precision"] <= 1 and len(test["costs"]) == 7
END

# Predictions: score, rank, alert; the scores' order, the ranks and the number of alerts are those of a sort.
expect 0 "rare class       1" "$SOTTO" predict rare
[ "$(head -n 1 rare/predictions.csv)" = "node,class,probability,p0,p1,score,rank,alert" ] || fail "$(head -n 1 rare/predictions.csv)"
python3 - rare << 'END' || fail "the columns of alerts are wrong"
import csv, json, math, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/predictions.csv")))
kept = json.load(open(sys.argv[1] + "/seed-1/alerts.json"))
for row in rows:
    above = sum(float(other["p1"]) > float(row["p1"]) for other in rows)
    tied = sum(float(other["p1"]) == float(row["p1"]) for other in rows)
    assert above + 1 <= int(row["rank"]) <= above + tied, row
    log_odds = math.log(float(row["p1"])) - math.log(float(row["p0"]))
    score = 1 / (1 + math.exp(-(kept["slope"] * log_odds + kept["offset"])))
    assert abs(score - float(row["score"])) < 1e-3, (score, row)
    if abs(log_odds - kept["threshold"]) > 1e-3:
        assert int(row["alert"]) == (log_odds > kept["threshold"]), row
alerts = sum(row["alert"] == "1" for row in rows)
assert 0 < alerts < 0.15 * len(rows), alerts
mean = sum(float(row["score"]) for row in rows) / len(rows)
assert 0.01 < mean < 0.08, mean  # 3.3 per cent are members
END
expect 0 '"rare":{"class":1' "$SOTTO" predict rare --json
expect 0 '"rare":null' "$SOTTO" predict usual --json

# The service gives the same score and alert.
at=$host:7205
"$SOTTO" serve rare usual --listen "$at" > serve.out 2> serve.log &
pid=$!
python3 "$source/tests/cli/serve.py" "$at" until /ready '"ready":true'
python3 - "http://$at" rare/predictions.csv << 'END' || { cat serve.log >&2; fail "the service gives other scores"; }
import csv, json, sys, urllib.request
def ask(path, nodes):
    request = urllib.request.Request(sys.argv[1] + path, json.dumps({"nodes": nodes}).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["answers"]
rows = list(csv.DictReader(open(sys.argv[2])))
answers = ask("/predict/rare", list(range(len(rows))))
assert len(answers) == len(rows)
for row, answer in zip(rows, answers):
    assert float(row["score"]) == answer["score"] and (row["alert"] == "1") == answer["alert"], (row, answer)
assert "score" not in ask("/predict/usual", [0])[0]
END
kill "$pid"
wait "$pid" || true

# Rules; a kept threshold that was changed is found.
expect 0 "by cost" "$SOTTO" train --method mlp --data fraud.sotto $short --alert-rate cost:20 --out cost
expect 0 "by f1" "$SOTTO" train --method mlp --data fraud.sotto $short --alert-rate f1 --out f1
expect 0 "by rate" "$SOTTO" train --method mlp --data fraud.sotto $short --alert-rate 1% --out rated
grep -q '"rate": 0.01' rated/seed-1/alerts.json || fail "1% is not 0.01: $(cat rated/seed-1/alerts.json)"
for wrong in 0 101% -1% x 1%%; do
  expect 2 "alert-rate: $wrong is no share" "$SOTTO" train --method mlp --data fraud.sotto --alert-rate "$wrong" --out no
done
for wrong in cost cost: cost:-1 cost:x precision; do
  expect 2 "alert-rate: $wrong is no share of the nodes" "$SOTTO" train --method mlp --data fraud.sotto --alert-rate "$wrong" --out no
done
sed -i 's/"offset": /"offset": 1/' f1/seed-1/alerts.json
expect 1 "alerts.json" "$SOTTO" predict f1

# Private labels: with label-epsilon the threshold is the owner's; at node level there is none, and the option is refused.
expect 0 "rare class" "$SOTTO" train --method mlp --data fraud.sotto $short --label-epsilon 3 --out hidden
[ ! -e hidden/seed-1/alerts.json ] || fail "a threshold of private labels may be handed on"
[ -e hidden/seed-1/owner-only/alerts.json ] || fail "the owner has no threshold"
grep -q "^select-by: accuracy$" hidden/run.yaml || fail "run.yaml says that a private class is rare"
node="--method mlp --data fraud.sotto --adjacency node --delta 1e-5 --epsilon 4 --hidden 8 --classes 2"
expect 2 "alert-rate: has no meaning with adjacency node" "$SOTTO" train $node --alert-rate 1% --out no
expect 0 "accuracy" "$SOTTO" train $node --out nodes
[ -z "$(find nodes -name alerts.json)" ] || fail "a node-level run keeps a threshold"
"$SOTTO" train --method best --data fraud.sotto --epsilon 4 --adjacency node --delta 1e-5 --classes 2 --max-degree 100 --out best-nodes > /dev/null 2>&1 ||
  fail "best at node level"
"$SOTTO" train --method vesper --data fraud.sotto --epsilon 4 $short --epochs 20 --label-epsilon 3 --anyway --out told > /dev/null 2>&1 || fail "vesper"
[ -z "$(grep -rl "\-weighted" nodes best-nodes hidden told)" ] || fail "private validation labels choose between two fits"
