#!/bin/sh
# Clients of a federation have one scaling: by statistics over all clients, or declared; and a warning where neither may be.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"

# all_right SUFFIX: the mean over the clients of what each has on its own items; the server has no measure of the test.
all_right() { for number in 1 2 3 4; do right "c$number-$1"; echo; done | awk 'NF == 1 { sum += $1; n++ } END { if (n != 4) exit 1; print sum / n }'; }

for number in 1 2 3 4; do table $number $usual; done
all_five equal

# An income a thousand times as large: the clients agree on one scaling, which each keeps, and the statement names what was sent. A
# declared one takes its place where nothing may be sent.
large() { awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = 1000 * $3 } { print }' nodes.csv > "$1.nodes.csv" && cp edges.csv "$1.csv" && \
  "$SOTTO" data import "$1.csv" "part-$2.sotto" > /dev/null; }
for number in 1 2 3 4; do table $number $usual && large "large$number" $number; done
all_five scaled
[ "$(grep -o 'mean: [^]]*' c1-scaled/schema.yaml)" = "$(grep -o 'mean: [^]]*' c4-scaled/schema.yaml)" ] || fail "clients have two scalings"
grep -q "mean: " c1-scaled/schema.yaml || fail "a client keeps no scaling"
grep -q '"payload": "statistics"' c2-scaled/statement.json || fail "the statement does not say that statistics were sent"
awk -v a="$(all_right scaled)" -v b="$(all_right equal)" 'BEGIN { exit !(a >= b - 0.05) }' || fail "scaled: $(all_right scaled), and $(all_right equal) with numbers of one size"
"$SOTTO" predict c3-scaled --out answers.csv > /dev/null || fail "client 3 gets no answers by the scaling"
all_five hidden --secure-aggregation --client-keys clients.pem
grep -q "'income' is much larger than other columns.*mean and variance of each column, in a schema" c1.log || { cat c1.log >&2; fail "no warning where statistics may not be sent"; }
grep -q "mean: " c1-hidden/schema.yaml && fail "statistics were used, though they may not be sent"
cp c1-scaled/schema.yaml declared.yaml && sed -i '/stated: no/d' declared.yaml
declared() { # OPTIONS: all clients read their tables, with this schema
  suffix=declared
  rm -rf ./*-declared
  server s-declared --secure-aggregation --client-keys clients.pem > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do
    schema=declared.yaml; [ $number -eq 3 ] && schema=$1
    client $number c$number-declared --data large$number.csv --schema $schema --secure-aggregation --client-keys clients.pem > c$number.log 2>&1 & eval "client_pid$number=\$!"
  done
  declared_status=0
  for party in server_pid client_pid1 client_pid2 client_pid3 client_pid4; do eval "wait \$$party" || declared_status=1; done
}
declared declared.yaml
[ $declared_status -eq 0 ] || { cat s.log c1.log >&2; fail "a declared scaling"; }
awk -v a="$(all_right declared)" -v b="$(all_right scaled)" 'BEGIN { exit !(a >= b - 0.05) }' || fail "declared: $(all_right declared), and $(all_right scaled) by statistics"
sed 's/variance: \[\([0-9]\)/variance: [9\1/' declared.yaml > other.yaml
declared other.yaml
[ $declared_status -ne 0 ] || fail "two declared scalings train together"
grep -q "variances that client3 declares are not those of client1" c2.log || { cat c2.log >&2; fail "two declared scalings are not named"; }
echo "clients have one scaling"
