#!/bin/sh
# What two parties, their peers and their folders show is the same in two worlds: one in which the graph stays as it is after the
# training, and one in which it loses an edge. Messages, exit status, files with their sizes, charges and bytes of each kind are compared;
# values under noise and times are left out, and so is the owner's note in the ledger of which graphs are versions of the account.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: .*/seeds: 1/' run.yaml
awk 'function draw() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
BEGIN { seed = 3; print "id,f1,f2,f3,label" > "all.nodes.csv"; print "source,target" > "all.csv"; print "id" > "ids.csv"
  for (v = 0; v < 200; v++) { row = v; for (j = 0; j < 3; j++) row = row "," (v % 3 == j ? 0.3 : 0) + draw(); print row ",c" v % 3 > "all.nodes.csv"; print v > "ids.csv" }
  for (i = 0; i < 800; i++) { a = int(draw() * 200); b = int(draw() * 66) * 3 + a % 3; if (a != b && b < 200) print a "," b > "all.csv" } }'

# step NAME COMMAND...: both parties' commands, as functions of a role; their ends and messages go to the trace.
step() {
  echo "step $1" >> trace
  "$2" data $3 > d.out 2>&1 &
  pid=$!
  set +e
  "$2" label $4 > l.out 2>&1
  of_label=$?
  wait "$pid"
  of_data=$?
  set -e
  { echo "ends $of_data $of_label"; cat d.out; echo "the other:"; cat l.out; } >> trace
}
train_as() { role=$1; shift; "$role" "run-$role" "$@"; }
ask_as() {
  role=$1
  shift
  if [ "$role" = data ]; then
    "$SOTTO" run predict run-data --role data --dir bank --peer partner --listen "$host:$port" "$@"
  else
    "$SOTTO" run predict run-label --role label --dir partner --peer "bank=$host:$port" "$@"
  fi
}

# world NAME EDGES FLAGS...: graph.sotto is changed after the training and the first release.
world() (
  name=$1 edges=$2
  shift 2
  mkdir "$name" && cd "$name" && cp -r ../bank ../partner ../run.yaml ../ids.csv .
  export SOTTO_LEDGER="$PWD/ledger.db"
  "$SOTTO" ledger init > /dev/null
  "$SOTTO" ledger account new customers > /dev/null
  cp ../all.csv graph.csv && cp ../all.nodes.csv graph.nodes.csv
  "$SOTTO" data import graph.csv graph.sotto > /dev/null && cp graph.sotto g.sotto
  step train train_as "--data graph.sotto --account customers $*" "--data graph.sotto $*"
  step "first release" ask_as "--data graph.sotto --epsilon 2" "--data ids.csv --epsilon 2"
  head -n "$edges" ../all.csv > graph.csv && "$SOTTO" data import graph.csv graph.sotto > /dev/null
  step "own data" ask_as "--data graph.sotto" ""
  step "next release" ask_as "--data graph.sotto --epsilon 2" "--data ids.csv --epsilon 2"
  step "first release again" ask_as "--data graph.sotto --again 1" "--data ids.csv --epsilon 2"
  step "training again" train_as "--data graph.sotto --account customers $*" "--data graph.sotto $*"
  { find run-data run-label -type f ! -path '*/owner-only/*' ! -name '*.json*' ! -name '*.csv' ! -name report.html -printf '%p %s\n' | sort
    find run-data run-label -type f ! -path '*/owner-only/*' -printf '%p\n' | sort
    cat run-data/*.json run-data/predictions/*/*.json run-label/*.json
    "$SOTTO" ledger show --account customers; } >> trace
  sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]*Z/TIME/g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g; s/; on the network that takes .*//; s/[0-9a-f]{16,}/HEX/g; s/:[0-9]{4,5}\)/:PORT)/g; s/[0-9]+\.[0-9]+(e-?[0-9]+)?/NUMBER/g; s/  +/ /g' \
    trace | grep -v "waiting for\|could not be reached\|TIME version: " | sed "s|/$name/|/WORLD/|g" > ../"$name.trace"
)

lines=$(wc -l < all.csv)
for flags in "--publication counts" "--publication layers --releases 2"; do
  rm -rf same less
  world same "$lines" $flags
  world less "$((lines - 1))" $flags
  grep -q "release 1 in run-data/predictions/1 answers again" same.trace || { cat same.trace >&2; fail "$flags: nothing was repeated"; }
  [ "$(grep -c "^ends 0 0" same.trace)" -eq 6 ] || { cat same.trace >&2; fail "$flags: a step failed"; }
  diff same.trace less.trace >&2 || fail "$flags: the worlds differ"
done
echo "party worlds: ok"
