#!/bin/sh
# One run over 1, 2 and 3 ranks: the same bytes as in one process, one charge, traffic as the halo's size says, and
# what is refused. With a planted fault in a rank's noise, or in waiting for the charge, this test objects.
. "$(dirname "$0")/common.sh"

refused() { [ "$(find "$folder" -name "refused-*-of-$1" | wc -l)" -eq "$1" ]; }
for count in 1 2 3; do
  # A rank that still sends to one that has failed ends them all, some before they have left their file: then once more.
  for attempt in 1 2 3 4 5; do
    ranks "$count" ranks_checks "$folder" || fail "checks with $count ranks"
    ranks "$count" ranks_checks "$folder" damage 2> damage || true
    ! refused "$count" || break
  done
  refused "$count" || { cat damage >&2; fail "not all of $count ranks refused a damaged file"; }
done

# More nodes than a batch has, so that batches are shared out.
"$SOTTO" data generate powerlaw --nodes 33000 --edges 90000 --features 6 --classes 3 --out g.sotto > /dev/null
train() { # COUNT PROGRAM FOLDER WORDS...
  count=$1 program=$2 at=$3
  shift 3
  mkdir -p "$at"
  set -- train --method gap --data "../${data-g.sotto}" --hidden 8 --epochs 2 --encoder-epochs 2 --epsilon 4 --threads 1 "$@"
  case $count in
    0) (cd "$at" && "$SOTTO" "$@" --out run) > "$at/output" 2>&1 ;;
    *) (cd "$at" && ranks "$count" "$program" "$@" --out run) > "$at/output" 2>&1 ;;
  esac
}

train 0 - p0 --insecure-seed 7 --layers 2 || fail "one process"
for count in 1 2 3; do
  before=$(charges g.sotto)
  train "$count" ranks_sotto "p$count" --insecure-seed 7 --layers 2 || { cat "p$count/output"; fail "$count ranks"; }
  [ "$(digests p0)" = "$(digests "p$count")" ] || fail "$count ranks gave other bytes than one process"
  # The same draw in a folder of the same name is the same charge, or one more: never one for each rank.
  [ $(($(charges g.sotto) - before)) -le 1 ] || fail "$count ranks charged $(($(charges g.sotto) - before)) times"
  grep -q '"verdict"' "p$count/run/statement.json" || fail "no statement of $count ranks"
  python3 - "p$count/run/owner-only/ranks.json" "$count" <<'END' || fail "traffic of $count ranks"
import json, sys
ranks = json.load(open(sys.argv[1]))
assert len(ranks) == int(sys.argv[2])
assert sum(r["nodes"] for r in ranks) == 33000
assert sum(r["halo_sent"] for r in ranks) == sum(r["halo_received"] for r in ranks)
for r in ranks:
    assert r["halo_sent"] == r["halo_planned"], r
    assert r["halo_received"] == r["halo"] * 8 * 4 * 2, r  # 8 columns of 4 bytes in each of 2 layers
    assert (r["halo_sent"] > 0) == (len(ranks) > 1), r
END
done

# Other methods: the same bytes as in one process, charged as there, and halos as they are counted.
same() { # METHOD CHARGES BYTES, which a row of the halo takes, NUMBERS of ranks, WORDS...
  method=$1 wanted=$2 bytes=$3 numbers=$4
  shift 4
  set -- "$@" --out run
  for count in 0 $numbers; do
    at=$method$count before=$(charges g.sotto)
    mkdir -p "$at"
    (cd "$at" && case $count in
      0) "$SOTTO" train --method "$method" --data ../g.sotto --hidden 8 --encoder-epochs 2 --threads 1 --insecure-seed 7 "$@" ;;
      *) ranks "$count" ranks_sotto train --method "$method" --data ../g.sotto --hidden 8 --encoder-epochs 2 --threads 1 \
        --insecure-seed 7 "$@" ;;
    esac) > "$at/output" 2>&1 || { cat "$at/output" >&2; fail "$method, $count ranks"; }
    [ $(($(charges g.sotto) - before)) -eq "$wanted" ] ||
      fail "$method with $count ranks charged $(($(charges g.sotto) - before)) times"
    (cd "$at" && find run -name 'release*.bin' -o -name 'counts*.sotto' -o -name 'pilots*.sotto' -o -name model.safetensors | sort | xargs sha256sum) > "$at/bytes"
    cmp "$method"0/bytes "$at/bytes" || fail "$method with $count ranks gave other bytes than one process"
    # The ledger is the same one, so that its chain has grown.
    grep -Ev '"(date|chain)"' "$at/run/statement.json" > "$at/statement"
    cmp "$method"0/statement "$at/statement" || fail "$method with $count ranks states something else than one process"
    [ "$count" -eq 0 ] || python3 - "$at/run/owner-only/ranks.json" "$bytes" <<'END' || fail "halos of $method, $count ranks"
