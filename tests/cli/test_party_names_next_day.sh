#!/bin/sh
# A client of fedavg asks the model that all trained about its next day's table: new ids, other orders, a word that no client had, cells
# without a value. What fills a cell is the client's own, of its training. With feddep and fedsage+ the client's own generator answers too,
# with nothing sent or charged.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"
for number in 1 2 3 4; do
  table $number $usual
  awk -F, -v number=$number 'BEGIN { OFS = "," } NR > 1 && NR % 7 == number % 7 { $2 = "" } NR > 1 && NR % 9 == number { $4 = "" } { print }' nodes.csv > "day$number.nodes.csv"
  cp edges.csv "day$number.csv"
done
rm -f part-?.sotto
tables() { # METHOD: a run of all on tables with missing cells
  server "s-$1" --method $1 --rounds 6 > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do
    client $number "c$number-$1" --method $1 --rounds 6 --data "day$number.csv" --missing mean > c$number.log 2>&1 & eval "client_pid$number=\$!"
  done
  wait "$server_pid" || { cat s.log c?.log >&2; fail "the server with $1"; }
  for number in 1 2 3 4; do eval "wait \$client_pid$number" || { cat c$number.log >&2; fail "client $number with $1"; }; done
}
tables fedavg
echo source,target > next.csv
rows() { printf 'town,income,id,age\n'; printf "$1"; }
answer() { "$SOTTO" predict c1-fedavg next.csv --out answers.csv > log 2>&1 || { cat log >&2; fail "the next day"; }; sed -n "${1:-2}p" answers.csv; }
rows 'bath,90,n1,40\nhull,20,n2,33\n' > next.nodes.csv
answer > first
head -n 1 answers.csv | grep -q '^node,id,class,probability,p_high,p_low,p_mid$' || { cat answers.csv >&2; fail "other names"; }
grep -q '^0,n1,' answers.csv || fail "answers have no ids"
grep -q "have a word that the training did not have (town=hull)" log || { cat log >&2; fail "the new word is not said"; }

# A cell without a value is as if the client's own mean stood there, which differs from that of another client.
mean() { sed -n 's/.*"age".*fill: \[\([^]]*\)\].*/\1/p' "$1/schema.yaml"; }
[ "$(mean c1-fedavg)" != "$(mean c2-fedavg)" ] || fail "two clients have one mean: the test is blind"
rows 'bath,90,n1,\n' > next.nodes.csv
answer > missing
rows "bath,90,n1,$(mean c1-fedavg)\n" > next.nodes.csv
answer | cmp - missing || fail "a cell is not filled by the client's own mean"
cmp -s first missing && fail "the mean is the age that was given: the test is blind"
rows 'bath,n1,90\n' | sed '1s/.*/town,id,income/' > next.nodes.csv
expect 1 "Missing: age" "$SOTTO" predict c1-fedavg next.csv --out none.csv

# The own table, by its path, is still the run's own.
"$SOTTO" predict c1-fedavg > log 2>&1 || { cat log >&2; fail "the run's own data"; }
cp c1-fedavg/predictions.csv own.csv
"$SOTTO" predict c1-fedavg day1.csv --missing mean --out again.csv > log 2>&1 || { cat log >&2; fail "the run's own data by its path"; }
cmp own.csv again.csv || fail "the own table by its path gives other answers"

for method in feddep fedsage+; do
  tables $method
  rows 'bath,90,n1,40\nhull,20,n2,33\n' > next.nodes.csv
  charged=$(charges day1.csv)
  "$SOTTO" predict "c1-$method" next.csv --out answers.csv > log 2>&1 || { cat log >&2; fail "the next day with $method"; }
  [ "$(wc -l < answers.csv)" -eq 3 ] || { cat answers.csv >&2; fail "$method does not answer about two nodes"; }
  [ "$(charges day1.csv)" -eq "$charged" ] || fail "$method charges an answer that reads no release"
  # An edge of the next day is read.
  printf 'source,target\nn1,n2\n' > next.csv
  "$SOTTO" predict "c1-$method" next.csv --out linked.csv > log 2>&1 || { cat log >&2; fail "the next day with an edge and $method"; }
  cmp -s answers.csv linked.csv && fail "$method reads no edge of the next day"
  echo source,target > next.csv
  mv "c1-$method/seed-1/owner-only/generator-1-1.safetensors" kept
  expect 1 "need this client's generator" "$SOTTO" predict "c1-$method" next.csv --out none.csv
  mv kept "c1-$method/seed-1/owner-only/generator-1-1.safetensors"
done
echo "a client asks about its next day"
