#!/bin/sh
# Relations are counted by the amounts, times and directions of their transfers where these tell the class, for one owner and for two parties,
# which train and answer as one process does. All that they release is one charge. A table of transfers gives what the native file has.
. "$(dirname "$0")/common.sh"
EPOCHS=60
. "$(dirname "$0")/party.sh"
"$SOTTO" data generate payments --nodes 4000 --out payments.sotto > /dev/null
"$SOTTO" data generate payments --nodes 4000 --seed 2 --out other.sotto > /dev/null
"$SOTTO" data generate transactions --nodes 2000 --out plain.sotto > /dev/null
mv payments.sotto g.sotto
printf 'method: vesper\nhidden: 16\nencoder-epochs: 12\nepochs: 60\nepsilon: 16\nlayers: 1\ninsecure-seed: 3\ngrace: 20\n' > run.yaml

# chose RUN: the pilots of the run chose transfers.
chose() { grep -q '"clusters":"transfers"' "$1"/seed-*/correction.json || { cat "$1"/seed-*/correction.json >&2; fail "$1: pilots chose otherwise"; }; }

"$SOTTO" train --method best --data g.sotto --layers 1 --epsilon 16 --epochs 60 --out one > one.log 2>&1 || { cat one.log >&2; fail "best"; }
chose one
[ "$(charges g.sotto)" -eq 1 ] || fail "pilots or a survey were charged by themselves"
"$SOTTO" predict one > predict.log
grep -o '"test":{"accuracy":{"mean":[0-9.]*' one/result.json | sed 's/.*://' | awk '{ printf "accuracy         %.4f of", $1 }' > wanted
grep -q "$(cat wanted)" predict.log || { cat wanted predict.log >&2; fail "best answers with another accuracy"; }
"$SOTTO" audit one --attack release,canary > audit.log || { cat audit.log >&2; fail "the audit objects"; }
"$SOTTO" predict one other.sotto --epsilon 16 > other.log 2>&1 || { cat other.log >&2; fail "best, other data"; }
"$SOTTO" predict one plain.sotto --epsilon 16 > plain.log 2>&1 && fail "data without transfers was answered"
[ ! -e one/predictions/2 ] || fail "a refused answer left a folder: $(ls one/predictions/2)"
grep -q "has no transfers" plain.log || { cat plain.log >&2; fail "the refusal does not say what is missing"; }
[ "$(charges plain.sotto)" -eq 0 ] || fail "a refused answer was charged"

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > whole.log 2>&1 || { cat whole.log >&2; fail "vesper"; }
chose whole
data da > da.log 2>&1 &
label la > la.log 2>&1 || { cat la.log da.log >&2; fail "the label party"; }
wait $! || { cat da.log >&2; fail "the data party"; }
same_model 1 da la whole
same_answers da la whole other.sotto 16
grep -q 'accuracy  *0\.9' l.out || { cat l.out >&2; fail "other data: no accuracy"; }

# What the data party holds has the transfers, what the label party holds has none.
"$SOTTO" data part g.sotto --data-out bank.sotto --label-out partner.sotto > /dev/null
"$SOTTO" data info bank.sotto --json | grep -q '"transfers": *{' || fail "the data party has no transfers"
"$SOTTO" data info partner.sotto --json | grep -q '"transfers": *null' || fail "the label party has transfers"

# A table: what was decided is said, and --direction drop leaves edges alone.
printf 'payer;payee;amount;date\nann;bob;10,50;2025-01-31\nbob;ann;3;2025-02-01\nann;bob;7;2025-01-01\nbob;eve;1;2025-03-01\n' > t.csv
"$SOTTO" data import t.csv t.sotto --decimal , > /dev/null
"$SOTTO" data info t.csv --decimal , > info.txt
grep -q "amount .*of edges, the amount" info.txt && grep -q "date .*of edges, the time" info.txt || { cat info.txt >&2; fail "columns are not said"; }
grep -q "transfers  *4, directed, of 2 relations, with amounts and times" info.txt || { cat info.txt >&2; fail "no histogram"; }
"$SOTTO" data info t.sotto | grep -q "2025-03 .*1" || fail "the native file has no months"
"$SOTTO" data info t.csv --direction drop | grep -q transfers && fail "--direction drop keeps transfers"

