#!/bin/sh
# Two processes over TLS are one process: the same model bit for bit, the same measures, one charge a seed. Then what
# keeps them apart: other run files, other nodes, the same role.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole --json 2> /dev/null | tail -n 1 > whole.json
before=$(charges g.sotto)
data da --json > da.json 2> da.log &
pid=$!
label la --json > la.json 2> la.log || { cat la.log >&2; fail "the label party failed"; }
wait "$pid" || { cat da.log >&2; fail "the data party failed"; }
same_model 1 da la whole
same_model 2 da la whole
cmp -s da/seed-1/model.safetensors da/seed-2/model.safetensors && fail "two seeds are one model: the comparison is blind"
! grep -rlaF --exclude-dir=owner-only "$folder" da la || fail "a party's file that may be handed on names a path of its machine"
measures() { grep -o '"test":{.*"privacy"' "$1"; }
[ "$(measures la.json)" = "$(measures whole.json)" ] || fail "two processes measured something else than one"
[ $(($(charges g.sotto) - before)) -eq 2 ] || fail "two seeds were not two charges"
for kind in public exposed release; do
  [ "$(grep -o "\"wire\":.*" da.json | grep -o "\"$kind\":[0-9]*")" = \
    "$(grep -o "\"wire\":.*" whole.json | grep -o "\"$kind\":[0-9]*")" ] || fail "other $kind bytes than in one process"
done

# The same command again: the result stands, nobody is called.
label la --json 2> /dev/null | grep -q '"accuracy"' || fail "a finished run does not show its result"
expect 1 "holds a run with 'hidden'" data da --hidden 8

# A rounded release is the same in one process and two.
for format in bf16 int8; do
  "$SOTTO" train run.yaml --data g.sotto --seeds 1 --wire "$format" --out "whole-$format" > /dev/null 2>&1
  data "d-$format" --seeds 1 --wire "$format" > /dev/null 2> da.log &
  label "l-$format" --seeds 1 --wire "$format" > /dev/null 2>&1
  wait $! || { cat da.log >&2; fail "the data party failed with $format"; }
  same_model 1 "d-$format" "l-$format" "whole-$format"
  cmp -s halves whole.tensors || fail "$format differs"
done

# Counts, as plain commands release them; without edges, without noise, with the GRU decoder, with narrow releases that count neighbours.
grep -Ev '^(epsilon|epochs|publication)' run.yaml > mlp.yaml
grep -Ev '^(encoder-epochs|publication)' run.yaml > node.yaml
for flags in "--publication counts" "--publication counts --clusters labels --epsilon 14" "--method mlp" "--epsilon inf" "--combine gru" \
  "--release-width 8 --constant 1 --release-scale raw --max-degree 299" "--adjacency node --max-degree 299"; do
  rm -rf whole-x d-x l-x
  case $flags in
    *mlp*) run_file=mlp.yaml ;;
    *node*) run_file=node.yaml ;;
    *) run_file=run.yaml ;;
  esac
  "$SOTTO" train "$run_file" --data g.sotto --seeds 1 $flags --out whole-x > /dev/null 2>&1
  data d-x --seeds 1 $flags > /dev/null 2> da.log &
  label l-x --seeds 1 $flags > /dev/null 2>&1
  wait $! || { cat da.log >&2; fail "the data party failed with $flags"; }
  same_model 1 d-x l-x whole-x
done
unset run_file

# At node level (the last of these) nothing goes out raw, and the label party says nothing.
grep -q '"exposed": \[\]' d-x/statement.json || fail "node level exposed something"
grep -q '"adjacency": "node"' l-x/statement.json || fail "the label party's statement is not of node level"

# A table of labels will do for the label party; with ids, both must have the same.
awk 'BEGIN { print "id,label"; for (i = 0; i < 300; i++) print i "," int(i * 6 / 300) }' > labels.csv
"$SOTTO" data generate sbm --nodes 300 --features 16 --classes 6 --out g.sotto > /dev/null
"$SOTTO" train run.yaml --data g.sotto --seeds 1 --out whole-table > /dev/null 2>&1
data d-table --seeds 1 > /dev/null 2>&1 &
label l-table --seeds 1 --data labels.csv > /dev/null 2> la.log || { cat la.log >&2; fail "a table of labels failed"; }
wait
same_model 1 d-table l-table whole-table

# An edge list with a table of nodes, whose ids are words, in an order of their own.
awk "$draws"'BEGIN { seeded(5); print "id,f1,f2,f3,label" > "e.nodes.csv"; print "id,label" > "e.labels.csv"; print "source,target" > "e.csv"
  for (i = 0; i < 120; i++) { id = "n" (i * 7 % 120); c = i % 3
    print id "," draw() + (c == 0) "," draw() + (c == 1) "," draw() + (c == 2) "," c > "e.nodes.csv"
    print id "," c > "e.labels.csv" }
  for (i = 0; i < 400; i++) print "n" int(draw() * 120) ",n" int(draw() * 120) > "e.csv" }'
"$SOTTO" train run.yaml --data e.csv --seeds 1 --out whole-e > /dev/null 2>&1
data d-e --seeds 1 --data e.csv > /dev/null 2> da.log &
label l-e --seeds 1 --data e.labels.csv > /dev/null 2> la.log || { cat la.log >&2; fail "a table with words for ids failed"; }
wait $! || { cat da.log >&2; fail "an edge list with a table of nodes failed"; }
same_model 1 d-e l-e whole-e

# What differs is named, on both sides, and nothing is charged.
before=$(charges g.sotto)
differs() { # WORDS FLAGS-OF-THE-LABEL-PARTY...
  words=$1; shift
  rm -rf d-other l-other
  data d-other > /dev/null 2> da.log &
  expect 1 "$words" label l-other "$@"
  wait $! && fail "the data party went on"
  grep -q "$words" da.log || { cat da.log >&2; fail "the data party does not say '$words'"; }
}
differs "'hidden' is" --hidden 8
differs "'epsilon' is" --epsilon 2
sed 's/^7,/seven,/' labels.csv > other.csv
differs "other nodes" --data other.csv
[ "$(charges g.sotto)" -eq "$before" ] || fail "a run that never began was charged"
data d-role > /dev/null 2>&1 &
expect 1 "has the role 'data', and this side 'data'" "$SOTTO" run run.yaml --role data --data g.sotto --dir partner \
  --peer "bank=$host:$port" --out d-role2 $fixed
wait || true

# Wrong usage.
expect 2 "role: 'both' is unknown; it is data or label of two parties" "$SOTTO" run run.yaml --role both --peer x --listen 127.0.0.1:1 $fixed
expect 2 "one party listens" "$SOTTO" run run.yaml --role data --data g.sotto --peer x $fixed
expect 1 "not trusted" "$SOTTO" run run.yaml --role label --data g.sotto --dir partner \
  --peer "nobody=$host:$port" --out l-w $fixed
expect 1 "talks to 1, and 2 are named" label l-w --peer "nobody=$host:$port"
grep -Ev 'grace|publication' run.yaml > owner.yaml
run_file=owner.yaml
expect 1 "is of one owner" label l-y --method gap
unset run_file
rm -rf l-r
expect 1 "not a loopback" label l-z --insecure-loopback --peer "bank=192.0.2.1:$port"
expect 1 "limit 'grace' struck" label l-g --grace 0.5
