#!/bin/sh
# Node level of a federation over TLS: the noise is in the sum, whoever adds it; a server and four clients come to the
# model of one process; each client pays once, also when it is killed and started again; of clients that leave as many may
# go as the noise allows for.
. "$(dirname "$0")/common.sh"
GRACE=40
ROUNDS_OF_RUN=${ROUNDS:-60}
. "$(dirname "$0")/clients.sh"
printf 'adjacency: node\nclasses: 4\nepsilon: 4\ncheckpoint-every: 10\n' >> run.yaml
own="$own --client-keys clients.pem"
for noise in distributed central local; do
  "$SOTTO" train run.yaml --data g.sotto --threads 1 --out "whole-$noise" --noise $noise > whole.log 2>&1 ||
    { cat whole.log >&2; fail "one process failed with noise $noise"; }
  all_five $noise --noise $noise
  cmp "s-$noise/model.safetensors" "whole-$noise/model.safetensors" || fail "another model than in one process, noise $noise"
  for number in 1 2 3 4; do
    cmp "c$number-$noise/model.safetensors" "s-$noise/model.safetensors" || fail "client $number has another model"
    grep -q '"charges_made": *1' "c$number-$noise/statement.json" || fail "client $number does not state its one charge"
  done
  if [ $noise = central ]; then
    grep -q '"clipped sum"' "c1-$noise/statement.json" || fail "the statement lacks what a trusted server sees"
  else
    grep -q '"clipped sum"' "c1-$noise/statement.json" && fail "noise $noise exposes a sum"
  fi
  grep -q '"answers"' "c1-$noise/statement.json" && fail "a client tells how many answers are right"
done
cmp -s s-distributed/model.safetensors s-central/model.safetensors && fail "two noises are one: the comparison is blind"
# A client answers about its own nodes, and about others that it has, by itself; a service does not.
expect 0 "these answers are exact and not private" "$SOTTO" predict c2-distributed
expect 0 "of 4 classes" "$SOTTO" predict c2-distributed part-3.sotto --out others.csv
[ "$(wc -l < c2-distributed/owner-only/predictions.csv)" -gt 1 ] && [ "$(wc -l < others.csv)" -gt 1 ] || fail "a client has no answers"
expect 1 "a service would give them to others" "$SOTTO" serve c2-distributed --listen "$host:7801"
# Three runs in one process and three over TLS.
[ "$(charges part-2.sotto)" -eq 6 ] || fail "six runs are $(charges part-2.sotto) charges"

# A run file from elsewhere does not make a client trust the server.
cp run.yaml trusting.yaml
echo 'noise: central' >> trusting.yaml
run_file=trusting.yaml
expect 2 "'noise' to central" client 1 c-trusting
unset run_file

# Killed and started again: the same sums, under the same charge.
start_party() { # NUMBER, 0 is the server
  if [ "$1" -eq 0 ]; then run=exec server s >> s.log 2>&1 &
  else run=exec client "$1" "c$1" >> "c$1.log" 2>&1 &
  fi
}
for party in 0 1 2 3 4; do start_party $party; eval "pid$party=\$!"; done
await "no rounds were done" there "c2/seed-1/owner-only/stages/*client*"
for victim in 2 0; do
  eval "pid=\$pid$victim"
  kill -s KILL "$pid" 2> /dev/null || true
  wait "$pid" 2> /dev/null || true
  start_party $victim
  eval "pid$victim=\$!"
done
for party in 0 1 2 3 4; do
  eval "wait \$pid$party" || { tail -n 12 s.log >&2; fail "party $party failed"; }
done
cmp s/model.safetensors whole-distributed/model.safetensors || fail "another model after a death"
[ "$(charges part-2.sotto)" -eq 7 ] || fail "a client that was killed paid $(charges part-2.sotto) times in seven runs"

# One of four may leave, and the others' noise is enough; without that share nobody may.
rm -rf s c1 c2 c3 c4
cp run.yaml before.yaml
echo 'least-clients: 3' >> run.yaml
sed -i 's/^grace: .*/grace: 8/' run.yaml
"$SOTTO" run run.yaml --role client1 --dir shop1 --data part-1.sotto --peer "hub=$hub_address" --split planetoid \
  --out c1 $own > c1.log 2>&1 && fail "clients may leave whose noise is needed"
grep -q "leaving-share" c1.log || { cat c1.log >&2; fail "the refusal does not name the share"; }
echo 'leaving-share: 0.25' >> run.yaml
rm -rf s c1 c2 c3 c4 ./*.log
for party in 0 1 2 3 4; do start_party $party; eval "pid$party=\$!"; done
await "no rounds were done" there "c2/seed-1/owner-only/stages/*client*"
kill -s KILL "$pid2"
wait "$pid2" 2> /dev/null || true
for party in 0 1 3 4; do
  eval "wait \$pid$party" || { tail -n 30 s.log c?.log >&2; fail "party $party failed when client 2 left"; }
done
tail -n 1 s/seed-1/owner-only/rounds.jsonl | grep -q '"clients":3.*"missing":\[2\]' || fail "client 2 is not named in the last round"
grep -q '"least_survivors": *3' c1/statement.json || fail "the statement does not say how many have to last"
