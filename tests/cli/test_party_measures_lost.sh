#!/bin/sh
# A client is killed for good while the measures are summed, and another one that had signed comes back: the clients do not
# sign a second sum over the others. The run ends all the same, with the model and the statement, and says that the measures are lost.
. "$(dirname "$0")/common.sh"
ROUNDS_OF_RUN=6
GRACE=4
. "$(dirname "$0")/clients.sh"
printf 'least-clients: 3\nsecure-aggregation: true\n' >> run.yaml
own="$own --client-keys clients.pem"
logs="s.log c?.log"
tell() { cat $logs >&2; fail "$*"; }
start_client() {
  run=exec client "$1" "c$1" >> "c$1.log" 2>&1 &
  eval "client_pid$1=\$!"
}
# Records of 40 bytes: one for each round, and one for each of two sums of measures.
has_signed() { [ "$(wc -c < "c$1/seed-1/signed-client$1.bin")" -ge $((40 * $2)) ]; }

ends_well() {
  for number in "$@"; do
    eval "wait \$client_pid$number" || tell "client $number failed"
    cmp "c$number/model.safetensors" s/model.safetensors || tell "client $number has another model than the server"
    grep -q '"test":{"accuracy":{"mean":[01-9]' "c$number/result.json" || tell "client $number has no measures of its own"
  done
}
is_lost() { grep -q "the measures of the last model over all clients are lost: a client signed other survivors" "$1.log"; }
begin() {
  rm -rf s c1 c2 c3 c4 ./*.log
  run=exec server s > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do start_client $number; done
}

# Client 1 begins again, and its file has other survivors for the sum of measures of the last model.
begin
await "no round was signed" has_signed 1 2
kill -s KILL "$client_pid1"
wait "$client_pid1" 2> /dev/null || true
python3 - c1/seed-1/signed-client1.bin "$ROUNDS_OF_RUN" << 'END'
import struct, sys
with open(sys.argv[1], "ab") as out:
    out.write(struct.pack("<Q", int(sys.argv[2]) + 1) + bytes(range(32)))
END
start_client 1
wait "$server_pid" || tell "the server failed"
ends_well 1 2 3 4
is_lost s || tell "the server does not say that the measures are lost"
for number in 1 2 3 4; do is_lost "c$number" || tell "client $number does not say that the measures are lost"; done
[ -e s/statement.json ] || tell "there is no statement"

# The server is held when client 1 has signed; then client 2 is killed for good, and client 1 is killed and comes back.
tries=0
while :; do
  begin
  await "the measures were not signed" has_signed 1 $((ROUNDS_OF_RUN + 1))
  kill -s STOP "$server_pid" "$client_pid2"
  kill -s KILL "$client_pid2" "$client_pid1"
  wait "$client_pid1" "$client_pid2" 2> /dev/null || true
  start_client 1
  kill -s CONT "$server_pid"
  wait "$server_pid" || tell "the server failed"
  is_lost s && break
  tries=$((tries + 1)) # it was held too late
  [ "$tries" -lt 10 ] || tell "no sum was repeated"
  ends_well 1 3 4 # without client 2, which had finished
done
ends_well 1 3 4
[ -e s/statement.json ] || tell "there is no statement"
