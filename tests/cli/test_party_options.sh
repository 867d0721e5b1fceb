#!/bin/sh
# The options of vesper between two processes: each gives the model that one process trains, bit for bit, and both
# statements say what is theirs. Then the choice among several trainings, and a training that goes on from its middle.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
has() { grep -q -- "$2" "$1" || { cat "$1" >&2; fail "$1 lacks: $2"; }; }
lacks() { ! grep -q -- "$2" "$1" || { cat "$1" >&2; fail "$1 has: $2"; }; }

# both FLAGS...: one process with the whole, two with their parts.
both() {
  rm -rf whole d l
  # shellcheck disable=SC2046
  "$SOTTO" data part g.sotto --data-out a.sotto --label-out b.sotto \
    $(echo "$@" | grep -o -- '--label-[fe][ed][a-z]* [0-9.]*') || fail "the data could not be parted"
  "$SOTTO" train "${run_file:-run.yaml}" --data g.sotto --threads 1 --out whole "$@" > /dev/null 2> whole.log ||
    { cat whole.log >&2; fail "one process failed with $*"; }
  data d --data a.sotto "$@" > d.json 2> d.log &
  label l --data b.sotto "$@" > l.json 2> l.log || { cat l.log >&2; fail "the label party failed with $*"; }
  wait $! || { cat d.log >&2; fail "the data party failed with $*"; }
}

sed -i 's/seeds: 2/seeds: 1/' run.yaml
grep -Ev '^(epsilon|epochs|publication)' run.yaml > mlp.yaml
for flags in "--releases 3 --layer-weights" "--label-epsilon 2 --label-features 0.5 --releases 2 --combine gru" \
  "--method mlp --label-epsilon 2 --label-features 0.5" "--publication gap --aggregator gcn" \
  "--publication vfgnn --max-degree 299 --label-edges 0.3" \
  "--release-width 8 --constant 1 --releases 2 --layers 1 --wire bf16"; do
  case $flags in
    *mlp*) run_file=mlp.yaml ;;
    *) run_file=run.yaml ;;
  esac
  # shellcheck disable=SC2086
  both $flags
  same_model 1 d l whole
done
unset run_file

# Features that are sent once: the same model, by counts, and none of what crosses the network in every epoch. Both have to ask for it.
for flags in "--share-features once" "--share-features once --label-epsilon 2 --label-features 0.5"; do
  # shellcheck disable=SC2086
  both --publication counts --layers 1 $flags
  same_model 1 d l whole
  has d/statement.json '"payload": "features"'
  lacks d/statement.json '"payload": "embeddings'
  has l/statement.json '"payload": "encoder.weights"'
  lacks l/statement.json '"payload": "gradients'
done
has d/statement.json 'the features themselves, a byte a value'
data d-other --publication counts --layers 1 --share-features once > /dev/null 2> d-other.log &
label l-other --publication counts --layers 1 > /dev/null 2> l-other.log && fail "a party that did not ask for it got the features"
wait $! && fail "the data party sends features to a party that did not ask for them"
has l-other.log 'share-features'
has d-other.log 'share-features'

# All at once: three accounts, each with its own party.
new_ledger three.db g.sotto a.sotto b.sotto
both --label-edges 0.4 --label-features 0.5 --label-epsilon 2 --releases 2 --layer-weights
same_model 1 d l whole
[ "$(charges a.sotto)" -eq 2 ] || fail "two releases of the data party's edges are $(charges a.sotto) charges"
[ "$(charges b.sotto)" -eq 2 ] || fail "two releases of the label party's edges are $(charges b.sotto) charges"
[ "$("$SOTTO" ledger show --json | grep -o '"data":"labels of [^}]*"run":"l"' | wc -l)" -eq 1 ] ||
  fail "the told labels are not one charge"
for side in whole d l; do
  has "$side/statement.json" '"label_edges": {'
  has "$side/statement.json" '"mechanism": "randomized-response"'
done
has d/statement.json '"payload": "embeddings.all"'
lacks d/statement.json '"payload": "gradients'
has l/statement.json '"payload": "gradients.layers"'
has l/statement.json '"payload": "decision"'
lacks l/statement.json '"payload": "embeddings'
lacks l/statement.json '"payload": "chosen"' # labels are told: no choice by true ones
has d/statement.json 'charges them to its own ledger'
has l/statement.json '"flip_probability"'
# A budget on the label party's file is one on its edges, and strikes before anything is written.
"$SOTTO" ledger budget b.sotto --epsilon 4 > /dev/null
expect 3 "budget is 4" label l-budget --data b.sotto --label-edges 0.4
[ ! -e l-budget ] || fail "a refused run left a folder"

