#!/bin/sh
# A server and four clients over TLS are one process: the same model bit for bit, whatever the method; a client or the
# server that is killed comes back; what does not fit is named.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"

measures() { grep -o '"test":{"accuracy":{"mean":[0-9.][0-9.]*' "$1/result.json"; }
both() { # NAME FLAGS...
  name=$1
  shift
  "$SOTTO" train run.yaml --data g.sotto --threads 1 --out "whole-$name" "$@" > whole.log 2>&1 ||
    { cat whole.log >&2; fail "one process failed with $*"; }
  all_five "$name" "$@"
  cmp "s-$name/model.safetensors" "whole-$name/model.safetensors" || fail "another model than in one process with $*"
  cmp "c3-$name/model.safetensors" "s-$name/model.safetensors" || fail "a client has another model than the server with $*"
  # The server has the sum over clients where it is secure, and nothing of the test where it is not.
  case $* in
    *secure*) [ "$(measures "s-$name")" = "$(measures "whole-$name")" ] || fail "other measures than in one process with $*" ;;
    *) [ -z "$(measures "s-$name")" ] || fail "the server has a test measure with $*" ;;
  esac
}
# own NAME: each client has measures of its own; the server has none of them, and their mean by items is that of one process.
own() {
  python3 - "$1" << 'END' || fail "a client has other measures than its own, or the server has them"
import json, sys
def tell(path): return json.load(open(path))
name = sys.argv[1]
one_process = tell(f"whole-{name}/seed-1/owner-only/clients.json")
found = [tell(f"c{k}-{name}/seed-1/result.json") for k in (1, 2, 3, 4)]
assert len({one["test"]["macro_f1"] for one in found}) > 1, "all clients have one measure: the comparison is blind"
for one, two in zip(found, one_process):
    for part in ("test", "validation"):
        for measure, value in one[part].items():
            assert value is not None and abs(value - two[part][measure]) < 1e-6, (two["client"], part, measure, value)
for row in tell(f"s-{name}/seed-1/owner-only/clients.json"):
    assert set(row["test"].values()) == set(row["validation"].values()) == {None}, row
for part in ("test", "validation"):
    items = [row[f"{part}_items"] for row in one_process]
    mean = sum(n * one[part]["accuracy"] for n, one in zip(items, found)) / sum(items)
    assert abs(mean - tell(f"whole-{name}/seed-1/result.json")[part]["accuracy"]) < 1e-6, part
END
}
both plain
own plain
grep -q "^  fedavg  *[0-9]" c1.log || { cat c1.log >&2; fail "a client's terminal does not show its own accuracy"; }
both prox --prox-mu 0.1 --fraction 0.5 --optimiser sgd --batch-size 16
both secure --secure-aggregation --client-keys clients.pem --dropout 0.3
own secure
grep -q '"validation"' c1-plain/statement.json || fail "a client's statement does not name what it says of its validation items"
grep -q '"payload": "validation"' c1-secure/statement.json && fail "a client says how many of its validation items are right"
grep -q '"update"' s-plain/statement.json && fail "the server's statement names what clients exposed"
grep -q '"role": "client1"' c1-plain/statement.json || fail "a client's statement does not name it"
grep -q '"update"' c1-plain/statement.json || fail "a client's statement lacks its update"
grep -q '"update"' c1-secure/statement.json && fail "a client's statement has an update under secure aggregation"

# Other shares than the usual ones are those of `sotto train` as well.
expect 2 "give --parts too" "$SOTTO" data split g.sotto --horizontal --clients 4 --train-share 0.4 --out part
expect 2 "leave nothing to test on" "$SOTTO" data split g.sotto --horizontal --clients 4 --parts --train-share 0.5 --validation-share 0.5 --out part
expect 2 "train-share" "$SOTTO" data split g.sotto --horizontal --clients 4 --parts --train-share 2 --out part
"$SOTTO" data split g.sotto --horizontal --clients 4 --parts --train-share 0.4 --validation-share 0.2 --out part > /dev/null
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-shares --train-share 0.4 --validation-share 0.2 > /dev/null 2>&1 || fail "no run with other shares"
all_five shares
cmp s-shares/model.safetensors whole-shares/model.safetensors || fail "another model than in one process with other shares"
cmp -s s-plain/model.safetensors s-shares/model.safetensors && fail "shares change nothing: the comparison is blind"
"$SOTTO" data split g.sotto --horizontal --clients 4 --parts --out part > /dev/null
cmp -s s-plain/model.safetensors s-secure/model.safetensors && fail "two runs are one model: the comparison is blind"

# Embeddings under local privacy: each client pays for its own.
both gwldp --method gwldp --publication multibit --epsilon 2 --rounds 4 --secure-aggregation --client-keys clients.pem
for number in 1 2 3 4; do
  [ "$(charges "part-$number.sotto")" -eq 2 ] || fail "client $number was charged $(charges "part-$number.sotto") times"
done
[ -s s-gwldp/seed-1/embeddings.npz ] || fail "the server has no embeddings"