# Kinds: a schema lists them, native files and windows keep them, and an export is read back with the schema.
printf 'payer,payee,amount,date,how\nann,bob,10,2025-01-31,cash\nbob,ann,3,2025-02-01,card\nann,bob,7,2025-01-01,cash\nbob,eve,1,2025-03-01,wire\n' > k.csv
printf 'sotto-schema: 1\nkinds: [wire, card, cash, cheque]\ncolumns: []\n' > kinds.yaml
"$SOTTO" data import k.csv k.sotto --schema kinds.yaml --kind how > /dev/null
"$SOTTO" data info k.sotto | grep -q "    cash  *2 #" || fail "the native file has no kinds"
"$SOTTO" data schema k.sotto --yaml | grep -q '^kinds: \["wire", "card", "cash", "cheque"\]$' || fail "the schema does not list kinds"
"$SOTTO" data window k.sotto w.sotto --before 2025-02-15 > /dev/null
"$SOTTO" data info w.sotto --json | grep -q '"kinds":\[{"bin":"card","count":1},{"bin":"cash","count":2}\]' || fail "the window has other kinds"
"$SOTTO" data export k.sotto k.npz > /dev/null
"$SOTTO" data import k.npz again.sotto --schema kinds.yaml > /dev/null
"$SOTTO" data info k.sotto | grep digest > wanted
"$SOTTO" data info again.sotto | grep -qF "$(cat wanted)" || fail "an export gives other data"
"$SOTTO" data info k.csv --kind how > kinds.log 2>&1 && fail "kinds without declared names were read"
grep -q "no declared names" kinds.log || { cat kinds.log >&2; fail "the refusal does not say how to declare kinds"; }

# Single transfers: counted one by one, charged at a level of their own, and said so.
"$SOTTO" train --method best --data g.sotto --adjacency transfer --layers 1 --epsilon 16 --epochs 60 --out single > single.log 2>&1 || { cat single.log >&2; fail "best, single transfers"; }
grep -q '"of": "transfers of `' single/statement.json || fail "the verdict is not of transfers"
grep -q "edge-level" single/statement.json && fail "a statement at transfer level speaks of edge level"
grep -q "whether two nodes have any transfers: m transfers" single/statement.json || fail "the statement does not say what many transfers of two nodes show"
grep -q "whether two nodes have any transfers" one/statement.json && fail "a statement at edge level speaks of transfers"
"$SOTTO" statement verify single > verify.log || { cat verify.log >&2; fail "the statement does not hold"; }
sed 's/transfers of `/edges of `/' single/statement.json > edited.json && cp edited.json single/statement.json
"$SOTTO" statement verify single > /dev/null 2>&1 && fail "a statement of edges in place of transfers holds"
"$SOTTO" ledger show g.sotto > show.log
grep -q "transfer level: 6 charges, epsilon 176 " show.log || { cat show.log >&2; fail "charges of edges do not count at transfer level"; }
grep -q "edge level: 5 charges, epsilon 80 " show.log || { cat show.log >&2; fail "a charge of transfers counts at edge level"; }
"$SOTTO" audit single --attack release > audit.log || { cat audit.log >&2; fail "the audit objects to single transfers"; }
"$SOTTO" train --method best --data g.sotto --adjacency transfer --layers 1 --epsilon 16 --epochs 60 --seed 4 --insecure-seed 3 --select-by accuracy --out fixed > fixed.log 2>&1 || { cat fixed.log >&2; fail "best, a fixed seed"; }
chose fixed
"$SOTTO" predict fixed other.sotto --epsilon 16 --out single.csv > other.log 2>&1 || { cat other.log >&2; fail "single transfers, other data"; }
"$SOTTO" ledger show other.sotto | grep -q "transfer level: 8 charges, epsilon 208 " || fail "the answer was charged at another level"
before=$(charges plain.sotto)
"$SOTTO" predict single plain.sotto --epsilon 16 > plain.log 2>&1 && grep -q "reads no counts" plain.log || grep -q "has no transfers" plain.log ||
  { cat plain.log >&2; fail "data without transfers was answered one by one"; }