# What is refused is refused first.
expect 2 "has no such option" label l-none --method gap
expect 2 "method mlp has it with node" label l-none --method mlp
expect 1 "max-degree: .*declare a larger one" data l-none --max-degree 1
"$SOTTO" data part g.sotto --data-out all.sotto --label-out labels.sotto
expect 1 "has no edge" label l-none --data labels.sotto --label-edges 0.1
expect 1 "no features, and label-features" label l-none --data labels.sotto --label-features 0.1
[ ! -e l-none ] || fail "what was refused left a folder"

# The training that validates best is the one that both keep; here it is not the first.
both --seeds 4 --epsilon inf
[ "$(cat l/chosen)" != 0 ] || fail "the first training is the best: the comparison is blind"
cmp d/chosen l/chosen || fail "the parties keep different trainings"
tensors d/model.safetensors l/model.safetensors > halves
tensors whole/model.safetensors > whole.tensors
cmp halves whole.tensors || fail "two processes keep another training than one"
has l/statement.json '"payload": "chosen"'
has whole/statement.json '"payload": "chosen"'
lacks d/statement.json '"payload": "chosen"'
data d > /dev/null 2>&1 --data a.sotto --seeds 4 --epsilon inf || fail "a finished run does not show its result"
cmp d/model.safetensors "d/seed-$(($(cat d/chosen) + 1))/model.safetensors" || fail "shown again, another model is kept"

# Killed within a long training, a party goes on from there.
echo "checkpoint-every: 5" >> run.yaml
sed -i 's/encoder-epochs: .*/encoder-epochs: 800/; s/^epochs: .*/epochs: 2000/' run.yaml # long enough to be killed within
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-long > /dev/null 2>&1
kill_and_start() { # kills the victim, if it is not over, and starts it again
  case $victim in data) pid=$data_pid ;; label) pid=$label_pid ;; esac
  kill -s KILL "$pid" 2> /dev/null || return 0
  wait "$pid" 2> /dev/null || true
  case $victim in
    data) run=exec data d >> d.log 2>&1 & data_pid=$! ;;
    label) run=exec label l >> l.log 2>&1 & label_pid=$! ;;
  esac
}
within() { # STAGE EPOCHS PATTERN VICTIM WORDS: kills VICTIM when a file of the pattern is there, and starts it again
  stage=$1 epochs=$2 pattern=$3 victim=$4 words=$5
  logs="d.log l.log" log=$(printf '%.1s' "$victim").log
  for attempt in 1 2 3 4 5 6 7 8 9 10; do # a training that was over before this script saw its checkpoint is begun again
    [ "$attempt" -lt 10 ] || { cat "$log" >&2; fail "$stage: of ten killed parties none went on from a checkpoint"; }
    rm -rf d l
    run=exec data d > d.log 2>&1 & data_pid=$!
    run=exec label l > l.log 2>&1 & label_pid=$!
    await_or_end "$label_pid" "no checkpoint came" there "$pattern"
    kill_and_start
    wait "$data_pid" || { cat d.log >&2; fail "the data party failed"; }
    wait "$label_pid" || { cat l.log >&2; fail "the label party failed"; }
    same_model 1 d l whole-long
    ! grep -q "$words" "$log" || break
  done
  # Every epoch of this stage is there, and none twice.
  grep "\"seed\":1,\"stage\":\"$stage\"" l/metrics.jsonl | grep -o '"epoch":[0-9]*' | tr -dc '0-9\n' > epochs
  seq "$epochs" | cmp - epochs || fail "$stage: the epochs in metrics.jsonl are not 1 to $epochs"
}
within encoder 800 'l/seed-1/owner-only/stages/label-[1-9][0-9]*-00000000.safetensors' data "going on from checkpoint"
within encoder 800 'd/seed-1/owner-only/stages/data-[1-9][0-9]*-00000000.safetensors' label "going on from checkpoint"
within decoder 2000 'l/seed-1/owner-only/stages/label-802-00000000-decoder-*.safetensors' label "decoder: going on after epoch"
