#!/bin/sh
# vfgnn with labels at a party that has neither columns nor edges. Four processes over TLS are one process: the same
# model bit for bit. The two holders are charged as without such a party, the party of labels never, and no row of the
# first layer is opened to it. Then answers, a killed party, and what is refused.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 200 --features 16 --seed 5 --out new.sotto > /dev/null
"$SOTTO" data split g.sotto --vertical --holders 2 --label-holder 3 --out part > /dev/null
"$SOTTO" data split new.sotto --vertical --holders 2 --label-holder 3 --out new > /dev/null
"$SOTTO" data info part-3.sotto | grep -q "edges  *0 " || fail "the part of labels alone has edges"
"$SOTTO" data info part-3.sotto | grep -q "features  *0" || fail "the part of labels alone has columns"
printf 'method: vfgnn\nhidden: 16\nepochs: 12\nepsilon: inf\nlabel-holder: 3\ninsecure-seed: 3\ngrace: 20\n' > run.yaml
for name in hub bank shop lab; do "$SOTTO" identity init --name "$name" --dir "$name" > /dev/null; done
for who in hub bank shop lab; do
  for whom in hub bank shop lab; do
    [ "$who" = "$whom" ] || "$SOTTO" identity trust "$whom/own.crt" --dir "$who" > /dev/null
  done
done
hub_address=$host:7001 bank_address=$host:7002 shop_address=$host:7003
own="--insecure-seed 3 --epsilon inf"

