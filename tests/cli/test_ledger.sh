#!/bin/sh
# sotto ledger: init, accounts that outlive a file, changes of budgets, verify, export, backup, refusals.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 80 --features 4 --out may.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 80 --features 4 --inside 6 --out june.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 80 --features 9 --out features.sotto > /dev/null
train() { "$SOTTO" train --method gap --hidden 4 --epochs 2 --encoder-epochs 2 --delta 1e-6 "$@"; }

# A typo makes no ledger: neither in the option, nor in the environment.
expect 1 "sotto ledger init" train --data may.sotto --ledger ledgre.db --out no
expect 1 "ledgre.db: there is no ledger" env SOTTO_LEDGER=ledgre.db "$SOTTO" ledger show
expect 1 "sotto ledger init" train --data may.sotto --adjacency none --ledger ledgre.db --out no # also without a charge
[ ! -e ledgre.db ] && [ ! -e no ] || fail "a ledger or a run was made"
expect 1 "a file exists there" "$SOTTO" ledger init "$SOTTO_LEDGER"
# The first use of the default place is said aloud; what is not charged makes none.
env -u SOTTO_LEDGER XDG_DATA_HOME="$folder/home" "$SOTTO" train --method gnn --data may.sotto --epochs 2 --out plain > said 2>&1
grep -q "new ledger" said && fail "a run without a charge made a ledger"
cp may.sotto elsewhere.sotto
env -u SOTTO_LEDGER XDG_DATA_HOME="$folder/home" "$SOTTO" train --method gap --data elsewhere.sotto --epochs 2 --out first > said 2>&1
grep -q "a new ledger was made: $folder/home/sotto/ledger.db" said || fail "a new ledger was not said aloud"
# The owner's key lies in the other folder of the base directory specification.
env -u SOTTO_LEDGER -u SOTTO_LEDGER_KEY XDG_DATA_HOME="$folder/there" XDG_CONFIG_HOME="$folder/keys" HOME="$folder/nobody" "$SOTTO" ledger init > /dev/null
[ -f there/sotto/ledger.db ] && [ -f keys/sotto/ledger.key ] && [ ! -e nobody ] || fail "XDG folders: $(find there keys nobody -type f 2>&1)"

# Today's graph composes with tomorrow's; other features of the same edges need no name.
expect 1 "sotto ledger account new" train --data may.sotto --account customers --out no
"$SOTTO" ledger account new customers --reason "agreed in May" > /dev/null
expect 2 "needs a value" "$SOTTO" ledger budget --account
"$SOTTO" ledger budget --account customers --epsilon 5 --reason "first year" > /dev/null
train --data may.sotto --account customers --epsilon 4 --out may > /dev/null 2>&1 || fail "the first version"
grep -q '"name": "customers"' may/statement.json || fail "the statement does not name the account"
expect 3 "account 'customers', edge level" train --data june.sotto --account customers --epsilon 4 --out june
expect 3 "account 'customers', edge level" train --data june.sotto --epsilon 4 --out june # it is known by now
expect 3 "account 'customers', edge level" train --data features.sotto --epsilon 4 --out features
[ ! -e june ] && [ ! -e features ] || fail "a refused run left a folder"
"$SOTTO" ledger account new other > /dev/null
expect 1 "can be of no other" train --data may.sotto --account other --epsilon 1 --out no
expect 0 "customers, edge level: 1 charges, epsilon 4 at delta 1e-06; budget 5" "$SOTTO" ledger show june.sotto
expect 0 "first year" "$SOTTO" ledger show --account customers
expect 0 '"named":true' "$SOTTO" ledger account list --json

# Less protection than a budget asks for.
expect 3 "adds no noise" "$SOTTO" train --method gnn --data may.sotto --epochs 2 --out open
expect 3 "cuts edges (degree-cut)" "$SOTTO" train --method gap --adjacency node --max-degree 3 --degree-cut --epsilon 1 --data may.sotto --out open
expect 3 "adds no noise" train --data may.sotto --epsilon inf --out open
expect 3 "adds noise to a part of what it shows alone" "$SOTTO" train --method gwldp --publication multibit --data may.sotto --clients 3 --rounds 1 --out part
train --data may.sotto --epsilon inf --not-private --out open > /dev/null 2>&1 || fail "not-private"
expect 0 "not-private: sbm, run open" "$SOTTO" ledger show --account customers
"$SOTTO" train --resume --out open > /dev/null 2>&1
[ "$("$SOTTO" ledger show --account customers | grep -c not-private)" -eq 1 ] || fail "one run, two entries"
"$SOTTO" ledger budget --account customers --epsilon 50 > /dev/null
"$SOTTO" ledger budget --account customers --adjacency node --epsilon 50 > /dev/null
expect 3 "protects edges alone" train --data may.sotto --epsilon 1 --out edges
train --data may.sotto --adjacency node --max-degree 79 --steps 3 --epsilon 4 --out nodes > /dev/null 2>&1 || fail "node level"
expect 0 "customers, edge level: 4 charges" "$SOTTO" ledger show --account customers # three of them at node level
expect 0 "customers, node level: 3 charges" "$SOTTO" ledger show --account customers

