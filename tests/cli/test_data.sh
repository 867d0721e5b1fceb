#!/bin/sh
# Generate, import, info, histogram.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 300 --out a.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 300 --out b.sotto > /dev/null
cmp a.sotto b.sotto || fail "the same seed gave another graph"
"$SOTTO" data generate sbm --nodes 300 --seed 2 --out b.sotto > /dev/null
cmp -s a.sotto b.sotto && fail "another seed gave the same graph"
expect 0 '"nodes":300' "$SOTTO" data info a.sotto --json
"$SOTTO" data generate chains --classes 2 --chains 3 --length 8 --out c.sotto --json | grep -q '"nodes":48' ||
  fail "6 chains of 8 nodes have 48"
"$SOTTO" data generate chains --preset s --out p.sotto > /dev/null
cmp c.sotto p.sotto || fail "preset s is not 3 chains of 8 nodes a class"
"$SOTTO" data generate chains --preset large --out p.sotto --json | grep -q '"nodes":3000' ||
  fail "200 chains of 15 nodes have 3,000"
"$SOTTO" data generate chains --preset x --length 4 --out p.sotto --json | grep -q '"nodes":40' ||
  fail "--length does not replace that of a preset"
expect 2 "s, m, l, x, large" "$SOTTO" data generate chains --preset xl --out no.sotto
expect 2 "chains alone" "$SOTTO" data generate sbm --preset s --out no.sotto
# Stand-ins say in their name what they are.
"$SOTTO" data generate like pubmed --nodes 900 --out stand-in.sotto > stand-in || fail "no stand-in"
grep -q 'name  *like-pubmed$' stand-in && grep -q 'nodes  *900$' stand-in && grep -q 'features  *500$' stand-in || fail "not that of pubmed"
expect 2 "there are finance, products, pubmed, reddit" "$SOTTO" data generate like redit --out no.sotto
expect 2 "there are finance, products, pubmed, reddit" "$SOTTO" data generate like --out no.sotto
expect 2 "of all kinds like alone takes a name" "$SOTTO" data generate sbm pubmed --out no.sotto
expect 2 "neighbours inside" "$SOTTO" data generate like reddit --nodes 2000 --out no.sotto

printf 'from,to\nx,y\ny,z\n' > edges.csv
"$SOTTO" data import edges.csv edges.sotto --json | grep -q '"edges":2' || fail "two edges were not read"
printf 'from,to\nx,y\ny\n' > ragged.csv
expect 1 "ragged.csv" "$SOTTO" data info ragged.csv
head -c 100 a.sotto > short.sotto
expect 1 "short.sotto" "$SOTTO" data info short.sotto

expect 0 "degree" "$SOTTO" data histogram a.sotto --epsilon 1 --bins 20
[ "$(charges a.sotto)" -eq 1 ] || fail "the histogram was not charged"
grep -q "charged  epsilon 1 at edge level to account '.*': epsilon 1 at delta 0 (pure) is spent (no budget)" output ||
  { cat output >&2; fail "the histogram does not say what it cost"; }
"$SOTTO" ledger budget a.sotto --epsilon 1.5 > /dev/null
expect 3 "budget is 1.5" "$SOTTO" data histogram a.sotto --epsilon 1 --bins 20
[ "$(charges a.sotto)" -eq 1 ] || fail "a refused histogram was charged"

