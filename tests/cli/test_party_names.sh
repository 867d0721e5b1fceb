#!/bin/sh
# Clients of a federation agree on columns and classes by name: other orders give the same model, a client may lack a class
# or a word of a category, and a table that lacks a column is named at every party before anything is trained.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"

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

# Classes are declared: as many as all have together, or more.
table 2 $usual mid
all_five three --classes 3
grep -q "all clients together have 3, and this table has examples of 2" c2.log || { cat c2.log >&2; fail "client 2 is not told of the third class"; }
grep -q 'classes: \["high", "low", "mid"\]' c1-three/schema.yaml || { cat c1-three/schema.yaml >&2; fail "other classes than those of all clients"; }
all_five four --classes 4
grep -q 'classes: \["high", "low", "mid", "unused class 3"\]' c2-four/schema.yaml || { cat c2-four/schema.yaml >&2; fail "a declared class is missing"; }

# What does not fit ends at every party, with the reason.
refused() { # WORDS
  suffix=refused
  rm -rf ./*-refused
  words=$1
  shift
  server s-refused "$@" > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do client "$number" "c$number-refused" "$@" > "c$number.log" 2>&1 & eval "client_pid$number=\$!"; done
  for party in server_pid client_pid1 client_pid2 client_pid3 client_pid4; do
    eval "wait \$$party" && fail "$party ended well: $words"
  done
  for log in s c1 c2 c3 c4; do grep -q "$words" $log.log || { cat $log.log >&2; fail "$log does not say '$words'"; }; done
  ls s-refused/seed-1/model.safetensors 2> /dev/null && fail "a model was trained" || true
}
refused "all clients together have 3 (high, low, mid), and 2 are declared. Declare 3" --classes 2
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
