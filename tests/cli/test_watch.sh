#!/bin/sh
# Watching: what a party says of its run, as text and as JSON; the board, and that it changes nothing.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"

# get ADDRESS PATH [HEADER: VALUE]: the status on the first line, then the body.
cat > get.py << 'END'
import http.client, socket, sys
class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.host)
address, path = sys.argv[1:3]
headers = dict([sys.argv[3].split(": ")]) if len(sys.argv) > 3 else {}
link = Local(address[5:]) if address.startswith("unix:") else http.client.HTTPConnection(address, timeout=20)
if address.startswith("unix:"): headers.setdefault("Host", "localhost")
link.request("GET", path, headers=headers)
answer = link.getresponse()
print(answer.status)
print(answer.read().decode(), end="")
END
get() { python3 get.py "$@"; }

# until_says FILE WORDS: waits for them.
until_says() { logs=$1 await "$1 never said '$2'" grep -q -- "$2" "$1"; }

sed -i "s/^grace: .*/grace: 60/" run.yaml # the party that waits is looked at four times before the other one starts

# A party that waits says so, with times, and is not ready; then it is connected.
status="unix:$folder/status"
data d --board "$host:7101" > d.out 2> d.log &
pid=$!
until_says d.log "waiting for partner at $host:$port"
grep -q "^[0-2][0-9]:[0-5][0-9]:[0-6][0-9] listening on $host:$port$" d.log || { cat d.log >&2; fail "no line for listening"; }
get "$host:7101" /ready > ready || fail "no answer"
grep -q "^503" ready && grep -q "not all parties are connected" ready || { cat ready >&2; fail "it is ready too early"; }
get "$host:7101" /health | grep -q '"verb":"run"' || fail "no health"
get "$host:7101" /metrics > metrics
grep -q '^sotto_peer_connected{peer="partner"} 0$' metrics || { cat metrics >&2; fail "the peer is not in the metrics"; }
grep -q '^sotto_certificate_days_left 36[45]$' metrics || { cat metrics >&2; fail "the certificate is not in the metrics"; }
label l --log json --log-level debug --board "$status" > l.out 2> l.log || { cat l.log >&2; fail "the label party failed"; }
wait "$pid" || { cat d.log >&2; fail "the data party failed"; }
grep -q "partner: connected (.*), runs sotto [0-9.]*, terms agree$" d.log || { cat d.log >&2; fail "no line for the connection"; }
! grep -q "$(printf '\r')" d.log || fail "progress is drawn over where there is no terminal"
[ ! -e status ] || fail "the Unix socket is left behind"
python3 - l.log << 'END' || { cat l.log >&2; fail "the log is not lines of JSON with what was done"; }
import datetime, json, sys
seen = {}
for line in open(sys.argv[1]):
    entry = json.loads(line)
    datetime.datetime.fromisoformat(entry["time"].replace("Z", "+00:00"))
    assert entry["level"] in ("error", "warn", "info", "debug")
    seen.setdefault(entry["event"], []).append(entry)
assert seen["connected"][0]["peer"] == "bank" and seen["connected"][0]["level"] == "info"
assert len(seen["epoch"]) == 2 * 24 and all(0 <= e["validation"] <= 1 and e["loss"] > 0 for e in seen["epoch"])
assert sum(e["received"] for e in seen["payload"] if e["kind"] == "release") > 0
END

# Errors are lines of JSON too; levels leave lines out; flags are checked.
expect 1 '"event":"failed","text":"nothing.sotto: there is no such file' "$SOTTO" train --method mlp --data nothing.sotto --log json
expect 2 "json or text" "$SOTTO" train --method mlp --data g.sotto --log xml
expect 2 "error, warn, info or debug" "$SOTTO" train --method mlp --data g.sotto --log-level all
expect 2 "is for --board" "$SOTTO" train --method mlp --data g.sotto --board-token token
expect 1 "a token is needed: give its file with --board-token" "$SOTTO" train --method mlp --data g.sotto --board 0.0.0.0:7101
expect 0 "board-token FILE" "$SOTTO" audit --help
"$SOTTO" train --method mlp --data g.sotto --not-private --encoder-epochs 5 --out quiet --log-level warn > /dev/null 2> quiet.log
[ ! -s quiet.log ] || { cat quiet.log >&2; fail "--log-level warn says more than warnings"; }

# The same model with and without somebody who asks all the time, with a token.
fixed_train() { "$SOTTO" train --method gap --data g.sotto --epsilon 4 --epochs 300 --threads 1 --insecure-seed 5 "$@"; }
"$SOTTO" ledger budget g.sotto --epsilon 90 > /dev/null
fixed_train --out plain > /dev/null 2>&1
head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' > token
chmod 600 token
cat > poll.py << 'END'
import http.client, socket, sys, time
path, token = sys.argv[1], open("token").read()
open("polling", "w").close()
answers = 0
while True:
    link = http.client.HTTPConnection("localhost")
    link.sock = socket.socket(socket.AF_UNIX)
    try:
        link.sock.connect(path)
        link.request("GET", "/metrics", headers={"Authorization": "Bearer " + token})
        answer = link.getresponse()
        text = answer.read().decode()
        if answer.status != 200: sys.exit(f"{answer.status} {text}")
        open("metrics", "w").write(text)
        answers += 1
    except OSError:
        if answers > 0: break # the training is over
        time.sleep(0.01)
    finally:
        link.close()
print(answers)
END
timeout 300 python3 poll.py "$folder/status" > polled &
poller=$!
await "nobody asks" [ -e polling ]
fixed_train --out watched --board "$status" --board-token token > watched.out 2>&1 || { cat watched.out >&2; fail "the watched training failed"; }
wait "$poller" || fail "nobody was answered"
grep -q "^sotto_epochs_total [0-9]" metrics || { cat metrics >&2; fail "no metrics of a training"; }
grep -q "^sotto_epsilon_spent [0-9]" metrics && grep -q "^sotto_epsilon_budget 90$" metrics && grep -q "^sotto_epsilon_left [0-9]" metrics ||
  { cat metrics >&2; fail "no epsilon in the metrics"; }
cmp plain/model.safetensors watched/model.safetensors || fail "being watched changed the model"

# A terminal, or whatever reads stderr, that stands still: the board answers all the same.
mkfifo stopped
"$SOTTO" train --method mlp --data g.sotto --not-private --encoder-epochs 3000 --threads 1 --out held --log json --log-level debug \
  --board "$status" 2> stopped > /dev/null &
pid=$!
exec 9< stopped
full() { get "$status" /metrics > first 2> /dev/null && moment 30 && get "$status" /metrics > second && [ -s second ] &&
  [ "$(grep -c . second)" -gt 10 ] && [ "$(grep '^sotto_epochs_total' first)" = "$(grep '^sotto_epochs_total' second)" ]; }
await_or_end "$pid" "the training does not stand still, or the board does" full
! ended "$pid" || fail "the training ended, though nobody reads it"
cat <&9 > /dev/null
wait "$pid" || fail "the training that was held up failed"
