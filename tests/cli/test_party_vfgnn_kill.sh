#!/bin/sh
# The server or a holder is killed at any moment and started again with the same command: the run completes, and the
# model is that of an undisturbed run in one process. Of four rounds one has noisy rows and one noisy
# counts, where what is published again is what was charged, and the statement is of these charges; one has two seeds. ROUNDS=20 EPOCHS=100 for a long look; every round prints its seed.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"
echo "checkpoint-every: ${EVERY:-4}" >> run.yaml
rounds=${ROUNDS:-4}

# What undisturbed runs give, and how long one takes, in hundredths of a second: where the kills should fall.
noisy="--publication rows --epsilon 8 --delta 1e-4" two="--seeds 2"
counts="--epsilon 8 --layers 2 --encoder-epochs ${EPOCHS:-20}"
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-0 > /dev/null 2>&1
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-1 $noisy > /dev/null 2>&1
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-3 $counts > /dev/null 2>&1
start=$(date +%s%N)
all_three calm
length=$((($(date +%s%N) - start) / 10000000 + 1))
same_model s-calm a-calm b-calm whole-0
# Two seeds deal one dataset twice in one process, so their model is that of an undisturbed run of three.
all_three whole-2 $two
# A machine that is slow to run is slow to start; and a party whose peers were done before it came back waits as long.
sed -i "s,grace: [0-9]*,grace: $((6 + length / 50))," run.yaml

start_party() { # NUMBER
  case $1 in
    # shellcheck disable=SC2086
    0) run=exec server s $flags >> s.log 2>&1 & ;;
    # shellcheck disable=SC2086
    1) run=exec holder1 a $flags >> a.log 2>&1 & ;;
    # shellcheck disable=SC2086
    2) run=exec holder2 b $flags >> b.log 2>&1 & ;;
  esac
}
round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  kind=$((round % 4))
  case $kind in 0) flags="" ;; 1) flags=$noisy ;; 2) flags=$two ;; 3) flags=$counts ;; esac
  echo "round $round, kind $kind, SOTTO_TEST_SEED=$seed"
  rm -rf s a b s.log a.log b.log
  before=$(charges part-1.sotto)
  start_party 0; pid0=$!
  start_party 1; pid1=$!
  start_party 2; pid2=$!
  kills=3
  while [ "$kills" -gt 0 ]; do
    kills=$((kills - 1))
    random $((length * 2 / 3))
    moment "$random"
    random 4
    signal=KILL
    [ "$random" -gt 0 ] || signal=TERM # an orderly stop is one more way to end
    random 3
    victim=$random
    eval "pid=\$pid$victim"
    kill -s "$signal" "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    start_party "$victim"
    eval "pid$victim=\$!"
  done
  for party in 0 1 2; do
    eval "wait \$pid$party" || { tail -n 40 s.log a.log b.log >&2; fail "round $round: party $party failed"; }
  done
  if [ "$kind" -eq 2 ]
  then
    for party in s a b; do
      cmp "$party/model.safetensors" "$party-whole-2/model.safetensors" || fail "round $round: $party has another model"
    done
  else same_model s a b "whole-$kind"
  fi
  epochs=${EPOCHS:-20}
  [ "$kind" -ne 1 ] || [ $(($(charges part-1.sotto) - before)) -eq "$epochs" ] ||
    fail "round $round: $(($(charges part-1.sotto) - before)) charges for $epochs epochs"
  [ "$kind" -ne 1 ] || grep -q "\"charges_made\": $epochs" a/statement.json ||
    fail "round $round: the statement does not have the $epochs charges"
  [ "$kind" -ne 3 ] || [ $(($(charges part-1.sotto) - before)) -eq 2 ] ||
    fail "round $round: $(($(charges part-1.sotto) - before)) charges for 2 rounds of counts"
  [ "$kind" -ne 3 ] || grep -q '"charges_made": 2' a/statement.json ||
    fail "round $round: the statement does not have the 2 charges"
  [ $((kind % 2)) -eq 1 ] || [ "$(charges part-1.sotto)" -eq "$before" ] || fail "round $round: a charge without noise"
  # The server was told of the data again at each restart, and is told nothing now: its statement has one plan.
  if [ "$kind" -eq 1 ]; then
    for start in 1 2; do
      grep -q 'NOT protected: noise from a fixed seed' s/statement.json ||
        fail "round $round: the server's verdict, start $start"
      [ "$(grep -c '"releases_planned"' s/statement.json)" -eq 1 ] ||
        fail "round $round: the server states its plan twice"
      # shellcheck disable=SC2086
      [ "$start" -eq 2 ] || server s $flags >> s.log 2>&1 ||
        { tail s.log >&2; fail "round $round: the server does not show its run"; }
    done
  fi
  [ -z "$(ls s/seed-*/owner-only/stages a/seed-*/owner-only/stages b/seed-*/owner-only/stages 2> /dev/null || true)" ] ||
    [ ! -e a/finished ] || [ ! -e b/finished ] || [ ! -e s/finished ] || fail "round $round: checkpoints are left"
done
