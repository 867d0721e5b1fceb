# What the scripts about a server and holders share, after common.sh: a dataset dealt to two holders, a run file, three
# folders of keys that trust each other, two free ports. holder2 has the labels.
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
"$SOTTO" data split g.sotto --vertical --holders 2 --features --edges --label-holder 2 --out part > /dev/null
printf 'method: vfgnn\nhidden: 16\nepochs: %d\nepsilon: inf\nlabel-holder: 2\ninsecure-seed: 3\ngrace: %d\n' \
  "${EPOCHS:-20}" "${GRACE:-20}" > run.yaml
for name in hub bank shop; do "$SOTTO" identity init --name "$name" --dir "$name" > /dev/null; done
for who in hub bank shop; do
  for whom in hub bank shop; do
    [ "$who" = "$whom" ] || "$SOTTO" identity trust "$whom/own.crt" --dir "$who" > /dev/null
  done
done
port=7001
hub_address=$host:$port bank_address=$host:7002

# What each party has to give itself: a run file that comes from another takes no privacy away.
own="--insecure-seed 3 --epsilon inf"

# server OUT [FLAGS], holder1 OUT [FLAGS], holder2 OUT [FLAGS]: each in a process, with the run file $run_file or run.yaml;
# with run=exec a function in the background is the program itself, and can be killed.
server() { out=$1; shift; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role server --dir hub --listen "$hub_address" \
  --peer bank --peer shop --threads 1 --out "$out" $own "$@"; }
holder1() { out=$1; shift; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role holder1 --data part-1.sotto --dir bank \
  --listen "$bank_address" --peer "hub=$hub_address" --peer shop --threads 1 --out "$out" $own "$@"; }
holder2() { out=$1; shift; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role holder2 --data part-2.sotto --dir shop \
  --peer "hub=$hub_address" --peer "bank=$bank_address" --threads 1 --out "$out" $own "$@"; }

# tensors FILE: the values of a safetensors file, without its header.
tensors() {
  size=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
  tail -c "+$((size + 9))" "$1"
}

# same_model SERVER HOLDER1 HOLDER2 WHOLE: the parts are the model of one process, which has the holders' networks, the
# server's, and last the labels' layer, which holder2 keeps after its own. Both holders' networks are of one size.
same_model() {
  tensors "$2/model.safetensors" > one
  tensors "$3/model.safetensors" > two
  size_one=$(wc -c < one)
  { cat one; head -c "$size_one" two; tensors "$1/model.safetensors"; tail -c "+$((size_one + 1))" two; } > parts
  tensors "$4/model.safetensors" > whole.tensors
  cmp parts whole.tensors || fail "$1, $2 and $3 are not the parts of $4"
}

# all_three SUFFIX [FLAGS]: one whole run of three, into s-SUFFIX, a-SUFFIX, b-SUFFIX.
all_three() {
  suffix=$1
  shift
  server "s-$suffix" "$@" > s.log 2>&1 & server_pid=$!
  holder1 "a-$suffix" "$@" > a.log 2>&1 & bank_pid=$!
  holder2 "b-$suffix" "$@" > b.log 2>&1 || { cat b.log >&2; fail "holder2 failed with $*"; }
  wait "$server_pid" || { cat s.log >&2; fail "the server failed with $*"; }
  wait "$bank_pid" || { cat a.log >&2; fail "holder1 failed with $*"; }
}