import json, sys
for r in json.load(open(sys.argv[1])):
    assert r["halo_sent"] == r["halo_planned"], r
    assert r["halo_received"] == r["halo"] * int(sys.argv[2]), r
END
  done
}
same mlp 0 0 "2 3"
same caribou 1 $((2 * 8 * 4)) "2 3" --epochs 2 --epsilon 4 --layers 2
same best 2 $((4 * 4)) "2 3" --epochs 2 --epsilon 20 --layers 2 # the first round counts for two groups of pilots as well
same vesper 2 $((4 * 4)) "1 2 4" --epochs 2 --epsilon 20 --layers 2
# A column in thousands beside others: all columns are standardised, by rank 0 as by one process.
awk 'BEGIN { print "id,income,age,label"; for (i = 0; i < 400; i++) print "n" i "," 30000 + 7919 * i % 20011 "," 20 + 31 * i % 47 "," i % 2 }' > people.csv
awk 'BEGIN { print "source,target"; for (i = 0; i < 400; i++) print "n" i ",n" (i + 1 + i % 7) % 400 }' > pairs.csv
"$SOTTO" data import pairs.csv people.sotto --nodes people.csv > /dev/null
large="train --method mlp --data people.sotto --adjacency none --not-private --encoder-epochs 2 --threads 1 --insecure-seed 7"
# shellcheck disable=SC2086
"$SOTTO" $large --out large0 > output 2>&1 || { cat output >&2; fail "a column in thousands, one process"; }
grep -q "'income' is much larger" output || fail "the columns were not standardised"
# shellcheck disable=SC2086
ranks 2 ranks_sotto $large --out large2 > output 2>&1 || { cat output >&2; fail "a column in thousands, 2 ranks"; }
cmp large0/model.safetensors large2/model.safetensors || fail "2 ranks standardised otherwise than one process"
# With one round ranks hold the inputs of their own batches alone; pilots choose, or there are no levels. Few epochs may end without
# a correction, whose weights would say nothing: so the last words make sure that there is one.
once() { # METHOD CHARGES BYTES NUMBERS WORDS...
  rm -rf "$1"[0-4]
  same "$@"
  grep -q correction0 "$1"0/run/model.safetensors || fail "$1 with one round kept no correction"
}
once best 1 $((3 * 4)) "1 2 3" --epochs 30 --epsilon 8 --layers 1
once vesper 1 $((3 * 4)) "2 4" --epochs 30 --epsilon 8 --layers 1
once best 0 $((3 * 4)) "2" --epochs 30 --adjacency none --layers 1

# Ranks share the trials of a canary.
(cd p2 && ranks 2 ranks_sotto audit run --attack canary --trials 500) > output 2>&1 || { cat output >&2; fail "a shared audit"; }
grep -q '500 runs with it and without' output || { cat output >&2; fail "not all trials"; }
[ "$(grep -c '^  noise .*no objection' output)" -eq 1 ] || fail "the test of the noise was not said once"
[ "$(grep 'no objection' output | grep -vc '^  noise')" -eq 1 ] || fail "the verdict was not said once"
expect 2 "nearest is 'canary'" ranks 2 ranks_sotto audit p2/run --attack canarx

