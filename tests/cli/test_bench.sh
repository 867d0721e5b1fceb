#!/bin/sh
# The bench: results, resumption after kill -9 and Ctrl-C, failures, refusals.
. "$(dirname "$0")/common.sh"

cat > tiny.yaml <<'END'
seeds: 2
selection-seed: 9
selection-seeds: 2
epsilons: [1, 4, inf]
levels: [edge]
options: {hidden: 4, epochs: 8, encoder-epochs: 8}
datasets:
  made:
    sbm: {nodes: 120, classes: 3, features: 8, inside: 6, outside: 2, signal: 1}
  risky: {transactions: {nodes: 400, seed: 3}, options: {select-by: auc}}
  gone: {path: gone.npz}
methods:
  mlp: {levels: {none: }}
  sage: {except: [risky]}
  gap: {grid: {layers: [1, 2], hidden: [4, 6]}, except: [risky]}
  # 64 layers of epsilon 0.5: below what each may have, so this cell fails.
  lpgnet: {levels: {edge: {epsilons: [0.5, 4], options: {layers: 64, epochs: 1}}}, except: [risky]}
series:
  depth: {dataset: made, level: edge, epsilon: 4, methods: [gap], vary: layers, values: [1, 2, 3]}
END
bench() { "$SOTTO_BUILD/sotto-bench" utility tiny.yaml "$@"; }
# What was trained, without what noise decides: keys of the trainings that choose, and labels of all cells.
cells() { cut -d, -f1-8,13,16,17 "$1/tiny.csv"; }

bench --out whole --json > summary 2> messages || { cat messages >&2; fail "the bench failed"; }
grep -q "dataset gone: gone.npz is not there" messages || fail "missing data is passed over in silence"
[ "$(grep -c "left out: sage at level edge" messages)" -eq 1 ] || fail "a level that is not offered is not noted once"
grep -q "0.0078125 for each" messages || fail "a failed training does not say why"
for key in '"trainings":' '"failed":2' '"measure":"accuracy"' '"mean":' '"validation":' '"cells":'
do grep -q "$key" summary || { cat summary >&2; fail "the summary has no $key"; }; done
for file in tiny.csv tiny.md tiny.jsonl tiny-made-edge.svg tiny-depth.svg
do [ -s "whole/$file" ] || fail "there is no $file"; done
[ ! -e whole/work-tiny ] || fail "run folders are left"
[ "$("$SOTTO" ledger show --json)" = "[]" ] || fail "the user's ledger was touched"
grep -q "made,lpgnet,edge,0.5,.*,0,2," whole/tiny.csv || fail "a failed cell is not in the results"
grep -q "^risky,mlp,none,inf,.*,auc," whole/tiny.csv || fail "the measure is not the one asked for"
grep -q "### risky, auc" whole/tiny.md || fail "the table does not name the measure"
grep -q "| lpgnet |" whole/tiny.md || fail "the table lacks a method"

# The point chosen is the one with the best mean validation accuracy, whatever its test accuracy; of equals the first of
# the grid, which is sorted.
for epsilon in 1 4; do
  grep '"method":"gap"' whole/tiny.jsonl | grep "\"epsilon\":\"$epsilon\"" | grep -E '"seed":(9|10),' |
    sed 's/.*"options":"\([^"]*\)".*"validation":\([^,]*\),.*/\2|\1/' |
    sort -t "|" -k 2,2 > scores
  [ "$(wc -l < scores)" -eq 8 ] || fail "epsilon $epsilon: not two trainings of each point"
  awk -F '|' '{ if (!($2 in sum)) name[++n] = $2; sum[$2] += $1 }
    END { for (i = 1; i <= n; i++) if (best == "" || sum[name[i]] > sum[best] + 1e-12) best = name[i]; print best }' \
    scores > best
  grep -q "^made,gap,edge,$epsilon,.*,$(cat best),4," whole/tiny.csv ||
    fail "epsilon $epsilon: the choice is not $(cat best)"
done

