#!/bin/sh
# Pilots of a federation choose clusters of features where classes say nothing: in one process and in several, with
# secure sums, after a crash, in answers, and in an audit. All that a client releases is one charge.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
"$SOTTO" data generate mines --nodes 2500 --out g.sotto > /dev/null
"$SOTTO" data generate mines --nodes 2500 --seed 2 --out other.sotto > /dev/null
"$SOTTO" data split g.sotto --horizontal --clients 4 --partition communities --parts --train-share 0.7 --validation-share 0.1 --out part > /dev/null
printf 'method: fedavg\nclients: 4\nrounds: 60\nencoder-epochs: 6\nhidden: 16\ninsecure-seed: 3\ngrace: 20\nadjacency: edge\nepsilon: 16\n' > run.yaml
own="--insecure-seed 3 --method fedavg --adjacency edge --epsilon 16"
dealt="--data g.sotto --partition communities --train-share 0.7 --validation-share 0.1 --threads 1"

auc() { sed 's/.*"test":{"accuracy":{[^}]*},"auc":{"mean":\([0-9.]*\).*/\1/' "$1/result.json"; }

# shellcheck disable=SC2086
"$SOTTO" train run.yaml $dealt --out whole > whole.log 2>&1 || { cat whole.log >&2; fail "one process"; }
grep -q "counted by clusters of features" whole.log || { cat whole.log >&2; fail "pilots chose classes"; }
auc whole | awk '{ exit !($1 > 0.65) }' || fail "the AUC is no better than chance: $(auc whole)"
"$SOTTO" predict whole > predict.log || { cat predict.log >&2; fail "predict"; }
grep -o '"test":{"accuracy":{"mean":[0-9.]*' whole/result.json | sed 's/.*://' | awk '{ printf "accuracy         %.4f of", $1 }' > wanted
grep -q "$(cat wanted)" predict.log || { cat wanted predict.log >&2; fail "answers have another accuracy"; }
"$SOTTO" predict whole other.sotto --epsilon 16 > other.log 2>&1 || { cat other.log >&2; fail "other data"; }
"$SOTTO" audit whole > audit.log || { cat audit.log >&2; fail "the audit objects"; }
grep -q "a pilot and another node" audit.log || { cat audit.log >&2; fail "no canary of pilots"; }

# A run that is killed in its second training goes on to the same model.
# shellcheck disable=SC2086
"$SOTTO" train run.yaml $dealt --checkpoint-every 5 --out cut > cut.log 2>&1 &
pid=$!
await "no round of the second training came" grep -q '"epoch":20,' cut/metrics.jsonl
kill -s KILL "$pid"
wait "$pid" 2> /dev/null || true
"$SOTTO" train --resume --out cut > cut.log 2>&1 || { cat cut.log >&2; fail "could not be resumed"; }
cmp cut/model.safetensors whole/model.safetensors || fail "another model after a crash"

# A server and four clients are one process.
before=$(charges part-1.sotto)
all_five plain
cmp s-plain/model.safetensors whole/model.safetensors || fail "another model than in one process"
[ "$(charges part-1.sotto)" -eq $((before + 1)) ] || fail "client 1 was charged $(($(charges part-1.sotto) - before)) times"
grep -q '"moments of pilots"' c1-plain/statement.json || fail "a client's statement does not name what it sends for the choice"
"$SOTTO" predict c1-plain > predict.log || { cat predict.log >&2; fail "a client's answers"; }
all_five secure --secure-aggregation --client-keys clients.pem
grep -q "counted by clusters of features" s.log || { cat s.log >&2; fail "pilots chose classes by secure sums"; }
if grep -q '"moments of pilots"' c1-secure/statement.json; then fail "secure sums show one client's moments"; fi
