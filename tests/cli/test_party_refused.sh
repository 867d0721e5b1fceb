#!/bin/sh
# The others hear at once of a client whose table is refused, and what to do; they do not hear why.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"

for number in 1 2 3 4; do table $number $usual; done

# A client whose table is refused before it connects: the others hear which one, at once, and no reason. Whoever listens or connects.
apart() { # WORDS FILE: client 2 has this table, and its own terminal says the words
  rm -rf ./*-apart
  began=$(date +%s)
  server s-apart --grace 60 > s.log 2>&1 & server_pid=$!
  for number in 1 3 4; do client $number c$number-apart --grace 60 > c$number.log 2>&1 & eval "client_pid$number=\$!"; done
  client 2 c2-apart --grace 60 --data "$2" > c2.log 2>&1 && fail "a table was not refused: $1"
  for party in server_pid client_pid1 client_pid3 client_pid4; do eval "wait \$$party" && fail "$party ended well: $1"; done
  [ $(($(date +%s) - began)) -lt 30 ] || fail "the others waited: $1"
  grep -q "$1" c2.log || { cat c2.log >&2; fail "client 2 does not say '$1'"; }
  for log in s c1 c3 c4; do
    grep -q "client2 takes no part, since its table was refused: its own terminal says why" $log.log || { cat $log.log >&2; fail "$log does not hear of client 2"; }
    grep -q "$1" $log.log && fail "$log hears the reason: $1"
  done
  return 0
}
table 3 $usual
cp edges.csv refused.csv
cut -d, -f1-4,6 nodes.csv > refused.nodes.csv
apart "no node has a label" refused.csv
awk -F, 'BEGIN { OFS = "," } NR > 1 { $5 = "" } { print }' nodes.csv > refused.nodes.csv
apart "no node has a label" refused.csv
sed '1s/income/age/' nodes.csv > refused.nodes.csv
apart "have the name 'age'" refused.csv
apart "nowhere.csv" nowhere.csv
"$SOTTO" run check run.yaml --role client1 --dir shop1 --data part-1.sotto --peer "hub=$hub_address" --split planetoid $own > check.log 2>&1 && fail "a check without a server"
grep -q "own data *ok .*its columns and classes are compared with those of the others when the run begins" check.log || { cat check.log >&2; fail "check says more than it looked at"; }
echo "the others hear of a table that is refused"
