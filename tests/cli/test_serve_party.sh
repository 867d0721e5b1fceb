#!/bin/sh
# Two services answer together for a run of two parties: to the last digit what one process answers, at the sides that learn.
# One is killed, stopped and started again, and lies: the other says so at /ready, goes on, and comes back by itself.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
bank=$host:7301 partner=$host:7302
sed -i 's/^seeds: .*/seeds: 1/; s/^publication: .*/publication: counts/' run.yaml
ask() { python3 "$script" "$@"; }

# serve_data FLAGS, serve_label FLAGS: one side's service in the background; its process is in $pid.
serve_data() {
  "${program:-$SOTTO}" serve da --role data --dir bank --peer partner --listen-peer "$host:$port" --listen "$bank" "$@" >> d.log 2>&1 &
  pid=$! data_pid=$!
}
serve_label() {
  "${program:-$SOTTO}" serve la --role label --dir partner --peer "bank=$host:$port" --listen "$partner" "$@" >> l.log 2>&1 &
  pid=$! label_pid=$!
}
# ended PID LOG: it ends well, and says nothing of a fault of its own.
ended() { wait "$1" || { cat "$2" >&2; fail "$2: the service did not end well"; }; }

train_two() {
  rm -rf whole da la
  "$SOTTO" train run.yaml --data g.sotto --threads 1 "$@" --out whole > /dev/null 2> whole.log || { cat whole.log >&2; fail "$*"; }
  data da "$@" > /dev/null 2> da.log &
  label la "$@" > /dev/null 2> la.log || { cat la.log >&2; fail "the label party failed with $*"; }
  wait $! || { cat da.log >&2; fail "the data party failed with $*"; }
  "$SOTTO" predict whole > /dev/null
}

# Both learn. The label party is up first: it cannot answer, and says why.
train_two --layers 2
before=$(charges g.sotto)
serve_label --learns both
ask "$partner" turns GET /ready 503 "no session with bank: it was not here yet"
ask "$partner" turns POST /predict 503 "no session with bank" '{"nodes":[0]}'
ask "$partner" turns GET /health 200 '"connected":false'
serve_data --learns both
for side in "$bank" "$partner"; do
  ask "$side" turns GET /ready 200 '"ready":true'
  ask "$side" exact /predict whole/predictions.csv
  ask "$side" turns POST /predict 400 "nodes 0 to 299" '{"nodes":[300]}'
  ask "$side" turns POST /reload 409 "not loaded anew"
  ask "$side" ask GET /metrics > metrics
  for line in 'sotto_ready 1' 'sotto_peers_connected 1' 'sotto_sessions_total 1' 'sotto_predictions_total{run="[dl]a"} 300'; do
    grep -q "^$line$" metrics || { cat metrics >&2; fail "$side: no metric $line"; }
  done
done
# One session, and each round of counts in it once: 300 nodes, 4 classes, 2 rounds.
grep -q '^sotto_received_bytes_total{kind="release"} 9600$' metrics || { cat metrics >&2; fail "the rounds were sent more than once"; }
ask "$partner" ask GET /statement | sed 1d | cmp - la/statement.json || fail "the statement is not that of the run"
grep -q '"learns": "both"' la/predictions.json || fail "no record of who learns"
[ "$(charges g.sotto)" -eq "$before" ] || fail "answers were charged"
expect 1 "another process is at work" "$SOTTO" serve da --role data --dir bank --peer partner --listen-peer "$host:7009" --listen "$host:7303"

# Killed: the data party needs the label party for each answer, and the label party has what it needs.
kill -9 "$label_pid"
ask "$bank" turns GET /ready 503 "no session with partner: the connection broke"
ask "$bank" turns POST /predict 503 "no session with partner" '{"nodes":[0]}'
ask "$bank" ask GET /metrics > metrics
grep -q '^sotto_peers_connected 0$' metrics || { cat metrics >&2; fail "the metrics show a party that was killed"; }
serve_label --learns both
ask "$bank" turns GET /ready 200 '"sessions":2'
ask "$bank" exact /predict whole/predictions.csv
ask "$partner" turns GET /ready 200 '"ready":true'
kill -9 "$data_pid"
ask "$partner" turns GET /ready 503 "no session with bank: the connection broke"
ask "$partner" exact /predict whole/predictions.csv
serve_data --learns both
ask "$partner" turns GET /ready 200 '"sessions":2'
ask "$bank" turns GET /ready 200 '"ready":true'
ask "$bank" exact /predict whole/predictions.csv

# Stopped: the other one hears it.
kill -TERM "$data_pid"
ended "$data_pid" d.log
ask "$partner" turns GET /ready 503 "it stopped its service"
serve_data --learns both
ask "$partner" turns GET /ready 200 '"sessions":3'

