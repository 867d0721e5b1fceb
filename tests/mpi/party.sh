# What the scripts about ranks as a party share, after common.sh.
port=7210

# data RANKS WORDS...: the data party, which listens, over so many ranks (0: one process); label WORDS...: the other one.
words="--insecure-loopback --insecure-seed 7 --threads 1 --grace 30"
data() {
  count=$1
  shift
  set -- run run.yaml --role data $words --listen "$host:$port" --peer label --out run-data "$@"
  case $count in
    0) exec "$SOTTO" "$@" ;;
    *) exec mpirun --oversubscribe -n "$count" "$SOTTO" "$@" ;;
  esac
}
label() { ${run:-} "$SOTTO" run run.yaml --role label $words --peer "data=$host:$port" --out run-label "$@"; }
show() { cat data.log label.log >&2; fail "$@"; }

# both RANKS WORDS...: a run of both in this folder. Then `bytes` has digests of what it made, `stated` what it says.
both() {
  count=$1
  shift
  (data "$count" "$@") > data.log 2>&1 &
  party=$!
  label "$@" > label.log 2>&1 || show "$count ranks: the label party failed"
  wait "$party" || show "$count ranks: the data party failed"
  collect
}
collect() {
  find run-data run-label -name 'counts*.sotto' -o -name 'pilots*.sotto' -o -name model.safetensors | sort | xargs sha256sum > bytes
  # The ledger is the same one, so that its chain has grown.
  cat run-data/statement.json run-label/statement.json | grep -Ev '"(date|chain)"' > stated
  python3 -c "import json
for role in 'data', 'label':
    print(role, json.load(open('run-' + role + '/result.json'))['wire'])" > wire
}
alike() { # CALM FOLDER RANKS
  for what in bytes stated wire; do
    cmp "$1/$what" "$2/$what" || fail "$3 ranks: other $what than one process"
  done
}
