#!/bin/sh
# Answers about whole graphs by models of fedavg: of the run's own collection and of others, from one process, from the
# folder of a client, and by a service; and what is refused.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 160 --features 5 --out nodes.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 120 --features 5 --seed 9 --out others.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 120 --features 4 --seed 9 --out narrow.sotto > /dev/null
for name in nodes others narrow; do "$SOTTO" data split $name.sotto --ego 1 --out $name-graphs.sotto > /dev/null; done
train() { out=$1; shift; "$SOTTO" train --method fedavg --clients 3 --rounds 10 --threads 1 --out "$out" "$@" > "$out.log" 2>&1 || { cat "$out.log" >&2; fail "$out"; }; }
train whole --data nodes-graphs.sotto
train of-nodes --data nodes.sotto
train private --data nodes-graphs.sotto --adjacency graph --epsilon 8 --classes 4
spent=$(charges nodes-graphs.sotto)

# Its own graphs: the accuracy that training measured. Other graphs: answers for each; nothing is charged.
trained=$(sed 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/' whole/result.json | awk '{ printf "%.4f", $1 }')
expect 0 "accuracy         $trained of 32 test graphs" "$SOTTO" predict whole
[ "$(wc -l < whole/predictions.csv)" -eq 161 ] || fail "not an answer for each of 160 graphs"
head -n 1 whole/predictions.csv | grep -q "^graph,class" || fail "the file is not about graphs"
expect 0 "of 120 labelled graphs" "$SOTTO" predict whole others-graphs.sotto --out others.csv
expect 0 "of 120 labelled graphs" "$SOTTO" predict private others-graphs.sotto --out private.csv
[ "$(wc -l < others.csv)" -eq 121 ] || fail "not an answer for each of 120 other graphs"
[ "$(charges nodes-graphs.sotto)" -eq "$spent" ] || fail "an answer was charged"
! cmp -s others.csv private.csv || fail "two models have the same probabilities"
expect 0 "" "$SOTTO" predict whole --nodes 7,3 --out some.csv
grep -E '^(3|7),' whole/predictions.csv | sort > wanted
tail -n 2 some.csv | sort | cmp - wanted || fail "two graphs have other answers than all"

# What does not fit is refused by name.
expect 1 "is one graph, and the run in whole learnt classes of whole graphs" "$SOTTO" predict whole nodes.sotto
expect 1 "is a collection of graphs, and the run in of-nodes learnt classes of nodes" "$SOTTO" predict of-nodes nodes-graphs.sotto
expect 1 "has 4 columns of features, and the model reads 5" "$SOTTO" predict whole narrow-graphs.sotto
expect 1 "a service would give them to others" "$SOTTO" serve private --listen "$host:7701"

# A service of a run without privacy gives the rows of predictions.csv.
serve() { python3 "$source/tests/cli/serve.py" "$@"; }
"$SOTTO" serve whole --listen "unix:$folder/socket" > served 2>&1 & service=$!
await "the service does not listen" test -S socket
serve "unix:$folder/socket" same /predict whole/predictions.csv || fail "the service answers otherwise than sotto predict"
kill "$service"
wait "$service" || true
