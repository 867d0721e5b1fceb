#!/bin/sh
# sotto run check names what is wrong: faults are planted one at a time, and each has its line and its exit status.
# Of several parties every peer is tried, whatever came of the others.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
fake_pid=
check() { $last "$SOTTO" run check run.yaml --role label --data g.sotto --dir partner --peer "bank=$host:$port" \
  $fixed ${limit---grace 1} "$@"; }
listening() { $last "$SOTTO" run check run.yaml --role data --data g.sotto --dir bank --peer partner \
  --listen "$host:$port" $fixed ${limit---grace 1} "$@"; }
# against STATUS WORDS CHECK...: while the data party waits with the folder of keys $other, or bank.
against() {
  run=exec data waits --dir "${other:-bank}" > d.log 2>&1 &
  waiting=$!
  limit= expect "$@"
  kill "$waiting"
  wait "$waiting" 2> /dev/null || true
}
fake() { # fake KIND PORT: what is there is no party
  rm -f fake.log
  python3 "$(dirname "$0")/fake_party.py" "$host" "$2" "$1" > fake.log 2>&1 &
  fake_pid=$!
  await "the false party did not begin" [ -s fake.log ]
}
unfake() {
  kill "$fake_pid"
  wait "$fake_pid" 2> /dev/null || true
  fake_pid=
}
against 0 "peer *ok" check

# The data: not there, without the column, with ragged rows.
expect 12 "data *FAILED.*no such file" check --data nothing.sotto
printf 'id,colour\na,1\n' > other.csv
expect 13 "data *FAILED.*no node has a label" check --data other.csv
printf 'id,label\na,red\nb\n' > ragged.csv
expect 13 "data *FAILED" check --data ragged.csv

# The keys: none, open to others, ended, of tomorrow by this clock.
expect 14 "own key *FAILED.*sotto identity init" check --dir empty
cp -r partner loose && chmod 640 loose/key.pem
expect 15 "own key *FAILED.*others may read this key" check --dir loose
. "$(dirname "$0")/dated.sh"
cp -r partner ended && dated ended partner 20200101000000Z 20200601000000Z
expect 19 "own key *FAILED.*has expired" check --dir ended
day=$(date -u -d tomorrow +%Y%m%d%H%M%SZ 2> /dev/null || date -u -v+1d +%Y%m%d%H%M%SZ)
cp -r partner tomorrow && dated tomorrow partner "$day" 20990101000000Z
expect 19 "own key *FAILED.*not valid yet; are both clocks right" check --dir tomorrow

# Trust: nobody of the name; the peer shows another key; the peer refuses ours.
cp -r partner alone && rm alone/trust/bank.crt
expect 16 "peer's key *FAILED.*'bank' is not trusted" check --dir alone
"$SOTTO" identity init --name bank --dir false > /dev/null
"$SOTTO" identity trust partner/own.crt --dir false > /dev/null
other=false against 17 "peer *FAILED.*its certificate is refused" check
"$SOTTO" identity init --name partner --dir unknown > /dev/null
"$SOTTO" identity trust bank/own.crt --dir unknown > /dev/null
against 18 "certificate refused: the peer refuses this party's certificate" check --dir unknown
# A peer whose clock is years ahead, or behind, and whose own certificate is fine: this side names the clocks.
of_clock() { # SECONDS STATUS WORDS
  openssl s_server -accept "$host:$port" -cert bank/own.crt -key bank/key.pem -tls1_3 -Verify 1 -verify_return_error -quiet \
    -CAfile partner/own.crt -partial_chain -attime "$1" > server.log 2>&1 &
  waiting=$!
  await "the false clock does not listen" python3 -c "import socket; socket.create_connection(('$host', $port)).close()"
  limit= expect "$2" "$3" check
  kill "$waiting"
  wait "$waiting" 2> /dev/null || true
}
of_clock 4000000000 19 "peer *FAILED.*it refuses this party's certificate, which has expired there; this machine's clock says 20"
of_clock 1000000000 18 "and both clocks"