# Parts of one graph: the protocols are these methods' own, and come between parties as they are.
"$SOTTO" data split g.sotto --horizontal --clients 4 --partition communities --parts --out part > /dev/null
both feddep --method feddep --rounds 3
both generated --method fedsage+ --rounds 3
grep -v grace run.yaml > alone.yaml
run_file=alone.yaml
expect 1 "nothing passes between clients" client 1 c-l --method locsage
unset run_file
expect 1 "of all of them in one process" client 1 c-w --record-wire
"$SOTTO" data split g.sotto --horizontal --clients 4 --parts --out part > /dev/null

# Killed and started again: the rounds since the last common point are done again, with the same clients.
round=0
rounds=${ROUNDS:-2}
flags="--rounds 60 --checkpoint-every 5 --fraction 0.75 --secure-aggregation --client-keys clients.pem"
# shellcheck disable=SC2086
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-kill $flags > /dev/null 2>&1
start_party() { # NUMBER, 0 is the server
  # shellcheck disable=SC2086
  if [ "$1" -eq 0 ]; then run=exec server s $flags >> s.log 2>&1 &
  else run=exec client "$1" "c$1" $flags >> "c$1.log" 2>&1 &
  fi
}
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  echo "round $round, SOTTO_TEST_SEED=$seed"
  rm -rf s c1 c2 c3 c4
  for party in 0 1 2 3 4; do start_party $party; eval "pid$party=\$!"; done
  for kill in 1 2; do
    random 60
    moment $((random + 20))
    random 5
    victim=$random
    eval "pid=\$pid$victim"
    kill -s KILL "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    start_party "$victim"
    eval "pid$victim=\$!"
  done
  for party in 0 1 2 3 4; do
    eval "wait \$pid$party" || { tail -n 30 s.log c?.log >&2; fail "round $round: party $party failed"; }
  done
  cmp s/model.safetensors whole-kill/model.safetensors || fail "round $round: another model"
done

# What does not fit is named.
swapped() { cat shop2/own.crt shop1/own.crt shop3/own.crt shop4/own.crt; }
short() { cat shop1/own.crt shop2/own.crt shop3/own.crt; }
twice() { cat shop1/own.crt shop1/own.crt shop3/own.crt shop4/own.crt; }
for case in "swapped:is not this party's" "short:has 3 certificates, and 4 are needed" \
  "twice:client1 and client2 have one key" "none:need a file with the certificates of all 4 clients"; do
  kind=${case%%:*}
  keys="--client-keys $kind.pem"
  [ "$kind" = none ] && keys="" || "$kind" > "$kind.pem"
  rm -rf s-k c?-k
  server s-k --secure-aggregation --client-keys clients.pem > s.log 2>&1 & server_pid=$!
  # shellcheck disable=SC2086
  for number in 1 2 3 4; do
    client "$number" "c$number-k" --secure-aggregation $keys > "c$number.log" 2>&1 &
  done
  wait "$server_pid" && fail "the server went on with other clients' keys ($kind)"
  wait
  # The first that sees it ends the run for all.
  grep -q "${case#*:}" c?.log || { cat c?.log >&2; fail "no client says what is wrong with its clients' keys ($kind)"; }
done
expect 1 "fedavg has a server and clients 1 to 4" client 1 c-x --role client7
expect 1 "fedavg has a server and clients" client 1 c-x --role holder1
expect 1 "talks to 1, and 2 are named" client 1 c-x --peer "other=$hub_address"
rm -rf s-y
server s-y > s.log 2>&1 & server_pid=$!
client 1 c1-y > c1.log 2>&1 & client_pid1=$!
client 2 c2-y --role client1 > c2.log 2>&1 & client_pid2=$!
wait "$server_pid" && fail "two clients with one number went on"
for number in 1 2; do
  eval "wait \$client_pid$number" && fail "two clients with one number went on"
done
for log in s c1 c2; do
  grep -q "has the role 'client1', and so has" $log.log || { cat $log.log >&2; fail "$log.log does not name the role"; }
done

# Parts that do not go together are named by the server, before any model is sent.
"$SOTTO" data generate sbm --nodes 60 --features 7 --classes 2 --out narrow.sotto > /dev/null
rm -rf s-z
server s-z > s.log 2>&1 & server_pid=$!
for number in 1 2 3 4; do
  data=part-$number.sotto
  [ "$number" -ne 3 ] || data=narrow.sotto
  client "$number" "c$number-z" --data "$data" --split random > "c$number.log" 2>&1 &
done
wait "$server_pid" && fail "the server went on with parts of other data"
wait
grep -q "'split' is" s.log || fail "the server does not say that the split differs"
rm -rf s-z c?-z
server s-z --split random > s.log 2>&1 & server_pid=$!
for number in 1 2 3 4; do
  data=part-$number.sotto
  [ "$number" -ne 3 ] || data=narrow.sotto
  client "$number" "c$number-z" --data "$data" --split random > "c$number.log" 2>&1 &
done
wait "$server_pid" && fail "the server went on with parts of other data"
wait
for log in s c1 c3; do
  grep -q "client3 has 7 columns of features, and client1 12" $log.log || { cat $log.log >&2; fail "$log does not name the client"; }
done
