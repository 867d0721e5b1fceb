#!/bin/sh
# docs/results/performance.md is what bench/performance.py makes of performance.jsonl; one with another figure is found.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -B "$SOTTO_SOURCE/bench/performance.py" --check
cp "$SOTTO_SOURCE/docs/results/performance.jsonl" "$folder"
sed 's/^| ring product | /&1/' "$SOTTO_SOURCE/docs/results/performance.md" > "$folder/performance.md"
! cmp -s "$SOTTO_SOURCE/docs/results/performance.md" "$folder/performance.md"
if python3 -B "$SOTTO_SOURCE/bench/performance.py" --check --out "$folder" 2> "$folder/said"; then
  echo "a changed figure was not found"
  exit 1
fi
grep -q "is not what performance.jsonl makes" "$folder/said"
