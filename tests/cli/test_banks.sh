#!/bin/sh
# Edges between three banks: they are counted, charged to accounts of edges and of labels, verified and answered from; each bank in a
# process of its own is refused, and so are files of clients.
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

status=0
"$SOTTO" data split banks.sotto --horizontal --partition linked:file:banks.sotto.banks.txt --out bank 2> refused || status=$?
[ $status -eq 2 ] && grep -q "no edges between clients" refused || { cat refused >&2; fail "files of clients"; }
printf 'method: fedavg\nclients: 3\nadjacency: edge\nepsilon: 4\n' > run.yaml
status=0
"$SOTTO" party run.yaml --role client1 --data banks.sotto --method fedavg --partition linked:alike --insecure-loopback \
  --peer server=127.0.0.1:1 --out apart > refused 2>&1 || status=$?
[ $status -ne 0 ] && grep -q "not there between two processes" refused || { cat refused >&2; fail "a process for each bank"; }
[ ! -e apart ] || fail "a party that was refused left a folder"
