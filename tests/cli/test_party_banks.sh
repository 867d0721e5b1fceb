#!/bin/sh
# Three banks and a server, each a process, count the edges between banks over TLS: model, reported clusters and counts are those of one
# process; each bank pays from accounts of its own; a bank that is killed comes back; what does not fit is named, and nothing is charged.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate banks --nodes 240 --out banks.sotto > /dev/null
"$SOTTO" data split banks.sotto --horizontal --partition linked:file:banks.sotto.banks.txt --parts --out bank > /dev/null
"$SOTTO" data split banks.sotto --horizontal --partition file:banks.sotto.banks.txt --parts --out plain > /dev/null
printf 'method: fedavg\nclients: 3\nadjacency: edge\nepsilon: 4\ndelta: 1e-6\nrounds: %d\nencoder-epochs: 6\nhidden: 8\npartition: linked:alike\ngrace: 20\n' \
  "${ROUNDS_OF_RUN:-8}" > run.yaml
"$SOTTO" identity init --name hub --dir hub > /dev/null
for number in 1 2 3; do
  "$SOTTO" identity init --name "bank$number" --dir "bank$number" > /dev/null
  "$SOTTO" identity trust "bank$number/own.crt" --dir hub > /dev/null
  "$SOTTO" identity trust hub/own.crt --dir "bank$number" > /dev/null
done
cat bank1/own.crt bank2/own.crt bank3/own.crt > clients.pem
hub_address=$host:7001
own="--method fedavg --adjacency edge --epsilon 4 --delta 1e-6 --insecure-seed 3 --client-keys clients.pem"

# server OUT [FLAGS]; client NUMBER OUT [FLAGS]
server() { out=$1; shift; ${run:-} $last "$SOTTO" run run.yaml --role server --dir hub --listen "$hub_address" --peer bank1 --peer bank2 \
  --peer bank3 --split planetoid --threads 1 --out "$out" $own "$@"; }
client() { number=$1 out=$2; shift 2; ${run:-} $last "$SOTTO" run run.yaml --role "client$number" --dir "bank$number" \
  --data "bank-$number.sotto" --peer "hub=$hub_address" --split planetoid --threads 1 --out "$out" $own "$@"; }
# all_four SUFFIX [FLAGS]: one run, into s-SUFFIX and c1-SUFFIX to c3-SUFFIX.
all_four() {
  suffix=$1
  shift
  server "s-$suffix" "$@" > s.log 2>&1 & server_pid=$!
  for number in 1 2 3; do
    client "$number" "c$number-$suffix" "$@" > "c$number.log" 2>&1 &
    eval "client_pid$number=\$!"
  done
  wait "$server_pid" || { cat s.log c?.log >&2; fail "the server failed with $*"; }
  for number in 1 2 3; do
    eval "wait \$client_pid$number" || { cat "c$number.log" >&2; fail "bank $number failed with $*"; }
  done
}
# same SUFFIX WHOLE: all that is released and learnt is that of one process.
same() {
  cmp "s-$1/model.safetensors" "$2/model.safetensors" || fail "$1: another model than in one process"
  for number in 1 2 3; do
    cmp "c$number-$1/model.safetensors" "s-$1/model.safetensors" || fail "$1: bank $number has another model"
    for file in "reported-$number" "counts-$number"; do
      cmp "c$number-$1/seed-1/$file.sotto" "$2/seed-1/$file.sotto" || fail "$1: other $file than in one process"
    done
  done
}
# whole OUT HOW [FLAGS]: the same in one process.
whole() { out=$1 how=$2; shift 2; $last "$SOTTO" train run.yaml --data banks.sotto --threads 1 --insecure-seed 3 --out "$out" \
  --partition "$how" "$@" > whole.log 2>&1 || { cat whole.log >&2; fail "one process"; }; }

