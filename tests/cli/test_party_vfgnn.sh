#!/bin/sh
# Three processes over TLS are one process: the same model bit for bit, from parts of the data. Then what is refused, and
# on which side it is said; and that a holder that is killed comes back (test_party_vfgnn_kill.sh has more of that).
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"

flags() { # NAME FLAGS...: three processes and one, with these flags
  name=$1
  shift
  "$SOTTO" train run.yaml --data g.sotto --threads 1 --out "whole-$name" "$@" > whole.log 2>&1 ||
    { cat whole.log >&2; fail "one process failed with $*"; }
  all_three "$name" "$@"
}
flags plain
same_model s-plain a-plain b-plain whole-plain
accuracy() { grep -o '"test":{"accuracy":{"mean":[0-9.]*' "$1/result.json"; }
[ "$(accuracy b-plain)" = "$(accuracy whole-plain)" ] || fail "holder2 measured something else than one process"
grep -q '"accuracy":{"mean":null' a-plain/result.json || fail "holder1 has measures without labels"

# Bytes are those of one process: what all three sent.
sent() { # KIND RUN...
  kind=$1 total=0
  shift
  for of in "$@"; do
    for bytes in $(grep -o '"wire":.*' "$of/result.json" | grep -o "\"$kind\":[0-9]*" | cut -d: -f2); do
      total=$((total + bytes))
    done
  done
  echo "$total"
}
for kind in exposed share release; do
  [ "$(sent $kind s-plain a-plain b-plain)" -eq "$(sent $kind whole-plain)" ] || fail "other $kind bytes than in one process"
done

# Each statement is of that party alone.
grep -q '"role": "server"' s-plain/statement.json || fail "the server's statement does not name it"
grep -q '"payload": "hidden.train"' s-plain/statement.json || fail "the server's statement lacks what it exposed"
grep -q '"payload": "hidden.train"' a-plain/statement.json && fail "holder1's statement names what the server exposed"
grep -q '"payload": "gradients.hidden"' b-plain/statement.json || fail "the label holder's statement lacks its gradients"

# Noise: charged to each holder's own ledger, in every epoch; the same bytes as in one process.
flags noisy --publication rows --epsilon 8 --delta 1e-4 --epochs 4 --wire int8
same_model s-noisy a-noisy b-noisy whole-noisy
[ "$(charges part-1.sotto)" -eq 4 ] || fail "holder1 was charged $(charges part-1.sotto) times for 4 epochs"
[ "$(charges part-2.sotto)" -eq 4 ] || fail "holder2 was charged $(charges part-2.sotto) times for 4 epochs"

# By default counts of neighbours, charged once a round to each; measures, and the release, are those of one process.
flags counts --epsilon 8 --layers 2 --encoder-epochs 6
same_model s-counts a-counts b-counts whole-counts
[ "$(charges part-1.sotto)" -eq 6 ] || fail "holder1 was charged $(($(charges part-1.sotto) - 4)) times for its counts"
[ "$(charges part-2.sotto)" -eq 6 ] || fail "holder2 was charged $(($(charges part-2.sotto) - 4)) times for its counts"
[ "$(accuracy b-counts)" = "$(accuracy whole-counts)" ] || fail "holder2 measured something else by counts than one process"
for part in a-counts/seed-1/counts-1-0.sotto b-counts/seed-1/counts-2-0.sotto b-counts/seed-1/counts-2-1.sotto; do
  cmp "$part" "whole-counts/seed-1/${part##*/}" || fail "$part is not the release of one process"
done
for kind in exposed share release; do
  [ "$(sent $kind s-counts a-counts b-counts)" -eq "$(sent $kind whole-counts)" ] || fail "other $kind bytes of counts"
done
grep -q '"payload": "clusters"' b-counts/statement.json || fail "the label holder's statement lacks the clusters"
grep -q '"payload": "clusters"' a-counts/statement.json && fail "holder1's statement names what the label holder exposed"

