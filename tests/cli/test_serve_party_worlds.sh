#!/bin/sh
# Two services that answer together for a run of two parties show the same in three worlds: the data party's graph stays as it was
# trained on, it loses an edge before the services start, or while they serve. What both answer and log, their files with their
# sizes, charges and exit status are compared, answers to the last byte; times are left out. Then a release that was drawn anew,
# from the graph with an edge less and with the same noise, is served in its place: that world is seen.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
bank=$host:7501 partner=$host:7502
sed -i 's/^seeds: .*/seeds: 1/; /^publication: /d' run.yaml
awk 'function draw() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
BEGIN { seed = 3; print "id,f1,f2,f3,label" > "all.nodes.csv"; print "source,target" > "all.csv"
  for (v = 0; v < 120; v++) { row = v; for (j = 0; j < 3; j++) row = row "," (v % 3 == j ? 0.3 : 0) + draw(); print row ",c" v % 3 > "all.nodes.csv" }
  for (i = 0; i < 500; i++) { a = int(draw() * 120); b = int(draw() * 40) * 3 + a % 3; if (a != b) print a "," b > "all.csv" } }'
lines=$(wc -l < all.csv)
less=$((lines - 1))
cp all.nodes.csv graph.nodes.csv
for count in "$lines" "$less"; do
  head -n "$count" all.csv > graph.csv && "$SOTTO" data import graph.csv "graph-$count.sotto" > /dev/null
done
cp "graph-$lines.sotto" g.sotto # the label party's
everyone="{\"nodes\":[$(seq -s , 0 119)]}"

# train_on EDGES NAME FLAGS: both parties' folders da-NAME and la-NAME, and NAME.db, the ledger after the training.
train_on() {
  edges=$1 name=$2
  shift 2
  rm -rf "da-$name" "la-$name" ledger.db ledger.db-* ./*.sotto.ledger
  "$SOTTO" ledger init > /dev/null && "$SOTTO" ledger account new customers > /dev/null
  cp "graph-$edges.sotto" graph.sotto
  data "da-$name" --data graph.sotto --account customers "$@" > da.log 2>&1 &
  label "la-$name" "$@" > la.log 2>&1 || { cat da.log la.log >&2; fail "the label party failed with $*"; }
  wait $! || { cat da.log >&2; fail "the data party failed with $*"; }
  cp ledger.db "$name.db"
}

# look ADDRESS CODE WORDS: what a side says, once it says this about being ready.
look() { python3 "$script" "$1" look "$everyone" "$2" "$3"; }
both_look() { look "$bank" 200 '"ready":true' && look "$partner" 200 '"ready":true'; }

# world NAME TRAINED BEFORE LATER FLAGS: edges when the services start, and after they have answered; NAME.trace.
world() {
  name=$1 trained=$2 before=$3 later=$4
  shift 4
  rm -rf da la && cp -r "da-$trained" da && cp -r "la-$trained" la && cp "$trained.db" ledger.db
  cp "graph-$before.sotto" graph.sotto
  "$SOTTO" serve da --role data --dir bank --peer partner --listen-peer "$host:$port" --listen "$bank" "$@" > d.log 2>&1 &
  data_pid=$!
  "$SOTTO" serve la --role label --dir partner --peer "bank=$host:$port" --listen "$partner" "$@" > l.log 2>&1 &
  label_pid=$!
  both_look > trace || { cat d.log l.log >&2; fail "$name: the services do not answer"; }
  cp "graph-$later.sotto" graph.sotto
  both_look >> trace || { cat d.log l.log >&2; fail "$name: the services do not answer any more"; }
  kill -TERM "$data_pid" && of_data=0 && { wait "$data_pid" || of_data=$?; }
  look "$partner" 503 "it stopped its service" >> trace || { cat l.log >&2; fail "$name: the label party does not say who stopped"; }
  kill -TERM "$label_pid" && of_label=0 && { wait "$label_pid" || of_label=$?; }
  { echo "end with $of_data $of_label"; cat d.log; echo "the other:"; cat l.log
    find da la -type f -printf '%p %s\n' | sort
    "$SOTTO" ledger show --account customers; } >> trace
  sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]*Z/TIME/g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g; s/loaded in [0-9.]+ s/loaded/; s/"(seconds|loaded|load_seconds|uptime_seconds)":[0-9.e+-]+/"\1"/g; s/:[0-9]{4,5}\)/:PORT)/g' trace |
    grep -v 'waiting for\|could not be reached\|no session with\|connected\|code="503"' > "$name.trace" # how often it was asked
}

for flags in "--publication counts" "--publication layers"; do
  learns=label
  [ "$flags" = "--publication layers" ] || learns=both
  train_on "$lines" first $flags
  world same first "$lines" "$lines" --learns "$learns"
  grep -q "POST /predict: 200" same.trace && grep -q "end with 0 0" same.trace || { cat same.trace >&2; fail "$flags: nothing was answered"; }
  world before first "$less" "$less" --learns "$learns"
  world later first "$lines" "$less" --learns "$learns"
  for other in before later; do
    diff same.trace "$other.trace" >&2 || fail "$flags: the world with an edge less, $other, is seen at the services"
  done
done
train_on "$less" anew $flags
world anew anew "$less" "$less" --learns "$learns"
if diff same.trace anew.trace > /dev/null; then fail "a release that was drawn anew is not seen"; fi
echo "serve party worlds: ok"
