#!/bin/sh
# sotto statement verify: who signed, which files, which charges; edited fields by their names. Delta 0 and its one form.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 120 --out g.sotto > /dev/null
train() { "$SOTTO" train --data g.sotto --threads 1 --epochs 2 --hidden 4 "$@" > said 2>&1 || { cat said; fail "train $*"; }; }
train --method gap --epsilon 40 --encoder-epochs 2 --out bold
grep -q "edges of \`owner\`: epsilon 40, a guess is right nearly always (vacuous)" said || fail "a vacuous verdict"

expect 0 "signed by the key of the owner of this ledger" "$SOTTO" statement verify bold
expect 0 "hold: 1 of this run; those of the data compose to epsilon 40" "$SOTTO" statement verify bold
expect 0 '"signed_by":"ledger key"' "$SOTTO" statement verify bold --json
expect 1 "signed it, and no certificate" "$SOTTO" statement verify bold --key g.sotto
expect 1 "there is no ledger" "$SOTTO" statement verify bold --ledger none.db
expect 2 "name what to do" "$SOTTO" statement verify
expect 2 "name what to do" "$SOTTO" statement show bold

# One who only has the folder sees that the signature and the files hold, and that nothing else was checked.
cp -r bold handed && rm -r handed/owner-only
SOTTO_LEDGER='' HOME=$folder/nobody expect 0 "not checked: no ledger is at hand" "$SOTTO" statement verify handed
SOTTO_LEDGER='' HOME=$folder/nobody expect 0 "NOT known here" "$SOTTO" statement verify handed
expect 0 "hold: 1 of this run" "$SOTTO" statement verify handed
cp -r bold unsigned && rm unsigned/evidence.json
expect 0 "NOT SIGNED" "$SOTTO" statement verify unsigned
expect 0 "not signed: fields that the ledger does not have are unchecked: program" "$SOTTO" statement verify unsigned

# No evidence, and a claim that fits itself: nothing was charged; nodes are protected; noise is larger.
claim() { # FOLDER PYTHON...: edits statement and result alike.
  rm -rf "$1" && cp -r unsigned "$1"
  python3 -c 'import json, sys
for name in ("statement.json", "result.json"):
    root = json.load(open(sys.argv[1] + "/" + name))
    s = root.get("privacy", root)
    m = s["mechanisms"][0]
    exec(sys.argv[2])
    json.dump(root, open(sys.argv[1] + "/" + name, "w"))' "$1" "$2"
}
claim none 's["ledger"] = None; s["charges_made"] = m["releases_made"] = 0'
expect 1 "ledger is null, and .* has 1 charges of this run" "$SOTTO" statement verify none
expect 1 "ledger is null, and .* has 1 charges of this run" "$SOTTO" statement verify none --ledger "$SOTTO_LEDGER"
expect 1 "ledger is null, and .* has 1 charges of this run" "$SOTTO" report none
claim node 's["adjacency"] = "node"; s["not_covered"] = []'
expect 1 "adjacency is node, its ledger has charges at edge level" "$SOTTO" statement verify node
claim noisy 'm["noise"] = 50.0'
expect 1 "mechanisms\[0\].noise is 50, its ledger has" "$SOTTO" statement verify noisy
claim other 'v = s["verdicts"][0]; v["text"] = v["text"].replace("edges", "nodes, with features and edges,"); v["of"] = "nodes, with features and edges, of `owner`"; s["verdict"] = s["verdict"].replace("edges", "nodes, with features and edges,", 1)'
expect 1 "verdicts\[0\].of does not follow from adjacency" "$SOTTO" statement verify other

# Signed by a key that nobody here knows: the page says so in the colour of a warning.
page() { rm -f "$1/report.html"; "$SOTTO" report "$1" > /dev/null 2>&1 || fail "no page of $1"; }
SOTTO_LEDGER='' HOME=$folder/nobody page handed
grep -q '<p class="verdict warn">! Signed by a key that is NOT known here' handed/report.html || fail "a page without a warning about its key"
page unsigned
grep -q '<p class="verdict warn">! NOT SIGNED' unsigned/report.html || fail "a page without a warning that nobody signed"
page bold
! grep -q "NOT known\|NOT SIGNED" bold/report.html || fail "a warning about a known key"

# The owner's key is known where the run was charged nothing, too.
"$SOTTO" train --method mlp --data g.sotto --threads 1 --encoder-epochs 2 --hidden 4 --out free > /dev/null 2>&1 || fail "train mlp"
expect 0 "signed by the key of the owner of this ledger" "$SOTTO" statement verify free

