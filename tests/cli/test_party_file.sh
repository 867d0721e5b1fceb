#!/bin/sh
# A run file that comes from the other party: it sets neither the ledger, nor paths, nor what weakens privacy, and who
# asks for that hears of it before anything is sent.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
bank() { "$SOTTO" run "$@" --role data --data g.sotto --dir bank --peer partner --listen "$host:$port" --out d; }

# Options of one machine are refused before any work, also by the check.
for line in "ledger: $folder/other.db" "data: other.sotto" "ids: ids.txt" "encoder-cache: cache" "record-wire: true" \
  "nodes: nodes.csv" "threads: 1"
do
  key=${line%%:*}
  printf 'method: vesper\nepochs: 2\n%s\n' "$line" > theirs.yaml
  expect 2 "theirs.yaml: line 3: '$key' is an option of one machine" bank theirs.yaml
  expect 2 "theirs.yaml: line 3: '$key' is an option of one machine" bank check theirs.yaml
done
[ ! -e other.db ] || fail "the partner's file chose the ledger"
[ ! -e d ] || fail "a refused run left a folder"

# So is what weakens privacy.
for line in "insecure-seed: 3" "accounting: paper" "epsilon: inf" "adjacency: none"; do
  printf 'method: vesper\n%s\n' "$line" > theirs.yaml
  expect 2 "'${line%%:*}'.*weakens privacy: each party has to ask for it itself" bank theirs.yaml
done
printf 'method: fedavg\n' > theirs.yaml
expect 2 "method fedavg adds no noise" bank theirs.yaml
printf 'method: vesper\n' > theirs.yaml

# Who asks for it hears of it before the other party is there.
expect 27 "privacy *NOT PRIVATE" bank check theirs.yaml --adjacency none --grace 1
expect 1 "NOT PRIVATE: this run adds no noise" bank theirs.yaml --adjacency none --grace 1
expect 1 "NOT PRIVATE: noise and masks come from a fixed seed" bank run.yaml --insecure-seed 3 --grace 1
"$SOTTO" run check run.yaml --role data --data g.sotto --dir bank --peer partner --listen "$host:$port" \
  --grace 1 > output 2>&1 || true
! grep -q "NOT PRIVATE" output || { cat output >&2; fail "a private run is called not private"; }
# An own file of a whole run may hold all of them.
printf 'method: vesper\nhidden: 8\nencoder-epochs: 2\nepochs: 2\ndata: g.sotto\nledger: own.db\ninsecure-seed: 1\n' > own.yaml
new_ledger own.db g.sotto
"$SOTTO" train own.yaml --out own > /dev/null 2>&1 || fail "an own run file was refused"
"$SOTTO" ledger show --ledger own.db | grep -q laplace || fail "the own run file did not choose the ledger"

# A level that the method lacks is refused by name, also where a run file from another party says it.
for pair in "vesper client data" "mlp graph data" "fedavg k-neighbour client1" "vfgnn node holder1"; do
  # shellcheck disable=SC2086
  set -- $pair
  printf 'method: %s\nadjacency: %s\nepsilon: 4\n' "$1" "$2" > level.yaml
  expect 2 "$1 does not protect '$2'" "$SOTTO" run level.yaml --role "$3" --insecure-loopback --listen "$host:7099" --peer other --data g.sotto --out level
done
