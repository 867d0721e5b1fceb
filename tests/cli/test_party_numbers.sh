#!/bin/sh
# Clients that learn numbers: a server and four clients are one process, bit for bit, and each client's folder answers with
# numbers about its own nodes. Statements name what clients say about their numbers.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"

python3 - << 'END'
import random
random.seed(4)
nodes = 240
x = [[random.gauss(0, 1) for _ in range(2)] for _ in range(nodes)]
edges = sorted({tuple(sorted(random.sample(range(nodes), 2))) for _ in range(3 * nodes)})
with open("n.csv", "w") as file:
    file.write("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in edges))
with open("n.nodes.csv", "w") as file:
    file.write("id,a,b,salary\n")
    for v, (a, b) in enumerate(x):
        file.write(f"n{v},{a},{b},{1000 + 100 * (3 * a - b) + random.gauss(0, 20):.2f}\n")
END
"$SOTTO" data import n.csv g.sotto --label salary --task regression > /dev/null
"$SOTTO" data split g.sotto --horizontal --clients 4 --parts --out part > /dev/null
said="--task regression --aggregator sage --feature-scale none --optimiser adam"

# shellcheck disable=SC2086
for flags in "" "--prox-mu 0.1 --fraction 0.5 --batch-size 16"; do
  rm -rf s-x c?-x whole
  "$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole $own $said $flags > log 2>&1 || { cat log >&2; fail "one process failed"; }
  all_five x $said $flags
  cmp s-x/model.safetensors whole/model.safetensors || fail "$flags: another model than in one process"
  cmp c3-x/model.safetensors s-x/model.safetensors || fail "$flags: a client has another model than the server"
  python3 - << 'END' || fail "$flags: other measures than in one process, or a server that has them"
import json
test = [json.load(open(f"{run}/seed-1/result.json"))["test"] for run in ("s-x", "whole")]
assert set(test[0]) == set(test[1]) == {"r2", "rmse", "mae"} and set(test[0].values()) == {None}, test
reported = json.load(open("whole/seed-1/owner-only/clients.json"))
own = [json.load(open(f"c{k}-x/seed-1/result.json")) for k in (1, 2, 3, 4)]
assert len({one["test"]["rmse"] for one in own}) == 4, "all clients have one measure: the comparison is blind"
for one, two in zip(own, reported):
    for part in ("test", "validation"):
        for name, value in one[part].items():
            assert abs(value - two[part][name]) < 1e-6 * max(1, abs(value)), (two["client"], part, name)
END
done
grep -q "^  fedavg  *R2 [-0-9]" c1.log || { cat c1.log >&2; fail "a client's terminal does not show its own R2"; }
grep -q '"number statistics"' c1-x/statement.json || fail "a client's statement does not name what it said of its numbers"
grep -q '"number statistics"' whole/statement.json || fail "the statement does not name what clients said of their numbers"
grep -q '"classes' c1-x/seed-1/result.json && fail "a client's result speaks of classes"

# Answers are numbers, the same as those of one process with all clients.
expect 0 "R2, RMSE, MAE" "$SOTTO" predict whole
for number in 1 2 3 4; do
  expect 0 "R2, RMSE, MAE" "$SOTTO" predict "c$number-x"
  awk -F, -v client="$number" 'NR == FNR { owner[FNR] = $2; next } FNR > 1 && owner[FNR] == client' \
    whole/seed-1/owner-only/parts.csv whole/predictions.csv | cut -d, -f2- > wanted
  tail -n +2 "c$number-x/predictions.csv" | cut -d, -f2- > got
  [ -s got ] || fail "client $number answers nothing"
  cmp wanted got || fail "client $number answers otherwise than one process"
done

# Hidden updates, and attacks on class probabilities, are refused by name.
expect 0 "R2" "$SOTTO" train run.yaml --data g.sotto --out recorded --task regression --record-wire
for view in server client; do
  expect 1 "these predict numbers" "$SOTTO" audit recorded --attack received --view "$view"
done
expect 2 "secure-aggregation: has no meaning with task regression" \
  "$SOTTO" train run.yaml --data g.sotto --out no --task regression --secure-aggregation
