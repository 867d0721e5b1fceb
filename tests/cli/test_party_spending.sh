#!/bin/sh
# What two parties spend when files are lost: a second charge for a second draw, nothing sent on a full budget, none
# for a backup; and what a check says that clients and holders will pay.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i '/insecure-seed/d; s/^seeds: 2/seeds: 1/; s/^grace.*/grace: 5/' run.yaml
fixed=

# both_parties STATUS: a whole run, or the rest of one, into d and l; the data party ends so.
both_parties() {
  label l > l.log 2>&1 & label_pid=$!
  set +e
  data d > d.log 2>&1
  got=$?
  set -e
  wait "$label_pid" || [ "$1" -ne 0 ] || { cat l.log >&2; fail "the label party failed"; }
  [ "$got" -eq "$1" ] || { cat d.log >&2; fail "the data party ended with $got, not $1"; }
}
# lost: nothing of the seed is left at either party.
lost() { rm -rf d/seed-* l/seed-* d/finished l/finished d/model.safetensors l/model.safetensors; }
# stated EPSILON CHARGES: what the data party's statement says.
stated() {
  grep -q "\"epsilon\": $1" d/statement.json || { cat d/statement.json >&2; fail "the statement does not say epsilon $1"; }
  grep -q '"epsilon_planned": [34]\.[09]' d/statement.json || fail "the statement does not say what was planned"
  grep -q "\"charges_made\": $2" d/statement.json || fail "the statement does not say $2 charges"
}

both_parties 0
[ "$(charges g.sotto)" -eq 1 ] || fail "one release is $(charges g.sotto) charges"
stated '[34]\.[09]' 1
cp -r d d-backup
cp -r l l-backup
cp d/seed-1/release.bin first.bin
lost
both_parties 0
[ "$(charges g.sotto)" -eq 2 ] || fail "a removed seed folder is $(charges g.sotto) charges, not 2"
cmp -s first.bin d/seed-1/release.bin && fail "a new draw has the same bytes"
stated '5\.9' 2

# Bytes that were charged are sent again under their own charge.
rm -rf d l
mv d-backup d
mv l-backup l
rm -f d/finished l/finished d/seed-1/result.json l/seed-1/result.json
rm -rf d/seed-1/owner-only/stages l/seed-1/owner-only/stages
both_parties 0
[ "$(charges g.sotto)" -eq 2 ] || fail "a restored backup is $(charges g.sotto) charges, not 2"
cmp first.bin d/seed-1/release.bin || fail "the backup's release was drawn again"

# On a full budget the same ends with status 3, and nothing is sent.
"$SOTTO" ledger budget g.sotto --epsilon 6 > /dev/null
lost
both_parties 3
grep -q "budget is 6" d.log || { cat d.log >&2; fail "the refusal does not name the budget"; }
[ ! -e d/seed-1/release.bin ] || fail "a refused run drew a release"
[ "$(charges g.sotto)" -eq 2 ] || fail "a refused run was charged"

# The price of every party that pays, before any run.
"$SOTTO" data split g.sotto --horizontal --clients 4 --parts --out part > /dev/null
printf 'method: gwldp\npublication: multibit\nclients: 4\nrounds: 4\nembed-every: 2\nhidden: 8\nepsilon: 2\n' > gw.yaml
expect 24 "budget *ok *3 releases, epsilon 6 at node level, will be charged" "$SOTTO" run check gw.yaml --role client1 \
  --data part-1.sotto --dir bank --peer "partner=$host:$port" --grace 1
"$SOTTO" ledger budget part-1.sotto --adjacency node --epsilon 5 > /dev/null
gw_check() { "$SOTTO" run check gw.yaml --role client1 --data part-1.sotto --dir bank --peer "partner=$host:$port" \
  --grace 1 "$@"; }
expect 3 "budget *FAILED.*a part of what it shows alone" gw_check # models are averaged as they are
expect 3 "budget *FAILED.*budget is 5" gw_check --not-private
"$SOTTO" data split g.sotto --vertical --holders 2 --features --edges --label-holder 2 --out held > /dev/null
printf 'method: vfgnn\npublication: rows\nhidden: 8\nepochs: 5\nepsilon: 8\ndelta: 1e-4\nlabel-holder: 2\n' > vf.yaml
expect 16 "budget *ok *5 releases, epsilon 8 at edge level, will be charged" "$SOTTO" run check vf.yaml --role holder1 \
  --data held-1.sotto --dir bank --listen "$host:$port" --peer "partner=$host:$((port + 1))" --peer other \
  --grace 1
sed 's/publication: rows/publication: counts/; s/^epochs/encoder-epochs/' vf.yaml > counts.yaml
expect 16 "budget *ok *2 releases, epsilon 8 at edge level, will be charged" "$SOTTO" run check counts.yaml --role holder1 \
  --data held-1.sotto --dir bank --listen "$host:$port" --peer "partner=$host:$((port + 1))" --peer other \
  --grace 1
