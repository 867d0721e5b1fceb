#!/bin/sh
# A party whose key is in a PKCS#11 token (SoftHSM here) trains with one whose key is a file, and renews.
. "$(dirname "$0")/common.sh"
skip() { echo "skipped: $*"; exit 77; }
command -v softhsm2-util > /dev/null || skip "softhsm2 is not installed"
command -v pkcs11-tool > /dev/null || skip "opensc is not installed"
openssl engine pkcs11 > /dev/null 2>&1 || skip "libengine-pkcs11-openssl is not installed"
for module in /usr/lib/softhsm/libsofthsm2.so /usr/lib64/pkcs11/libsofthsm2.so; do
  [ ! -f "$module" ] || export PKCS11_MODULE_PATH="$module"
done
[ -n "${PKCS11_MODULE_PATH:-}" ] || skip "SoftHSM's module was not found"
[ ! -x "${SOTTO_PLAIN:-}" ] || SOTTO=$SOTTO_PLAIN # the token's libraries leak, which is not what is tested
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: 2/seeds: 1/' run.yaml

export SOFTHSM2_CONF="$folder/softhsm2.conf"
mkdir tokens
printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\nlog.level = ERROR\n' "$folder" > softhsm2.conf
softhsm2-util --init-token --free --label tok --so-pin 1234 --pin 5678 > /dev/null 2>&1
pkcs11-tool --module "$PKCS11_MODULE_PATH" --login --pin 5678 --keypairgen --key-type EC:prime256v1 --label key --id 01 \
  > /dev/null 2>&1

mkdir -m 700 token
printf 'pkcs11:token=tok;object=key?pin-value=5678\n' > token/key.uri
chmod 644 token/key.uri
expect 1 "others may read this key" "$SOTTO" identity init --name vault --dir token
chmod 600 token/key.uri
expect 0 "in the token that token/key.uri names" "$SOTTO" identity init --name vault --dir token
[ ! -e token/key.pem ] || fail "a key was written to a file"
expect 1 "there is a certificate already" "$SOTTO" identity init --name vault --dir token
"$SOTTO" identity trust partner/own.crt --dir token > /dev/null
"$SOTTO" identity trust token/own.crt --dir partner > /dev/null
meet() {
  "$SOTTO" run run.yaml $fixed --role data --data g.sotto --dir token --peer partner --listen "$host:$port" --threads 1 \
    --out "d$1" > d.log 2>&1 &
  "$SOTTO" run run.yaml $fixed --role label --data g.sotto --dir partner --peer "vault=$host:$port" --threads 1 \
    --out "l$1" > l.log 2>&1 || { cat l.log d.log >&2; fail "the label party failed"; }
  wait $! || { cat d.log >&2; fail "the data party failed"; }
}
meet 1
"$SOTTO" identity renew --dir token --days 900 > /dev/null
meet 2
grep -q "new certificate under the same key" l.log || fail "the renewed certificate was not announced"

printf 'pkcs11:token=tok;object=other?pin-value=5678\n' > token/key.uri
"$SOTTO" identity list --dir token | grep -q "unusable *token/key.uri" || fail "a key that is not there is not named"
printf 'no uri\n' > token/key.uri
"$SOTTO" identity list --dir token | grep -q "is not the URI of a key" || fail "a file without a URI is not named"
