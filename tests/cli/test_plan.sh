#!/bin/sh
# sotto plan: predictions from given constants, their laws, JSON by its schema, a picture, bad input.
. "$(dirname "$0")/common.sh"

cat > machine.json << 'JSON'
{"machine": {"threads": 1, "places_bytes": [1048576, 67108864], "multiply_add": [4e-11, 4e-11], "operand": 1e-10,
 "pass": [1e-10, 3e-10], "gather": [5e-11, 5e-10], "sum": [5e-10, 1.5e-9], "curve": 4e-10, "scaled": 6e-10,
 "normed": 6e-10, "copied": 2e-9, "draw": 1.4e-9, "normal": 6e-9, "score": 2e-8}}
JSON
plan="$SOTTO plan --machine machine.json --hidden 64"
gcn="--method gnn --aggregator gcn --nodes 1e6 --edges 1e7"

# shellcheck disable=SC2086
for words in "$gcn --ranks 6" "$gcn --ranks 64 --scaling weak" "--method sage --nodes 1000 --edges 5000" \
  "--method mlp --nodes 1e5 --edges 0 --not-private" "--method gap --layers 2 --nodes 1e5 --edges 1e6 --ranks 4"; do
  $plan $words --json > said.json || fail "no plan of $words"
  python3 - "$words" "${SOTTO_SOURCE:-$(dirname "$0")/../..}/docs/plan.schema.json" << 'PYTHON' || fail "$words: $(cat said.json)"
import json, sys
plan = json.load(open("said.json"))["plan"]
schema = json.load(open(sys.argv[2]))["properties"]["plan"]["properties"]
assert set(plan) == set(schema), set(plan) ^ set(schema)
point = schema["points"]["items"]["properties"]
ranks = [p["ranks"] for p in plan["points"]]
assert ranks == sorted(ranks) and ranks[0] == 1
for p in plan["points"]:
    assert set(p) == set(point), set(p) ^ set(point)
    parts = sum(f["compute_seconds"] + f["traffic_seconds"] for f in p["phases"])
    assert abs(parts - p["seconds"]) <= 1e-9 * p["seconds"] and p["seconds"] > 0
    assert p["memory_bytes"] > 14e6 and (p["border_rows"] > 0) == (p["ranks"] > 1 and "mlp" not in sys.argv[1])
if sys.argv[1].endswith("--ranks 6"):  # strong: less computation and memory with more ranks, and only then traffic
    compute = [p["seconds"] - p["traffic_seconds"] for p in plan["points"]]
    assert ranks == [1, 2, 4, 6] and all(a > b for a, b in zip(compute, compute[1:]))
    assert plan["points"][0]["sent_bytes"] == 0 < plan["points"][1]["sent_bytes"]
    # 200 epochs, 2 layers to 64 and 8 columns, three exchanges of half the nodes; all gradients once over
    wanted = 200 * 4 * (plan["points"][1]["border_rows"] * 3 * 72 + (64 * 64 + 64 + 64 * 8 + 8))
    assert abs(plan["points"][1]["sent_bytes"] / wanted - 1) < 1e-6, wanted
if "weak" in sys.argv[1]:
    compute = [p["seconds"] - p["traffic_seconds"] for p in plan["points"]]
    assert max(compute) / min(compute) < 1.0001
if "gap" in sys.argv[1]:
    assert plan["points"][0]["released_bytes"] == 2 * 1e5 * 64 * 4
    # two layers of border rows; embeddings to the half of the rows that the other rank has; three layers to rank 0
    two = plan["points"][1]
    wanted = 4 * 64 * (2 * two["border_rows"] + 1e5 / 4 + 3 * 1e5 / 2)
    sent = [f["sent_bytes"] for f in two["phases"] if f["name"] == "release"][0]
    assert abs(sent / wanted - 1) < 1e-9, (sent, wanted)
    assert two["memory_bytes"] < plan["points"][0]["memory_bytes"]
PYTHON
done

# shellcheck disable=SC2086
expect 0 "  time      .*\n*" $plan $gcn --ranks 4 --plot p.svg
grep -q "efficiency" output || fail "no table over ranks"
grep -q "<polyline" p.svg || fail "the picture has no line"
expect 2 "has no count of its work with these options" $plan --method vesper --publication layers --epsilon 4 --nodes 1000 --edges 10
# Parties are no ranks.
expect 0 "parties   send each other at most .* in .* round trips" $plan --method vesper --epsilon 4 --nodes 1000 --edges 10
expect 2 "the parties of vfgnn are counted in one process" $plan --method vfgnn --epsilon 4 --nodes 1000 --edges 10 --ranks 2
# shellcheck disable=SC2086
expect 2 "10 nodes have at most 45 pairs, and 46 edges are more" $plan --method sage --nodes 10 --edges 46
expect 2 "how many are there" $plan --method sage
# shellcheck disable=SC2086
expect 2 "neither strong nor weak" $plan $gcn --scaling both
# shellcheck disable=SC2086
expect 2 "not a whole number" $plan --method sage --nodes 1.5 --edges 3
# shellcheck disable=SC2086
expect 2 "edges: how many are there" $plan --method sage --nodes 1000
# shellcheck disable=SC2086
expect 2 "cut: a share" $plan $gcn --ranks 2 --cut 2
# shellcheck disable=SC2086
expect 2 "bandwidth: must be above 0" $plan $gcn --bandwidth 0
echo '{"machine": {"threads": 1}}' > poor.json
# shellcheck disable=SC2086
expect 1 "poor.json: places_bytes is not what" "$SOTTO" plan $gcn --machine poor.json
# Constants that are measured are read again, and a run file and data give what they have.
"$SOTTO" plan --measure --threads 1 > own.json || fail "nothing was measured"
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
expect 0 "each has 300 nodes" "$SOTTO" plan --method sage --data g.sotto --machine own.json
