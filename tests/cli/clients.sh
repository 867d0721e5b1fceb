# What the scripts about a server and clients share, after common.sh: four parts of a dataset, a run file, five folders of
# keys, a free port. The clients trust the server, and it trusts them.
"$SOTTO" data generate sbm --nodes 240 --features 12 --out g.sotto > /dev/null
"$SOTTO" data split g.sotto --horizontal --clients 4 --parts --out part > /dev/null
printf 'method: fedavg\nclients: 4\nrounds: %d\nhidden: 8\ninsecure-seed: 3\ngrace: %d\n' \
  "${ROUNDS_OF_RUN:-12}" "${GRACE:-20}" > run.yaml
"$SOTTO" identity init --name hub --dir hub > /dev/null
for number in 1 2 3 4; do
  "$SOTTO" identity init --name "shop$number" --dir "shop$number" > /dev/null
  "$SOTTO" identity trust "shop$number/own.crt" --dir hub > /dev/null
  "$SOTTO" identity trust hub/own.crt --dir "shop$number" > /dev/null
done
cat shop1/own.crt shop2/own.crt shop3/own.crt shop4/own.crt > clients.pem # for --secure-aggregation
port=7001
hub_address=$host:$port

# What each party has to give itself: a run file that comes from another takes no privacy away.
own="--insecure-seed 3 --method fedavg"

# server OUT [FLAGS]; client NUMBER OUT [FLAGS]. $run_file is another run file than run.yaml.
server() { out=$1; shift; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role server --dir hub --listen "$hub_address" \
  --peer shop1 --peer shop2 --peer shop3 --peer shop4 --split planetoid --threads 1 --out "$out" $own "$@"; }
client() { number=$1 out=$2; shift 2; ${run:-} $last "$SOTTO" run "${run_file:-run.yaml}" --role "client$number" --dir "shop$number" \
  --data "part-$number.sotto" --peer "hub=$hub_address" --split planetoid --threads 1 --out "$out" $own "$@"; }

# all_five SUFFIX [FLAGS]: one whole run, into s-SUFFIX and c1-SUFFIX to c4-SUFFIX.
all_five() {
  suffix=$1
  shift
  server "s-$suffix" "$@" > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do
    client "$number" "c$number-$suffix" "$@" > "c$number.log" 2>&1 &
    eval "client_pid$number=\$!"
  done
  wait "$server_pid" || { cat s.log c?.log >&2; fail "the server failed with $*"; }
  for number in 1 2 3 4; do
    eval "wait \$client_pid$number" || { cat "c$number.log" >&2; fail "client $number failed with $*"; }
  done
}
