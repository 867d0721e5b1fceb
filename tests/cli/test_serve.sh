#!/bin/sh
# sotto serve: answers are those of `sotto predict`; errors say what, where and what to do; malformed requests; two versions
# side by side; a new run while the old one answers; tokens and sockets; who is refused.
. "$(dirname "$0")/common.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
at=$host:7201
serve() { python3 "$script" "$@"; }

"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
for seed in 1 2; do
  "$SOTTO" train --method best --data g.sotto --epsilon 4 --seed $seed --encoder-epochs 20 --epochs 20 --threads 1 --out "run$seed" > /dev/null 2>&1 ||
    fail "no run $seed"
  "$SOTTO" predict "run$seed" --out "p$seed.csv" > /dev/null
done
"$SOTTO" ledger budget g.sotto --epsilon 100 > /dev/null
! cmp -s p1.csv p2.csv || fail "both runs say the same"
ln -s run1 current

"$SOTTO" serve current new=run2 --listen "$at" > serve.out 2> serve.log &
pid=$!
serve "$at" until /ready '"ready":true'
serve "$at" same /predict p1.csv
serve "$at" same /predict/current p1.csv
serve "$at" same /predict/new p2.csv
serve "$at" cases
serve "$at" fuzz "${ROUNDS:-400}" "$SOTTO_SOURCE/docs/openapi.yaml" > fuzz.log 2>&1 || { cat fuzz.log serve.log >&2; fail "malformed requests"; }
kill -0 "$pid" || { cat serve.log >&2; fail "the service ended"; }
serve "$at" ask GET /statement > statement
sed 1d statement | cmp - run1/statement.json || fail "the statement is not that of the run"
serve "$at" ask GET /metrics > metrics
for line in 'sotto_ready 1' 'sotto_run_epsilon{run="new"} 4' 'sotto_http_requests_total{code="403"} [1-9]' 'sotto_epsilon_budget{run="current"} 100' \
  'sotto_predict_seconds_count [1-9]' 'sotto_predictions_total{run="new"} [3-9]'
do grep -q "^$line" metrics || { cat metrics >&2; fail "no metric $line"; }; done

"$SOTTO" serve --help | grep -q "curl --json" || fail "the example of --help is refused: its body is not declared as JSON"

# The link leads to another run, and nobody notices the change but by the answers.
ln -sfn run2 current
serve "$at" hammer "kill -HUP $pid && python3 $script $at until /health '\"name\":\"current\",\"ready\":true,\"generation\":2'"
serve "$at" same /predict p2.csv
# A run that cannot be loaded leaves the one before.
ln -sfn nowhere current
serve "$at" ask POST /reload > reload
grep -q '"reloading":true' reload || { cat reload >&2; fail "no reload"; }
serve "$at" until /health '"problem":"current: no run folder'
serve "$at" same /predict p2.csv
serve "$at" ask GET /metrics > metrics
grep -q '^sotto_run_reload_failed{run="current"} 1$' metrics || fail "the metrics do not show the failure"
kill -TERM "$pid"
wait "$pid" || { cat serve.log >&2; fail "it did not end well"; }
grep -q "the one before goes on answering" serve.log || { cat serve.log >&2; fail "the log does not name the failure"; }

# A Unix socket with a token.
head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' > token
chmod 600 token
"$SOTTO" serve run1 --listen "unix:$folder/socket" --token token --log json 2> serve.log &
pid=$!
await "no socket came" [ -S socket ]
asked() { serve "unix:$folder/socket" ask POST /predict '{"nodes":[0]}' "$@" > asked; head -1 asked; }
[ "$(asked)" = 401 ] || { cat asked >&2; fail "no token was needed"; }
ready() { [ "$(asked "Authorization: Bearer $(cat token)")" != 503 ]; }
await "it was never ready" ready
[ "$(asked "Authorization: Bearer $(cat token)")" = 200 ] || { cat asked >&2; fail "the token does not let in"; }
kill -INT "$pid"
wait "$pid" || { cat serve.log >&2; fail "it did not end well"; }
grep -q '"event":"listening"' serve.log || { cat serve.log >&2; fail "no line of JSON"; }
[ ! -e socket ] || fail "the socket is left behind"

# Who is refused, and why.
"$SOTTO" train --method gap --data g.sotto --epsilon inf --not-private --epochs 5 --encoder-epochs 5 --threads 1 --out open > /dev/null 2>&1 || fail "no run without privacy"
expect 1 "a token is needed: give its file with --token" "$SOTTO" serve run1 --listen 0.0.0.0:0
expect 3 "would reveal edges" "$SOTTO" serve open --listen 0.0.0.0:0 --token token
python3 -c 'import json
s = json.load(open("open/statement.json"))
v = s["verdicts"][0]
v["class"], v["colour"], v["text"] = "strong", "green", "edges of `owner`: epsilon 1, a guess is right at most 74 times of 100 (strong)"
s["verdict"], s["verdict_class"] = v["text"], "strong"
json.dump(s, open("open/statement.json", "w"))'
expect 1 "verdicts\[0\].class does not follow" "$SOTTO" serve open --listen 0.0.0.0:0 --token token
cp -r run1 unsigned && rm unsigned/evidence.json
expect 3 "NOT SIGNED; .*answers to others would reveal edges" "$SOTTO" serve unsigned --listen 0.0.0.0:0 --token token
cp -r run1 edited && printf x >> edited/seed-1/result.json
expect 1 "seed-1/result.json: was changed" "$SOTTO" serve edited --listen "$at"
expect 1 "no run folder" "$SOTTO" serve nothing --listen "$at"
expect 2 "two runs are called 'run1'" "$SOTTO" serve run1 run1 --listen "$at"
expect 2 "NAME=RUN" "$SOTTO" serve "a b=run1" --listen "$at"
expect 2 "name a run folder" "$SOTTO" serve
cp -r run1 half
printf label > half/role
expect 1 "is the folder of one of two parties" "$SOTTO" serve half --listen "$at"
