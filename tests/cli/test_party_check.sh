#!/bin/sh
# sotto identity init, trust and check: a line for each thing, what to do about each, and no trace in a run that waits.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
check() { $last "$SOTTO" run check run.yaml --role label --data g.sotto --dir partner --peer "bank=$host:$port" \
  --out c $fixed ${limit:+--grace "$limit"} "$@"; }

# Everything well: the peer is a run that waits, and goes on waiting.
data d > d.log 2>&1 &
pid=$!
expect 0 "peer *ok" check
for line in "data *ok" "own key *ok" "peer's key *ok" "budget *ok" "disk *ok"
do grep -q "$line" output || fail "the check has no line '$line'"; done
expect 30 "peer *FAILED.*'hidden' is" check --hidden 8
label l > /dev/null 2>&1 || fail "the run did not outlive two checks"
wait "$pid" || { cat d.log >&2; fail "the data party failed"; }

# Each thing that can be missing is named.
limit=1
expect 24 "peer *FAILED.*Connection refused" check
expect 12 "data *FAILED.*no such file" check --data nothing.sotto
expect 13 "own bounds *FAILED alert-rate: parties over a network choose no threshold" check --alert-rate 1%
expect 14 "own key *FAILED.*sotto identity init" check --dir empty
expect 32 "peer's key *FAILED.*sotto identity trust" check --peer "nobody=$host:$port"
"$SOTTO" ledger budget g.sotto --epsilon 1 > /dev/null
expect 3 "budget *FAILED.*budget is 1" "$SOTTO" run check run.yaml --role data --data g.sotto --dir bank \
  --peer partner --listen "$host:$port" $fixed --grace 1
expect 3 "could not listen" "$SOTTO" run check run.yaml --role data --data g.sotto --dir bank \
  --peer partner --listen "192.0.2.1:$port" $fixed --grace 1

# Keys: made once, secret, requested, signed by an authority.
expect 1 "there is a key already" "$SOTTO" identity init --name bank --dir bank
expect 1 "cannot name a party" "$SOTTO" identity init --name "a/b" --dir other
expect 1 "1 to 36500" "$SOTTO" identity init --name a --days 0 --dir other
[ "$(stat -c %a bank/key.pem)" = 600 ] || fail "others may read the key"
"$SOTTO" identity init --name branch --dir branch --request > /dev/null
openssl req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.crt -subj /CN=authority -days 2 2> /dev/null
openssl x509 -req -in branch/own.csr -CA ca.crt -CAkey ca.key -CAcreateserial -copy_extensions copyall -days 2 \
  -out branch/own.crt 2> /dev/null
"$SOTTO" identity trust ca.crt --as branch --dir bank > /dev/null
"$SOTTO" identity trust bank/own.crt --dir branch > /dev/null
expect 1 "is the certificate of 'bank'" "$SOTTO" identity trust bank/own.crt --as other --dir branch
expect 1 "one DNS name" "$SOTTO" identity trust ca.crt --dir branch
"$SOTTO" ledger budget g.sotto --epsilon 1000 > /dev/null
"$SOTTO" run run.yaml --role data --data g.sotto --dir bank --peer branch --listen "$host:$port" --out d2 $fixed \
  > d.log 2>&1 &
"$SOTTO" run run.yaml --role label --data g.sotto --dir branch --peer "bank=$host:$port" --out l2 $fixed \
  > l.log 2>&1 || { cat l.log d.log >&2; fail "a certificate of an authority was not accepted"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
