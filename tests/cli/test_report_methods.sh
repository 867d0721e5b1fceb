#!/bin/sh
# Every method has a page of its run: of one process, and of each party where it has parties. The list is that of `sotto methods`.
. "$(dirname "$0")/common.sh"
port=7401
"$SOTTO" data generate sbm --nodes 120 --classes 3 --features 8 --out g.sotto > /dev/null
"$SOTTO" data split g.sotto --vertical --holders 2 --features --edges --label-holder 2 --out part > /dev/null
"$SOTTO" data split g.sotto --horizontal --clients 2 --parts --out shop > /dev/null
"$SOTTO" methods --json > methods.json
"$SOTTO" methods --matrix --json > matrix.json
# page RUN METHOD: its page names the method.
page() {
  expect 0 "written to" "$SOTTO" report "$1" --out "$1.html"
  grep -q "$2" "$1.html" || fail "the page of $1 does not name $2"
}
# flags_of METHOD: what it needs beside a graph of nodes.
flags_of() { case $1 in gwldp) echo "--publication multibit --adjacency none --epsilon inf" ;; *) echo "--adjacency none" ;; esac; }
# party METHOD ROLE [FLAGS]: one party, into METHOD-ROLE.
party() {
  method=$1 role=$2
  shift 2
  "$SOTTO" run run.yaml --role "$role" --insecure-loopback --method "$method" $(flags_of "$method") --threads 1 --out "$method-$role" "$@" > "$method-$role.log" 2>&1
}
two_parties() {
  roles="data label"
  party "$1" data --data g.sotto --listen "$host:$port" --peer label &
  party "$1" label --data g.sotto --peer "data=$host:$port"
}
holders() {
  roles="server holder1 holder2"
  party "$1" server --listen "$host:$port" --peer holder1 --peer holder2 &
  party "$1" holder1 --data part-1.sotto --listen "$host:$((port + 1))" --peer "server=$host:$port" --peer holder2 &
  party "$1" holder2 --data part-2.sotto --peer "server=$host:$port" --peer "holder1=$host:$((port + 1))"
}
clients() {
  roles="server client1 client2"
  party "$1" server --listen "$host:$port" --peer client1 --peer client2 &
  party "$1" client1 --data shop-1.sotto --peer "server=$host:$port" &
  party "$1" client2 --data shop-2.sotto --peer "server=$host:$port"
}
# with_parties METHOD: has the matrix its report between processes?
with_parties() {
  python3 -c 'import json, sys
sys.exit(not any(c["there"] in ("yes", "partly") for c in json.load(open("matrix.json"))["matrix"]
                 if (c["method"], c["place"], c["step"]) == (sys.argv[1], "parties", "report")))' "$1"
}
python3 -c 'import json
for m in json.load(open("methods.json"))["methods"]: print(m["name"], m["topology"])' > list
[ "$(wc -l < list)" -ge 20 ] || fail "the list of methods is short"
while read -r method topology; do
  "$SOTTO" train --method "$method" --data g.sotto $(flags_of "$method") --threads 1 --out "$method" > log 2>&1 || { cat log >&2; fail "$method"; }
  page "$method" "$method"
  with_parties "$method" || continue
  case $topology in *holders*) size="label-holder: 2" ;; *clients*) size="clients: 2" ;; *) size="seeds: 1" ;; esac
  printf 'method: %s\n%s\ngrace: 60\n' "$method" "$size" > run.yaml
  case $topology in *holders*) play=holders ;; *clients*) play=clients ;; *) play=two_parties ;; esac
  $play "$method" || { cat "$method"-*.log >&2; fail "$method between processes"; }
  wait
  for role in $roles; do page "$method-$role" "$method"; done
done < list
echo "each of $(wc -l < list) methods has its page"