# Releases for predictions, and what the account has spent in all.
"$SOTTO" ledger account new bank > /dev/null
train --method gap --epsilon 4 --account bank --out small
"$SOTTO" data generate sbm --nodes 140 --seed 7 --out h.sotto > /dev/null
for epsilon in 2 8; do "$SOTTO" predict small h.sotto --account bank --epsilon $epsilon > said 2>&1 || { cat said; fail "predict"; }; done
expect 0 "account     since this run: epsilon [0-9.]*, 2 charges" "$SOTTO" statement verify small
expect 0 "(vacuous); the statement is of this run alone" "$SOTTO" statement verify small
expect 0 '"since_charges":2' "$SOTTO" statement verify small --json
expect 0 "later       hold: 2 statements of later releases, with 2 charges" "$SOTTO" statement verify small
expect 0 '"later":\[{"run":"predictions/1",.*"run":"predictions/2",.*"not_stated":null' "$SOTTO" statement verify small --json
cp -r small cut && sed -i 's/"epsilon": 8.0,/"epsilon": 2.0,/; s/"total_epsilon": 8.0,/"total_epsilon": 2.0,/' cut/predictions/2/statement.json
expect 1 "predictions/2: statement.json: epsilon is 2, the charges of its ledger compose to 8" "$SOTTO" statement verify cut
rm cut/predictions/2/statement.json
expect 0 "NOT stated: predictions/2 has no statement.json" "$SOTTO" statement verify cut
expect 0 '"not_stated":"predictions/2"' "$SOTTO" statement verify cut --json
page small
grep -q "This run alone: edges of <code>owner</code>: epsilon 4" small/report.html || fail "the first verdict is not of this run alone"
grep -q "The account that paid for this run has spent epsilon" small/report.html || fail "nothing of the account on the page"
cp -r small given && rm -r given/owner-only
SOTTO_LEDGER='' HOME=$folder/nobody page given
grep -q "This run and the releases for predictions in its folder (2) together: epsilon 14 at" given/report.html || fail "predictions are not added up"
sed -i 's/"total_epsilon": [0-9.]*/"total_epsilon": 0.5/' given/predictions/2/statement.json
expect 1 "given/predictions/2: statement.json" "$SOTTO" report given

# Files of a repeat are in the evidence, too.
printf x >> small/seed-1/release.bin
expect 1 "seed-1/release.bin: was changed" "$SOTTO" statement verify small

# The claim made smaller, and a file changed.
sed -i 's/"epsilon": 40.0,/"epsilon": 1.0,/; s/"total_epsilon": 40.0,/"total_epsilon": 1.0,/' handed/statement.json
expect 1 "epsilon is 1, the charges of its ledger compose to 40" "$SOTTO" statement verify handed
expect 1 "epsilon is 1, the charges of its ledger compose to 40" "$SOTTO" report handed
[ ! -e handed/new.html ] || fail "a page of an edited statement"
cp bold/statement.json handed
expect 0 "files       hold" "$SOTTO" statement verify handed
printf x >> handed/model.safetensors
expect 1 "model.safetensors: was changed" "$SOTTO" statement verify handed

# Delta 0: where noise is pure, in one form everywhere; refused with the reason where it is Gaussian.
train --method best --epsilon 2 --delta 0 --out pure
grep -q "epsilon 2 at delta 0 (pure) for each training" said || fail "delta on the terminal"
grep -q "at delta 0 (pure)" pure/report.html || fail "delta on the page"
grep -q '"delta": 0.0' pure/statement.json || fail "delta in the statement"
expect 0 "hold: 1 of this run; those of the data compose to epsilon 2" "$SOTTO" statement verify pure
expect 1 "has no epsilon at delta 0" "$SOTTO" train --method gap --data g.sotto --epsilon 2 --delta 0 --out no
[ ! -e no ] || fail "a refused run left a folder"
new_ledger new.db g.sotto
train --method best --epsilon 2 --out alone
expect 0 "1 charges, epsilon 2 at delta 0 (pure); no budget set" "$SOTTO" ledger show g.sotto
"$SOTTO" ledger budget g.sotto --epsilon 8 --delta 0 > said
grep -q "at delta 0 (pure); budget 8 at delta 0 (pure)" said || fail "delta of a budget"

# An account that also paid for what protects nothing: its epsilon bounds nothing, in no place that states it.
protects_nothing() { # RUN COUNT OF
  expect 0 "in all: NOT protected: $2 charge" "$SOTTO" statement verify "$1"
  expect 0 "\"unprotected\":$2,\"epsilon\":null" "$SOTTO" statement verify "$1" --json
  expect 0 "NOT protected: $2 charge" "$SOTTO" ledger show g.sotto
  page "$1"
  grep -q "In all: NOT protected" "$1/report.html" || fail "$3: the page states an epsilon of the account"
}
new_ledger bare.db g.sotto
train --method best --epsilon 2 --out honest
expect 0 "in all: epsilon 2 at delta 0 (pure), a guess is right at most" "$SOTTO" statement verify honest
train --method best --epsilon 2 --insecure-seed 4 --out fixed
protects_nothing honest 1 "a fixed seed"
"$SOTTO" ledger budget g.sotto --epsilon 8 > /dev/null
train --method gnn --not-private --out bare
protects_nothing honest 2 "a run that is not private"
new_ledger shorn.db g.sotto
nodes="--adjacency node --classes 4 --epsilon 2 --delta 1e-4"
train --method mlp $nodes --out nodes
expect 0 "in all: epsilon [0-9.]* at delta 1e-06, a guess is right at most" "$SOTTO" statement verify nodes
train --method gap $nodes --max-degree 2 --degree-cut --encoder-epochs 2 --out shorn
protects_nothing nodes 1 "edges that were cut"
train --method best --epsilon 2 --out edges
protects_nothing nodes 2 "noise at edge level, for nodes"
expect 0 "edge level: [0-9]* charges, epsilon [0-9.]* at delta 1e-06; no budget set; NOT protected: 1 charge" "$SOTTO" ledger show g.sotto
