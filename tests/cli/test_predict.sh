#!/bin/sh
# Predictions of a finished run on the command line.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 200 --classes 3 --features 8 --seed 3 --out sbm.sotto > /dev/null 2>&1
few="--data sbm.sotto --hidden 8 --epochs 20 --encoder-epochs 20"
"$SOTTO" train --method gnn --aggregator gcn $few --out clear > /dev/null 2>&1 || fail "gnn did not train"
"$SOTTO" train --method gap --epsilon 4 --delta 1e-4 $few --out noisy > /dev/null 2>&1 || fail "gap did not train"

# A run that was killed has a run file, and no model yet.
cp -r noisy begun && rm begun/seed-1/result.json begun/seed-1/model.safetensors begun/statement.json
expect 1 "begun/seed-1: is not finished; give the command of the training again" "$SOTTO" predict begun

expect 0 "example" "$SOTTO" predict --help
expect 2 "name a run folder" "$SOTTO" predict
expect 1 "there is no such folder" "$SOTTO" predict nowhere

# The file: a header, then a line a node with the likeliest class and its probability first.
expect 0 "written to       clear/predictions.csv" "$SOTTO" predict clear
csv=clear/predictions.csv
[ "$(head -n 1 $csv)" = "node,class,probability,p0,p1,p2" ] || fail "the header is $(head -n 1 $csv)"
[ "$(wc -l < $csv)" -eq 201 ] || fail "not a line a node"
[ "$(stat -c %a $csv)" = 600 ] || fail "others may read predictions"
awk -F, 'NR > 1 && (NF != 6 || $1 != NR - 2 || $3 != $(4 + $2) || $3 < $4 || $3 < $5 || $3 < $6) { exit 1 }' $csv ||
  fail "a line does not begin with its node, likeliest class and probability"
awk -F, 'NR > 1 { sum = $4 + $5 + $6; if (sum < 0.9999 || sum > 1.0001) exit 1 }' $csv || fail "probabilities do not sum to 1"
expect 0 '"file":"other.csv"' "$SOTTO" predict noisy --out other.csv --json
[ "$(wc -l < other.csv)" -eq 201 ] || fail "--out does not have a line a node"

# A run knows its data from any folder, though the data was named by a relative path.
mkdir elsewhere
(cd elsewhere && expect 0 "written to       ../clear/predictions.csv" "$SOTTO" predict ../clear)
grep -q "^data: '$folder/sbm.sotto'$" clear/owner-only/paths.yaml || fail "the path is kept as it was given: $(cat clear/owner-only/paths.yaml)"

# --nodes: numbers, ranges, files; ascending, each once.
nodes_of() { tail -n +2 some.csv | cut -d, -f1 | tr '\n' ' '; }
expect 0 "nodes            6, of 3 classes" "$SOTTO" predict clear --nodes 199,7,3-5,4,5-6 --out some.csv
[ "$(nodes_of)" = "3 4 5 6 7 199 " ] || fail "--nodes gave $(nodes_of)"
tail -n +2 some.csv > some.lines
grep -Fxf some.lines $csv | cmp -s - some.lines || fail "a node's line depends on the nodes that were asked for"
printf '8\r\n\n 2-3\n' > list.txt
expect 2 "list.txt: line 3, ' 2-3', is not a node number or a range" "$SOTTO" predict clear --nodes @list.txt --out some.csv
printf '8\r\n\n2-3 \n0' > list.txt
expect 0 "nodes            4," "$SOTTO" predict clear --nodes @list.txt --out some.csv
[ "$(nodes_of)" = "0 2 3 8 " ] || fail "--nodes @FILE gave $(nodes_of)"
expect 2 "nodes: entry 2, '200', is outside: the data has nodes 0 to 199" "$SOTTO" predict clear --nodes 199,200 --out no.csv
expect 2 "nodes: entry 1, '9-8', ends before it begins" "$SOTTO" predict clear --nodes 9-8 --out no.csv
for wrong in x -1 1- 3-4-5 1.5 " 1" 18446744073709551616 0x1; do
  expect 2 "nodes: entry 2, '$wrong', is not a node number" "$SOTTO" predict clear --nodes "4,$wrong,5" --out no.csv
done
expect 2 "entry 1, ''" "$SOTTO" predict clear --nodes "" --out no.csv
expect 2 "entry 3, ''" "$SOTTO" predict clear --nodes 1,2, --out no.csv
printf '\n\n' > none.txt
expect 2 "none.txt' names no node" "$SOTTO" predict clear --nodes @none.txt --out no.csv
printf '1\n2\0003\n' > nul.txt
expect 2 "nul.txt: line 2" "$SOTTO" predict clear --nodes @nul.txt --out no.csv
expect 1 "nowhere.txt: could not open" "$SOTTO" predict clear --nodes @nowhere.txt --out no.csv