[ "$(charges plain.sotto)" -eq "$before" ] || fail "an answer that could not be made was charged"
refuses() { # WORDS OPTION...
  words=$1
  shift
  "$SOTTO" train --epsilon 16 --adjacency transfer --out refused "$@" > refused.log 2>&1 && fail "trained: $*"
  grep -q "$words" refused.log || { cat refused.log >&2; fail "$*: does not say '$words'"; }
}
refuses "has no transfers" --method best --data plain.sotto
refuses "publication: single transfers" --method vesper --publication layers --data g.sotto
refuses "does not protect 'transfer'" --method gap --data g.sotto
refuses "degree-cut" --method best --degree-cut --max-degree 9 --data g.sotto

printf 'method: vesper\nadjacency: transfer\nhidden: 16\nencoder-epochs: 12\nepochs: 60\nepsilon: 16\nlayers: 1\ninsecure-seed: 3\ngrace: 20\n' > run.yaml
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out one-by-one > one-by-one.log 2>&1 || { cat one-by-one.log >&2; fail "vesper, single transfers"; }
data ta > ta.log 2>&1 &
label tl > tl.log 2>&1 || { cat tl.log ta.log >&2; fail "the label party, single transfers"; }
wait $! || { cat ta.log >&2; fail "the data party, single transfers"; }
same_model 1 ta tl one-by-one

# What the account has spent since a run is at the level of that run: a later charge of edges counts twice.
"$SOTTO" train --method best --data g.sotto --adjacency transfer --layers 1 --epsilon 1 --epochs 5 --out before > before.log 2>&1 || { cat before.log >&2; fail "best, before"; }
"$SOTTO" train --method best --data g.sotto --layers 1 --epsilon 1 --epochs 5 --out since > since.log 2>&1 || { cat since.log >&2; fail "best, since"; }
"$SOTTO" statement verify before > verify.log || { cat verify.log >&2; fail "the statement before does not hold"; }
grep -q "since this run: epsilon 2, 1 charges" verify.log || { cat verify.log >&2; fail "a charge of edges counts once at transfer level"; }

# A budget of edges is not kept by single transfers; one of transfers is.
"$SOTTO" ledger budget g.sotto --epsilon 200 > /dev/null
refuses "budget at edge level, and this run protects single transfers alone" --method best --data g.sotto
true

# Kinds that tell the class are counted by, for one owner and for two parties, and other data needs the same kinds.
kinds() { grep -q '"clusters":"kinds"' "$1"/seed-*/correction.json || { cat "$1"/seed-*/correction.json >&2; fail "$1: pilots did not choose kinds"; }; }
"$SOTTO" data generate payments --nodes 4000 --dial 0 --kind-dial 1 --out gk.sotto > /dev/null
"$SOTTO" data generate payments --nodes 4000 --dial 0 --kind-dial 1 --seed 2 --out otherk.sotto > /dev/null
before=$(charges gk.sotto)
"$SOTTO" train --method best --data gk.sotto --layers 1 --epsilon 16 --epochs 60 --out onek > onek.log 2>&1 || { cat onek.log >&2; fail "best, kinds"; }
kinds onek
[ "$(charges gk.sotto)" -eq $((before + 1)) ] || fail "pilots of kinds were charged by themselves"
"$SOTTO" audit onek --attack release > audit.log || { cat audit.log >&2; fail "the audit objects to counts by kinds"; }
"$SOTTO" predict onek otherk.sotto --epsilon 16 > other.log 2>&1 || { cat other.log >&2; fail "best, other data with kinds"; }
before=$(charges other.sotto)
"$SOTTO" predict onek other.sotto --epsilon 16 > other.log 2>&1 && fail "data without kinds was answered by kinds"
grep -q "has 0 kinds of transfers" other.log || { cat other.log >&2; fail "the refusal does not say that kinds are missing"; }
[ "$(charges other.sotto)" -eq "$before" ] || fail "a refused answer was charged"
printf 'method: vesper\nhidden: 16\nencoder-epochs: 12\nepochs: 60\nepsilon: 16\nlayers: 1\ninsecure-seed: 3\ngrace: 20\n' > run.yaml
mv gk.sotto g.sotto
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out wholek > wholek.log 2>&1 || { cat wholek.log >&2; fail "vesper, kinds"; }
kinds wholek
data dk > dk.log 2>&1 &
label lk > lk.log 2>&1 || { cat lk.log dk.log >&2; fail "the label party, kinds"; }
wait $! || { cat dk.log >&2; fail "the data party, kinds"; }
same_model 1 dk lk wholek
same_answers dk lk wholek otherk.sotto 16
