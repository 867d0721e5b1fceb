#!/bin/sh
# Either party is killed at any moment and started again with the same command: the run completes, the model is that
# of an undisturbed run, and every seed is charged once. ROUNDS=50 EPOCHS=200 for a long look; every round prints its
# seed.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i "s,grace: 20,grace: 6," run.yaml
rounds=${ROUNDS:-3}
seed=${SOTTO_TEST_SEED:-$$}
random() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); random=$((seed / 65536 % $1)); }

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > /dev/null 2>&1
# How long an undisturbed run takes, in hundredths of a second: where the kills should fall.
start=$(date +%s%N)
data calm-d > /dev/null 2>&1 &
label calm-l > /dev/null 2>&1 || fail "an undisturbed run failed"
wait
length=$((($(date +%s%N) - start) / 10000000 + 1))

round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  echo "round $round, SOTTO_TEST_SEED=$seed"
  rm -rf d l
  before=$(charges g.sotto)
  kills=3
  run=exec data d > d.log 2>&1 & data_pid=$!
  run=exec label l > l.log 2>&1 & label_pid=$!
  while [ "$kills" -gt 0 ]; do
    kills=$((kills - 1))
    random "$length"
    sleep "$(printf '%d.%02d' $((random / 100)) $((random % 100)))"
    random 4
    signal=KILL
    [ "$random" -gt 0 ] || signal=TERM # an orderly stop is one more way to end
    random 2
    if [ "$random" -eq 0 ]; then
      kill -s "$signal" "$data_pid" 2> /dev/null || true
      wait "$data_pid" 2> /dev/null || true
      run=exec data d >> d.log 2>&1 & data_pid=$!
    else
      kill -s "$signal" "$label_pid" 2> /dev/null || true
      wait "$label_pid" 2> /dev/null || true
      run=exec label l >> l.log 2>&1 & label_pid=$!
    fi
  done
  wait "$data_pid" || { cat d.log >&2; echo LABEL >&2; cat l.log >&2; fail "round $round: the data party failed"; }
  wait "$label_pid" || { cat l.log >&2; fail "round $round: the label party failed"; }
  same_model 1 d l whole
  same_model 2 d l whole
  [ $(($(charges g.sotto) - before)) -eq 2 ] || fail "round $round: $(($(charges g.sotto) - before)) charges, not 2"
  grep -q . l/result.json || fail "round $round: no result"
done
