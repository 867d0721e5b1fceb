#!/bin/sh
# The helper of checked sums over TLS: killed and started again, it goes on where all are, and the model is that of one
# process; a client that stays away is left out, and a helper that stays away ends the run.
ROUNDS_OF_RUN=120 GRACE=60
. "$(dirname "$0")/../cli/common.sh"
. "$(dirname "$0")/../cli/clients.sh"
printf 'update-bound: 2\ncheckpoint-every: 5\n' >> run.yaml
"$SOTTO" identity init --name second --dir second > /dev/null
"$SOTTO" identity trust second/own.crt --dir hub > /dev/null
"$SOTTO" identity trust hub/own.crt --dir second > /dev/null
cat second/own.crt >> clients.pem
own="$own --client-keys clients.pem"

helper() { out=$1; shift; ${run:-} $last "$SOTTO" run run.yaml --role helper --dir second --peer "hub=$hub_address" \
  --split planetoid --threads 1 --out "$out" $own "$@"; }
start() { # SUFFIX NUMBERS of clients
  run=exec server "s-$1" --peer second > s.log 2>&1 & server_pid=$!
  run=exec helper "h-$1" > h.log 2>&1 & helper_pid=$!
  for number in $2; do
    run=exec client "$number" "c$number-$1" > "c$number.log" 2>&1 &
    eval "client_pid$number=\$!"
  done
}
logs="s.log h.log"
until_there() { await "$1 never came" there "$1"; } # FILE

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > whole.log 2>&1 ||
  { cat whole.log >&2; fail "one process failed"; }
start kill "1 2 3 4"
until_there "h-kill/seed-*/owner-only/stages/helper-*"
kill -s KILL "$helper_pid"
wait "$helper_pid" 2> /dev/null || true
helper h-kill > h.log 2>&1 || { cat s.log h.log >&2; fail "the helper that came back failed"; }
wait "$server_pid" || { cat s.log >&2; fail "the server failed after the helper came back"; }
for number in 1 2 3 4; do eval "wait \$client_pid$number" || { cat "c$number.log" >&2; fail "client $number failed"; }; done
cmp s-kill/model.safetensors whole/model.safetensors || fail "another model after the helper came back"

# Client 4 is killed and stays away: the rounds go on over three, which is as few as may be.
echo 'least-clients: 3' >> run.yaml
sed -i 's/^grace: .*/grace: 3/; s/^rounds: .*/rounds: 200/' run.yaml
start left "1 2 3 4"
until_there "h-left/seed-*/owner-only/stages/helper-*"
eval "kill -s KILL \$client_pid4"
wait "$server_pid" || { cat s.log h.log >&2; fail "the run did not go on without client 4"; }
wait "$helper_pid" || { cat h.log >&2; fail "the helper failed when client 4 left"; }
grep -q "client 4 is left out from round" s.log || { cat s.log >&2; fail "the server does not say who left"; }
