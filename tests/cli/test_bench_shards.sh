#!/bin/sh
# A bench in shards, one a machine, merged: every cell is trained once, and the tables are those of the whole.
. "$(dirname "$0")/common.sh"

cat > tiny.yaml <<'END'
seeds: 2
epsilons: [1, 4, inf]
levels: [edge]
options: {hidden: 4, epochs: 4, encoder-epochs: 4}
datasets:
  made: {sbm: {nodes: 90, classes: 3, features: 8, inside: 6, outside: 2, signal: 1}}
methods:
  mlp: {levels: {none: }}
  gap: {options: {layers: 1}}
END
bench() { "$SOTTO_BUILD/sotto-bench" "$@" 2> messages || { cat messages >&2; fail "bench $*"; }; }
labels() { sed 's/"validation".*//' "$1" | sort; }

for shard in 1 2 3; do
  bench utility tiny.yaml --out parts --shard $shard/3 > /dev/null
  [ -s "parts/tiny.$shard-of-3.jsonl" ] || fail "there is no file of shard $shard"
done
[ ! -e parts/tiny.csv ] && [ ! -e parts/tiny.jsonl ] || fail "a shard wrote the whole"
[ -z "$(cat parts/*.jsonl | sed 's/.*"key":"\([^"]*\)".*/\1/' | sort | uniq -d)" ] || fail "trained twice"

# What is there so far; then the rest, with a line that a crash cut short in a shard's file.
mv parts/tiny.3-of-3.jsonl later
bench merge tiny.yaml --out parts > /dev/null
grep -q "2 files of shards in parts" messages || fail "merge does not say what it found"
grep -q "6 of 8 trainings are there" messages || { cat messages >&2; fail "merge does not say what is missing"; }
mv later parts/tiny.3-of-3.jsonl
printf '{"dataset":"made","met' >> parts/tiny.3-of-3.jsonl
bench merge tiny.yaml --out parts > /dev/null
! grep -q "trainings are there" messages || fail "something is missing after the last shard"
[ "$(wc -l < parts/tiny.jsonl)" -eq 8 ] || fail "merged twice: $(wc -l < parts/tiny.jsonl) trainings"

bench utility tiny.yaml --out whole > /dev/null
labels whole/tiny.jsonl > one; labels parts/tiny.jsonl > other
cmp -s one other || { diff one other >&2; fail "other trainings than of the whole"; }
for file in tiny.csv tiny.md tiny-made-edge.svg; do [ -s parts/$file ] || fail "no $file"; done
cp parts/tiny.jsonl before; bench utility tiny.yaml --out parts > /dev/null
cmp -s before parts/tiny.jsonl || fail "the whole was trained again after a merge"

expect 2 "I/N" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --shard 2
expect 2 "I from 1 to N" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --shard 4/3
expect 2 "for what is trained" "$SOTTO_BUILD/sotto-bench" merge tiny.yaml --shard 1/2
expect 1 "there is nothing to train" "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --out none --shard 9/9
echo "not a line" > parts/tiny.2-of-3.jsonl
expect 1 "line 1: is not a training" "$SOTTO_BUILD/sotto-bench" merge tiny.yaml --out parts
