#!/bin/sh
# Identities over the years: what is trusted is listed, renewed without a second meeting, revoked, and never replaced
# unasked; a folder that others may write to is refused; an end that is near is said.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: 2/seeds: 1/' run.yaml
field() { sed -n "s/^ *$1  *//p" "$2" | head -n 1; }

# The same words on both sides, and in the list; one line of JSON a list.
"$SOTTO" identity list --dir partner > partner.list
"$SOTTO" identity list --dir bank > bank.list
[ "$(field 'in words' partner.list)" = "$(sed -n '/^  partner/,$p' bank.list | sed -n 's/^ *in words  *//p')" ] ||
  fail "the words of one key differ"
[ "$(field 'in words' partner.list | wc -w)" -eq 12 ] || fail "not twelve words"
"$SOTTO" identity list --dir bank --json | grep -q '"name": "partner", "own": false, "authority": false, "fingerprint": "[0-9a-f]*"' ||
  fail "no JSON"
"$SOTTO" identity trust partner/own.crt --dir bank > output
grep -q "$(field 'in words' partner.list)" output || fail "trust does not say the words"

# Not a certificate of oneself, not another key under a known name, not a name that only differs in capitals, and none
# that is too long to be one.
expect 1 "own certificate" "$SOTTO" identity trust bank/own.crt --dir bank
"$SOTTO" identity init --name partner --dir other > /dev/null
expect 1 "is trusted with another key ($(field 'in words' partner.list))" "$SOTTO" identity trust other/own.crt --dir bank
grep -q -- "--replace" output || fail "no hint at --replace"
cp -r bank bank2
expect 0 "trusted" "$SOTTO" identity trust other/own.crt --dir bank2 --replace
"$SOTTO" identity init --name Partner --dir capital > /dev/null
expect 1 "capital letters alone" "$SOTTO" identity trust capital/own.crt --dir bank
openssl req -x509 -newkey ed25519 -nodes -keyout long.key -out long.crt -subj /CN=long -days 2 \
  -addext "subjectAltName=DNS:$(printf 'a%.0s' $(seq 64))" 2> /dev/null
expect 1 "of 1 to 63 letters" "$SOTTO" identity trust long.crt --dir bank
[ "$(ls bank/trust)" = partner.crt ] || fail "something else is trusted: $(ls bank/trust)"

# Who else may write to a folder, or read the key.
chmod g+w bank/trust
expect 1 "bank/trust: others may write to it" data d
chmod 755 bank/trust
chmod 640 bank/key.pem
expect 1 "bank/key.pem: others may read this key" data d
chmod 600 bank/key.pem

# The partner's certificate is about to end: both say so. It has ended: it cannot run; it renews, and is served by a bank
# that has never seen the new one, which keeps it.
"$SOTTO" identity renew --dir partner --days 20 > /dev/null
"$SOTTO" identity trust partner/own.crt --dir bank > /dev/null
expect 0 "ends soon" "$SOTTO" identity list --dir bank
data d > d.log 2>&1 &
label l > l.log 2>&1 || { cat l.log >&2; fail "the label party failed"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
grep -q "certificate of 'partner' ends in .* days.*; have its owner renew it" d.log || fail "the bank does not warn"
grep -q "certificate of 'partner' ends in .* days.*; renew it with" l.log || fail "the partner does not warn"
expect 0 "renewed *under the same key" "$SOTTO" identity renew --dir partner --days 800
data d2 > d.log 2>&1 &
label l2 > l.log 2>&1 || { cat l.log >&2; fail "a renewed certificate was not accepted"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
grep -q "new certificate under the same key" d.log || fail "the bank does not say that it is new"
"$SOTTO" identity list --dir bank > bank.list
"$SOTTO" identity list --dir partner > partner.list
# The day alone: the number of days left may change between the two lists.
[ "$(field until partner.list | cut -d , -f 1)" = "$(sed -n '/^  partner/,$p' bank.list | sed -n 's/^ *until  *\([^,]*\).*/\1/p')" ] ||
  fail "the bank did not keep the new certificate"

# Revoked: neither it nor its key comes back, not even by an authority.
expect 0 "revoked *'partner'" "$SOTTO" identity revoke partner --dir bank
expect 1 "not trusted" data d3
expect 1 "its key was revoked (partner on 20" "$SOTTO" identity trust partner/own.crt --dir bank
expect 1 "nothing to revoke" "$SOTTO" identity revoke partner --dir bank
expect 2 "needs the name" "$SOTTO" identity revoke --dir bank

# An authority's certificate is renewed by the authority, and one key of those that it signed can be revoked.
"$SOTTO" identity init --name branch --dir branch --request > /dev/null
openssl req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.crt -subj /CN=authority -days 2 2> /dev/null
sign() { openssl x509 -req -in branch/own.csr -CA ca.crt -CAkey ca.key -CAcreateserial -copy_extensions copyall -days 2 \
  -out branch/own.crt 2> /dev/null; }
sign
expect 1 "signed by an authority" "$SOTTO" identity renew --dir branch
expect 0 "have it signed" "$SOTTO" identity renew --dir branch --request
sign
expect 0 "by its authority" "$SOTTO" identity trust ca.crt --as branch --dir bank
"$SOTTO" identity trust bank/own.crt --dir branch > /dev/null
branch() { "$SOTTO" run run.yaml $fixed --role label --data g.sotto --dir branch --peer "bank=$host:$port" --threads 1 "$@"; }
"$SOTTO" run run.yaml $fixed --role data --data g.sotto --dir bank --peer branch --listen "$host:$port" --threads 1 \
  --out d4 > d.log 2>&1 &
branch --out l4 > l.log 2>&1 || { cat l.log >&2; fail "the branch was not accepted"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
expect 0 "revoked" "$SOTTO" identity revoke branch --certificate branch/own.crt --dir bank
"$SOTTO" run run.yaml $fixed --role data --data g.sotto --dir bank --peer branch --listen "$host:$port" --threads 1 \
  --out d5 --grace 4 > d.log 2>&1 &
expect 1 "grace" branch --out l5 --grace 2
wait $! && fail "the data party went on"
grep -q "certificate revoked" d.log || { cat d.log >&2; fail "the revoked key was not refused by that name"; }
