#!/bin/sh
# Pages of sotto report in Chromium: nothing is loaded, nothing is cut off or overlaps, keyboard and readers of screens
# find everything, and they print. Screenshots and PDFs stay in the build folder, in report-pages.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/browser.sh"

"$SOTTO" data generate sbm --nodes 400 --classes 3 --signal 2 --out g.sotto > /dev/null
"$SOTTO" ledger budget g.sotto --epsilon 60 --reason "agreed in May" > /dev/null
train() {
  "$SOTTO" train --data g.sotto --hidden 16 --encoder-epochs 30 --epochs 20 --threads 1 "$@" > said 2>&1 ||
    { cat said; fail "train $*"; }
}
train --method vesper --epsilon 2 --seeds 2 --out two-party
train --method vfgnn --epsilon 3 --out three-party
train --method gap --adjacency node --max-degree 399 --epsilon 4 --delta 1e-5 --out node-level
train --method best --epsilon 2 --out best
train --method vesper --epsilon 8 --out weak
train --method gap --epsilon 20 --out vacuous
for epsilon in 1 2 3 4 5; do train --method gap --epsilon $epsilon --out gap-$epsilon; done
train --method gnn --not-private --out open
"$SOTTO" ledger budget g.sotto --adjacency node --epsilon 8 --reason "agreed in June" > /dev/null
"$SOTTO" audit best --trials 1000 > said 2>&1 || { cat said; fail "audit"; }
"$SOTTO" report best --owner --out owner.html > /dev/null
"$SOTTO" report two-party three-party node-level best weak vacuous open gap-1 gap-2 gap-3 gap-4 gap-5 --out several.html > /dev/null
"$SOTTO" report --ledger --out ledger.html > /dev/null
for run in two-party three-party node-level weak vacuous open; do mv $run/report.html $run.html; done
"$python" "$tests/report_browser.py" "$kept" two-party.html three-party.html node-level.html weak.html vacuous.html open.html owner.html \
  several.html ledger.html || fail "the pages in the browser; pictures are in $kept"
