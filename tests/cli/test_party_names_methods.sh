#!/bin/sh
# Clients of each federation agree on columns, words and classes by name: tables in other orders, of which each lacks something that
# others have, train the very model that they do where a schema states all of it. What does not fit is refused at every party.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"
methods="fedavg fedsage fedsage+ feddep"

# four: client 2 has other orders and lacks the class mid, client 3 lacks nothing, client 4 has a class and a town that others lack.
four() {
  table 1 $usual
  if [ -n "${schema:-}" ]; then table 2 $usual mid; else table 2 "id,town,income,label,age,split" mid; fi
  if [ -n "${schema:-}" ]; then table 3 $usual; else table 3 "split,label,income,age,id,town"; fi
  classes="top mid high" table 4 $usual "" hull
}
schema=all.yaml
four
for method in $methods; do all_five "stated-$method" --method $method --rounds 3; done
schema=""
four
for method in $methods; do
  all_five "named-$method" --method $method --rounds 3
  grep -q "all clients together have 4, and this table has examples of 2" c2.log || { cat c2.log >&2; fail "$method: client 2 is not told of the classes"; }
  grep -q "other clients have 1 words of categories that this table lacks" c1.log || { cat c1.log >&2; fail "$method: client 1 is not told of hull"; }
  cmp "s-stated-$method/model.safetensors" "s-named-$method/model.safetensors" || fail "$method: names that were agreed on give another model than names that were stated"
  [ "$(right "c2-stated-$method")" = "$(right "c2-named-$method")" ] || fail "$method: another accuracy"
  [ -n "$(right "s-named-$method")$(right "c2-named-$method")" ] || fail "$method: no accuracy"
done

# A column that one lacks, and one that is of another type there.
refused() { # METHOD WORDS
  rm -rf ./*-refused
  server s-refused --method "$1" > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do client "$number" "c$number-refused" --method "$1" > "c$number.log" 2>&1 & eval "client_pid$number=\$!"; done
  for party in server_pid client_pid1 client_pid2 client_pid3 client_pid4; do eval "wait \$$party" && fail "$1: $party ended well: $2"; done
  for log in s c1 c2 c3 c4; do grep -q "$2" $log.log || { cat $log.log >&2; fail "$1: $log does not say '$2'"; }; done
  ls s-refused/seed-1/model.safetensors c?-refused/seed-1/model.safetensors 2> /dev/null && fail "$1: a model was trained" || true
}
table 3 "id,age,town,label,split"
for method in $methods; do refused $method "client3 has no 'income', which client1 has"; done
cut -d, -f1,4,5 nodes.csv > bare.csv
"$SOTTO" data import edges.csv part-3.sotto --nodes bare.csv > /dev/null
refused fedavg "those of client1 have names, and those of client3 have none"
classes="Low mid high" table 3 $usual
refused fedavg "'low' and 'Low' differ in capitals alone"
echo "four federations agree by name"
