#!/bin/sh
# With --least-clients the server goes on without a client that is killed, or says nothing for --grace: the log of
# rounds names it, the others have the server's model, it is not let in again, and a run that begins anew for another
# client's sake does so without it. Without the option all are needed.
. "$(dirname "$0")/common.sh"
ROUNDS_OF_RUN=${ROUNDS:-400}
GRACE=${LIMIT:-8}
. "$(dirname "$0")/clients.sh"
printf 'least-clients: 2\ncheckpoint-every: 50\n' >> run.yaml
start_client() {
  run=exec client "$1" "c$1" >> "c$1.log" 2>&1 &
  eval "client_pid$1=\$!"
}
begin() {
  rm -rf s c1 c2 c3 c4 ./*.log
  run=exec server s --board "unix:$folder/status" > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do start_client $number; done
}
logs="s.log c?.log"
tell() { cat $logs >&2; fail "$*"; }
until_so() { await "$@"; }
# The metrics of the server name these clients and no others as its peers.
has_peers() {
  python3 - "$folder/status" "$*" << 'END'
import re, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
text = b"".join(iter(lambda: link.recv(65536), b"")).decode()
sys.exit(sorted(re.findall(r'sotto_peer_connected{peer="(\w+)"}', text)) != sys.argv[2].split())
END
}
has_point() { ls "$1/seed-1/owner-only/stages/" | grep -q '^client'; }
ends_well() { eval "wait \$$1" || tell "$1 failed"; }

# Client 2 is killed; client 4 has answered in the round that waits for it, and is held in the next one.
begin
until_so "no rounds were done" has_point c1
has_peers shop1 shop2 shop3 shop4 || tell "the status does not name all clients"
kill -s KILL "$client_pid2"
wait "$client_pid2" 2> /dev/null || true
moment 200
kill -s STOP "$client_pid4"
until_so "client 2 was not left out" grep -q "client 2 is left out from round" s.log
until_so "the status still names client 2" has_peers shop1 shop3 shop4
expect 1 "the run goes on without shop2" client 2 c2
kill -s KILL "$client_pid1"
wait "$client_pid1" 2> /dev/null || true
start_client 1
kill -s CONT "$client_pid4"
ends_well server_pid
for number in 1 3 4; do
  ends_well "client_pid$number"
  cmp "c$number/model.safetensors" s/model.safetensors || tell "client $number has another model than the server"
done
[ "$(wc -l < s/seed-1/rounds.jsonl)" -eq "$ROUNDS_OF_RUN" ] || tell "not all rounds are in the log"
head -n 1 s/seed-1/rounds.jsonl | grep -q '"clients":4.*"missing":\[\]' || tell "someone was missing in the first round"
tail -n 1 s/seed-1/rounds.jsonl | grep -q '"clients":3.*"missing":\[2\]' || tell "client 2 is not named in the last round"
[ "$(grep -c '"left_in_round": null' s/seed-1/owner-only/clients.json)" -eq 3 ] || tell "others than client 2 left"
grep -q "a party began anew" s.log || tell "the run did not begin anew: the test is blind for that"

# The same in secure sums, of which one of four may be missing: a client that is killed in the middle is left out, and
# another one that comes back goes on with a round that nobody summed.
cp run.yaml open.yaml
sed -i 's/least-clients: 2/least-clients: 3/' run.yaml
echo 'secure-aggregation: true' >> run.yaml
open=$own
own="$own --client-keys clients.pem"
tries=0
while :; do
  begin
  until_so "no rounds were done" has_point c1
  kill -s KILL "$client_pid2"
  wait "$client_pid2" 2> /dev/null || true
  until_so "client 2 was not left out" grep -q "client 2 is left out from round" s.log
  kill -s KILL "$client_pid1"
  wait "$client_pid1" 2> /dev/null || true
  start_client 1
  wait "$server_pid" && break
  # Where the others had signed who is left before client 1 died, they sign no other sum, and the run has to end.
  tries=$((tries + 1))
  { [ "$tries" -lt 6 ] && grep -q "the sum is given up" s.log; } || tell "server_pid failed"
  wait
done
for number in 1 3 4; do
  ends_well "client_pid$number"
  cmp "c$number/model.safetensors" s/model.safetensors || tell "client $number has another model than the server"
done
tail -n 1 s/seed-1/rounds.jsonl | grep -q '"clients":3.*"missing":\[2\]' || tell "client 2 is not named in the last round"
grep -q "a party began anew" s.log || tell "the run did not begin anew: the test is blind for that"
mv open.yaml run.yaml
own=$open

# Client 3 hangs, and hears of it when it goes on; fewer than are asked for end the run.
begin
until_so "no rounds were done" has_point c1
kill -s STOP "$client_pid3"
until_so "client 3 was not left out" grep -q "client 3 is left out from round .*no answer came" s.log
kill -s CONT "$client_pid3"
wait "$client_pid3" && tell "client 3 ended well"
grep -q "the run goes on without this client" c3.log || tell "client 3 does not say why it ended"
for party in server_pid client_pid1 client_pid2 client_pid4; do ends_well $party; done

sed -i 's/least-clients: 2/least-clients: 4/' run.yaml
begin
until_so "no rounds were done" has_point c1
kill -s KILL "$client_pid2"
wait "$server_pid" && tell "the server went on with too few"
grep -q "3 clients are left, fewer than least-clients (4)" s.log || tell "the server does not say that they are too few"
wait
