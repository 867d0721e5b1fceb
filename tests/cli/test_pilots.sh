#!/bin/sh
# Pilots choose clusters of features where classes say nothing, for one owner and for two parties, which train and answer
# as one process does. All that they release is one charge.
. "$(dirname "$0")/common.sh"
EPOCHS=60
. "$(dirname "$0")/party.sh"
"$SOTTO" data generate mines --nodes 2500 --out mines.sotto > /dev/null
"$SOTTO" data generate mines --nodes 2500 --seed 2 --out other.sotto > /dev/null
mv mines.sotto g.sotto
printf 'method: vesper\nhidden: 16\nencoder-epochs: 12\nepochs: 60\nepsilon: 16\nlayers: 1\ninsecure-seed: 3\ngrace: 20\n' > run.yaml

# chose RUN: the pilots of the run chose clusters of features.
chose() { grep -q '"clusters":"features"' "$1"/seed-1/correction.json || { cat "$1"/seed-1/correction.json >&2; fail "$1: pilots chose classes"; }; }
# better RUN: edges add ten points of AUC.
better() {
  "$SOTTO" report "$1" > report.txt
  sed 's/.*"test":{"accuracy":{[^}]*},"auc":{"mean":\([0-9.]*\).*/\1/' "$1"/result.json | awk '{ exit !($1 > 0.65) }' ||
    fail "$1: the AUC is no better than chance"
}

"$SOTTO" train --method best --data g.sotto --layers 1 --epsilon 16 --epochs 60 --out one > one.log 2>&1 || { cat one.log >&2; fail "best"; }
chose one
better one
[ "$(charges g.sotto)" -eq 1 ] || fail "pilots were charged by themselves"
"$SOTTO" predict one > predict.log
grep -o '"test":{"accuracy":{"mean":[0-9.]*' one/result.json | sed 's/.*://' | awk '{ printf "accuracy         %.4f of", $1 }' > wanted
grep -q "$(cat wanted)" predict.log || { cat wanted predict.log >&2; fail "best answers with another accuracy"; }
"$SOTTO" audit one > audit.log || { cat audit.log >&2; fail "the audit objects"; }
grep -q "a pilot and another node" audit.log || fail "no canary of pilots"
"$SOTTO" predict one other.sotto --epsilon 16 > other.log 2>&1 || { cat other.log >&2; fail "best, other data"; }

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > whole.log 2>&1 || { cat whole.log >&2; fail "vesper"; }
chose whole
better whole
data da > da.log 2>&1 &
label la > la.log 2>&1 || { cat la.log >&2; fail "the label party"; }
wait $! || { cat da.log >&2; fail "the data party"; }
same_model 1 da la whole
same_answers da la whole other.sotto 16
grep -o 'accuracy  *[0-9.]*' l.out | awk '{ exit !($2 > 0.79) }' || { cat l.out >&2; fail "other data: no accuracy"; }

# planes SEED FILE: no cluster of features tells the class, which is the side of a plane on which the sum of neighbours' features lies.
planes() {
  awk -v seed="$1" "$draws"'function normal() { return sqrt(-2 * log(1 - draw())) * cos(6.283185307 * draw()) }
    BEGIN { seeded(seed); n = 3200; print "source,target" > "edges.csv"; print "id,a,b,c,d,e,f,g,h,i,j,k,l,label" > "nodes.csv"
      for (v = 0; v < n; v++) { row[v] = v; for (j = 0; j < 12; j++) { x = normal(); if (j == 3) side[v] = x; row[v] = row[v] "," x } }
      for (e = 0; e < 10 * n; e++) { u = int(n * draw()); v = int(n * draw()); if (u == v || ((u, v) in seen) || ((v, u) in seen)) continue
        seen[u, v] = 1; sum[u] += side[v]; sum[v] += side[u]; print u "," v > "edges.csv" }
      for (v = 0; v < n; v++) print row[v] "," (sum[v] > 0 ? "above" : "below") > "nodes.csv" }'
  "$SOTTO" data import edges.csv "$2" --nodes nodes.csv --label label > /dev/null
}
planes 1 s.sotto
planes 2 t.sotto
"$SOTTO" train --method best --data s.sotto --layers 1 --epsilon 16 --epochs 60 --out sums > sums.log 2>&1 || { cat sums.log >&2; fail "best, sums"; }
grep -q "sums of neighbours' features are tried too" sums.log || { cat sums.log >&2; fail "sums: not said before the charge"; }
grep -q '"clusters":"sums"' sums/seed-1/correction.json || { cat sums/seed-1/correction.json >&2; fail "sums: pilots chose others"; }
better sums
[ "$(charges s.sotto)" -eq 1 ] || fail "sums were charged by themselves"
"$SOTTO" predict sums > predict.log
grep -o '"test":{"accuracy":{"mean":[0-9.]*' sums/result.json | sed 's/.*://' | awk '{ printf "accuracy         %.4f of", $1 }' > wanted
grep -q "$(cat wanted)" predict.log || { cat wanted predict.log >&2; fail "sums: best answers with another accuracy"; }
"$SOTTO" audit sums > audit.log || { cat audit.log >&2; fail "sums: the audit objects"; }
grep -q "two nodes whose features are added up" audit.log || fail "no canary of sums"
"$SOTTO" predict sums t.sotto --epsilon 16 > other.log 2>&1 || { cat other.log >&2; fail "sums: other data"; }