# --ids: the id of each node beside its number, quoted where a comma or a quote is in it.
awk 'BEGIN { for (v = 0; v < 200; v++) print v == 7 ? "se\"v,en" : "c" v * 3 % 200 }' > ids.txt
expect 0 "nodes            3," "$SOTTO" predict clear --ids ids.txt --nodes 6-8 --out named.csv
[ "$(head -n 1 named.csv | cut -d, -f1-4)" = "node,id,class,probability" ] || fail "the header has no ids"
[ "$(sed -n 2p named.csv | cut -d, -f1,2)" = "6,c18" ] || fail "node 6 has not its id"
grep -q '^7,"se""v,en",' named.csv || { cat named.csv >&2; fail "an id is not quoted"; }
"$SOTTO" predict clear --nodes 6-8 --out plain.csv > /dev/null
sed 's/"se""v,en"/seven/' named.csv | cut -d, -f1,3- | cmp - plain.csv || fail "ids change the rest"
printf 'a\nb' > few.txt
expect 1 "has 2 ids, and the data 200 nodes" "$SOTTO" predict clear --ids few.txt --out no.csv
printf 'a\0b\n' > zero.txt
expect 1 "zero byte" "$SOTTO" predict clear --ids zero.txt --out no.csv

# --top: the likeliest classes, likeliest first.
expect 0 "of 3 classes" "$SOTTO" predict clear --top 2 --out top.csv
[ "$(head -n 1 top.csv)" = "node,class,probability,class1,p1,class2,p2" ] || fail "the header is $(head -n 1 top.csv)"
paste -d, $csv top.csv | awk -F, 'NR > 1 {
  first = second = -1
  for (c = 0; c < 3; c++) if (first < 0 || $(4 + c) > $(4 + first)) first = c
  for (c = 0; c < 3; c++) if (c != first && (second < 0 || $(4 + c) > $(4 + second))) second = c
  if (NF != 13 || $7 != $1 || $8 != $2 || $9 != $3 || $10 != first || $11 != $(4 + first) || $13 != $(4 + second)) exit 1
  if ($12 != second && $(4 + second) != $(4 + $12)) exit 1
}' || fail "--top 2 has other classes than the likeliest two"
expect 0 "of 3 classes" "$SOTTO" predict clear --top 3 --nodes 5 --out top.csv
[ "$(wc -l < top.csv)" -eq 2 ] || fail "--top with --nodes 5 is not one node"
expect 2 "top 4: the model has 3 classes" "$SOTTO" predict clear --top 4 --out no.csv
expect 2 "at least 1" "$SOTTO" predict clear --top 0 --out no.csv
expect 2 "not a whole number" "$SOTTO" predict clear --top two --out no.csv
[ ! -e no.csv ] || fail "a refused request wrote a file"

# The summary: of the test nodes of the run's own data, of all labelled nodes of data that is named.
expect 0 "accuracy         [01][.][0-9]* of 40 test nodes" "$SOTTO" predict clear
grep -q "^                   [01][.][0-9]* of [0-9]* training nodes" output || fail "no accuracy of training nodes"
grep -q "^  confusion        of test nodes" output || fail "no confusion of the test nodes"
grep -q "^  calibration      expected error 0[.][0-9]* of test nodes" output || fail "no calibration"
[ "$(grep -c "^      [01][.][0-9] to " output)" -eq 10 ] || fail "not a line for each bin"
expect 0 '"measured_on":"test","measured_nodes":40,"test_accuracy":' "$SOTTO" predict clear --json
grep -q '"accuracy_by_part":{"train":[01][.][0-9]*,"validation":[01][.][0-9]*,"test":[01]' output || fail "parts are missing in JSON"

