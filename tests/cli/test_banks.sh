#!/bin/sh
# Edges between three banks: they are counted, charged to accounts of edges and of labels, verified and answered from; each bank's file has
# those of its customers. Banks in processes of their own: test_party_banks.sh.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate banks --nodes 600 --out banks.sotto > /dev/null
[ "$(wc -l < banks.sotto.banks.txt)" -eq 600 ] || fail "a bank for each account"
[ "$(sort -u banks.sotto.banks.txt | tr '\n' ' ')" = "1 2 3 " ] || fail "three banks"
# trained RUN PARTITION: a small federation at edge level.
trained() {
  "$SOTTO" train --method fedavg --data banks.sotto --clients 3 --adjacency edge --epsilon 4 --rounds 60 --encoder-epochs 40 \
    --partition "$2" --out "$1" > "$1.log" 2>&1 || { cat "$1.log" >&2; fail "$1"; }
}
trained lost file:banks.sotto.banks.txt
trained linked linked:file:banks.sotto.banks.txt
! grep -q "clusters" lost.log || fail "clusters are reported where edges between clients are lost"
grep -q "clusters, as other clients get them, of \`clients\`: epsilon 4" linked.log || { cat linked.log >&2; fail "no verdict on clusters"; }
grep -q "edges of \`clients\`: epsilon 4" linked.log || fail "no verdict on edges"
"$SOTTO" statement verify linked > verified || { cat verified >&2; fail "the statement does not hold"; }
grep -q "charges     hold: 8 of this run" verified || { cat verified >&2; fail "not 8 charges"; }
"$SOTTO" predict linked > predicted
grep -o '"test":{"accuracy":{"mean":[0-9.]*' linked/result.json | sed 's/.*://' | awk '{ printf "accuracy         %.4f of", $1 }' > wanted
grep -q "$(cat wanted)" predicted || { cat wanted predicted >&2; fail "answers of another accuracy"; }
"$SOTTO" audit linked --attack canary > audited || { cat audited >&2; fail "the audit objects"; }
grep -q "a reported cluster" audited || fail "no canary of a reported cluster"
"$SOTTO" report linked > /dev/null
grep -q "Clusters of clients' nodes\|Clusters of clients&#39; nodes" linked/report.html || fail "the report has no account of clusters"

# Each bank's file has its edges to customers of other banks: both ends of such an edge have it, and a plain split has none.
"$SOTTO" data split banks.sotto --horizontal --partition linked:file:banks.sotto.banks.txt --parts --out bank > /dev/null
"$SOTTO" data split banks.sotto --horizontal --partition file:banks.sotto.banks.txt --out plain > /dev/null
foreign() { "$SOTTO" data info "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["foreign_edges"])'; }
between=$(($(foreign bank-1.sotto) + $(foreign bank-2.sotto) + $(foreign bank-3.sotto)))
edges() { "$SOTTO" data info "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["edges"])'; }
lost=$(($(edges banks.sotto) - $(edges plain-1.sotto) - $(edges plain-2.sotto) - $(edges plain-3.sotto)))
[ "$between" -eq $((2 * lost)) ] && [ "$lost" -gt 100 ] || fail "$between ends of edges between banks, of $lost edges"
[ "$(foreign plain-1.sotto)" = None ] || fail "a plain split has edges to others"
