#!/bin/sh
# vesper with two holders of columns and edges and a label party that has labels alone. Three processes over TLS are one
# process: the same model bit for bit. Each holder is charged for its own edges, the label party never; no holder
# receives another's counts. Then answers, a killed party, and what is refused.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/label_party.sh"
whole() { # SUFFIX [FLAGS]
  suffix=$1
  shift
  $last "$SOTTO" train run.yaml --data g.sotto --threads 1 --out "whole-$suffix" $own "$@" > whole.log 2>&1 || { cat whole.log >&2; fail "one process with $*"; }
}
tensors() {
  size=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
  tail -c "+$((size + 9))" "$1"
}
same_model() { # SUFFIX
  for of in holder1 holder2 label; do tensors "$of-$1/model.safetensors"; done > parts
  tensors "whole-$1/model.safetensors" | cmp - parts || fail "the three are not the parts of one process with $1"
}
measure() { grep -o '"test":{"accuracy":{"mean":[0-9.]*' "$1/result.json"; }
flags() { # NAME FLAGS...: three processes and one
  name=$1
  shift
  whole "$name" "$@"
  train_all "$name" "$@"
  same_model "$name"
  [ "$(measure "label-$name")" = "$(measure "whole-$name")" ] || fail "the label party measured something else than one process with $*"
}
sent() { # KIND RUN...: what these parties sent
  python3 - "$@" << 'PYTHON'
import json, sys
sides = {"l": "label_to_data", "h": "data_to_label"}
print(sum(json.load(open(run + "/result.json"))["wire"][side].get(sys.argv[1], 0)
          for run in sys.argv[2:] for side in (sides.values() if run[0] == "w" else [sides[run[0]]])))
PYTHON
}

# Counts with noise: the model, the bytes of each kind, and the price.
flags counts
for kind in exposed release; do
  [ "$(sent $kind label-counts holder1-counts holder2-counts)" -eq "$(sent $kind whole-counts)" ] || fail "other $kind bytes than in one process"
done
[ "$(sent release label-counts)" -eq 0 ] || fail "the label party released something"
[ "$(charges part-1.sotto)" -eq 2 ] && [ "$(charges part-2.sotto)" -eq 2 ] || fail "2 rounds were charged otherwise"
[ "$(charges part-3.sotto)" -eq 0 ] || fail "the label party was charged for edges that it lacks"
priced() { python3 -c "import json,sys; s=json.load(open(sys.argv[1]+'/statement.json')); print(json.dumps([s['epsilon'], s['delta'], s['mechanisms']]))" "$1"; }
[ "$(priced holder1-counts)" = "$(priced holder2-counts)" ] || fail "the holders have other prices"
[ "$(priced holder1-counts)" = "$(priced whole-counts)" ] || fail "one process has another price"
grep -q '"payload": "clusters"' label-counts/statement.json || fail "the label party's statement lacks the clusters"
grep -q '"payload": "embeddings.all"' holder1-counts/statement.json || fail "holder1's statement lacks its embeddings"
grep -q '"payload": "counts"' label-counts/statement.json && fail "the label party exposed counts"
for file in label-counts holder1-counts; do [ ! -e $file/seed-1/counts-2-0.sotto ] && [ ! -e $file/seed-1/owner-only/counts-2-0.sotto ] || fail "$file has the second holder's release"; done

# Without noise; other shares of columns and edges; clusters by labels.
flags plain --epsilon inf
grep -q '"payload": "counts"' holder1-plain/statement.json || fail "holder1's statement lacks its counts without noise"
flags labels --clusters labels --layers 1 --epsilon 4