"$SOTTO" data split a.sotto --vertical --holders 3 --partition 2:1:1 --features --edges --out part > /dev/null
[ -f part-1.sotto ] && [ -f part-2.sotto ] && [ -f part-3.sotto ] || fail "split wrote other files"
expect 0 '"features":16' "$SOTTO" data info part-1.sotto --json
expect 0 '"labelled":0' "$SOTTO" data info part-2.sotto --json
expect 2 "is not 2 numbers" "$SOTTO" data split a.sotto --vertical --partition 2:1:1 --out part
expect 2 "needs --vertical, --horizontal or --ego" "$SOTTO" data split a.sotto --out part
"$SOTTO" data split a.sotto --horizontal --clients 3 --partition dirichlet:0.5 --out client > /dev/null
[ -f client-1.sotto ] && [ -f client-2.sotto ] && [ -f client-3.sotto ] || fail "split wrote other files"
expect 1 "2, and one node each" "$SOTTO" data split a.sotto --horizontal --clients 1 --out client
"$SOTTO" data split a.sotto --horizontal --clients 3 --partition cut --out cut > /dev/null
[ -f cut-1.sotto ] && [ -f cut-2.sotto ] && [ -f cut-3.sotto ] || fail "split by a cut wrote other files"
expect 2 "none of alike, communities, cut" "$SOTTO" data split a.sotto --horizontal --clients 3 --partition communes --out cut
expect 2 "leave --clients" "$SOTTO" data split a.sotto --horizontal --clients 2 --partition file:owners --out client
expect 0 "example: " "$SOTTO" data split --horizontal --help
expect 0 '"graphs":9' "$SOTTO" data split a.sotto --ego 2 --count 9 --out ego.sotto --json
expect 1 "ego graphs were requested" "$SOTTO" data split a.sotto --ego 1 --count 1000000 --out ego.sotto
expect 1 "not a single graph" "$SOTTO" data split ego.sotto --ego 1 --out again.sotto
expect 0 "example: " "$SOTTO" data split --ego 1 --help

# Tables with names: the names come back in predictions, and the account of the graph does not know them.
awk 'BEGIN { print "source;target;weight"; for (v = 0; v < 60; v++) print "p" v ";p" (v + 3) % 60 ";1" }' > people.csv
awk 'BEGIN {
  print "id,age,colour,label"
  for (v = 0; v < 60; v++) printf "p%d,%s,%s,%s\n", v, v == 7 ? "NA" : v % 3 + v / 60, v % 2 ? "red" : "blue", v % 3 ? "\"yes, sure\"" : "no"
}' > people.nodes.csv
expect 1 "people.nodes.csv: line 9, column 2: 'NA' is not a value" "$SOTTO" data info people.csv
expect 0 "weight  *of edges, not used" "$SOTTO" data import people.csv named.sotto --missing mean
grep -q "colour  *category, features 1 to 2: blue | red" output || fail "the words of a category are missing"
grep -q "missing values 1, with means of" output || fail "what was filled is not said"
grep -q "edges listed    60; left out: self-loops 0, repeats 0" output || fail "edges as listed are not counted"
expect 0 "1 yes, sure  *40" "$SOTTO" data info named.sotto
grep -q "feature names   age | colour=blue | colour=red" output || fail "the file has no names of features"
expect 2 "it is mean or zero" "$SOTTO" data info people.csv --missing median
printf 'customer,merchant\nann,bob\nbob,eve\n' > shops.csv
expect 1 "its first line may name the columns, or be an edge" "$SOTTO" data info shops.csv
expect 0 "with a header" "$SOTTO" data info shops.csv --header
expect 0 "no header" "$SOTTO" data info shops.csv --no-header
expect 2 "leave one of them out" "$SOTTO" data info shops.csv --header --no-header
printf 'id,x,when,label\nann,"1,5",2024-01-31,NA\nbob,"2.000,5",2024-02-01 12:00,a\neve,7,2024-02-02,b\n' > shops.nodes.csv
expect 1 "line 2, column 2: '1,5' has a comma" "$SOTTO" data info shops.csv --header
expect 0 "label  *label; 1 missing (NA)" "$SOTTO" data info shops.csv --header --decimal ,
expect 0 "when  *date, feature 1: days since 2000-01-01" "$SOTTO" data info shops.csv --header --decimal ,
expect 0 "classes  *3" "$SOTTO" data info shops.csv --header --decimal , --missing-words ''
expect 0 "when  *category, features 1 to 3" "$SOTTO" data info shops.csv --header --decimal , --types when=category
expect 1 "types: 'when=day' is not NAME=TYPE" "$SOTTO" data info shops.csv --header --types when=day
expect 2 "it is . or ," "$SOTTO" data info shops.csv --header --decimal x
awk 'BEGIN { for (v = 0; v < 60; v++) print v % 4 ? "train" : "test" }' > parts.txt
expect 0 "yes: 45 train, 0 validation, 15 test" "$SOTTO" data info named.sotto --split parts.txt
expect 1 "parts.txt: line 61: there are only 60 nodes" sh -c "echo test >> parts.txt; \"$SOTTO\" data info named.sotto --split parts.txt"
"$SOTTO" train --method gnn --aggregator gcn --hidden 4 --epochs 5 --data named.sotto --out named > /dev/null 2>&1 || fail "gnn did not train"
expect 0 "1 is yes, sure" "$SOTTO" predict named
[ "$(head -n 1 named/predictions.csv)" = 'node,id,class,probability,p_no,"p_yes, sure"' ] || fail "the header is $(head -n 1 named/predictions.csv)"
grep -qE '^7,p7,("yes, sure"|no),0[.]' named/predictions.csv || fail "a line has no id or no name of a class"
expect 0 '"class_names":\["no","yes, sure"\]' "$SOTTO" predict named --json --top 1
sed 's/"yes, sure"/absent/' people.nodes.csv > other.nodes.csv
cp people.csv other.csv
"$SOTTO" data import other.csv other.sotto --missing mean > /dev/null
expect 0 "40 labels name a class that the model does not have (absent); they count as unknown" "$SOTTO" predict named other.sotto
"$SOTTO" data part named.sotto --data-out d.sotto --label-out l.sotto
expect 0 '"ids":true,"feature_names":true' "$SOTTO" data info d.sotto --json
grep -q "sure" output && fail "the data party has the names of classes"
expect 0 '"name":"yes, sure","count":40' "$SOTTO" data info l.sotto --json

