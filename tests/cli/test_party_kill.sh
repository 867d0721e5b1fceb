#!/bin/sh
# Either party is killed at any moment and started again with the same command: the run completes, the model is that
# of an undisturbed run, and every release is charged once. Odd rounds release counts; even ones have two releases with
# gradients between them, told labels, and edges and features on both sides. ROUNDS=50 EPOCHS=200 for a long look,
# ONLY=2 for even rounds alone; every round prints its seed.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
echo "checkpoint-every: ${EVERY:-4}" >> run.yaml
rounds=${ROUNDS:-4}

# prepare KIND FLAGS...: what an undisturbed run gives, whole-KIND; how long it takes, in hundredths of a second: where
# the kills should fall; how much it charges.
all_charges() { "$SOTTO" ledger show --json | grep -o '"id"' | wc -l; }
exposed() { grep -o '"payload": "[^"]*"' "$1/statement.json"; }
prepare() {
  kind=$1 holds_data=$2 holds_labels=$3
  shift 3
  "$SOTTO" train run.yaml --data g.sotto --threads 1 --out "whole-$kind" "$@" > /dev/null 2>&1 ||
    fail "one process failed with $*"
  before=$(all_charges)
  start=$(date +%s%N)
  data "calm-d-$kind" --data "$holds_data" "$@" > /dev/null 2>&1 &
  label "calm-l-$kind" --data "$holds_labels" "$@" > /dev/null 2>&1 || fail "an undisturbed run failed with $*"
  wait
  length=$((($(date +%s%N) - start) / 10000000 + 1))
  cost=$(($(all_charges) - before))
}
whole="--releases 2 --layer-weights --label-epsilon 2 --label-features 0.5 --label-edges 0.3"
"$SOTTO" data part g.sotto --label-features 0.5 --label-edges 0.3 --data-out a.sotto --label-out b.sotto
plain="--publication counts --layers 1"
# shellcheck disable=SC2086
prepare 1 g.sotto g.sotto $plain
length1=$length cost1=$cost
# shellcheck disable=SC2086
prepare 2 a.sotto b.sotto $whole
length2=$length cost2=$cost
# A machine that is slow to run is slow to start; and a party whose peer was done before it came back waits as long.
sed -i "s,grace: 20,grace: $((6 + (length1 + length2) / 100))," run.yaml
[ "$cost1" -eq 2 ] || fail "two seeds are $cost1 charges"
[ "$cost2" -eq 9 ] || fail "two seeds with two releases on both sides, and told labels, are $cost2 charges"

round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  kind=${ONLY:-$((2 - round % 2))}
  if [ "$kind" -eq 1 ]
  then length=$length1 cost=$cost1 flags_d="--data g.sotto $plain" flags_l="--data g.sotto $plain"
  else length=$length2 cost=$cost2 flags_d="--data a.sotto $whole" flags_l="--data b.sotto $whole"
  fi
  echo "round $round, kind $kind, SOTTO_TEST_SEED=$seed"
  rm -rf d l
  before=$(all_charges)
  kills=3
  # shellcheck disable=SC2086
  run=exec data d $flags_d > d.log 2>&1 & data_pid=$!
  # shellcheck disable=SC2086
  run=exec label l $flags_l > l.log 2>&1 & label_pid=$!
  while [ "$kills" -gt 0 ]; do
    kills=$((kills - 1))
    random "$length"
    moment "$random"
    random 4
    signal=KILL
    [ "$random" -gt 0 ] || signal=TERM # an orderly stop is one more way to end
    random 2
    if [ "$random" -eq 0 ]; then
      kill -s "$signal" "$data_pid" 2> /dev/null || true
      wait "$data_pid" 2> /dev/null || true
      # shellcheck disable=SC2086
      run=exec data d $flags_d >> d.log 2>&1 & data_pid=$!
    else
      kill -s "$signal" "$label_pid" 2> /dev/null || true
      wait "$label_pid" 2> /dev/null || true
      # shellcheck disable=SC2086
      run=exec label l $flags_l >> l.log 2>&1 & label_pid=$!
    fi
  done
  wait "$data_pid" || { cat d.log >&2; echo LABEL >&2; cat l.log >&2; fail "round $round: the data party failed"; }
  wait "$label_pid" || { cat l.log >&2; fail "round $round: the label party failed"; }
  same_model 1 d l "whole-$kind"
  same_model 2 d l "whole-$kind"
  tensors d/model.safetensors l/model.safetensors > halves
  tensors "whole-$kind/model.safetensors" > whole.tensors
  cmp halves whole.tensors || fail "round $round: another training is kept than by one process"
  [ $(($(all_charges) - before)) -eq "$cost" ] ||
    fail "round $round: $(($(all_charges) - before)) charges, not $cost"
  for side in d l; do
    [ "$(exposed "$side")" = "$(exposed "calm-$side-$kind")" ] ||
      fail "round $round: the statement of $side names $(exposed "$side"), and undisturbed $(exposed "calm-$side-$kind")"
  done
  grep -q . l/result.json l/owner-only/result.json 2> /dev/null || fail "round $round: no result"
  [ -z "$(ls d/seed-*/owner-only/stages l/seed-*/owner-only/stages 2> /dev/null || true)" ] || [ ! -e d/finished ] || [ ! -e l/finished ] ||
    fail "round $round: checkpoints are left"
done
