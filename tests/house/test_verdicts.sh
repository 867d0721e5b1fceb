#!/bin/sh
# docs/results/verdicts.md and docs/reproduction.md are what bench/verdicts.py makes of the tables of results; a figure that turns a
# finding, and a verdict that was written by hand, are found. Two folders of results are compared by their verdicts.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
verdicts="python3 -B $SOTTO_SOURCE/bench/verdicts.py"
results=$SOTTO_SOURCE/docs/results
$verdicts --check
cp "$results"/*.csv "$results/verdicts.md" "$results/audit.jsonl" "$SOTTO_SOURCE/docs/reproduction.md" "$folder"
$verdicts --check --results "$folder" --page "$folder/reproduction.md"
$verdicts --results "$folder" --same "$results"

# found WORDS: the check of the copy fails, and says so.
found() {
  if $verdicts --check --results "$folder" --page "$folder/reproduction.md" 2> "$folder/said"; then
    echo "not found: $1"
    exit 1
  fi
  grep -q "$1" "$folder/said" || { cat "$folder/said"; exit 1; }
}
# With four holders more accurate than with two, table 4 has another verdict.
sed -i 's/^cora,mean-of-4,none,inf,0,5,0,accuracy,[0-9.]*/cora,mean-of-4,none,inf,0,5,0,accuracy,0.95/' "$folder/vfgnn.csv"
found 'Table 4 | 7 of 9 | accuracy falls with the number of holders | no | not reproduced'
grep -q 'reproduction.md: .*Table 4: 2, 3 and 4 holders .* 95.00 ± ' "$folder/said" || { cat "$folder/said"; exit 1; }
if $verdicts --results "$folder" --same "$results" > "$folder/said"; then
  echo "another verdict is called the same"
  exit 1
fi
grep -q 'Zhou et al. 2021, Table 4: not reproduced, the finding does not hold, and reproduced, the finding holds' "$folder/said" || { cat "$folder/said"; exit 1; }
cp "$results/vfgnn.csv" "$folder"
sed -i 's/\(Table 2 .*\)finding alone/\1reproduced/' "$folder/verdicts.md"
found 'Table 2 | [0-9]* of 18 .* finding alone'

# A compared number has to be in the column of the paper's numbers.
cp -r "$SOTTO_SOURCE/bench" "$folder/bench"
sed -i 's/{79.0 = vfgnn cora vfgnn-cat}, {80.9/{79.1 = vfgnn cora vfgnn-cat}, {80.9/' "$folder/bench/reproduction.yaml"
if python3 -B "$folder/bench/verdicts.py" --check --results "$results" 2> "$folder/said"; then
  echo "a published number that the row does not have passes"
  exit 1
fi
grep -q '79.1 is compared, and is no number of the column published' "$folder/said" || { cat "$folder/said"; exit 1; }

# Forty numbers to compare with the papers by hand: the same for a seed.
$verdicts --draw 40 --seed 7 > "$folder/drawn"
[ "$(wc -l < "$folder/drawn")" -eq 41 ]
$verdicts --draw 40 --seed 7 | cmp - "$folder/drawn"