whole whole linked:file:banks.sotto.banks.txt
whole lost file:banks.sotto.banks.txt
cmp -s whole/model.safetensors lost/model.safetensors && fail "edges between banks change nothing: the comparison is blind"
# charged NAME: how many charges the account of that name has.
charged() { "$SOTTO" ledger show --json | grep -oF "\"data\":\"$1\"" | wc -l; }
: > before
for number in 1 2 3; do echo "$(charged "banks.client-$number") $(charged "labels of banks.client-$number")" >> before; done
all_four plain
same plain whole
for number in 1 2 3; do
  [ "$(charged "banks.client-$number") $(charged "labels of banks.client-$number")" = \
    "$(sed -n "${number}p" before | awk '{ print $1 + 1, $2 + 1 }')" ] || fail "bank $number was not charged once for its edges and once for its clusters"
  grep -q '"charges_made": 1' "c$number-plain/statement.json" || fail "bank $number's statement lacks a charge"
  grep -q "edges between two clients against these two" "c$number-plain/statement.json" || fail "bank $number's statement is silent on the other end"
done
grep -q "bank-\|linked" s-plain/seed-1/rounds.jsonl && fail "the server's log speaks of edges"

# A bank's next day is counted by that bank alone, in one more release that its own account pays for.
ahead=$("$SOTTO" ledger show --json | grep -o '"id"' | wc -l)
expect 0 "epsilon 2 at edge level, will be charged to account 'banks" "$SOTTO" predict c1-plain plain-2.sotto --epsilon 2
[ "$("$SOTTO" ledger show --json | grep -o '"id"' | wc -l)" -eq $((ahead + 1)) ] || fail "bank 1's next day is not charged once"
expect 0 "nothing is charged" "$SOTTO" predict c1-plain plain-2.sotto --again 1
[ ! -e c1-plain/predictions/1/seed-1/reported-1.sotto ] || fail "clusters are reported again for the next day"

# Killed at any time and started again: the same model and the same counts.
round=0
while [ "$round" -lt "${ROUNDS:-2}" ]; do
  round=$((round + 1))
  echo "round $round, SOTTO_TEST_SEED=$seed"
  rm -rf s-k c?-k
  run=exec server s-k > s.log 2>&1 & pid0=$!
  for number in 1 2 3; do
    run=exec client "$number" "c$number-k" > "c$number.log" 2>&1 & eval "pid$number=\$!"
  done
  random 150
  moment $((random + 20))
  random 3
  victim=$((random + 1))
  eval "pid=\$pid$victim"
  kill -s KILL "$pid" 2> /dev/null || true
  wait "$pid" 2> /dev/null || true
  run=exec client "$victim" "c$victim-k" >> "c$victim.log" 2>&1 & eval "pid$victim=\$!"
  for party in 0 1 2 3; do
    eval "wait \$pid$party" || { tail -n 30 s.log c?.log >&2; fail "round $round: party $party failed"; }
  done
  same k whole
done

# What does not fit is named before anything is charged. A run file that comes from another party names no file of this machine.
sed 's/^partition:.*/partition: linked:file:x/' run.yaml > theirs.yaml
expect 2 "'partition' is an option of one machine" "$SOTTO" run theirs.yaml --role client1 --dir bank1 --data bank-1.sotto --peer "hub=$hub_address" $own
"$SOTTO" ledger show > before
expect 1 "has no list of them" client 1 c-n --data plain-1.sotto
[ ! -e c-n ] || fail "a bank without a list left a folder"
rm -rf s-o c?-o
server s-o > s.log 2>&1 & server_pid=$!
client 1 c1-o --partition alike > c1.log 2>&1 || true
kill "$server_pid" 2> /dev/null || true
wait "$server_pid" 2> /dev/null || true
grep -q "'partition' is" c1.log || { cat c1.log s.log >&2; fail "a bank that does not count edges between banks is not named"; }
"$SOTTO" ledger show > after
cmp before after || fail "a run that was refused is charged"
