#!/bin/sh
# Comparing graphs on the command line.
. "$(dirname "$0")/common.sh"

# Twelve graphs: chains and stars of 4 to 6 nodes.
shapes 12 4 3

expect 0 "example" "$SOTTO" compare --help
expect 2 "ends in .npz" "$SOTTO" compare shapes --out table.txt
expect 2 "did you mean 'paths'" "$SOTTO" compare shapes --by path --out t.npz
expect 1 "give --embeddings FILE as well\|could not open it" "$SOTTO" compare shapes --by embeddings --out t.npz
expect 2 "goes with" "$SOTTO" compare shapes --by paths --embeddings e.npz --out t.npz
expect 1 "give --codes FILE as well" "$SOTTO" compare run.sotto --by codes --out t.npz
expect 1 "codes.npz: could not open it" "$SOTTO" compare shapes --by codes --out t.npz
expect 2 "codes FILE goes with --by codes" "$SOTTO" compare shapes --by paths --codes c.npz --out t.npz
expect 2 "did you mean 'classify'" "$SOTTO" compare clasify t.npz
for by in paths features fused kernel edits size; do
  expect 0 "mean distance" "$SOTTO" compare shapes --by $by --out $by.npz --threads 2
  [ -f $by.npz ] && [ -f $by.csv ] || fail "--by $by left no table"
  [ ! -f $by.npz.state ] || fail "--by $by left its state"
done
expect 0 "paths.npz and .csv; as private as the graphs" "$SOTTO" compare shapes --out paths.npz
expect 0 '"pairs":66' "$SOTTO" compare shapes --out paths.npz --json
[ "$(wc -l < paths.csv)" -eq 13 ] || fail "a table of 12 graphs has 13 lines"
expect 0 '"svm":' "$SOTTO" compare classify paths.npz --folds 3 --inner 2 --json
expect 0 "accuracy" "$SOTTO" compare classify paths.npz --folds 3 --inner 2
expect 1 "of one class" "$SOTTO" compare classify paths.npz --folds 7
expect 0 "(k 3 most often)" "$SOTTO" compare classify paths.npz --folds 3 --inner 2 --neighbours 3
awk 'BEGIN { print "item,client,part"; for (g = 0; g < 12; g++) print g ",1," (g < 6 ? "train" : g < 9 ? "validation" : "test") }' > parts.csv
expect 0 "of 12 graphs" "$SOTTO" compare classify paths.npz --parts parts.csv
expect 2 "leave --folds" "$SOTTO" compare classify paths.npz --parts parts.csv --folds 3
expect 1 "does not begin" "$SOTTO" compare classify paths.npz --parts paths.csv
expect 0 "clusters        2" "$SOTTO" compare cluster shapes --clusters 2 --out c.csv
expect 0 "figure" "$SOTTO" compare plot paths.npz --colours c.csv --out coloured.svg
expect 0 "a guess is right at most" "$SOTTO" train --method gwldp --data shapes --classes 2 --clients 2 --train-share 0.5 \
  --validation-share 0.2 --epsilon 8 --out coded
expect 0 "codes.npz and .csv; distances are as private as the codes, labels and sizes as the graphs" "$SOTTO" compare shapes --by codes \
  --codes coded/seed-1/codes.npz --out codes.npz
expect 0 "compared by     codes" "$SOTTO" compare shapes --by codes --codes coded/seed-1/codes.npz --out codes.npz
expect 0 "of 12 graphs" "$SOTTO" compare classify codes.npz --parts coded/seed-1/owner-only/parts.csv
expect 0 "clusters        2" "$SOTTO" compare cluster shapes --by codes --codes coded/seed-1/codes.npz
expect 1 "has no array" "$SOTTO" compare shapes --by codes --codes paths.npz --out t.npz
expect 1 "graph,label,cluster" "$SOTTO" compare plot paths.npz --colours paths.csv --out coloured.svg
[ "$(wc -l < c.csv)" -eq 13 ] || fail "12 graphs in clusters make 13 lines"
expect 0 "figure" "$SOTTO" compare plot paths.npz --out f.svg
expect 0 "figure" "$SOTTO" compare plot paths.npz --kind heat --out h.svg
for figure in f h; do tail -n 1 $figure.svg | grep -q '</svg>' || fail "$figure.svg does not end"; done
expect 1 "not a zip" "$SOTTO" compare classify paths.csv
expect 1 "one graph" sh -c '"$0" data generate sbm --nodes 100 --out s.sotto > /dev/null && "$0" compare s.sotto --out s.npz' "$SOTTO"