# Without a fixed seed: one charge for a run of three ranks, and parts of METIS do not change what is released.
before=$(charges g.sotto)
train 3 ranks_sotto free || fail "a run without a fixed seed"
[ $(($(charges g.sotto) - before)) -eq 1 ] || fail "three ranks charged $(($(charges g.sotto) - before)) times"
train 2 ranks_sotto metis --insecure-seed 7 --layers 2 --rank-parts metis || fail "parts of METIS"
[ "$(digests p0)" = "$(digests metis)" ] || fail "other bytes with parts of METIS"

# Sparse features, which ranks_checks left here, in the ways of scaling them.
for scale in l2 none standard; do
  data=words.sotto
  train 0 - "w$scale" --insecure-seed 7 --feature-scale $scale || { cat "w$scale/output"; fail "sparse, one process"; }
  train 2 ranks_sotto "v$scale" --insecure-seed 7 --feature-scale $scale || { cat "v$scale/output"; fail "sparse, two ranks"; }
  [ "$(digests "w$scale")" = "$(digests "v$scale")" ] || fail "other bytes of sparse features, scaled by $scale"
done
unset data

# Noise by the place of a row in its rank: the digests show it, for more than one rank.
train 2 ranks_local_noise local --insecure-seed 7 --layers 2 || fail "the fault in the noise did not run"
[ "$(digests p0)" != "$(digests local)" ] || fail "noise keyed by a rank's own rows was not seen"
mkdir local_last
(cd local_last && ranks 2 ranks_local_noise train --method caribou --data ../g.sotto --hidden 8 --encoder-epochs 2 --threads 1 \
  --insecure-seed 7 --epochs 2 --epsilon 4 --layers 2 --out run) > output 2>&1 || { cat output >&2; fail "the fault in caribou's noise"; }
! cmp -s caribou0/run/seed-1/release.bin local_last/run/seed-1/release.bin || fail "noise of caribou by own rows was not seen"
# A rank that does not wait for the charge has no receipt, and does not get to use the rows.
if train 2 ranks_hasty hasty; then fail "a rank used rows before they were charged"; fi
[ ! -e hasty/run/model.safetensors ] || fail "a rank without a receipt left a model"

# Refusals end all ranks with the status and the words of one process.
refused() { # STATUS WORDS COUNT WORDS...
  wanted=$1 words=$2 count=$3
  shift 3
  expect "$wanted" "$words" ranks "$count" ranks_sotto train --data "$data" --threads 1 "$@"
  [ "$(grep -c "$words" output)" -eq 1 ] || fail "'$words' was not said once"
}
data=g.sotto
refused 1 'start it without mpirun' 2 --method vesper --publication layers --epsilon 4 --out no
refused 1 'label-features' 2 --method vesper --epsilon 4 --label-features 0.5 --out no
refused 1 'label-features' 2 --method mlp --label-features 0.5 --out no
refused 2 'unknown option' 2 --method gap --no-such-option 1 --out no
data=absent.sotto
refused 1 'could not open it' 3 --method gap --epsilon 4 --out no
data=g.sotto
"$SOTTO" ledger budget g.sotto --epsilon 0.01 > /dev/null
refused 3 'nothing was released' 2 --method gap --epsilon 4 --out no
[ ! -e no ] || fail "a refused run left a folder"

# Processes of mpirun share the trainings of a bench.
cat > tiny.yaml <<'END'
seeds: 2
epsilons: [1, inf]
levels: [edge]
options: {hidden: 4, epochs: 2, encoder-epochs: 2}
datasets:
  made: {sbm: {nodes: 90, classes: 3, features: 8, inside: 6, outside: 2, signal: 1}}
methods:
  gap: {options: {layers: 1}}
END
ranks 2 ranks_bench utility tiny.yaml --jobs 1 --out parts > output 2>&1 || { cat output >&2; fail "a shared bench"; }
for shard in 1 2; do [ -s "parts/tiny.$shard-of-2.jsonl" ] || fail "rank $((shard - 1)) trained nothing"; done
"$SOTTO_BUILD/sotto-bench" merge tiny.yaml --out parts > output 2>&1 || fail "merge"
[ "$(wc -l < parts/tiny.jsonl)" -eq 4 ] || fail "$(wc -l < parts/tiny.jsonl) trainings of 4"
