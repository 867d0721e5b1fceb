#!/bin/sh
# The live board: a run in the middle, a reader that comes late, one that stands still, Ctrl-C and going on, a party; who is
# refused, before anything is charged; and that it changes nothing.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/held.sh"
EPOCHS=30
. "$(dirname "$0")/party.sh"
board() { python3 "$SOTTO_SOURCE/tests/cli/board.py" "$@"; }
at=$host:7301

# has FILE WORDS...: the file has all of them.
has() {
  file=$1
  shift
  for words in "$@"; do grep -qF -- "$words" "$file" || { cat "$file" >&2; fail "$file lacks '$words'"; }; done
}

# begun FILE: waits until a reader has the whole page.
begun() { await "$1: no page came" grep -q "event: part-run" "$1"; }

# Refusals come first: nothing is charged, nothing is left behind.
train() { ${run:-} "$SOTTO" train --method gap --data g.sotto --epsilon 4 --threads 1 --insecure-seed 5 "$@"; }
python3 -c 'import signal, socket, sys
s = socket.socket(); s.bind((sys.argv[1], 7301)); s.listen(); open("busy", "w").close(); signal.pause()' "$host" &
busy=$!
await "the port was not taken" [ -e busy ]
expect 1 "Address already in use" train --out none --board "$at"
kill "$busy"
expect 1 "a token is needed: give its file with --board-token" train --out none --board 0.0.0.0:7301
expect 2 "is for --board" train --out none --board-token token
expect 2 "unknown option --board" "$SOTTO" ledger verify --board "$at"
[ "$(charges g.sotto)" -eq 0 ] && [ ! -e none ] || fail "a refused board charged something, or left a run behind"

# A run in the middle has a page, also for who comes late.
narrow held
run=exec train --out stopped --encoder-epochs 5 --epochs 300 --checkpoint-every 10 --log json --log-level debug --board "$at" 2> held > /dev/null &
pid=$!
hold held 20000 log
board still "$at" "At work: decoder" > page
has page "Live board: gap on" "This page loads nothing from elsewhere" "Training loss by epoch" "NOT protected: noise from a fixed seed" \
  "the account, charged so far" "What happened last" "Reload the page"
! grep -q "a guess is right" page || { cat page >&2; fail "the page promises what noise from a fixed seed does not keep"; }
! grep -q -e "$folder" -e 'style=' page || { cat page >&2; fail "the page names folders of this machine, or has styles"; }
board follow "$at" early &
early=$!
begun early
board follow "$at" late &
late=$!
begun late
curves() { sed -n "s/.*points='\([^']*\).*/\1/p" "$1" | head -4; }
[ "$(curves page | wc -w)" -gt 100 ] && [ "$(curves early)" = "$(curves page)" ] && [ "$(curves late)" = "$(curves page)" ] ||
  fail "who comes late does not see the whole curve"
board get "$at" / "Host: evil.example" > other
has other 403 "names of this machine"
# Ctrl-C: the page says how it ended.
kill -INT "$pid"
let_go log
code=0
wait "$pid" || code=$?
[ "$code" -eq 130 ] || fail "Ctrl-C ended with $code"
wait "$early" "$late" || fail "the events broke off"
for one in early late; do has "$one" "The run was stopped on request." "event: end"; done

# It goes on, with the epochs of before on the page, and turns into the report. One reader never reads.
narrow again
"$SOTTO" train --resume --out stopped --log json --log-level debug --board "$at" 2> again > said &
pid=$!
hold again 10000 log
board still "$at" "At work: decoder" > page
! grep -q '"stage":"decoder","done":1,' log || fail "nothing was kept of the start before"
has page 'decoder</th><td data-of="Epoch">1</td>' # an epoch of that start
python3 -c 'import signal, socket, sys
s = socket.create_connection((sys.argv[1], 7301)); s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"); signal.pause()' "$host" &
stuck=$!
board follow "$at" events &
reader=$!
begun events
let_go log
wait "$pid" || { cat said >&2; fail "the run that went on failed"; }
wait "$reader" || fail "the events broke off"
kill "$stuck"
has events "The run is done." "event: report" "Report of a run: gap on" "event: end"
train --out plain --encoder-epochs 5 --epochs 300 > /dev/null 2>&1
cmp plain/model.safetensors stopped/model.safetensors || fail "the board changed the model"

# A party: its messages by kind, who is there, no name of the other, a Unix socket.
narrow stood
rm events
data d --log json --log-level debug --board "$at" 2> stood > d.out &
pid=$!
hold stood 1 d.log
board until "$at" "Waiting for other parties: 0 of 1" > page
! grep -qF partner page || { cat page >&2; fail "the page names the other party"; }
label l --board "unix:$folder/board" > l.out 2>&1 &
peer=$!
board still "unix:$folder/board" "raw" > page
has page "This party" "label" "No account of this party was charged so far" "exposed" "1 of 1"
board follow "$at" events &
reader=$!
begun events
let_go d.log
wait "$reader" || fail "the events broke off"
wait "$pid" && wait "$peer" || { cat d.log l.out >&2; fail "the parties failed"; }
has events "1 of 1" "The messages of this party, by kind." "exposed" "event: report" "event: end"
sed '/^event: report/,$d' events > before # the verdicts of the report at the end name whose things are protected
! grep -q -e partner -e "$host" before || { cat events >&2; fail "the events name the other party"; }
! grep -q "$host" events || { cat events >&2; fail "the events have the other party's address"; }
[ ! -e board ] || fail "the Unix socket is left behind"

# The page of a run that is served.
served() { board get "$at" "$1"; }
"$SOTTO" serve plain --listen "$at" --board > serve.out 2> serve.log &
pid=$!
is_served() { served /board > page && ! grep -q '^503' page; }
await "no page is served" is_served
sed 1d page | cmp - plain/report.html || fail "the page that is served is not the report"
served /board/plain | sed 1d | cmp - plain/report.html || fail "the page of a name is not the report"
kill "$pid"
wait "$pid" || { cat serve.log >&2; fail "the service did not end well"; }