# peers ROLE: who it is, and how it meets the others.
peers() {
  case $1 in
    server) echo "--role server --dir hub --listen $hub_address --peer bank --peer shop --peer lab" ;;
    holder1) echo "--role holder1 --dir bank --listen $bank_address --peer hub=$hub_address --peer shop --peer lab" ;;
    holder2) echo "--role holder2 --dir shop --listen $shop_address --peer hub=$hub_address --peer bank=$bank_address --peer lab" ;;
    holder3) echo "--role holder3 --dir lab --peer hub=$hub_address --peer bank=$bank_address --peer shop=$shop_address" ;;
  esac
}
data_of() { case $1 in server) ;; *) echo "--data $2-${1#holder}.sotto" ;; esac; }
roles="server holder1 holder2 holder3"
train() { # ROLE OUT [FLAGS]
  role=$1 out=$2
  shift 2
  ${run:-} $last "$SOTTO" run run.yaml $(peers "$role") $(data_of "$role" part) --threads 1 --out "$out" $own "$@"
}
train_all() { # SUFFIX [FLAGS]: one whole run, into ROLE-SUFFIX
  suffix=$1 pids=
  shift
  for of in $roles; do train "$of" "$of-$suffix" "$@" > "$of.log" 2>&1 & pids="$pids $!"; done
  for pid in $pids; do wait "$pid" || { tail -n 3 ./*.log >&2; fail "a party failed with $*"; }; done
}
answer_all() { # SUFFIX DATA [FLAGS]: DATA is the stem of other tables, or empty
  suffix=$1 stem=$2 pids=
  shift 2
  for of in $roles; do
    "$SOTTO" run predict "$of-$suffix" $([ -z "$stem" ] || data_of "$of" "$stem") $(peers "$of") "$@" > "$of.out" 2>&1 & pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || { tail -n 3 ./*.out >&2; fail "a party does not answer with $*"; }; done
}
tensors() {
  size=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
  tail -c "+$((size + 9))" "$1"
}
same_model() { # SUFFIX
  for of in holder1 holder2 server holder3; do tensors "$of-$1/model.safetensors"; done > parts
  tensors "whole-$1/model.safetensors" | cmp - parts || fail "the four are not the parts of one process with $1"
}
measure() { grep -o '"test":{"accuracy":{"mean":[0-9.]*' "$1/result.json"; }
flags() { # NAME FLAGS...: four processes and one
  name=$1
  shift
  $last "$SOTTO" train run.yaml --data g.sotto --threads 1 --out "whole-$name" $own "$@" > whole.log 2>&1 || { cat whole.log >&2; fail "one process with $*"; }
  train_all "$name" "$@"
  same_model "$name"
  [ "$(measure "holder3-$name")" = "$(measure "whole-$name")" ] || fail "holder3 measured something else than one process with $*"
}
sent() { # KIND RUN...
  kind=$1 total=0
  shift
  for of in "$@"; do
    for bytes in $(grep -o '"wire":.*' "$of/result.json" | grep -o "\"$kind\":[0-9]*" | cut -d: -f2); do total=$((total + bytes)); done
  done
  echo "$total"
}

# Without noise; holders' own first layers; one holder of columns; steps; noisy rows in every epoch.
flags plain
for kind in exposed share release; do
  [ "$(sent $kind server-plain holder1-plain holder2-plain holder3-plain)" -eq "$(sent $kind whole-plain)" ] || fail "other $kind bytes than in one process"
done
[ "$(sent share holder3-plain)" -eq 0 ] || fail "the party of labels sent shares"
grep -q initial.embeddings holder1-plain/statement.json || fail "holder1's statement lacks the opened rows"
grep -q initial.embeddings holder3-plain/statement.json && fail "rows of the first layer were opened to the party of labels"
grep -q '"payload": "gradients.hidden"' holder3-plain/statement.json || fail "holder3's statement lacks its gradients"
flags own --initial individually --epochs 4
flags steps --batch-size 40 --epochs 4
flags rows --publication rows --epsilon 8 --delta 1e-4 --epochs 4
[ "$(charges part-1.sotto)" -eq 4 ] && [ "$(charges part-2.sotto)" -eq 4 ] || fail "4 epochs were charged otherwise"

# Counts: the price is that of the same holders with labels at one of them.
flags counts --epsilon 8 --layers 2 --encoder-epochs 6
[ "$(charges part-1.sotto)" -eq 6 ] && [ "$(charges part-2.sotto)" -eq 6 ] || fail "2 rounds were charged otherwise"
[ "$(charges part-3.sotto)" -eq 0 ] || fail "the party of labels was charged for edges that it lacks"
$last "$SOTTO" train run.yaml --data g.sotto --threads 1 --out inside $own --label-holder 2 --epsilon 8 --layers 2 --encoder-epochs 6 > whole.log 2>&1
priced() { python3 -c "import json,sys; s=json.load(open(sys.argv[1]+'/statement.json')); print(json.dumps([s['epsilon'], s['delta'], s['mechanisms']]))" "$1"; }
[ "$(priced inside)" = "$(priced whole-counts)" ] || fail "labels apart have another price"
grep -q '"payload": "clusters"' holder3-counts/statement.json || fail "holder3's statement lacks the clusters"
grep -q '"payload": "counts"' holder3-counts/statement.json && fail "holder3 released counts"

# Answers about the nodes of the training are those of one process; about other tables each holder pays, and holder3 not.
answer_all counts ""
"$SOTTO" predict whole-counts --out whole.csv > /dev/null
cmp whole.csv holder3-counts/predictions.csv || fail "four parties answer otherwise than one process"
for of in server holder1 holder2; do [ ! -e $of-counts/predictions.csv ] || fail "$of learnt the answers"; done
answer_all counts new --epsilon 2
[ "$(wc -l < holder3-counts/predictions-1.csv)" -eq 201 ] || fail "no answers about other tables"
[ "$(charges new-1.sotto)" -ge 1 ] && [ "$(charges new-2.sotto)" -ge 1 ] || fail "counts of new edges were not charged"
[ "$(charges new-3.sotto)" -eq 0 ] || fail "the party of labels was charged for new edges"
grep -q "this party sends: the predicted class of every node" holder3.out || { cat holder3.out >&2; fail "holder3 does not say what it sends"; }

# Killed between two checkpoints and started again, the party of labels goes on: the model is the same.
for of in server holder1 holder2; do train "$of" "$of-again" --epochs 60 --checkpoint-every 5 > "$of.log" 2>&1 & done
(run=exec; train holder3 holder3-again --epochs 60 --checkpoint-every 5) > holder3.log 2>&1 & lab=$!
reached() { ls holder3-again/seed-1/*checkpoint* holder3-again/seed-1/*/*checkpoint* > /dev/null 2>&1; }
await reached
kill -9 "$lab"
wait "$lab" || true
train holder3 holder3-again --epochs 60 --checkpoint-every 5 > holder3.log 2>&1 || { cat holder3.log >&2; fail "holder3 did not go on"; }
wait
$last "$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole-again $own --epochs 60 > whole.log 2>&1
same_model again

# What is refused, by name.
expect 2 "there are 2 holders, and 3 is a party that has labels alone" $last "$SOTTO" train run.yaml --data g.sotto --out no $own --label-holder 4
expect 2 "vfgnn takes such a party" "$SOTTO" train --method securegnn --label-holder 3 --data g.sotto --out no
expect 2 "one holder has nobody to share with" $last "$SOTTO" train run.yaml --data g.sotto --out no $own --holders 1 --label-holder 2
expect 1 "no node has a label" $last "$SOTTO" run run.yaml $(peers holder3) --data part-1.sotto --out no $own
expect 2 "label-holder: 4 is outside 1 to 3" "$SOTTO" data split g.sotto --vertical --label-holder 4 --out no