# Without memory a generator fails (1); that is no wrong usage (2). Sanitizers need more than such a limit leaves.
if (ulimit -v 400000 && "$SOTTO" --version) > /dev/null 2>&1; then
  for kind in "powerlaw --edges 100000000" sbm "chains --chains 20000000"; do
    # shellcheck disable=SC2086
    expect 1 "could not allocate" sh -c "ulimit -v 400000 && \"$SOTTO\" data generate $kind $([ "${kind%% *}" = chains ] || echo --nodes 90000000) --out big.sotto"
  done
fi

# Arrays for other programs, with the split of the seed.
"$SOTTO" data generate sbm --nodes 200 --features 8 --seed 3 --out arrays.sotto > /dev/null
expect 0 "nodes  *200" "$SOTTO" data export arrays.sotto arrays.npz --seed 5
"$SOTTO" data export arrays.sotto other.npz --seed 6 > /dev/null
expect 2 "export needs a dataset" "$SOTTO" data export arrays.sotto
expect 2 "an archive" "$SOTTO" data export arrays.sotto -
python3 - << 'PYTHON' || fail "the arrays are not those of the dataset"
import struct, zipfile
def array(path, name, form):
    text = zipfile.ZipFile(path).read(name + ".npy")
    body = text[10 + struct.unpack("<H", text[8:10])[0]:]
    return struct.unpack(f"<{len(body) // struct.calcsize(form)}{form}", body)
nodes, columns = array("arrays.npz", "shape", "Q")
starts, ends = array("arrays.npz", "indptr", "Q"), array("arrays.npz", "indices", "I")
pairs = {(v, u) for v in range(nodes) for u in ends[starts[v]:starts[v + 1]]}
assert (nodes, columns) == (200, 8) and len(ends) == len(pairs) and all((u, v) in pairs for v, u in pairs)
assert len(array("arrays.npz", "features", "f")) == 1600 and len(array("arrays.npz", "labels", "i")) == 200
parts = array("arrays.npz", "split", "B")
assert [parts.count(part) for part in range(4)] == [0, 140, 20, 40], parts
assert parts != array("other.npz", "split", "B")
PYTHON
