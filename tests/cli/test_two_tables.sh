#!/bin/sh
# docs/two-tables.md, literally: two firms, from tables to served predictions of the next month, in at most six commands a party.
. "$(dirname "$0")/common.sh"
PATH="$folder/bin:$PATH" && mkdir bin && ln -s "$SOTTO" bin/sotto
sh "$source/examples/two-tables.sh"

# The commands of WHO, one a line. Its address is this script's own, and what a person would type at a question is an option.
commands() { sed -n "s/^$1\\$ sotto /sotto /p" "$source/docs/two-tables.md" | sed "s/bank\\.example:7443/$host:7443/"; }
for who in bank shop; do
  commands $who > $who.commands
  [ "$(wc -l < $who.commands)" -le 6 ] || fail "$who types more than six commands"
  grep -v '^sotto \(consortium\|run\|serve\) ' $who.commands && fail "$who types something else than sotto" || true
done
[ "$(cat bank.commands shop.commands | wc -l)" -eq 11 ] || fail "not the commands of the page"

# next WHO FURTHER...: its next command, in its folder; LISTEN: where the bank listens, which here is an address of this test alone.
next() {
  who=$1
  shift
  command="$(sed -n 1p $who.commands) $*"
  sed -i 1d $who.commands
  (cd $who && unset SOTTO_LEDGER SOTTO_LEDGER_KEY && HOME=$PWD && export HOME && eval "$command") > $who.log 2>&1 ||
    { cat $who.log >&2; fail "$who: $command"; }
}
both() { # both FURTHER...: the next command of each at the same time
  next bank --listen "$host:7443" "$@" &
  bank_pid=$!
  next shop "$@"
  wait $bank_pid || { cat shop.log >&2; fail "the bank"; }
}
next bank
cp bank/churn.invite shop
next shop --agree
grep -q "epsilon *4" shop.log || fail "the shop does not see the terms"
cp shop/shop.join bank
next bank
words=$(sed -n 's/^  in words *//p' bank.log)
cp bank/churn.consortium shop
next bank --confirm "'$words'"
next shop --confirm "'$words'"
both --threads 1
common=$(sed -n 's/^  common *\([0-9]*\) of.*/\1/p' shop.log)
[ "$common" -gt 500 ] || { cat shop.log >&2; fail "$common common customers"; }
awk '/^  vesper/ { with = $2 } /^  without edges/ { without = $3 } END { exit !(with > without && with > 70) }' shop.log ||
  { cat shop.log >&2; fail "the payments are of no use"; }
grep -q "features are standardised" bank.log || { cat bank.log >&2; fail "columns of different size"; }

# August, about new customers and a new town; the answers are of the common ids, by id and class.
both --threads 1
grep -q "have a word that the training did not have (town=York)" bank.log || { cat bank.log >&2; fail "York is not said"; }
answers=shop/runs/churn-label/predictions-1.csv
head -n 1 $answers | grep -q '^node,id,class,probability,p_no,p_yes$' || fail "$(head -n 1 $answers)"
cut -d, -f2 $answers | tail -n +2 | sort > answered
cut -d, -f1 bank/august.nodes.csv | tail -n +2 | sort > of_bank
cut -d';' -f1 shop/august.clients.csv | tail -n +2 | sort | comm -12 - of_bank | cmp - answered || fail "not the common customers of August"
grep -q "^C-24620$" answered || fail "a new customer has no answer"

# Both stay up, and the shop's service is asked as on the page: a new customer by id, and one that nobody knows.
spent() { (cd bank && unset SOTTO_LEDGER SOTTO_LEDGER_KEY && HOME=$PWD && export HOME && sotto ledger show --json | grep -o '"data":' | wc -l); }
service=$host:7500 charged=$(spent)
[ "$charged" -eq 2 ] || fail "the bank's ledger has $charged charges, not those of July and August"
pids=
trap 'kill $pids 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
stay() { # WHO FURTHER...: its next command, which goes on, in the background
  who=$1
  shift
  command="exec $(sed -n 1p $who.commands) $*"
  sed -i 1d $who.commands
  (cd $who && unset SOTTO_LEDGER SOTTO_LEDGER_KEY && HOME=$PWD && export HOME && eval "$command") > $who.log 2>&1 &
  pids="$pids $!"
}
stay bank --listen-peer "$host:7443" --listen "$host:7501"
stay shop --listen "$service"
logs="bank.log shop.log" await "the two services do not get ready" grep -q "answers are ready" shop.log
body=$(sed -n "s/^shop\\$ curl --json '\\(.*\\)' .*/\\1/p" "$source/docs/two-tables.md")
python3 "$source/tests/cli/serve.py" "$service" turns POST /predict 200 '"id":"C-24620"' "$body"
python3 "$source/tests/cli/serve.py" "$service" turns POST /predict 200 '"unknown":["C-9"]' "$body"
served=$(python3 "$source/tests/cli/serve.py" "$service" ask POST /predict "$body" | sed -n 's/.*"names":\["\([a-z]*\)"\],"probabilities":\[\([0-9.e-]*\)\].*/\1,\2/p')
grep -q "^[0-9]*,C-24620,$served," $answers || { grep C-24620 $answers >&2; fail "the service answers '$served', and the prediction otherwise"; }
grep -q "have a word that the training did not have (town=York)" bank.log || { cat bank.log >&2; fail "York is not said by the service"; }
[ "$(spent)" -eq "$charged" ] || fail "the service was charged"

# The shop's service alone is started again, with the list of common ids of before: it has the same answers, at no charge.
kill "${pids##* }"
wait "${pids##* }" || { cat shop.log >&2; fail "the shop's service did not end well"; }
echo "sotto serve runs/churn-label --role label --data august.clients.csv --epsilon 1 --ids runs/churn-label-aligned/august.clients/ids.txt" > shop.commands
stay shop --listen "$service"
logs="bank.log shop.log" await "the shop's service does not come back" grep -q "answers are ready" shop.log
python3 "$source/tests/cli/serve.py" "$service" turns POST /predict 200 '"id":"C-24620"' "$body"
python3 "$source/tests/cli/serve.py" "$service" ask POST /predict "$body" | grep -q "\"probabilities\":.${served#*,}." || fail "other answers after a new start"
[ "$(spent)" -eq "$charged" ] || fail "the service was charged after a new start"
[ ! -s bank.commands ] && [ ! -s shop.commands ] || fail "commands are left"
echo "from two tables to served predictions: $(commands bank | wc -l) and $(commands shop | wc -l) commands"
