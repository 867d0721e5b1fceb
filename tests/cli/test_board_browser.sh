#!/bin/sh
# The live board in Chromium: it follows a run and turns into its report; nothing is loaded from elsewhere, nothing is cut off
# or overlaps, keyboard and readers of screens find everything. Screenshots stay in the build folder, in report-pages.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/browser.sh"
. "$(dirname "$0")/held.sh"
at=$host:7401

# look NAME [GO]: the board in the browser.
look() { "$python" -B "$tests/board_browser.py" "$kept" "$1" "http://$at/" ${2:+"$2"} || fail "the board in the browser; pictures are in $kept"; }

"$SOTTO" data generate sbm --nodes 300 --classes 3 --signal 2 --out g.sotto > /dev/null
"$SOTTO" ledger budget g.sotto --epsilon 30 > /dev/null
narrow held
"$SOTTO" train --data g.sotto --method vesper --publication layers --epsilon 4 --seeds 2 --hidden 16 --encoder-epochs 60 --epochs 300 \
  --threads 1 --out run --log json --log-level debug --board "$at" 2> held > said &
pid=$!
hold held 150000 log
{ await "the browser did not ask for more" [ -e go ]; exec cat <&9 > /dev/null; } &
exec 9<&-
look board go
wait "$pid" || { cat said >&2; fail "the run failed"; }

# A party that waits for another one.
"$SOTTO" identity init --name bank --dir bank > /dev/null
"$SOTTO" identity init --name partner --dir partner > /dev/null
"$SOTTO" identity trust partner/own.crt --dir bank > /dev/null
printf 'method: vesper\nhidden: 16\nepsilon: 4\n' > run.yaml
"$SOTTO" run run.yaml --role data --data g.sotto --dir bank --peer partner --listen "$host:7402" --out waits --board "$at" > said 2>&1 &
pid=$!
waits() { python3 "$tests/board.py" get "$at" / | grep -q "Waiting for"; }
await "the board does not say that the party waits" waits
look board-party
kill "$pid"
wait "$pid" || true