# Locked, lowered, closed.
expect 0 "locked" "$SOTTO" ledger lock --account customers --reason "audit"
expect 3 "can be lowered" "$SOTTO" ledger budget --account customers --epsilon 60
expect 0 "budget 30" "$SOTTO" ledger budget --account customers --epsilon 30
expect 0 "closed" "$SOTTO" ledger close --account customers --reason "data deleted"
expect 3 "is closed" train --data may.sotto --adjacency node --max-degree 79 --steps 3 --epsilon 1 --out late

# The chain: by this program, from an export, and by another program.
expect 0 "entries hold" "$SOTTO" ledger verify
"$SOTTO" ledger export chain.json
expect 0 "entries hold" "$SOTTO" ledger verify chain.json
[ "$("$SOTTO" ledger verify --json)" = "$("$SOTTO" ledger verify chain.json --json)" ] || fail "two chains"
if command -v python3 > /dev/null; then
  python3 - << 'END' || fail "the chain does not hold by another program"
import hashlib, json
chain, previous = json.load(open("chain.json")), "0" * 64
for number, entry in enumerate(chain["entries"], 1):
    previous = hashlib.sha256((previous + entry["text"]).encode()).hexdigest()
    assert (entry["number"], entry["hash"]) == (number, previous), number
    json.loads(entry["text"])
assert chain["head"]["hash"] == previous and chain["head"]["count"] == len(chain["entries"])
END
fi
sed 's/first year/third year/' chain.json > changed.json
expect 1 "entry [0-9]* does not follow" "$SOTTO" ledger verify changed.json
"$SOTTO" ledger backup copy.db
expect 0 "entries hold" "$SOTTO" ledger verify --ledger copy.db
expect 0 "entries hold" "$SOTTO" ledger verify copy.db
expect 2 "did you mean 'verify'" "$SOTTO" ledger verfy

# A backup takes the place of a ledger that does not open or is lost, and of no other.
expect 3 "this ledger holds, so it stays" "$SOTTO" ledger restore copy.db
expect 2 "restore needs the file" "$SOTTO" ledger restore
expect 1 "nothing.db" "$SOTTO" ledger restore nothing.db
before=$("$SOTTO" ledger verify --json | sed 's/"ledger":"[^"]*"//')
printf 'damaged' | dd of="$SOTTO_LEDGER" bs=1 seek=100 conv=notrunc 2> /dev/null
expect 1 "" "$SOTTO" ledger verify
cp "$SOTTO_LEDGER" damaged.db
expect 0 "kept  *.*before-1, what stood there" "$SOTTO" ledger restore copy.db
cmp -s "$SOTTO_LEDGER.before-1" damaged.db || fail "the damaged ledger is not kept"
[ "$("$SOTTO" ledger verify --json | sed 's/"ledger":"[^"]*"//')" = "$before" ] || fail "another chain was restored"
rm "$SOTTO_LEDGER"
printf 'not a journal' > "$SOTTO_LEDGER-journal"
expect 0 "restored" "$SOTTO" ledger restore copy.db
expect 0 "entries hold" "$SOTTO" ledger verify
"$SOTTO" data generate sbm --nodes 60 --classes 2 --features 4 --seed 9 --out late.sotto > /dev/null
"$SOTTO" data histogram late.sotto --epsilon 1 > /dev/null
"$SOTTO" train --method best --data late.sotto --epsilon 1 --anyway --out late > /dev/null 2>&1
"$SOTTO" ledger export late.json
grep -q '\\"release\\":{\\"epsilon\\":1.0,\\"kind\\":\\"pure\\"}' late.json || fail "a charge of Laplace noise is not named"
rm "$SOTTO_LEDGER"
expect 1 "it is an older copy" "$SOTTO" ledger restore copy.db
[ ! -e "$SOTTO_LEDGER" ] || fail "an older copy was restored"
rm -r "$SOTTO_LEDGER_KEY.heads" # what the message says
mkdir somewhere
expect 1 "it is not known whether this ledger holds, so it stays" "$SOTTO" ledger restore copy.db --ledger somewhere
expect 0 "restored" "$SOTTO" ledger restore copy.db

# An epsilon of thousands is never taken for 0: by sampled steps, by one release, and after others.
"$SOTTO" data generate sbm --nodes 90 --features 4 --seed 8 --out bold.sotto > /dev/null
"$SOTTO" ledger budget bold.sotto --adjacency node --epsilon 8 --delta 1e-6 > /dev/null
bold="train --method mlp --data bold.sotto --adjacency node --delta 1e-6 --hidden 4 --out no"
for asked in "--epsilon 3000 --steps 100 --batch-rate 0.01" "--epsilon 5000 --steps 400 --batch-rate 0.25" "--epsilon 40 --steps 1 --batch-rate 1"; do
  # shellcheck disable=SC2086
  expect 3 "the budget is 8; nothing was released" "$SOTTO" $bold $asked
done
expect 0 "sbm, node level: 0 charges, epsilon 0 at delta 1e-06; budget 8" "$SOTTO" ledger show bold.sotto
