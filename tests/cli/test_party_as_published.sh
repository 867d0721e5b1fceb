#!/bin/sh
# Runs as published: what is said and stated of them in one process, and that two parties and holders in processes of their own are
# one. A run file alone makes no party take the noise of a paper.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"

# said LOG PAPER: one line, with the paper, its claim, what is charged, and what is not the paper's.
said() {
  [ "$(grep -c "as published: $2 .* claims .*; charged for a seed: .*, since .*; not the paper's: " "$1")" -eq 1 ] ||
    { cat "$1" >&2; fail "the line of a run as published is missing"; }
  grep -q '"as_published"' "${3:?}/statement.json" || fail "$3: the statement lacks it"
}

for words in "vesper Wu --epochs 1 --batch-size 16 --hidden 8" "caribou Zheng --layers 2 --encoder-epochs 3 --epochs 3" \
  "feddep Zhang --rounds 2 --embed-epochs 2 --clients 3" "gwldp Jin --rounds 2 --clients 3"; do
  set -- $words
  method=$1 paper=$2
  shift 2
  "$SOTTO" train --method "$method" --as-published --data g.sotto --out "$method" "$@" > "$method.log" 2>&1 ||
    { cat "$method.log" >&2; fail "$method as published failed"; }
  said "$method.log" "$paper" "$method"
  grep -q '^as-published: true$' "$method/run.yaml" || fail "$method: run.yaml does not keep it"
  "$SOTTO" train --resume --out "$method" > again.log 2>&1 || { cat again.log >&2; fail "$method: does not go on"; }
done
grep -q 'hidden 8 (published: 128)' vesper.log || fail "an option that was given is not named with the paper's"
expect 2 'as-published: method gap has no such option; these have it: ' "$SOTTO" train --method gap --as-published --data g.sotto
# Answers: of the release, with the claim and that it does not hold; of other data where a charge is sound.
for method in caribou vesper; do
  "$SOTTO" predict "$method" > "$method.answers" 2> answers.log || { cat answers.log >&2; fail "$method as published gives no answers"; }
  grep -q "as published: .* claims .*; charged for a seed: .*, since " answers.log || { cat answers.log >&2; fail "answers of $method do not say what holds"; }
done
accuracy=$(sed -n 's/^ *accuracy  *\([0-9.]*\) of .* test nodes$/\1/p' vesper.answers)
[ -n "$accuracy" ] && grep -q "$(awk -v a="$accuracy" 'BEGIN { printf "vesper  *%.2f ", 100 * a }')" vesper.log ||
  { cat vesper.answers vesper.log >&2; fail "answers are not those that the training measured"; }
"$SOTTO" data generate sbm --nodes 150 --seed 9 --features 16 --out other.sotto > /dev/null
expect 1 'releases of other data are made under sound accounting alone' "$SOTTO" predict vesper other.sotto --epsilon 1
expect 1 'as published no release of other data has a sound charge' "$SOTTO" predict vesper other.sotto
expect 0 '1 compared, 0 not' "$SOTTO" audit vesper --attack release

# Two parties are one process: the same model, the same bytes of each kind, the same noise, claim and charge in both statements.
printf 'method: vesper\nlayers: 2\nepochs: 2\nbatch-size: 16\nhidden: 8\nepsilon: 4\ngrace: 20\n' > two.yaml
"$SOTTO" identity init --name bank --dir two-bank > /dev/null
"$SOTTO" identity init --name partner --dir two-partner > /dev/null
"$SOTTO" identity trust two-partner/own.crt --dir two-bank > /dev/null
"$SOTTO" identity trust two-bank/own.crt --dir two-partner > /dev/null
own="--as-published --insecure-seed 3 --threads 1"
data() { "$SOTTO" run two.yaml $own --role data --data g.sotto --dir two-bank --peer partner --listen "$bank_address" "$@"; }
label() { "$SOTTO" run two.yaml $own --role label --data g.sotto --dir two-partner --peer "bank=$bank_address" "$@"; }
facts() { grep -oE '"(adjacency|sound|noise|sensitivity|mu|epsilon|epsilon_planned|gamma|steps|roots|batch)": [^,]*' "$1" | sort; }
for kind in "--aggregator gin" "--aggregator gcn --combine gru" "--epsilon inf"; do
  rm -rf both data label
  "$SOTTO" train two.yaml $own --data g.sotto --out both $kind --json > both.json 2> both.log || { cat both.log >&2; fail "one process failed"; }
  data --out data --json $kind > data.json 2> data.log &
  pid=$!
  label --out label --json $kind > label.json 2> label.log || { cat label.log data.log >&2; fail "the label party failed"; }
  wait "$pid" || { cat data.log >&2; fail "the data party failed"; }
  { tensors data/seed-1/model.safetensors; tensors label/seed-1/model.safetensors; } > halves
  tensors both/seed-1/model.safetensors > both.tensors
  cmp halves both.tensors || fail "two parties do not train the model of one process with $kind"
  for party in data label; do
    facts both/statement.json > both.facts
    facts "$party/statement.json" | diff - both.facts >&2 || fail "$party states other facts than one process with $kind"
    for wire in public exposed release; do
      [ "$(grep -o '"wire":.*' $party.json | grep -o "\"$wire\":[0-9]*")" = \
        "$(grep -o '"wire":.*' both.json | grep -o "\"$wire\":[0-9]*")" ] || fail "other $wire bytes than in one process at $party"
    done
  done
  "$SOTTO" predict both > /dev/null 2>&1
  "$SOTTO" run predict data --role data --dir two-bank --peer partner --listen "$bank_address" > data.log 2>&1 &
  pid=$!
  "$SOTTO" run predict label --role label --dir two-partner --peer "bank=$bank_address" > label.log 2>&1 ||
    { cat label.log data.log >&2; fail "two parties do not answer with $kind"; }
  wait "$pid" || { cat data.log >&2; fail "the data party does not answer"; }
  cmp both/predictions.csv label/predictions.csv || fail "two parties answer otherwise than one process with $kind"
done
# Each party names what it shows: with noise the data party nothing, the label party gradients.
data --out data-noisy > data.log 2>&1 &
label --out label-noisy > label.log 2>&1 || { cat label.log data.log >&2; fail "the label party failed"; }
wait $! || { cat data.log >&2; fail "the data party failed"; }
said data.log Wu data-noisy
said label.log Wu label-noisy
grep -q '"exposed": \[\]' data-noisy/statement.json || fail "the data party shows more than releases"
grep -q '"payload": "gradients.train"' label-noisy/statement.json || fail "the label party does not name its gradients"
# Without every label the number of training nodes is not known to the data party.
awk 'BEGIN { print "id,label"; for (i = 0; i < 300; i++) print i "," (i < 10 ? "" : i % 6) }' > labels.csv
expect 1 'each needs a label' "$SOTTO" run two.yaml $own --role label --data labels.csv --dir two-partner --peer "bank=$bank_address" --out refused
expect 1 'take one of these' data --split planetoid --out refused

# Holders.
printf 'method: vfgnn\nas-published: true\nhidden: 16\nepochs: 4\nepsilon: 4\nlabel-holder: 2\ngrace: 20\n' > run.yaml
own=
expect 2 "the run file sets 'as-published', which weakens privacy" holder1 refused
own="--as-published --insecure-seed 3"
"$SOTTO" train run.yaml --data g.sotto --threads 1 --insecure-seed 3 --out whole > whole.log 2>&1 ||
  { cat whole.log >&2; fail "one process failed"; }
all_three plain
same_model s-plain a-plain b-plain whole
said whole.log Zhou whole
said a.log Zhou a-plain
said s.log Zhou s-plain
grep -q 'claims epsilon 4 at delta 0.0001 (algorithm 3' a.log || fail "holder1 does not have the claim with the paper's delta"
