#!/bin/sh
# A server that lies in secure sums, over TLS: the clients say how, and the run ends without a model. And a round that is
# asked for again, after a restart, without one of its clients: nobody signs it.
. "$(dirname "$0")/../cli/common.sh"
. "$(dirname "$0")/../cli/clients.sh"
echo 'secure-aggregation: true' >> run.yaml
own="$own --client-keys clients.pem"
true_program=$SOTTO

lying_server() { SOTTO=$SOTTO_LYING server "$@"; }
clients_end() { # each in $client_pidN, all with a failure
  for number in 1 2 3 4; do
    eval "wait \$client_pid$number" && { cat "c$number.log" >&2; fail "$*: client $number ended well"; }
  done
  return 0
}

# lie NAME WORDS: a client says these words (the first one to see the lie ends the run for all).
lie() {
  export SOTTO_LIE="$1"
  rm -rf s-lie c?-lie
  lying_server s-lie > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do
    client "$number" "c$number-lie" > "c$number.log" 2>&1 &
    eval "client_pid$number=\$!"
  done
  wait "$server_pid" && fail "$1: the server ended well"
  clients_end "$1"
  grep -q "$2" c?.log || { cat s.log c?.log >&2; fail "$1: no client says '$2'"; }
  [ ! -e s-lie/model.safetensors ] || fail "$1: there is a model"
}
lie keys "its shares never came here"
lie other-keys "shows other keys of client . than it lists for all"
lie replay "lists other keys for it than it sent"
lie withheld "its shares never came here"
lie sets "did not sign the survivors that the server named here"
lie survivors "says that this client dropped"
lie signatures "the signatures of 2 of 4 clients came, and 3 are needed"
unset SOTTO_LIE

# The planted program without a lie is the program.
[ "$SOTTO" = "$true_program" ] || fail "the clients are not the true program"
lying_server s-true > s.log 2>&1 & server_pid=$!
for number in 1 2 3 4; do
  client "$number" "c$number-true" > "c$number.log" 2>&1 &
  eval "client_pid$number=\$!"
done
wait "$server_pid" || { cat s.log >&2; fail "without a lie the server failed"; }
for number in 1 2 3 4; do eval "wait \$client_pid$number" || { cat "c$number.log" >&2; fail "client $number failed"; }; done

# The server forgets all of a run, asks for its rounds again, and leaves client 4 out.
sed -i 's/^rounds: .*/rounds: 3000/' run.yaml
echo 'least-clients: 3' >> run.yaml
sed -i 's/^grace: .*/grace: 10/' run.yaml
run=exec server s > s.log 2>&1 & server_pid=$!
for number in 1 2 3 4; do
  run=exec client "$number" "c$number" > "c$number.log" 2>&1 &
  eval "client_pid$number=\$!"
done
logs="s.log c1.log"
await "no round was signed" [ -s c1/seed-1/signed-client1.bin ]
kill -s KILL "$server_pid"
wait "$server_pid" 2> /dev/null || true
rm -rf s
SOTTO_LIE=without lying_server s > s.log 2>&1 && fail "the server that repeats a round ended well"
clients_end "repeated"
for number in 1 2 3; do
  grep -q "round 1: this client signed other survivors" "c$number.log" && said=yes
done
[ "${said:-no}" = yes ] || { cat s.log c?.log >&2; fail "no client says that the round was repeated"; }
