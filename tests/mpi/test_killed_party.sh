#!/bin/sh
# A killed rank of a data party ends the ranks with its name, and the label party waits for them. Where the label party
# is killed and started again, the ranks say so and end. In all cases the run goes on over another number of ranks, to
# the bytes of a run that is left alone.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
"$SOTTO" data generate sbm --nodes 2000 --features 16 --out g.sotto > /dev/null
own="--data $folder/g.sotto"
begin() { # FOLDER
  mkdir "$1"
  cd "$1"
  printf 'method: vesper\nhidden: 8\nencoder-epochs: 40\nepochs: 20\nepsilon: 8\nlayers: 1\ncheckpoint-every: 1\n' > run.yaml
}
begin calm
# shellcheck disable=SC2086
both 0 $own
cd ..

# VICTIM: 1 and 2, of the processes of mpirun, or the label party.
cut() {
  victim=$1
  begin "cut-$victim"
  # shellcheck disable=SC2086
  {
    (data 2 $own) > data.log 2>&1 &
    launcher=$!
    (run=exec label $own) > label.log 2>&1 &
    other=$!
  }
  await_or_end "$launcher" "no checkpoint came" there "run-data/seed-1/owner-only/stages/*"
  if [ "$victim" = label ]; then
    kill -s KILL "$other" || fail "the run was over before the kill"
    wait "$other" || true
    # shellcheck disable=SC2086
    (run=exec label $own) > label.log 2>&1 &
    other=$!
  else
    kill -s KILL "$(pgrep -P "$launcher" | sort -n | sed -n "${victim}p")" || fail "the run was over before the kill"
  fi
  code=0
  wait "$launcher" || code=$?
  [ "$code" -ne 0 ] || show "$victim: ranks that were cut ended well"
  cp data.log output
  if [ "$victim" = label ]; then
    grep -q 'label began anew, and ranks do not go back' output || show "the ranks do not say why they end"
  else
    named_dead $((victim - 1))
  fi
  # shellcheck disable=SC2086
  (data 3 $own) > data.log 2>&1 || show "$victim: the ranks did not go on"
  wait "$other" || show "$victim: the label party did not go on"
  grep -q 'going on from checkpoint' data.log || show "$victim: all began again"
  collect
  cd ..
  cmp calm/bytes "cut-$victim/bytes" || fail "$victim: other bytes after a kill"
}
for victim in 1 2 label; do cut "$victim"; done
[ "$(charges g.sotto)" -eq 4 ] || fail "four runs are $(charges g.sotto) charges"
