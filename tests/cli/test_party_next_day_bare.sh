#!/bin/sh
# Two parties of runs without noise answer about other data as one process does, byte for byte: mlp, and vesper with counts. Nothing is
# charged, the counts are named as exposed, and a budget refuses them. Both sides have to say that there is no noise.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
"$SOTTO" data generate sbm --nodes 200 --features 16 --seed 9 --out other.sotto > /dev/null

# both RUN DATA_FLAGS LABEL_FLAGS: one prediction of d-RUN and l-RUN about other.sotto, in d.out and l.out; false where one fails
both() {
  "$SOTTO" run predict "d-$1" --role data --dir bank --peer partner --listen "$host:$port" --data other.sotto $2 > d.out 2>&1 &
  pid=$!
  "$SOTTO" run predict "l-$1" --role label --dir partner --peer "bank=$host:$port" --data other.sotto $3 > l.out 2>&1
  of_label=$?
  wait $pid && [ $of_label -eq 0 ]
}
for method in mlp vesper; do
  case $method in vesper) own="publication: counts\nepochs: 12\n" bare="--epsilon inf" ;; *) own="" bare="" ;; esac
  printf "method: $method\n${own}hidden: 8\nencoder-epochs: 12\ngrace: 20\n" > run.yaml
  data d-$method $bare > d.log 2>&1 &
  pid=$!
  label l-$method $bare > l.log 2>&1 || { cat l.log >&2; wait $pid || cat d.log >&2; fail "the training of $method"; }
  wait $pid || { cat d.log >&2; fail "the data party of $method"; }
  "$SOTTO" train run.yaml --data g.sotto --threads 1 --out w-$method $fixed $bare > /dev/null 2> w.log || { cat w.log >&2; fail "one process"; }
  "$SOTTO" predict w-$method other.sotto --out whole.csv > /dev/null
  before=$(charges other.sotto)
  both $method "--epsilon inf" "--epsilon inf" || { cat d.out l.out >&2; fail "$method: answers about other data"; }
  cmp whole.csv l-$method/predictions-1.csv || fail "$method: two parties answer otherwise than one process"
  [ "$(charges other.sotto)" = "$before" ] && [ ! -e d-$method/predictions ] || fail "$method: something was released or charged"
  ! both $method "--epsilon 2" "--epsilon 2" || fail "$method: a release of a run without noise"
  grep -q "this run has no noise, .* give inf" d.out || { cat d.out >&2; fail "$method: a finite epsilon is not explained"; }
done
grep -q '"counts"' d-vesper/predictions.json || { cat d-vesper/predictions.json >&2; fail "counts are not named as exposed"; }
! grep -q '"counts"' d-mlp/predictions.json || fail "mlp reads edges"

# A budget stands: counts without noise are refused, and a perceptron on features answers as before.
"$SOTTO" ledger budget other.sotto --epsilon 4 > /dev/null
! both vesper "--epsilon inf" "--epsilon inf" || fail "counts without noise of data with a budget"
grep -q "has a budget at edge level, and this run adds no noise" d.out || { cat d.out >&2; fail "the budget is not said"; }
[ ! -e l-vesper/predictions-2.csv ] || fail "a refused prediction wrote a file"
both vesper "--epsilon inf --not-private" "--epsilon inf" || { cat d.out l.out >&2; fail "said aloud"; }
cmp whole.csv l-vesper/predictions-2.csv || fail "other answers, said aloud"
"$SOTTO" ledger show other.sotto > shown
grep -q "not-private: sbm, run d-vesper" shown || { cat shown >&2; fail "the ledger does not know of a prediction without noise"; }
echo "two parties answer about other data without noise as one process does"
