#!/bin/sh
# Clients of a federation agree on columns and classes by name: other orders give the same model, a client may lack a class
# or a word of a category, and a table that lacks a column is named at every party before anything is trained.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"

# table NUMBER HEADER [WITHOUT [OTHER]]: part-NUMBER.sotto with these columns in this order, without the class WITHOUT (rows
# of it are another class), with OTHER in place of the word 'york'.
table() {
  awk -v number="$1" -v header="$2" -v without="${3:-}" -v other="${4:-york}" 'BEGIN {
    srand(number); names = split(header, name, ","); print header > "nodes.csv"; print "source,target" > "edges.csv"
    split("low mid high", words, " "); split("bath leeds " other, towns, " "); split("train train train val test", parts, " ")
    for (v = 0; v < 60; v++) {
      class = v % 3 + 1; if (words[class] == without) class = class % 3 + 1
      row["id"] = "c" number "-" v; row["age"] = 20 + 9 * class + int(12 * rand())
      row["income"] = 10 * class * class + int(25 * rand()); row["town"] = towns[(class + int(1.4 * rand())) % 3 + 1]
      row["label"] = words[class]; row["split"] = parts[int(v / 3) % 5 + 1]
      for (j = 1; j <= names; j++) printf "%s%s", row[name[j]], j < names ? "," : "\n" > "nodes.csv"
      if (v > 2) print "c" number "-" v - 3 "," row["id"] > "edges.csv" } }'
  "$SOTTO" data import edges.csv "part-$1.sotto" --nodes nodes.csv > /dev/null || fail "the table of client $1"
}
usual="id,age,income,town,label,split"
right() { sed -n 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/p' "$1/result.json"; }
for number in 1 2 3 4; do table $number $usual; done
all_five equal
for method in fedsage fedsage+ feddep; do all_five "equal-$method" --method $method --rounds 3; done

# Other orders of columns at two clients.
table 2 "id,town,income,label,age,split"
table 3 "split,label,income,age,id,town"
all_five permuted
cmp s-equal/model.safetensors s-permuted/model.safetensors || fail "columns in another order give another model"
for method in fedsage fedsage+ feddep; do
  all_five "permuted-$method" --method $method --rounds 3
  cmp "s-equal-$method/model.safetensors" "s-permuted-$method/model.safetensors" || fail "$method: another order gives another model"
done
[ "$(right s-equal)" = "$(right s-permuted)" ] || fail "columns in another order give other measures"

# A client that has no example of a class, and one with another word of a category.
table 2 "id,town,income,label,age,split" mid
all_five lacking
grep -q "all clients together have 3, and this table has examples of 2" c2.log || fail "client 2 is not told of the third class"
grep -q "^classes:" c2-lacking/schema.yaml || fail "client 2 keeps no names of classes"
"$SOTTO" predict c2-lacking --out answers.csv > /dev/null || fail "client 2 gets no answers"
head -n 1 answers.csv | grep -q "high.*low.*mid" || { head -n 2 answers.csv >&2; fail "answers have other names of classes"; }
table 4 $usual "" hull
all_five towns
grep -q "other clients have 1 words of categories that this table lacks" c1.log || fail "client 1 is not told of hull"

# An income a thousand times as large: the clients agree on one scaling, which each keeps, and the statement names what was sent. A
# declared one takes its place where nothing may be sent.
large() { awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = 1000 * $3 } { print }' nodes.csv > "$1.nodes.csv" && cp edges.csv "$1.csv" && \
  "$SOTTO" data import "$1.csv" "part-$2.sotto" > /dev/null; }
for number in 1 2 3 4; do table $number $usual && large "large$number" $number; done
all_five scaled
[ "$(grep -o 'mean: [^]]*' c1-scaled/schema.yaml)" = "$(grep -o 'mean: [^]]*' c4-scaled/schema.yaml)" ] || fail "clients have two scalings"
grep -q "mean: " c1-scaled/schema.yaml || fail "a client keeps no scaling"
grep -q '"payload": "statistics"' c2-scaled/statement.json || fail "the statement does not say that statistics were sent"
awk -v a="$(right s-scaled)" -v b="$(right s-equal)" 'BEGIN { exit !(a >= b - 0.05) }' || fail "scaled: $(right s-scaled), and $(right s-equal) with numbers of one size"
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
awk -v a="$(right s-declared)" -v b="$(right s-scaled)" 'BEGIN { exit !(a >= b - 0.05) }' || fail "declared: $(right s-declared), and $(right s-scaled) by statistics"
sed 's/variance: \[\([0-9]\)/variance: [9\1/' declared.yaml > other.yaml
declared other.yaml
[ $declared_status -ne 0 ] || fail "two declared scalings train together"
grep -q "variances that client3 declares are not those of client1" c2.log || { cat c2.log >&2; fail "two declared scalings are not named"; }
for number in 1 2 3 4; do table $number $usual; done

# What does not fit ends at every party, with the reason.
refused() { # WORDS
  suffix=refused
  rm -rf ./*-refused
  server s-refused > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do client "$number" "c$number-refused" > "c$number.log" 2>&1 & eval "client_pid$number=\$!"; done
  for party in server_pid client_pid1 client_pid2 client_pid3 client_pid4; do
    eval "wait \$$party" && fail "$party ended well: $1"
  done
  for log in s c1 c2 c3 c4; do grep -q "$1" $log.log || { cat $log.log >&2; fail "$log does not say '$1'"; }; done
  ls s-refused/seed-1/model.safetensors 2> /dev/null && fail "a model was trained" || true
}
table 3 "id,age,town,label,split"
refused "client3 has no 'income', which client1 has"
sed 's/income/salary/' nodes.csv > other.csv
table 3 "id,age,income,town,label,split"
sed 's/income/salary/' nodes.csv > other.csv
"$SOTTO" data import edges.csv part-3.sotto --nodes other.csv > /dev/null
refused "client3 has no 'income', and client1 has no 'salary'"
awk -F, 'BEGIN { OFS = "," } NR > 1 { $4 = length($4) } { print }' nodes.csv > other.csv
"$SOTTO" data import edges.csv part-3.sotto --nodes other.csv > /dev/null
refused "'town' is a number at client3, and a category at client1"
echo "columns and classes are agreed on by name"
