#!/bin/sh
# Two parties of a finished run answer together: the file is that of one process, byte for byte, and its accuracy the one
# that training measured. Nothing is charged. Then what keeps them apart.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: .*/seeds: 1/' run.yaml
grep -Ev '^(epsilon|epochs|publication)' run.yaml > mlp.yaml

# ask_data RUN [FLAGS]: the data party of a prediction, which listens; ask_label RUN [FLAGS]: the label party.
ask_data() { of=$1; shift; "$SOTTO" run predict "$of" --role data --dir bank --peer partner --listen "$host:$port" "$@"; }
ask_label() { of=$1; shift; "$SOTTO" run predict "$of" --role label --dir partner --peer "bank=$host:$port" "$@"; }

# both DATA_FLAGS LABEL_FLAGS: one prediction of da and la, in d.out and l.out.
both() {
  ask_data da $1 > d.out 2>&1 &
  pid=$!
  ask_label la $2 > l.out 2>&1 || { cat l.out >&2; wait "$pid" || true; cat d.out >&2; fail "the label party failed with $1 $2"; }
  wait "$pid" || { cat d.out >&2; fail "the data party failed with $1 $2"; }
}

# refused WORDS DATA_FLAGS LABEL_FLAGS: neither side gets an answer, and the one that sees it first says why.
refused() {
  rm -f da/predictions.csv la/predictions.csv
  ask_data da $2 > d.out 2>&1 &
  pid=$!
  ask_label la $3 > l.out 2>&1 && fail "the label party went on: $1"
  wait "$pid" && fail "the data party went on: $1"
  grep -q "$1" d.out l.out || { cat d.out l.out >&2; fail "no side says '$1'"; }
  [ ! -e da/predictions.csv ] && [ ! -e la/predictions.csv ] || fail "a refused prediction wrote a file"
}

# alike A B: the same nodes and classes, and probabilities to five digits. A product of few rows may be summed in another
# order than one of many, by the processor's own routines.
alike() {
  awk -F, 'NR == FNR { line[FNR] = $0; lines = FNR; next }
    { n = split(line[FNR], a, ","); if (n != NF || a[1] != $1 || a[2] != $2) exit bad = 1
      for (i = 3; i <= NF; i++) if (FNR == 1 ? a[i] != $i : (a[i] - $i) ^ 2 > 1e-10) exit bad = 1 }
    END { exit bad || lines != FNR || lines < 2 }' "$1" "$2" || { cat "$1" "$2" >&2; return 1; }
}

# The test accuracy that training measured.
trained() { sed 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/' la/result.json | awk '{ printf "%.4f", $1 }'; }

# Every way to train a run of two that answers.
for flags in "--method mlp" "--publication layers --epsilon inf" "--publication layers --layer-weights --releases 2 --release-width 8 --constant 1" \
  "--publication layers --combine gru" "--publication counts --layers 2 --read-share 1" "--publication counts --clusters labels" \
  "--publication counts --read-share 0.3" "--publication counts --share-features once"; do
  rm -rf whole da la
  case $flags in *mlp*) run_file=mlp.yaml ;; *) run_file=run.yaml ;; esac
  "$SOTTO" train "$run_file" --data g.sotto --threads 1 $flags --out whole > /dev/null 2> whole.log || { cat whole.log >&2; fail "$flags"; }
  data da $flags > /dev/null 2> da.log &
  label la $flags > /dev/null 2> la.log || { cat la.log >&2; fail "the label party failed with $flags"; }
  wait $! || { cat da.log >&2; fail "the data party failed with $flags"; }
  before=$(charges g.sotto)
  "$SOTTO" predict whole > /dev/null || fail "no answer of one process with $flags"
  both "" ""
  cmp whole/predictions.csv la/predictions.csv || fail "two parties answer otherwise than one process with $flags"
  [ "$(charges g.sotto)" -eq "$before" ] || fail "a prediction was charged with $flags"
  grep -q "accuracy         $(trained) of 60 test nodes" l.out || { cat l.out >&2; fail "another accuracy than $(trained) with $flags"; }
done
unset run_file

# The last run goes on: what leaves is said before, and who learns is named.
grep -q "this party sends: embeddings of the nodes that are asked for, and the counts" d.out || fail "the data party does not say what it sends"
grep -q "learnt by        label alone" d.out || fail "the data party does not say who learns"
[ ! -e da/predictions.csv ] || fail "the data party learnt what the label party alone should"
grep -q '"learns": "label"' da/predictions.json || fail "no record of who learnt"
grep -q '"embeddings.asked"' da/predictions.json || fail "no record of what was exposed"
[ "$(stat -c %a la/predictions.csv)" = 600 ] || fail "others may read predictions"

