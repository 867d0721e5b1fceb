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
