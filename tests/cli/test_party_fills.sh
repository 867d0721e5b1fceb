#!/bin/sh
# Clients of a federation fill missing cells alike: with a value that all declare, as if it stood in the cells, or each with the mean
# of its own training nodes, which stays there. Other rules or values are refused by name, at every party, before anything is trained.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"

# schema FILE RULE_OF_AGE: all columns, stated
schema() { sed "s|{name: \"age\", type: number}|{name: \"age\", type: number$2}|; s|, \"top\"||" all.yaml > "$1"; }
schema declared.yaml ", missing: value, fill: 41"
schema other.yaml ", missing: value, fill: 40"
schema zero.yaml ", missing: zero"
schema mean.yaml ", missing: mean"
schema none.yaml ""

# tables FILL: day1.csv to day4.csv, in which some ages are FILL (empty: no value), at clients 1 to 3; client 4 has all
for number in 1 2 3 4; do table $number $usual && cp nodes.csv "all$number.csv" && cp edges.csv "day$number.csv"; done
tables() {
  for number in 1 2 3 4; do
    awk -F, -v fill="$1" -v number=$number 'BEGIN { OFS = "," } NR > 1 && number < 4 && NR % 7 == number { $2 = fill } { print }' "all$number.csv" > "day$number.nodes.csv"
  done
}
# run NAME SCHEMA1 SCHEMA2 SCHEMA3 SCHEMA4 [FLAGS]: a training of all; false where one party ends with an error
run() {
  name=$1 schemas="$2 $3 $4 $5" good=yes
  shift 5
  server "s-$name" --rounds 4 "$@" > s.log 2>&1 & server_pid=$!
  number=0 pids=
  for stated in $schemas; do
    number=$((number + 1))
    client $number "c$number-$name" --rounds 4 --data "day$number.csv" --schema "$stated" "$@" > c$number.log 2>&1 & pids="$pids $!"
  done
  for pid in $server_pid $pids; do wait "$pid" || good=no; done
  [ $good = yes ]
}
same() { for which in $1 $1 $1 $1; do echo "$which"; done; }

for method in fedavg fedsage feddep; do
  tables 41
  run "there-$method" $(same none.yaml) --method $method || { cat ./*.log >&2; fail "$method: all cells are there"; }
  tables ""
  run "filled-$method" declared.yaml declared.yaml declared.yaml none.yaml --method $method || { cat ./*.log >&2; fail "$method: one declared value"; }
  cmp "s-there-$method/model.safetensors" "s-filled-$method/model.safetensors" || fail "$method: a declared value gives another model than the value in the cells"
done
grep -q 'fill: 41' c1-filled-fedavg/schema.yaml || fail "the schema keeps no value"
run own mean.yaml mean.yaml mean.yaml mean.yaml || { cat ./*.log >&2; fail "each its own mean"; }
grep -q "missing cells of 'age' are filled with the mean of this client's own training nodes" c2.log || { cat c2.log >&2; fail "nobody says whose mean it is"; }
mean() { sed -n 's/.*"age".*fill: \[\([^]]*\)\].*/\1/p' "$1/schema.yaml"; }
[ -n "$(mean c1-own)" ] && [ "$(mean c1-own)" != "$(mean c2-own)" ] || fail "two clients have one mean, or none"
! grep -rqF "$(mean c1-own)" s-own c2-own c3-own c4-own || fail "the mean of client 1 is with others"

refused() { # WORDS NAME SCHEMAS...
  words=$1
  shift
  run "$@" && fail "all end well: $words"
  for log in s c1 c2 c3 c4; do grep -q "$words" $log.log || { cat $log.log >&2; fail "$log does not say '$words'"; }; done
  ! ls "s-$1/seed-1/model.safetensors" 2> /dev/null || fail "a model was trained"
}
refused "missing: cells of 'age' without a value are filled with 40 at client3, and with 41 at another client. Fill a column alike" values declared.yaml declared.yaml other.yaml none.yaml
refused "filled with its own mean at client2, and with 41 at another client" rules declared.yaml mean.yaml declared.yaml none.yaml
refused "filled with zero at client4, and with its own mean at another client" zeros mean.yaml mean.yaml mean.yaml zero.yaml

# Where nodes are private a mean is a release: the client ends before it connects.
expect 1 "'age' of day1 is filled with its mean, which follows from its rows, and at node level no noise covers that; fill with zero, or declare a value" \
  client 1 c1-node --data day1.csv --schema mean.yaml --adjacency node --epsilon 4 --delta 1e-3
echo "clients fill missing cells alike"
