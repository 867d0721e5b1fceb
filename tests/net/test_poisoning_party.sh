#!/bin/sh
# Checked sums over TLS: a server, a helper and four clients, of which one poisons. It is named at both servers and
# left out, and the run ends with a model; without it the program with the planted fault is the program.
. "$(dirname "$0")/../cli/common.sh"
. "$(dirname "$0")/../cli/clients.sh"
echo 'update-bound: 2' >> run.yaml
"$SOTTO" identity init --name second --dir second > /dev/null
"$SOTTO" identity trust second/own.crt --dir hub > /dev/null
"$SOTTO" identity trust hub/own.crt --dir second > /dev/null
own="$own --client-keys checked.pem"
true_program=$SOTTO

helper() { out=$1; shift; $last "$SOTTO" run run.yaml --role helper --dir second --peer "hub=$hub_address" --split planetoid --threads 1 \
  --out "$out" $own "$@"; }

# six SUFFIX POISONER: one whole run; client POISONER (0: none) poisons. Status of the server and the helper.
six() {
  suffix=$1
  server "s-$suffix" --peer second > s.log 2>&1 & server_pid=$!
  helper "h-$suffix" > h.log 2>&1 & helper_pid=$!
  for number in 1 2 3 4; do
    SOTTO=$true_program
    [ "$number" != "$2" ] || SOTTO=$SOTTO_POISONING
    client "$number" "c$number-$suffix" > "c$number.log" 2>&1 &
    eval "client_pid$number=\$!"
  done
  SOTTO=$true_program
  server_status=0 helper_status=0
  wait "$server_pid" || server_status=$?
  wait "$helper_pid" || helper_status=$?
  for number in 1 2 3 4; do
    eval "wait \$client_pid$number" || [ "$server_status" != 0 ] || { cat "c$number.log" >&2; fail "client $number failed"; }
  done
}
all_well() { [ "$server_status$helper_status" = 00 ] || { cat s.log h.log >&2; fail "$*"; }; }

# The helper's certificate is missing in the file of keys.
cp clients.pem checked.pem
six short 0
[ "$server_status" != 0 ] || fail "a file without the helper's certificate was taken"
cat s.log h.log c?.log | grep -q "has 4 certificates, and 5 are needed" ||
  { cat s.log h.log >&2; fail "nobody says what is missing"; }

cat clients.pem second/own.crt > checked.pem
six honest 0
all_well "without a poisoner"
# Sums are exact, so the model is that of one process, bit for bit.
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > whole.log 2>&1 ||
  { cat whole.log >&2; fail "one process failed"; }
cmp s-honest/model.safetensors whole/model.safetensors || fail "another model than in one process"
[ ! -e h-honest/model.safetensors ] || fail "the helper has a model"
cmp -s s-honest/model.safetensors c1-honest/model.safetensors || fail "client 1 has another model"
grep -q '"left_out": ""' s-honest/statement.json || fail "the statement leaves out someone"
grep -q 'do not collude' s-honest/statement.json || fail "the statement does not name the trust"

export SOTTO_POISON=3
six poisoned 3
all_well "with a poisoner"
grep -q "client 3 is left out of the sum of round 12: its update does not keep update-bound" s.log ||
  { cat s.log >&2; fail "the server does not name client 3"; }
grep -q "client 3 is left out of the sum of round 12" h.log || { cat h.log >&2; fail "the helper does not name client 3"; }
grep -q '"left_out": "client 3 (12 rounds)"' s-poisoned/statement.json ||
  { cat s-poisoned/statement.json >&2; fail "the statement does not name client 3"; }
[ -s s-poisoned/model.safetensors ] || fail "no model with a poisoner"

# An arbiter with the server's record of the last round and client 3's own: they have one name but for the beginning.
private=seed-1/owner-only
refused=$(find s-poisoned/$private -name 'refused-client3-round12-*.json')
sent=c3-poisoned/$private/sent-${refused##*/refused-}
[ -f "$refused" ] && [ -f "$sent" ] || fail "no records of round 12: '$refused', '$sent'"
[ "$(find s-poisoned -name 'refused-*' | wc -l)" -eq 12 ] || fail "not one record of each round at the server"
[ -z "$(find s-honest -name 'refused-*')" ] || fail "a record of a client that was not refused"
[ -z "$(find . -name 'sent-*' ! -path '*/owner-only/*')" ] || fail "a seed outside owner-only"
arbiter() { "$SOTTO" statement dispute "$@" --keys checked.pem; }
expect 0 "round 12: Client 3 sent a vector outside the bound" arbiter "$refused" "$sent"
expect 0 '"verdict":"confirmed","client":3,"round":12' arbiter "$refused" "$sent" --json
expect 0 "or the helper lied: the record of client 3 for this round decides that" arbiter "$refused"
# Client 3 edits its record, or shows that of another round.
sed 's/"seed": "......../"seed": "00000000/' "$sent" > edited.json
expect 0 "client 3 shows was changed, since its seed is not the one it sealed" arbiter "$refused" edited.json
expect 0 "of another client, round or attempt" arbiter "$refused" c3-poisoned/$private/sent-client3-round11-*.json
# The server names an honest client, or changes a word.
sed 's/"client": 3/"client": 2/' "$refused" > blamed.json
expect 0 "was not signed by client 2: it proves nothing" arbiter blamed.json "$sent"
for word in points evidence challenge sealed_seed run; do
  sed "s/\"$word\": \"......../\"$word\": \"00000000/" "$refused" > blamed.json
  expect 0 "was not signed by client 3: it proves nothing" arbiter blamed.json "$sent"
done
sed 's/"helper_points": "......../"helper_points": "00000000/' "$refused" > blamed.json
expect 0 "the helper did not sign its part" arbiter blamed.json "$sent"
# Files that are none.
head -c 700 "$refused" > cut.json
expect 1 "cut.json: line [0-9]* is not JSON" arbiter cut.json
sed '/"coin"/d' "$refused" > lacking.json
expect 1 "'coin' is not 64 hexadecimal digits: the file is cut short or was changed" arbiter lacking.json
expect 1 "is no record 'refused'" arbiter "$sent" "$refused"
expect 1 "has 4 certificates, and 5 are needed" "$SOTTO" statement dispute "$refused" "$sent" --keys clients.pem
# A record of three clients makes client 4 the helper, if a damaged certificate of the helper is taken for the end of the file.
{ cat clients.pem; sed '3s/^..../!!!!/' second/own.crt; } > damaged.pem
sed 's/"clients": 4/"clients": 3/; s/"taking": 4/"taking": 3/' "$refused" > fewer.json
expect 1 "damaged.pem: certificate 5 cannot be read" "$SOTTO" statement dispute fewer.json "$sent" --keys damaged.pem
expect 1 "could not" arbiter nothere.json
expect 2 "name the server's record of a client" "$SOTTO" statement dispute "$refused" "$sent"
expect 2 "are of .sotto statement verify" arbiter "$refused" --key checked.pem
expect 2 "is of .sotto statement dispute" "$SOTTO" statement verify s-poisoned --keys checked.pem