# Everything under shares; each holder's own first layer; several steps an epoch; several seeds, of which all keep the same one.
grep -v epsilon run.yaml > secure.yaml
run_file=secure.yaml own="--insecure-seed 3"
all_three secure --method securegnn --epochs 2
unset run_file
own="--insecure-seed 3 --epsilon inf"
flags own --initial individually --epochs 5
tensors a-own/model.safetensors > one
tensors whole-own/model.safetensors | head -c "$(wc -c < one)" | cmp - one || fail "holders with layers of their own differ"
flags batched --batch-size 40 --epochs 4
same_model s-batched a-batched b-batched whole-batched
all_three seeds --seeds 2 --epochs 4
cmp a-seeds/chosen b-seeds/chosen || fail "holders keep different seeds"
cmp s-seeds/chosen b-seeds/chosen || fail "the server keeps another seed than the label holder"
server s-plain --json 2> /dev/null | grep -q '"method":"vfgnn"' || fail "a finished run does not show its result"

# A matrix that cannot be is refused by name, before any share is sent.
refused() { # WORDS DATA: by holder1
  rm -rf s-bad a-bad b-bad
  run=exec server s-bad > s.log 2>&1 & server_pid=$! # the program itself: nothing is at work when all have ended
  run=exec holder2 b-bad > b.log 2>&1 & shop_pid=$!
  expect 1 "$1" holder1 a-bad --data "$2"
  kill "$server_pid" "$shop_pid" 2> /dev/null || true
  wait || true
}
printf 'feature-scale: none\nfeature-bound: 20\n' >> run.yaml
awk 'BEGIN { print "source,target"; for (i = 0; i < 299; i++) print i "," i + 1 }' > bad.csv
table() { awk -v value="$1" 'BEGIN { print "id,f1,f2"; for (i = 0; i < 300; i++) print i "," (i == 7 ? value : 0.5) ",0.25" }' > bad.nodes.csv; }
table 35
refused "holder 1: feature 0 of node 7 is beyond the bound 20" bad.csv
table nan
refused "bad.nodes.csv\|not finite" bad.csv
awk 'BEGIN { print "id,f1,f2"; for (i = 0; i < 299; i++) print i ",0.5,0.25" }' > bad.nodes.csv
head -n 298 bad.csv > bad2.csv && mv bad2.csv bad.csv
refused "has other nodes" bad.csv
grep -q "share" s-bad/seed-1/result.json 2> /dev/null && fail "a share was sent"

# Wrong usage, wrong roles.
expect 2 "server, holder1, holder2, ... of holders and a server" server s-role --role chairman
expect 1 "vfgnn has a server and holders 1 to 2" holder1 a-role --role holder3
expect 1 "talks to 2, and 1 are named" "$SOTTO" run run.yaml --role holder1 --data part-1.sotto --dir bank \
  --peer "hub=$hub_address" --out a-few $own
expect 2 "comes to --listen" "$SOTTO" run run.yaml --role server --dir hub --peer bank --peer shop --out s-few $own
rm -rf s-x a-x b-x
server s-x > s.log 2>&1 & server_pid=$!
holder1 a-x --role holder2 --data part-2.sotto > a.log 2>&1 & bank_pid=$!
holder2 b-x > b.log 2>&1 && fail "two label holders went on"
wait "$server_pid" && fail "the server went on with two of one role"
wait "$bank_pid" && fail "a holder with another's role went on"
for log in s a b; do
  grep -q "has the role 'holder2', and so has" $log.log || { cat $log.log >&2; fail "$log.log does not name the role"; }
done
rm -rf s-y a-y b-y
server s-y --hidden 8 > s.log 2>&1 & server_pid=$!
holder1 a-y > a.log 2>&1 & bank_pid=$!
holder2 b-y > b.log 2>&1 && fail "holder2 went on with another run file"
wait "$server_pid" && fail "the server went on with another run file"
wait "$bank_pid" && fail "holder1 went on with another run file"
grep -q "'hidden' is" s.log || { cat s.log >&2; fail "the server does not say which option differs"; }