# Some nodes, named by either side: the same rows, and no more bytes than these take.
"$SOTTO" predict whole --nodes 3,7-9,299 --out some.csv > /dev/null
both "" "--nodes 3,7-9,299"
alike some.csv la/predictions-1.csv || fail "nodes of the label party"
cmp whole/predictions.csv la/predictions.csv || fail "answers about some nodes replaced those about all"
grep -q '"release": 80,' da/predictions.json || { cat da/predictions.json >&2; fail "counts of other nodes went out"; }
both "--nodes 3,7-9,299" ""
alike some.csv la/predictions-2.csv || fail "nodes of the data party"
refused "both parties name nodes" "--nodes 3" "--nodes 3"
expect 2 "outside: the data has nodes 0 to 299" ask_label la --nodes 300

# Who learns: both have to say the same.
rm -f la/predictions.csv
both "--learns data --nodes 5" "--learns data"
[ ! -e la/predictions.csv ] && [ ! -e la/predictions-3.csv ] || fail "the label party wrote answers that are not for it"
"$SOTTO" predict whole --nodes 5 --out some.csv > /dev/null
alike some.csv da/predictions-1.csv || fail "the data party learnt something else"
both "--learns both" "--learns both"
cmp da/predictions.csv la/predictions.csv || fail "the two learnt two things"
cmp whole/predictions.csv la/predictions.csv || fail "both learnt something else than one process says"
refused "'predict.learns' is" "--learns both" "--learns label"
expect 2 "it is label, data or both" ask_label la --learns all

# Folders of two runs; other data; a run that is not finished; a release that is gone; options of the run.
rm -rf db
cp -r da db
sed 's/./7/g' da/finished > db/finished
mv da dc
mv db da
refused "of another run with the same options" "" ""
rm -rf da
mv dc da
"$SOTTO" data generate sbm --nodes 300 --features 16 --seed 9 --out other.sotto > /dev/null
expect 1 "was trained on other data" ask_data da --data other.sotto
mv la/seed-1/result.json kept.json
expect 1 "is not finished" ask_label la
mv kept.json la/seed-1/result.json
expect 2 "the run is finished, and has its own" ask_label la --hidden 8
cp da/seed-1/counts-0.sotto kept.sotto
printf x >> da/seed-1/counts-0.sotto
ask_data da > d.out 2>&1 &
pid=$!
expect 1 "it stopped" ask_label la
wait "$pid" && fail "a release that was changed was sent"
grep -q "is missing, or its bytes were changed" d.out || { cat d.out >&2; fail "nothing is said of the changed release"; }
mv kept.sotto da/seed-1/counts-0.sotto
both "" ""