# Answers about the nodes of the training are those of one process, and the label party alone learns them.
answer_all() { # SUFFIX [FLAGS]
  suffix=$1 pids=
  shift
  for of in $roles; do
    "$SOTTO" run predict "$of-$suffix" $(peers "$of") "$@" > "$of.out" 2>&1 & pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || { tail -n 3 ./*.out >&2; fail "a party does not answer with $*"; }; done
}
answer_all counts
"$SOTTO" predict whole-counts --out whole.csv > /dev/null
cmp whole.csv label-counts/predictions.csv || fail "three parties answer otherwise than one process"
for of in holder1 holder2; do [ ! -e $of-counts/predictions.csv ] || fail "$of learnt the answers"; done
[ "$(charges part-1.sotto)" -eq 3 ] || fail "answers about the nodes of the training were charged"

# Killed between two checkpoints and started again, a holder goes on: the model is the same, and nothing is charged twice.
before=$(charges part-1.sotto)
for of in label holder1; do train "$of" "$of-again" --encoder-epochs 60 --checkpoint-every 5 > "$of.log" 2>&1 & done
(run=exec; train holder2 holder2-again --encoder-epochs 60 --checkpoint-every 5) > holder2.log 2>&1 & shop=$!
reached() { ls holder2-again/seed-1/*checkpoint* holder2-again/seed-1/*/*checkpoint* > /dev/null 2>&1; }
await reached
kill -9 "$shop"
wait "$shop" || true
train holder2 holder2-again --encoder-epochs 60 --checkpoint-every 5 > holder2.log 2>&1 || { cat holder2.log >&2; fail "holder2 did not go on"; }
wait
whole again --encoder-epochs 60
same_model again
[ "$(charges part-1.sotto)" -eq $((before + 2)) ] || fail "a restart was charged twice"

# What is refused, by name.
expect 2 "publication counts and task classification" $last "$SOTTO" train run.yaml --data g.sotto --out no $own --publication layers
expect 2 "holders: has no meaning with adjacency node" "$SOTTO" train --method vesper --holders 2 --adjacency node --max-degree 50 --data g.sotto --out no
expect 2 "holders: has no meaning with adjacency transfer" "$SOTTO" train --method vesper --holders 2 --adjacency transfer --data g.sotto --out no
expect 2 "holders: has no meaning with accounting paper" "$SOTTO" train --method vesper --holders 2 --accounting paper --data g.sotto --out no
expect 2 "label-epsilon: has no meaning with holders 2" $last "$SOTTO" train run.yaml --data g.sotto --out no $own --label-epsilon 2
expect 1 "has a label party and holders 1 to 2" $last "$SOTTO" run run.yaml --role server --peer bank --listen $lab_address --dir lab --out no $own
expect 1 "holder1 talks to 1, and 2 are named; name each that it talks to, and nobody else" "$SOTTO" run run.yaml $(peers holder1) --peer "shop=$host:7002" \
  --data part-1.sotto --out no $own

printf 'payer,payee\n1,2\n2,3\n' > list.csv
printf 'id,age,class\n1,30,a\n2,40,b\n3,50,a\n' > list.nodes.csv
expect 1 "with a row a node: give list.nodes.csv as its data" $last "$SOTTO" run run.yaml $(peers label) --data list.csv --label class --out no $own
mv list.nodes.csv own.csv
expect 1 "gives labels alone, in a table with a row a node" $last "$SOTTO" run run.yaml $(peers label) --data list.csv --label class --out no $own
expect 1 "own: its columns are not used, since this party gives labels alone; a holder can give them" $last "$SOTTO" run run.yaml $(peers label) \
  --data own.csv --label class --out no $own --grace 1
expect 1 "its columns and edges are not used" $last "$SOTTO" run run.yaml $(peers label) --data g.sotto --out no $own --grace 1
"$SOTTO" methods | grep -q "several" || fail "the list of methods does not say that several may have columns and edges"

# A label party whose table is refused says so to every holder, not to the first alone: none waits until `grace` ends.
train holder1 holder1-no --grace 120 > holder1.log 2>&1 & bank=$!
train holder2 holder2-no --grace 120 > holder2.log 2>&1 & shop=$!
for of in holder1 holder2; do logs=$of.log await "$of does not wait" grep -q "waiting for lab" $of.log; done
expect 1 "no node has a label" $last "$SOTTO" run run.yaml $(peers label) --data part-1.sotto --out no $own
for pid in $bank $shop; do ! wait "$pid" || fail "a holder ended well without labels"; done
for of in holder1 holder2; do grep -q "label takes no part, since its table was refused" $of.log || { cat $of.log >&2; fail "$of does not hear why"; }; done

# Other data: each holder releases counts of its new edges under its own account, once; the same release is sent again at no charge.
"$SOTTO" data generate sbm --nodes 200 --features 16 --seed 5 --out new.sotto > /dev/null
"$SOTTO" data split new.sotto --vertical --holders 2 --label-holder 3 --out new > /dev/null
of_new() { # SUFFIX LABEL_FLAG HOLDER_FLAGS...
  suffix=$1 of_label=$2 pids=
  shift 2
  for of in $roles; do
    case $of in label) flags="--data new-3.sotto $of_label" ;; *) flags="--data new-${of#holder}.sotto $*" ;; esac
    "$SOTTO" run predict "$of-$suffix" $(peers "$of") $flags > "$of.out" 2>&1 & pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || { tail -n 3 ./*.out >&2; fail "a party does not answer about other data with $*"; }; done
}
before=$(charges part-1.sotto)
of_new counts "--epsilon 2" --epsilon 2
"$SOTTO" predict whole-counts new.sotto --epsilon 2 --out new.csv > /dev/null 2>&1
cmp new.csv label-counts/predictions-1.csv || fail "three parties answer about other data otherwise than one process"
[ "$(charges part-1.sotto)" -gt "$before" ] || fail "a release of other data was not charged"
[ "$(charges new-3.sotto)" -eq 0 ] || fail "the label party was charged for other data"
for of in holder1 holder2; do
  grep -q '"epsilon": 2' $of-counts/predictions/1/statement.json || fail "$of has no statement of its release"
  [ ! -e $of-counts/predictions/2 ] && [ ! -e $of-counts/predictions-1.csv ] || fail "$of has what is not its own"
done
[ ! -e label-counts/predictions ] || fail "the label party made a release"
before=$(charges part-1.sotto)
of_new counts "--epsilon 2" --again 1
cmp new.csv label-counts/predictions-2.csv || fail "the same release gives other answers"
[ "$(charges part-1.sotto)" -eq "$before" ] || fail "a release that was sent again was charged"
expect 1 "the party with the edges has the releases" "$SOTTO" run predict label-counts $(peers label) --data new-3.sotto --again 1
of_new plain "--epsilon inf" --epsilon inf
"$SOTTO" predict whole-plain new.sotto --out new.csv > /dev/null 2>&1
cmp new.csv label-plain/predictions-1.csv || fail "answers about other data without noise are not those of one process"
[ ! -e holder1-plain/predictions ] && [ "$(charges part-1.sotto)" -eq "$before" ] || fail "counts without noise were charged"
grep -q '"counts"' holder1-plain/predictions.json || fail "counts without noise are not named as exposed"
