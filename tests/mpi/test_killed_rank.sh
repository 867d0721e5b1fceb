#!/bin/sh
# A rank that is killed ends the run of all with a named error, and its folder goes on, over another number of ranks,
# to the bytes of a run that was not killed; it is charged once. So does a table of pairs.
. "$(dirname "$0")/common.sh"

# The table of pairs: what was finished is in one file, whoever of several ranks computed it.
shapes 80 6 24
compare="compare shapes --by paths --threads 1 --starts 60 --out"
"$SOTTO" $compare one.npz > output 2>&1 || { cat output >&2; fail "a table by one process"; }
mpirun --oversubscribe -n 2 "$SOTTO" $compare cut.npz > output 2>&1 &
launcher=$!
has_pairs() { [ "$(stat -c %s cut.npz.state || echo 0)" -gt 48 ]; }
await_or_end "$launcher" "no pair was finished" has_pairs
kill -s KILL "$(pgrep -P "$launcher" | sort -n | sed -n 2p)" || fail "the table was done before the kill"
code=0
wait "$launcher" || code=$?
[ "$code" -ne 0 ] || fail "a table whose rank was killed ended well"
[ ! -e cut.npz ] || fail "a killed rank left a table"
ranks 3 ranks_sotto $compare cut.npz > output 2>&1 || { cat output >&2; fail "the table was not gone on with"; }
[ "$(grep -c 'mean distance' output)" -eq 1 ] || fail "three ranks did not speak by one"
! grep -q '(0 from the state file)' output || fail "all pairs were computed again"
cmp one.npz cut.npz && cmp one.csv cut.csv || fail "other distances after a rank was killed"
[ ! -e cut.npz.state ] || fail "a finished table left its state"

"$SOTTO" data generate sbm --nodes 2000 --features 16 --out g.sotto > /dev/null
options="--data ../g.sotto --hidden 8 --encoder-epochs 5 --epochs 300 --epsilon 4 --insecure-seed 3 --checkpoint-every 1"
made() { # FOLDER: digests of its releases and its model
  (cd "$1" && find run -name release.bin -o -name 'counts*.sotto' -o -name model.safetensors | sort | xargs sha256sum)
}
states() { grep -q "\"$2\": 1" "$1/run/statement.json"; }

# VICTIM METHOD THERE, what the seed's folder has once the rank may be killed
cut() {
  victim=$1 method=$2 there=$3 at=cut-$2-$1
  mkdir "$at"
  cd "$at"
  mpirun --oversubscribe -n 2 "$SOTTO" train --method "$method" $options --threads 1 --out run > output 2>&1 &
  launcher=$!
  await_or_end "$launcher" "no checkpoint came" there "run/seed-1/$there"
  kill -s KILL "$(pgrep -P "$launcher" | sort -n | sed -n "${victim}p")" || fail "the run was over before the kill"
  code=0
  wait "$launcher" || code=$?
  [ "$code" -ne 0 ] || fail "a run whose rank was killed ended well"
  named_dead $((victim - 1))
  [ ! -e run/model.safetensors ] || fail "a killed run left a model"
  ranks 3 ranks_sotto train --resume --threads 1 --out run > output 2>&1 || { cat output >&2; fail "not resumed"; }
  cd ..
  [ "$(made "whole-$method")" = "$(made "$at")" ] || fail "$method: other bytes after a rank was killed"
  states "$at" charges_made || states "$at" releases_made || fail "$method: not one release"
}

for method in gap vesper; do
  mkdir "whole-$method"
  (cd "whole-$method" && ranks 2 ranks_sotto train --method "$method" $options --threads 1 --out run) \
    > "whole-$method/output" 2>&1 || fail "a run of $method that is left alone"
done
cut 1 gap "owner-only/stages/*"
cut 2 gap "owner-only/stages/*"
cut 1 vesper "owner-only/stages/data-*" # while both parties train the encoder
cut 2 vesper counts-0.sotto # while the correction is trained
