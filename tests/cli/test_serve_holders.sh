#!/bin/sh
# A server and two holders of a finished run stay up and answer together: to the last digit what one process answers, at the holders that learn.
# Each of them is killed or stopped and comes back: the others say so at /ready, go on, and answer again by themselves.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
grep -v -e epsilon run.yaml > secure.yaml
ask() { python3 "$script" "$@" || { tail -n 4 ./?.log >&2; fail "$*"; }; }
hub=$host:7301 bank=$host:7302 shop=$host:7303
hub_pid="" bank_pid="" shop_pid=""

# serve_hub FLAGS, serve_bank FLAGS, serve_shop FLAGS: one party's service in the background.
serve_hub() {
  "$SOTTO" serve s-x --role server --dir hub --listen-peer "$hub_address" --peer bank --peer shop --listen "$hub" "$@" >> s.log 2>&1 & hub_pid=$!
}
serve_bank() {
  "${program:-$SOTTO}" serve a-x --role holder1 --dir bank --listen-peer "$bank_address" --peer "hub=$hub_address" --peer shop --listen "$bank" "$@" >> a.log 2>&1 & bank_pid=$!
}
serve_shop() {
  "$SOTTO" serve b-x --role holder2 --dir shop --peer "hub=$hub_address" --peer "bank=$bank_address" --listen "$shop" "$@" >> b.log 2>&1 & shop_pid=$!
}
serve_all() { serve_hub "$@"; serve_bank "$@"; serve_shop "$@"; }
all_ready() { for side in "$hub" "$bank" "$shop"; do ask "$side" turns GET /ready 200 '"ready":true'; done; }
# ended PID LOG: it ends well.
ended() { wait "$1" || { cat "$2" >&2; fail "$2: the service did not end well"; }; }
stop_all() {
  kill -TERM "$hub_pid" "$bank_pid" "$shop_pid"
  ended "$hub_pid" s.log
  ended "$bank_pid" a.log
  ended "$shop_pid" b.log
}
train_three() {
  rm -rf whole ?-x
  $last "$SOTTO" train "$run_file" --data g.sotto --threads 1 --out whole $own "$@" > /dev/null 2> whole.log || { cat whole.log >&2; fail "$*"; }
  all_three x "$@"
  "$SOTTO" predict whole > /dev/null
}

# All holders learn. The one with the labels is up first, and says whom it waits for.
run_file=run.yaml
train_three --epsilon 8 --encoder-epochs 12
before=$(charges part-1.sotto)
serve_shop --learns both
ask "$shop" turns GET /ready 503 "no session with hub: it was not here yet"
ask "$shop" turns POST /predict 503 "no session with hub" '{"nodes":[0]}'
serve_hub --learns both
serve_bank --learns both
all_ready
ask "$shop" exact /predict whole/predictions.csv
ask "$bank" exact /predict whole/predictions.csv
ask "$hub" turns POST /predict 403 "" '{"nodes":[0]}'
ask "$hub" turns GET /ready 200 '"learns":false'
ask "$bank" turns POST /predict 400 "nodes 0 to 299" '{"nodes":[300]}'
for side in "$hub" "$bank" "$shop"; do
  ask "$side" ask GET /metrics > metrics
  for line in 'sotto_ready 1' 'sotto_peers 2' 'sotto_peers_connected 2' 'sotto_sessions_total 1'; do
    grep -q "^$line$" metrics || { cat metrics >&2; fail "$side: no metric $line"; }
  done
done
[ "$(charges part-1.sotto)" -eq "$before" ] || fail "answers were charged"
expect 1 "another process is at work" "$SOTTO" serve a-x --role holder1 --dir bank --listen-peer "$host:7009" --peer "hub=$hub_address" --peer shop --listen "$host:7304"

# Killed: a holder without labels needs the one that has them, which goes on with what it has. Then each comes back.
kill -9 "$shop_pid"
ask "$bank" turns GET /ready 503 "no session with shop: the connection broke"
ask "$bank" turns POST /predict 503 "no session with shop" '{"nodes":[0]}'
serve_shop --learns both
all_ready
ask "$bank" exact /predict whole/predictions.csv
kill -9 "$bank_pid"
ask "$shop" turns GET /ready 503 "no session with bank: the connection broke"
ask "$shop" exact /predict whole/predictions.csv
serve_bank --learns both
all_ready
kill -9 "$hub_pid"
ask "$bank" turns GET /ready 503 "no session with hub: the connection broke"
serve_hub --learns both
all_ready
ask "$bank" exact /predict whole/predictions.csv
ask "$shop" exact /predict whole/predictions.csv

# Stopped: the others hear it, whoever it is.
kill -TERM "$bank_pid"
ended "$bank_pid" a.log
grep -q asked.nodes a-x/predictions.json || { cat a-x/predictions.json >&2; fail "the record of holder1 lacks the nodes that it asks about"; }
ask "$shop" turns GET /ready 503 "stopped its service"
ask "$hub" turns GET /ready 503 "stopped its service"
serve_bank --learns both
all_ready

# Other terms end the session, and nothing else; and a party that answers once is not one that stays.
kill -TERM "$bank_pid"
ended "$bank_pid" a.log
serve_bank
ask "$shop" turns GET /ready 503 "'predict.learns' is"
ask "$hub" turns GET /ready 503 "'predict.learns' is"
kill -TERM "$bank_pid"
ended "$bank_pid" a.log
serve_bank --learns both
all_ready

# A holder's question that is none ends the session of all, and they come back.
kill -9 "$bank_pid"
wait "$bank_pid" 2> /dev/null || true
SOTTO_LIE=outside; export SOTTO_LIE
program=$SOTTO_LYING_ANSWER serve_bank --learns both
unset SOTTO_LIE
ask "$bank" turns GET /ready 200 '"ready":true'
ask "$bank" turns POST /predict 503 "" '{"nodes":[0]}'
logs=b.log await "the holder with the labels does not say what came" grep -q "has 4294967295, and there are 300" b.log
ask "$shop" exact /predict whole/predictions.csv
kill -9 "$bank_pid"
wait "$bank_pid" 2> /dev/null || true
serve_bank --learns both
all_ready
ask "$bank" exact /predict whole/predictions.csv
stop_all

# Under shares, and for the holder with the labels alone.
run_file=secure.yaml own="--insecure-seed 3"
train_three --method securegnn --epochs 3
serve_all
all_ready
ask "$shop" same /predict whole/predictions.csv
ask "$bank" turns POST /predict 403 "for the other party alone" '{"nodes":[0]}'
stop_all
echo "three services answer as one process does"
