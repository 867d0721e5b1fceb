# What the scripts about two parties share, after common.sh: a dataset, a run file, two folders of keys that trust
# each other, a free port.
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
printf 'method: vesper\npublication: layers\nhidden: 16\nencoder-epochs: %d\nepochs: %d\nepsilon: 4\nseeds: 2\ninsecure-seed: 3\ngrace: 20\n' "${EPOCHS:-12}" "${EPOCHS:-12}" > run.yaml
"$SOTTO" identity init --name bank --dir bank > /dev/null
"$SOTTO" identity init --name partner --dir partner > /dev/null
"$SOTTO" identity trust partner/own.crt --dir bank > /dev/null
"$SOTTO" identity trust bank/own.crt --dir partner > /dev/null
port=7001

# What each party has to give itself: a run file that comes from the other does not fix the noise.
fixed="--insecure-seed 3"

# data OUT [FLAGS]: the data party, which listens; label OUT [FLAGS]: the label party. $run_file is another run file than
# run.yaml. With run=exec the process of a function in the background is the program itself, and can be killed.
data() { out=$1; shift; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role data --data g.sotto --dir bank --peer partner \
  --listen "$host:$port" --threads 1 --out "$out" $fixed "$@"; }
label() { out=$1; shift; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role label --data g.sotto --dir partner \
  --peer "bank=$host:$port" --threads 1 --out "$out" $fixed "$@"; }

# tensors FILE...: the values of safetensors files, one after the other, without their headers. With label-epsilon they are in owner-only/.
tensors() {
  for tensor in "$@"; do
    [ -e "$tensor" ] || tensor=${tensor%/*}/owner-only/${tensor##*/}
    size=$(od -An -t u8 -N 8 "$tensor" | tr -d ' ')
    tail -c "+$((size + 9))" "$tensor"
  done
}

# same_model SEED DATA_RUN LABEL_RUN WHOLE_RUN: the halves are the model that one process trains.
same_model() {
  tensors "$2/seed-$1/model.safetensors" "$3/seed-$1/model.safetensors" > halves
  tensors "$4/seed-$1/model.safetensors" > whole.tensors
  cmp halves whole.tensors || fail "seed $1: $2 and $3 are not halves of $4"
}

# same_answers DATA_RUN LABEL_RUN WHOLE_RUN OTHER EPSILON: two parties answer about their own data as one process does, and about other data.
same_answers() {
  "$SOTTO" predict "$3" > /dev/null
  "$SOTTO" run predict "$1" --role data --dir bank --peer partner --listen "$host:$port" > d.out 2>&1 &
  "$SOTTO" run predict "$2" --role label --dir partner --peer "bank=$host:$port" > l.out 2>&1 || { cat l.out >&2; fail "two parties do not answer"; }
  wait $!
  # Alerts on a rare class are one owner's.
  sed '1s/,score,rank,alert$//; t cut; b; :cut; n; s/,[^,]*,[^,]*,[^,]*$//; b cut' "$3/predictions.csv" > whole.csv
  cmp whole.csv "$2/predictions.csv" || fail "two parties answer otherwise than one process"
  "$SOTTO" run predict "$1" --role data --dir bank --peer partner --listen "$host:$port" --data "$4" --epsilon "$5" > d.out 2>&1 &
  "$SOTTO" run predict "$2" --role label --dir partner --peer "bank=$host:$port" --data "$4" --epsilon "$5" > l.out 2>&1 ||
    { cat l.out d.out >&2; fail "other data"; }
  wait $! || { cat d.out >&2; fail "the data party, other data"; }
}