# Other terms end the session, and nothing else; and a party that answers once is not one that stays.
kill -TERM "$data_pid"
ended "$data_pid" d.log
serve_data --learns data
ask "$partner" turns GET /ready 503 "'predict.learns' is"
ask "$bank" turns GET /ready 503 "'predict.learns' is"
kill -TERM "$data_pid"
ended "$data_pid" d.log
expect 1 "'predict.stays' is" "$SOTTO" run predict da --role data --dir bank --peer partner --listen "$host:$port" --learns both

# Lies of the data party: no answers come of them, and the label party goes on. Then the truth.
kill -TERM "$label_pid"
ended "$label_pid" l.log
for lie in rows nan kind unpaid asked; do
  SOTTO_LIE=$lie; export SOTTO_LIE
  program=$SOTTO_LYING_ANSWER serve_data --learns both
  unset SOTTO_LIE
  serve_label --learns both
  case $lie in unpaid) words=counts ;; asked) words="4294967295 nodes are asked for" ;; *) words="embeddings.asked" ;; esac
  ask "$partner" turns GET /ready 503 "$words"
  ask "$partner" turns POST /predict 503 "no session with bank" '{"nodes":[0]}'
  kill -9 "$data_pid"
  wait "$data_pid" 2> /dev/null || true
  serve_data --learns both
  ask "$partner" turns GET /ready 200 '"sessions":1'
  ask "$partner" exact /predict whole/predictions.csv
  kill -TERM "$data_pid" "$label_pid"
  ended "$data_pid" d.log
  ended "$label_pid" l.log
done
# Of the label party: the request fails, the session ends, and the next one stands.
serve_data --learns both
for lie in sum negative nan kind; do
  SOTTO_LIE=$lie; export SOTTO_LIE
  program=$SOTTO_LYING_ANSWER serve_label --learns both
  unset SOTTO_LIE
  ask "$bank" turns GET /ready 200 '"ready":true'
  case $lie in sum | negative) words="no row of class probabilities" ;; *) words="answers" ;; esac
  ask "$bank" turns POST /predict 503 "$words" '{"nodes":[0,7]}'
  kill -9 "$label_pid"
  wait "$label_pid" 2> /dev/null || true
done
serve_label --learns both
ask "$bank" turns GET /ready 200 '"ready":true'
ask "$bank" exact /predict whole/predictions.csv
kill -TERM "$data_pid"
ended "$data_pid" d.log
# Of the data party again: questions that are none.
for lie in again outside; do
  SOTTO_LIE=$lie; export SOTTO_LIE
  program=$SOTTO_LYING_ANSWER serve_data --learns both
  unset SOTTO_LIE
  ask "$bank" turns GET /ready 200 '"ready":true'
  ask "$bank" turns POST /predict 503 "" '{"nodes":[0]}'
  case $lie in again) words="4294967295 nodes are asked for; it is 1 to 10000" ;; *) words="has 4294967295, and there are 300" ;; esac
  logs=l.log await "the label party does not say '$words'" grep -q "$words" l.log
  ask "$partner" exact /predict whole/predictions.csv
  kill -9 "$data_pid"
  wait "$data_pid" 2> /dev/null || true
done
kill -TERM "$label_pid"
ended "$label_pid" l.log

# The label party alone learns, of layers: the data party answers nothing.
train_two --publication layers
serve_data
serve_label
ask "$partner" turns GET /ready 200 '"ready":true'
ask "$partner" exact /predict whole/predictions.csv
ask "$bank" turns GET /ready 200 '"learns":false'
ask "$bank" turns POST /predict 403 "for the other party alone" '{"nodes":[0]}'
ask "$partner" turns POST /predict 403 "rows are new data" '{"rows":[{"age":40}]}'
kill -INT "$data_pid" "$label_pid"
ended "$data_pid" d.log
ended "$label_pid" l.log

# What is refused before anything is sent.
expect 2 "it is label, data or both" "$SOTTO" serve la --role label --dir partner --peer "bank=$host:$port" --learns all
expect 2 "one party listens" "$SOTTO" serve la --role label --dir partner --peer bank
expect 2 "give the folder of the run" "$SOTTO" serve --role label --peer "bank=$host:$port"
expect 1 ".sotto serve. with a role" "$SOTTO" serve la --listen "$partner"
expect 1 "nobody" "$SOTTO" serve la --role label --dir nobody --peer "bank=$host:$port" --listen "$partner"
mv la/seed-1/result.json kept.json
expect 1 "result.json: is missing" "$SOTTO" serve la --role label --dir partner --peer "bank=$host:$port" --listen "$partner"
