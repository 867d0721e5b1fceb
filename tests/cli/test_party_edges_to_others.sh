#!/bin/sh
# Edges to customers of other banks come from a list of their own next to any form of data: each bank reads its tables, and a federation counts
# these edges. A line that does not fit is named with its id.
. "$(dirname "$0")/common.sh"
port=7411

# Three banks of 40 customers in two classes: each is linked to the next at its own bank, and to one customer of the next bank.
for bank in 1 2 3; do
  awk -v bank=$bank 'BEGIN {
    next_bank = bank % 3 + 1; last = (bank + 1) % 3 + 1
    print "id,a,b,label" > ("bank" bank ".nodes.csv"); print "source,target" > ("bank" bank ".csv"); print "payer,payee,amount" > ("others" bank ".csv")
    for (v = 0; v < 40; v++) {
      print "b" bank "-" v "," (v % 2) + (v * 7 % 10) / 10 "," 1 - (v % 2) + (v * 3 % 10) / 10 "," (v % 2 ? "x" : "y") > ("bank" bank ".nodes.csv")
      print "b" bank "-" v ",b" bank "-" (v + 2) % 40 > ("bank" bank ".csv")
      print "b" bank "-" v ",b" next_bank "-" (v + 2) % 40 "," v > ("others" bank ".csv")
      print "b" last "-" v ",b" bank "-" (v + 2) % 40 "," v > ("others" bank ".csv")
    }
    print "b" bank "-0,b" next_bank "-2,5" > ("others" bank ".csv") }' # a repeat
done
foreign() { "$SOTTO" data info "$@" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["foreign_edges"])'; }
[ "$(foreign bank1.csv)" = None ] || fail "edges to others without a list"
[ "$(foreign bank1.csv --edges-to-others others1.csv)" -eq 80 ] || fail "not 80 edges to others"
"$SOTTO" data import bank1.csv bank1.sotto --edges-to-others others1.csv | grep -q "edges to others 80" || fail "the import does not say how many there are"
[ "$(foreign bank1.sotto)" -eq 80 ] || fail "the file does not keep them"
printf '0 1\n1 2\n' > numbers.txt
printf 'own,other\n0,b1-7\n2,b1-7\n' > of_numbers.csv
[ "$(foreign numbers.txt --edges-to-others of_numbers.csv)" -eq 2 ] || fail "nodes that are numbers"
"$SOTTO" data info bank1.sotto | sed -n 's/^  digest *//p' > whole.digest
"$SOTTO" data info bank1.csv --edges-to-others others1.csv | sed -n 's/^  digest *//p' | cmp - whole.digest || fail "another digest"

# refused WORDS LINE...: a list with these lines.
refused() {
  words=$1
  shift
  printf '%s\n' payer,payee "$@" > bad.csv
  expect 1 "$words" "$SOTTO" data info bank1.csv --edges-to-others bad.csv
}
refused "bad.csv: line 3, column 1: 'b2-9' is no node of the data" b1-1,b2-1 b2-9,b3-1
refused "bad.csv: line 2, column 2: 'b1-2' is an own node, as the other end is" b1-1,b1-2
refused "bad.csv: line 2, column 2: '' is not an id" b1-1,
refused "bad.csv: line 3: has 3 fields, but the header has 2" b1-1,b2-1 b1-1,b2-1,7
printf 'b1-1,b2-1\n' > bad.csv
expect 1 "line 1, column 1: 'b1-1' is an id, and the first line of this list must name its columns" "$SOTTO" data info bank1.csv --edges-to-others bad.csv
expect 1 "the native form keeps such edges itself" "$SOTTO" data info bank1.sotto --edges-to-others others1.csv

# Each bank trains from its own tables.
printf 'method: fedavg\nclients: 3\nadjacency: edge\nepsilon: 4\ndelta: 1e-6\nrounds: 4\nencoder-epochs: 4\nhidden: 8\npartition: linked:alike\ngrace: 20\ninsecure-seed: 3\n' > run.yaml
party() { role=$1 out=$2; shift 2; "$SOTTO" run run.yaml --role "$role" --insecure-loopback --method fedavg --adjacency edge --epsilon 4 --delta 1e-6 \
  --insecure-seed 3 --threads 1 --out "$out" "$@" > "$out.log" 2>&1; }
# trains NAME: all end well, and their folders are NAME-s, NAME-1 and so on; of each bank's data $given is given.
trains() {
  party server "$1-s" --listen "$host:$port" --peer client1 --peer client2 --peer client3 & server_pid=$!
  for bank in 1 2 3; do
    # shellcheck disable=SC2046
    party "client$bank" "$1-$bank" --peer "server=$host:$port" $(given "$bank") & eval "pid$bank=\$!"
  done
  for pid in server_pid pid1 pid2 pid3; do eval "wait \$$pid" || { cat "$1"-*.log >&2; fail "$1: $pid"; }; done
}
given() { echo "--data bank$1.csv --edges-to-others others$1.csv"; }
trains tables
for bank in 1 2 3; do "$SOTTO" data import "bank$bank.csv" "bank$bank.sotto" --edges-to-others "others$bank.csv" > /dev/null; done
given() { echo "--data bank$1.sotto"; }
trains files
for bank in 1 2 3; do
  cmp "tables-$bank/seed-1/counts-$bank.sotto" "files-$bank/seed-1/counts-$bank.sotto" || fail "bank $bank: other counts from tables than from its file"
  grep -q 'edges-to-others: .*others' "tables-$bank/owner-only/paths.yaml" || fail "the run folder does not name the list"
done
"$SOTTO" predict tables-1 > predicted || { cat predicted >&2; fail "no answers"; }
