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
train() {
  program=$1
  shift
  ranks "$program" ranks_sotto train --method gap --data ../g.sotto --hidden 8 --encoder-epochs 5 --epochs "$@" --epsilon 4 \
    --insecure-seed 3 --checkpoint-every 1 --threads 1 --out run
}
mkdir whole
(cd whole && train 2 300) > whole/output 2>&1 || fail "a run that is left alone"

for victim in 1 2; do
  mkdir "cut$victim"
  cd "cut$victim"
  mpirun --oversubscribe -n 2 "$SOTTO" train --method gap --data ../g.sotto --hidden 8 --encoder-epochs 5 --epochs 300 \
    --epsilon 4 --insecure-seed 3 --checkpoint-every 1 --threads 1 --out run > output 2>&1 &
  launcher=$!
  await_or_end "$launcher" "no checkpoint came" there "run/seed-1/owner-only/stages/*"
  kill -s KILL "$(pgrep -P "$launcher" | sort -n | sed -n "${victim}p")" || fail "the run was over before the kill"
  code=0
  wait "$launcher" || code=$?
  [ "$code" -ne 0 ] || fail "a run whose rank was killed ended well"
  grep -Eq "rank $((victim - 1)).*(signal 9|[Kk]illed)|waited for rank $((victim - 1))" output ||
    { cat output >&2; fail "the error does not name the rank"; }
  [ ! -e run/model.safetensors ] || fail "a killed run left a model"
  ranks 3 ranks_sotto train --resume --threads 1 --out run > output 2>&1 || { cat output >&2; fail "not resumed"; }
  cd ..
  [ "$(digests whole)" = "$(digests "cut$victim")" ] || fail "other bytes after a rank was killed"
  grep -q '"charges_made": 1' "cut$victim/run/statement.json" || grep -q '"releases_made": 1' "cut$victim/run/statement.json" ||
    fail "not one release"
done