# Node level: the two stored releases, of which the label party received all rows in the training. Nothing is charged.
printf 'method: vesper\nadjacency: node\nmax-degree: 40\nepsilon: 60\ndelta: 1e-5\nlayers: 2\nhidden: 16\nepochs: 12\nclasses: 4\ninsecure-seed: 3\ngrace: 20\n' > node.yaml
run_file=node.yaml
rm -rf da la
data da > /dev/null 2> da.log &
label la > /dev/null 2> la.log || { cat la.log >&2; fail "the label party failed at node level"; }
wait $! || { cat da.log >&2; fail "the data party failed at node level"; }
before=$(charges g.sotto)
both "" ""
[ "$(charges g.sotto)" -eq "$before" ] || fail "a prediction at node level was charged"
right=$(sed 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/' la/owner-only/result.json | awk '{ printf "%.4f", $1 }')
grep -q "accuracy         $right of 60 test nodes" l.out || { cat l.out >&2; fail "another accuracy than $right at node level"; }
grep -q "this party sends: the noisy rows and layers that the run released" d.out || fail "the data party does not say what it sends at node level"
grep -q '"exposed": \[\]' da/predictions.json || { cat da/predictions.json >&2; fail "the data party exposed something at node level"; }
both "" "--nodes 3,7-9,299"
# Five nodes, rows and two layers of 16 columns, of four bytes.
grep -q '"release": 960,' da/predictions.json || { cat da/predictions.json >&2; fail "rows of other nodes went out"; }
awk -F, 'NR == FNR { all[$1] = $2; next } FNR > 1 && all[$1] != $2 { exit 1 }' la/owner-only/predictions.csv la/owner-only/predictions-1.csv ||
  fail "some nodes are answered otherwise than all at node level"
expect 1 "its parties answer about the nodes that it was trained on" ask_data da --data g.sotto --epsilon 2
printf x >> da/seed-1/release-1.bin
ask_data da > d.out 2>&1 &
pid=$!
expect 1 "it stopped" ask_label la
wait "$pid" && fail "rows that were changed were sent"
unset run_file

# Other data: one charged release, the file that one process makes with the same noise, and no charge for the same again.
"$SOTTO" data generate sbm --nodes 300 --features 16 --inside 9 --out new.sotto > /dev/null
awk 'BEGIN { print "id"; for (i = 0; i < 300; i++) print i }' > new.csv
for flags in "--publication layers" "--publication layers --layer-weights --releases 2 --constant 1" "--publication counts" \
  "--publication counts --layers 2" "--publication counts --layers 2 --clusters labels --read-share 0.4" "--publication counts --share-features once"; do
  rm -rf whole da la
  "$SOTTO" train run.yaml --data g.sotto --threads 1 $flags --out whole > /dev/null 2>&1
  data da $flags > /dev/null 2>&1 &
  label la $flags > /dev/null 2> la.log || { cat la.log >&2; fail "the label party failed with $flags"; }
  wait
  before=$(charges new.sotto)
  echo "of the run's own data" > la/predictions.csv
  rm -f la/predictions-?.csv
  both "--data new.sotto --epsilon 2" "--data new.csv --epsilon 2"
  [ "$(cat la/predictions.csv)" = "of the run's own data" ] || fail "answers about other data replaced those of the run with $flags"
  made=$(($(charges new.sotto) - before))
  grep -q "will be charged" d.out || fail "the data party does not say the price with $flags"
  case $flags in *counts*) sends="the predicted class of each node" ;; *) sends="this party sends: numbers of nodes[.]" ;; esac
  grep -q "$sends" l.out || fail "the label party does not say what it sends with $flags"
  cp la/predictions-1.csv first.csv
  both "--data new.sotto --again 1" "--data new.csv --epsilon 2 --nodes 0-299"
  cmp first.csv la/predictions-1.csv || fail "a second prediction replaced the first with $flags"
  cmp first.csv la/predictions-2.csv || fail "the same release answers otherwise with $flags"
  [ "$(($(charges new.sotto) - before))" -eq "$made" ] || fail "a release that is kept was charged again with $flags"
  grep -q "release 1 in da/predictions/1 answers again" d.out || fail "the data party does not say that it repeats the release with $flags"
  "$SOTTO" predict whole new.sotto --epsilon 2 > /dev/null 2>&1
  cmp whole/predictions/1/predictions.csv first.csv || fail "two parties answer about other data otherwise than one process with $flags"
done
[ "$made" -ge 1 ] || fail "a release of other data was not charged"
grep -q '"payload": "embeddings.all"' da/predictions/1/statement.json || fail "the statement does not say what was exposed"
grep -q '"epsilon": 2.0' da/predictions/1/statement.json || fail "the statement has another epsilon"
refused "'predict.epsilon' is" "--data new.sotto --epsilon 2" "--data new.csv --epsilon 3"
expect 1 "no finished release 9" ask_data da --data new.sotto --again 9
expect 1 "this party gives the epsilon" ask_label la --data new.csv --again 1
expect 2 "leave --epsilon out" ask_data da --data new.sotto --again 1 --epsilon 2
expect 2 "above 0" ask_label la --epsilon 0
"$SOTTO" ledger budget new.sotto --epsilon 20 > /dev/null
expect 3 "nothing was released" ask_data da --data new.sotto --epsilon 30
[ ! -e da/predictions/2 ] || fail "a refused release left a folder"
"$SOTTO" ledger budget new.sotto --epsilon 9999 > /dev/null # of g.sotto as well, of which it is a version

# Features of the label party take part; without them one process, which has them all, does not answer.
"$SOTTO" data part g.sotto --label-features 0.5 --data-out a.sotto --label-out b.sotto > /dev/null
for publication in counts layers; do
  rm -rf da la
  data da --publication $publication --label-features 0.5 --data a.sotto > /dev/null 2>&1 &
  label la --publication $publication --label-features 0.5 --data b.sotto > /dev/null 2> la.log || { cat la.log >&2; fail "label-features"; }
  wait
  both "" ""
  grep -q "accuracy         $(trained) of 60 test nodes" l.out || fail "another accuracy with features of the label party"
done

# Labels that are protected stay so: the data party may not learn answers that follow from the true ones.
rm -rf da la
data da --publication counts --label-epsilon 3 > /dev/null 2>&1 &
label la --publication counts --label-epsilon 3 > /dev/null 2> la.log || { cat la.log >&2; fail "label-epsilon"; }
wait
both "" ""
expect 1 "which label-epsilon protects" ask_label la --learns both
expect 1 "which label-epsilon protects" ask_data da --learns data
expect 1 "which label-epsilon protects" ask_label la --data new.csv --epsilon 2
expect 1 "which label-epsilon protects" ask_data da --data new.sotto --epsilon 2
