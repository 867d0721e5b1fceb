#!/bin/sh
# A run folder may be handed on: where nodes, graphs or clients are private, no file outside owner-only/ has a measure, and an
# edge less at a test node changes none of them. Every file is one that docs/run-files.md declares.
. "$(dirname "$0")/common.sh"
here=$SOTTO_SOURCE
readers="python3 -B $here/tests/cli/readers.py"
# A prime number of nodes: no share of all nodes, which is public, is a measure on some of them.
"$SOTTO" data generate sbm --nodes 127 --classes 2 --features 8 --out g.sotto > /dev/null
train() {
  out=$1
  shift
  case $* in *none*) ;; *) set -- "$@" --epsilon 8 ;; esac
  "$SOTTO" train --hidden 8 --out "$out" "$@" > said 2>&1 || { cat said >&2; fail "$out: could not be trained"; }
  runs="$runs $out"
}
runs=
for method in best sage pertgraph gap; do train $method --method $method --data g.sotto --adjacency node --max-degree 60 --epochs 6; done
train labels --method vesper --data g.sotto --label-epsilon 2 --epochs 4
for level in node client; do
  train fed-$level --method fedavg --data g.sotto --adjacency $level --clients 4 --rounds 3
done
shapes 24 5 3
"$SOTTO" data import shapes shapes.sotto > /dev/null
train fed-graph --method fedavg --data shapes.sotto --adjacency graph --clients 4 --rounds 3
"$SOTTO" predict fed-client > said 2>&1 || { cat said >&2; fail "no predictions at client level"; }
[ -s fed-client/owner-only/predictions.csv ] || fail "predictions by private features and edges are not in owner-only/"
[ -s fed-client/owner-only/facts ] && [ ! -e fed-client/facts ] || fail "at client level the number of nodes lies in the folder"
$readers $runs >&2 || fail "a folder that may be handed on has private measures"
train edge --method best --data g.sotto --epochs 4
[ -s edge/result.json ] && [ -s edge/metrics.jsonl ] || fail "at edge level measures are not in the folder"
train alone --method fedavg --data g.sotto --adjacency none --not-private --clients 3 --rounds 2
[ -s alone/seed-1/owner-only/clients.json ] && [ ! -e alone/seed-1/clients.json ] || fail "sizes of clients lie in the folder"
python3 -B "$here/scripts/run_files.py" --match $runs >&2 || fail "a file has no declaration"

# Two worlds, one edge between test nodes apart, with the same samples and noise. Training nodes do not read it, so what may be
# handed on has the same bytes; the owner's AUC differs, from which the edge could be read.
worlds() {
  awk -v less="$1" 'BEGIN { x = 7
    print "id,label,a,b,c,d" > "nodes.csv"; print "source,target" > "edges.csv"
    for (v = 0; v < 100; v++) {
      y = v % 2; line = v "," y
      for (j = 0; j < 4; j++) { x = (x * 1103 + 12345) % 65536; line = line "," x / 65536 + 0.3 * y * (j % 2) }
      print line > "nodes.csv"
      print (v < 60 ? "train" : v < 80 ? "validation" : "test") > "split.txt"
      for (k = 0; k < 3; k++) {
        x = (x * 1103 + 12345) % 65536; u = v < 95 ? int(v + 2 + x % (98 - v)) : v - 1 - k
        if (!(less && v == 91 && k == 0)) print v "," u > "edges.csv" } } }'
  "$SOTTO" data import edges.csv g.sotto --nodes nodes.csv --split split.txt > /dev/null
}
for world in 0 1; do
  mkdir world-$world
  (cd world-$world && worlds $world && "$SOTTO" train --method sage --data g.sotto --split planetoid --adjacency node --max-degree 60 \
    --epsilon 40 --hidden 8 --epochs 6 --insecure-seed 5 --not-private --classes 2 --out sage > said 2>&1) ||
    { cat world-$world/said >&2; fail "no world $world"; }
done
$readers --worlds world-0/sage world-1/sage >&2 || fail "an edge of test nodes shows in what may be handed on"

# Two worlds, one true label apart, with the same labels as reported and the same releases: what the label party keeps to itself
# differs alone. Other data would show how many rounds it reads.
labels() {
  awk -v other="$1" 'BEGIN { x = 7
    print "id,label,a,b,c,d" > "nodes.csv"; print "source,target" > "edges.csv"
    for (v = 0; v < 90; v++) {
      line = v "," (v == 4 && other ? 2 : v % 3)
      for (j = 0; j < 4; j++) { x = (x * 1103 + 12345) % 65536; line = line "," x / 65536 + 0.3 * (v % 3 == j) }
      print line > "nodes.csv"
      print (v < 50 ? "train" : v < 70 ? "validation" : "test") > "split.txt"
      if (v > 0) print v "," v - 1 > "edges.csv"
      if (v > 5) print v "," v - 3 > "edges.csv" } }'
  "$SOTTO" data import edges.csv labels.sotto --nodes nodes.csv --split split.txt > /dev/null
  "$SOTTO" train --method vesper --data labels.sotto --split planetoid --label-epsilon 2 --epsilon 40 --hidden 8 --epochs 6 \
    --encoder-epochs 6 --insecure-seed 5 --not-private --classes 3 --out told $2 > said 2>&1 || { cat said >&2; fail "no world $1 of labels"; }
}
labels 0 ""
"$SOTTO" predict told > said 2>&1 || { cat said >&2; fail "no predictions where labels are reported"; }
[ -s told/owner-only/predictions.csv ] && [ ! -e told/predictions.csv ] || fail "predictions by true labels are not in owner-only/"
cp -r told told-0
rm -r told/seed-1/owner-only told/owner-only/result.json told/owner-only/model.safetensors told/evidence.json told/statement.json
labels 1 --resume
$readers --worlds told-0 told >&2 || fail "a true label shows in what may be handed on"
expect 1 "which label-epsilon protects" "$SOTTO" predict told labels.sotto --epsilon 1
expect 1 "which label-epsilon protects" "$SOTTO" predict told labels.sotto --nightly --epsilon 50 --nights 3
cp -r told handed
rm -r handed/owner-only handed/seed-1/owner-only
expect 1 "was handed on without owner-only/" "$SOTTO" predict handed
mkdir handed/owner-only && cp told/owner-only/paths.yaml handed/owner-only/
expect 1 "their owner alone has it" "$SOTTO" predict handed

# The page has what the folder may hand on; with --owner it has the measures, and says so without.
grep -q 'sotto report --owner' sage/report.html || fail "the page does not say where the measures are"
"$SOTTO" report sage --owner --out page.html > /dev/null 2>&1 || fail "no page for the owner"
grep -q 'id="results"' page.html && grep -q 'Accuracy on the test part' page.html || fail "the owner's page has no measures"