# Against the file: nodes of three classes and some without a label. Features say the class of most.
awk 'BEGIN {
  print "id,f1,f2,f3,label"
  for (v = 0; v < 120; v++) {
    c = v % 3; says = v * 7 % 10 < 2 ? (v + 1) % 3 : c
    printf "%d,%g,%g,%g,%s\n", v, (says == 0) + v * 13 % 7 / 9, (says == 1) + v * 17 % 7 / 9, (says == 2) + v * 5 % 7 / 9, v % 10 == 9 ? "" : "abc" c
  }
}' > n.csv
awk 'BEGIN { print "source,target"; for (v = 0; v < 117; v++) print v "," v + 3 }' > e.csv
"$SOTTO" data import e.csv own.sotto --nodes n.csv > /dev/null 2>&1 || fail "the table was not imported"
"$SOTTO" train --method gnn --aggregator gcn --hidden 8 --epochs 30 --data own.sotto --out own > /dev/null 2>&1 || fail "gnn did not train"
expect 0 '"measured_on":"labelled","measured_nodes":108,"accuracy":' "$SOTTO" predict own own.sotto --out own.csv --json
paste -d, n.csv own.csv | awk -F, 'NR > 1 && $5 != "" {
  t = substr($5, 4); p = substr($7, 4); n++; right += t == p; counts[t, p]++
  b = int($8 * 10); if (b == $8 * 10 && b > 0) b--
  of[b]++; sum[b] += $8; good[b] += t == p
} END {
  for (b in of) e += (good[b] > sum[b] ? good[b] - sum[b] : sum[b] - good[b]) / n
  for (t = 0; t < 3; t++) { m = m (t ? "," : "") "["; for (p = 0; p < 3; p++) m = m (p ? "," : "") counts[t, p] + 0; m = m "]" }
  printf "%.4f %.4f [%s]\n", right / n, e, m
}' > wanted
sed 's/.*"accuracy":\([0-9.]*\),"accuracy_by_part":null.*"counts":\(.*\)},"calibration":{"error":\([0-9.]*\),.*/\1 \3 \2/' output |
  awk '{ printf "%.4f %.4f %s\n", $1, $2, $3 }' > got
cmp -s got wanted || { cat got wanted output >&2; fail "the summary does not follow from the file"; }

# Without a measured node there is no measure, and every key stays.
expect 0 '"measured_nodes":0,"accuracy_by_part":null,"confusion":null,"calibration":null,"unseen":{"count":0,"nodes":0,"labels":0,"words":""},"class_names":\["abc0","abc1","abc2"\]}' \
  "$SOTTO" predict own own.sotto --nodes 9,19 --out own.csv --json
expect 0 "nodes            2," "$SOTTO" predict own own.sotto --nodes 9,19 --out own.csv
if grep -q "accuracy\|confusion\|calibration" output; then fail "measures of nodes without labels"; fi

# More than twenty classes: the ten largest and the rest.
"$SOTTO" data generate sbm --nodes 600 --classes 24 --features 24 --seed 3 --out many.sotto > /dev/null 2>&1 ||
  fail "no data of 24 classes"
"$SOTTO" train --method gnn --hidden 8 --epochs 5 --data many.sotto --out many > /dev/null 2>&1 || fail "gnn did not train"
expect 0 "  rest" "$SOTTO" predict many
[ "$(grep -c "^  *[0-9]* \( *[0-9]*\)\{11\}$" output)" -eq 10 ] || fail "not a row for each of the ten largest classes"
expect 0 '"rest":true' "$SOTTO" predict many --json

# --embeddings: a row for each node that was asked for.
"$SOTTO" train --method lpgnet --epsilon 4 --delta 1e-4 --hidden 4 --epochs 2 --encoder-epochs 2 --feature-scale none --data own.sotto --out stack > /dev/null 2>&1 ||
  fail "lpgnet did not train"
expect 0 "nodes            3," "$SOTTO" predict stack --nodes 4,0,119 --out own.csv --embeddings rows.csv
[ "$(head -n 1 rows.csv)" = "node,e0,e1,e2" ] || fail "the header is $(head -n 1 rows.csv)"
[ "$(tail -n +2 rows.csv | cut -d, -f1 | tr '\n' ' ')" = "0 4 119 " ] || fail "--embeddings has other nodes"
expect 0 "nodes            120," "$SOTTO" predict stack --out own.csv --embeddings all.csv
grep -Fxf rows.csv all.csv | cmp -s - rows.csv || fail "a node's embedding depends on the nodes that were asked for"
paste -d, n.csv all.csv | awk -F, 'NR > 1 { for (j = 2; j < 5; j++) { d = $j - $(j + 5); if (d > 1e-6 || d < -1e-6) exit 1 } }' ||
  fail "embeddings of lpgnet are not the features of their nodes"
[ "$(stat -c %a rows.csv)" = 600 ] || fail "others may read embeddings"
expect 0 "nodes            200," "$SOTTO" predict noisy --embeddings rows.csv
[ "$(head -n 1 rows.csv)" = "node,e0,e1,e2,e3,e4,e5,e6,e7" ] || fail "gap has not an embedding of --hidden columns"
[ "$(wc -l < rows.csv)" -eq 201 ] || fail "not an embedding a node"