# The ledger: no database, no budget; the disk: too small a limit, no such right.
echo "no ledger" > broken.db
expect 20 "budget *FAILED.*broken.db" listening --ledger broken.db
"$SOTTO" ledger init --ledger small.db > /dev/null
"$SOTTO" ledger move g.sotto --reason "a small one" --ledger small.db > /dev/null
"$SOTTO" ledger budget g.sotto --epsilon 1 --ledger small.db > /dev/null
expect 3 "budget *FAILED.*budget is 1" listening --ledger small.db
"$SOTTO" ledger move g.sotto --reason "the small one was tried" > /dev/null
limited() { (ulimit -f 64 && check "$@"); } # blocks of 512 or 1024 bytes
sed 's/^hidden: .*/hidden: 256/' run.yaml > wide.yaml
expect 22 "disk *FAILED.*ulimit -f" limited --hidden 256

# The way: no such host, port closed, nobody comes, something else answers, nothing answers.
expect 23 "peer *FAILED.*not known" check --peer "bank=host.invalid:$port"
expect 23 "peer *FAILED.*could not listen" listening --listen "192.0.2.1:$port"
expect 24 "port closed: the host answers" check
expect 27 "nobody came: have the peer run" listening
fake web "$port"
expect 26 "not a party: what is there" check
unfake
fake silent "$port"
expect 26 "not a party" check
unfake
fake full "$port"
expect 25 "no answer: the host is down, or a firewall" check
unfake
fake old "$port"
check_plain() { $last "$SOTTO" run check run.yaml --role label --data g.sotto --insecure-loopback --peer "bank=$host:$port" \
  $fixed --grace 4 "$@"; }
expect 29 "sotto 0.0.9, which speaks protocol 4" check_plain
unfake

# What was agreed: other terms, other nodes, another role.
against 30 "peer *FAILED.*'hidden' is 8 here and 16 there" check --hidden 8
seq 300 | sed 's/^/n/' > ids.txt
against 31 "peer *FAILED.*other nodes" check --ids ids.txt
expect 32 "role *FAILED" check --role holder1

# Lines for programs; the status is that of the first line that failed.
expect 12 '"trouble":"data missing","status":12' check --data nothing.sotto --json
[ "$(python3 -c 'import json; print(sum(not line["good"] for line in json.load(open("output"))))')" -eq 2 ] ||
  fail "not two failed lines: data and peer"

# Several: one peer is closed, one shows another key, one is well, and each has its line.
printf 'method: vfgnn\nholders: 3\nlabel-holder: 3\nhidden: 8\nepochs: 2\nepsilon: 4\n' > three.yaml
"$SOTTO" data split g.sotto --vertical --holders 3 --features --edges --label-holder 3 --out part > /dev/null
for name in hub two three; do
  "$SOTTO" identity init --name $name --dir $name > /dev/null
  "$SOTTO" identity trust bank/own.crt --dir $name > /dev/null
  "$SOTTO" identity trust $name/own.crt --dir bank > /dev/null
done
"$SOTTO" identity init --name two --dir two2 > /dev/null
"$SOTTO" identity trust bank/own.crt --dir two2 > /dev/null
for name in two three; do "$SOTTO" identity trust $name/own.crt --dir hub > /dev/null; done
"$SOTTO" run check three.yaml --role server --dir hub --listen "$host:7001" --peer bank --peer two --peer three \
  --grace 4 > hub.log 2>&1 &
hub=$!
"$SOTTO" identity trust three/own.crt --dir two2 > /dev/null
"$SOTTO" identity trust hub/own.crt --dir two2 > /dev/null
"$SOTTO" run check three.yaml --role holder2 --data part-2.sotto --dir two2 --listen "$host:7002" --peer bank --peer three \
  --peer "hub=$host:7001" --grace 4 > two.log 2>&1 &
two=$!
"$SOTTO" run check three.yaml --role holder1 --data part-1.sotto --dir bank --peer "hub=$host:7001" \
  --peer "two=$host:7002" --peer "three=$host:7003" --grace 4 > output 2>&1 && fail "all is well"
grep -q "peer *ok *'hub' answers" output || { cat output hub.log >&2; fail "no line of the peer that is well"; }
grep -q "peer *FAILED.*'two'.*its certificate is refused" output || { cat output two.log >&2; fail "no line of the other key"; }
grep -q "peer *FAILED.*'three'.*Connection refused" output || { cat output >&2; fail "no line of the closed port"; }
wait "$hub" && fail "the server heard of all"
grep -q "peer *ok *'bank' answers" hub.log || { cat hub.log >&2; fail "the server has no line of the peer that came"; }
grep -q "peer *FAILED.*'three'" hub.log || { cat hub.log >&2; fail "the server has no line of the peer that is missing"; }
wait "$two" && fail "two heard of all"
exit 0