# Methods without noise alone are bars, and a method without privacy stands under no epsilon: sage has a point at inf.
[ -s whole/tiny-risky.svg ] && [ ! -e whole/tiny-risky-edge.svg ] || fail "a plot against epsilon without an epsilon"
python3 -B "$SOTTO_SOURCE/tests/house/pictures.py" whole/*.svg || fail "pictures"
python3 - << 'END' || fail "sage stands under an epsilon"
import re
text = open("whole/tiny-made-edge.svg", encoding="utf-8").read()
series = re.findall(r"<g class='k1'>(.*?)</g>", text, re.S)  # sage is the second line
assert "polyline" not in series[0] and series[0].count("<rect ") == 1, series
END

# Drawn again from the table, the pictures are the same, and nothing is trained.
mkdir drawn && cp whole/tiny.csv drawn
expect 0 "are drawn again in drawn" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --plots --out drawn
for file in tiny-made-edge tiny-risky tiny-depth; do
  cmp "whole/$file.svg" "drawn/$file.svg" || fail "$file is drawn in another way from its table"
done
[ ! -e drawn/tiny.jsonl ] || fail "drawing began a bench"
expect 1 "tiny.csv" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --plots --out nowhere
printf 'dataset,method\nmade,gap\n' > drawn/tiny.csv
expect 1 "line 2: is not a row" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --plots --out drawn
expect 2 "leave --json out" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --plots --json

# A second start trains nothing.
cp whole/tiny.jsonl before
bench --out whole > /dev/null 2>&1
cmp before whole/tiny.jsonl || fail "a second start trained again"

# Stopped at any moment, it goes on and ends with the same cells, each training once.
for round in 1 2 3 4; do
  signal=KILL
  [ $((round % 2)) -eq 1 ] || signal=INT
  "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --out "cut$round" --jobs 2 > /dev/null 2>&1 & # no function: its shell would die
  pid=$!
  moment $((round * 20))
  kill -s "$signal" "$pid" 2> /dev/null || true
  code=0
  wait "$pid" || code=$?
  case $signal-$code in INT-130 | INT-0 | KILL-*) ;; *) fail "Ctrl-C ended with $code" ;; esac
  bench --out "cut$round" > again 2>&1 || { cat again >&2; fail "round $round could not go on"; }
  cells whole > wanted
  cells "cut$round" | diff wanted - || fail "round $round ended with other cells"
  sed 's/.*"key":"\([^"]*\)".*/\1/' "cut$round/tiny.jsonl" | sort | uniq -d > twice
  [ ! -s twice ] || fail "round $round trained something twice"
done

expect 2 "line 1: unknown key 'sedes'; did you mean 'seeds'" sh -c "echo 'sedes: 1' > bad.yaml; '$SOTTO_BUILD/sotto-bench' utility bad.yaml"
expect 2 "usage: sotto-bench VERB" "$SOTTO_BUILD/sotto-bench"
expect 2 "did you mean --quick" "$SOTTO_BUILD/sotto-bench" utility --quik
expect 2 "jobs is at most" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --jobs 100
expect 1 "nothing to train" sh -c "printf 'epsilons: [1]\nlevels: [edge]\n' > none.yaml; '$SOTTO_BUILD/sotto-bench' utility none.yaml --out none"
# What the repository ships is sound: read whole, and then without the chains nothing is there to train.
sed 's/datasets: \[cora, photo, chain-s\]/datasets: [cora, photo]/' "$SOTTO_SOURCE/bench/utility.yaml" > shipped.yaml
expect 1 "dataset cora: .* is not there" "$SOTTO_BUILD/sotto-bench" utility shipped.yaml --quick --data-dir /nonexistent --out shipped

# A dataset of a file, of which no option says how it is read.
"$SOTTO" data generate sbm --nodes 60 --classes 2 --features 4 --out file.sotto > /dev/null
printf 'seeds: 1\nepsilons: [inf]\nlevels: [edge]\noptions: {hidden: 4, epochs: 2}\ndatasets: {read: {path: file.sotto}}\nmethods: {mlp: {levels: {none: }}}\n' > file.yaml
"$SOTTO_BUILD/sotto-bench" utility file.yaml --out file > /dev/null 2> messages || { cat messages >&2; fail "a file is not read"; }
grep -q "^read,mlp,none,inf,.*,1,0,accuracy,0" file/file.csv || fail "a file is not trained on: $(cat file/file.csv)"

# One seed has no deviation. Trainings that all failed are a failure, and still there to look at.
cat > one.yaml << 'END'
seeds: 1
epsilons: [0.5, 4]
levels: [edge]
options: {hidden: 4, epochs: 2, encoder-epochs: 2, layers: 64}
datasets: {made: {sbm: {nodes: 60, classes: 2, features: 4}}}
methods:
  lpgnet: {seconds: 1}
END
"$SOTTO_BUILD/sotto-bench" utility one.yaml --out one > /dev/null 2>&1 || fail "one seed failed"
grep -q "^| lpgnet | failed | [0-9.]* (1) |" one/one.md || fail "a deviation of one seed: $(grep lpgnet one/one.md)"
grep -q "^made,lpgnet,edge,4,[^,]*,1,0,accuracy,[0-9.]*,," one/one.csv || fail "a deviation of one seed: $(cat one/one.csv)"
sed 's/epsilons: .*/epsilons: [0.5]/' one.yaml > none.yaml
expect 1 "1 trainings, 1 failed" "$SOTTO_BUILD/sotto-bench" utility none.yaml --out allfailed
expect 1 '"failed":1' "$SOTTO_BUILD/sotto-bench" utility none.yaml --out allfailed --json
