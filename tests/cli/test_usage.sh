#!/bin/sh
# Exit statuses, messages, help.
. "$(dirname "$0")/common.sh"

expect 2 "usage: sotto" "$SOTTO"
expect 0 "exit status" "$SOTTO" --help
expect 0 "sotto 0" "$SOTTO" --version
expect 2 "did you mean 'train'" "$SOTTO" trian
for verb in train identity consortium run data ledger account audit align; do expect 0 "example" "$SOTTO" $verb --help; done
expect 2 "did you mean --epsilon" "$SOTTO" train --epsilonn 4
expect 2 "no dataset was named" "$SOTTO" train
expect 2 "outside 1 to 64" "$SOTTO" train --data x --layers 0
expect 2 "is none of: gin gcn mean" "$SOTTO" train --data x --aggregator gim
expect 2 "not a number" "$SOTTO" train --data x --epsilon four
expect 2 "epsilon: must be above 0" "$SOTTO" train --data x --epsilon 0
expect 1 "no-such-file" "$SOTTO" train --data no-such-file
for words in "data info a b" "data import a b c" "data export a b c" "data part a b" "data histogram a b --epsilon 1" "data split a b --vertical --out x" \
  "data generate sbm a --out x" "ledger show a b" "ledger verify a b" "ledger init a b" "account gaussian a --noise 2" "methods a" \
  "predict a b c" "audit a b" "audit mechanism gaussian a" "compare a b c" "compare plot a b --out x.svg" \
  "identity init a" "identity trust a b" "identity list a"; do
  # shellcheck disable=SC2086
  expect 2 "one word too many" "$SOTTO" $words
done
for words in "train a.yaml b.yaml" "run a.yaml b.yaml" "run check a b" "run predict a b"; do
  # shellcheck disable=SC2086
  expect 2 "one run file at most" "$SOTTO" $words
done
for words in "--epsilon 1 --epsilon 4" "--epsilon=1 --epsilon=4" "--epsilon 1 --method best --epsilon=4"; do
  # shellcheck disable=SC2086
  expect 2 "epsilon is given twice, with 1 and with 4" "$SOTTO" train --data x $words
done
expect 2 "out is given twice, with a and with b" "$SOTTO" report x --out a --out b
expect 2 "role is given twice, with data and with label" "$SOTTO" run run.yaml --role data --role label
printf 'method: best\nepsilon:\n' > empty.yaml
expect 2 "sotto consortium. has invite, join and terms" "$SOTTO" party run.yaml --role data
expect 2 "did you mean .invite" "$SOTTO" consortium invit run.yaml
for option in $("$SOTTO" run --help | grep -o '^  --[a-z][a-z-]*'); do
  ! "$SOTTO" run "$option" 2>&1 | grep "unknown option" || fail "sotto run --help has $option, which it does not take"
done
expect 2 "line 2: 'epsilon' has no value" "$SOTTO" train empty.yaml --data x
expect 1 "nowhere" "$SOTTO" train --data nowhere --method best --anyway gain # a word of its own, not a file
printf 'epsilon: 1\nepsilon: 4\n' > twice.yaml
for words in "" "--epsilon 2"; do
  # shellcheck disable=SC2086
  expect 2 "line 2: 'epsilon' stands twice" "$SOTTO" train twice.yaml --data x $words
done
expect 2 "epsilon: has no meaning with adjacency none" "$SOTTO" train --method best --adjacency none --epsilon 4 --data x
expect 2 "name one run" "$SOTTO" report a b --owner
expect 2 "name one ledger at most" "$SOTTO" report --ledger a b
expect 2 "needs a value" "$SOTTO" data info a --target
expect 2 "did you mean --target" "$SOTTO" data info a --targte x
expect 2 "name a kind" "$SOTTO" data generate --out x
expect 2 "unknown kind" "$SOTTO" data generate smb --out x
expect 2 "needs --out" "$SOTTO" data generate sbm
expect 2 "needs --epsilon" "$SOTTO" data histogram x

# What was printed and could not be written is a failure.
if [ -c /dev/full ]; then
  for words in "account gaussian --epsilon 4 --delta 1e-6" methods --help "train --help" "ledger show" --version; do
    # the words are several: SC2086 is meant
    # shellcheck disable=SC2086
    if "$SOTTO" $words > /dev/full 2> full.err; then fail "'$words' to a full device ends with 0"; fi
    grep -q "No space left on device" full.err || fail "'$words' does not say why: $(cat full.err)"
  done
fi

# So is what nobody reads any more, and a training outlives whoever read its progress.
"$SOTTO" data generate sbm --nodes 80 --classes 2 --features 4 --out d.sotto > /dev/null
python3 - "$SOTTO" << 'PYTHON' || fail "closed pipes"
import os, subprocess, sys
sotto = sys.argv[1]
def closed():
    read, write = os.pipe()
    os.close(read)
    return write
for words in (["methods"], ["--help"], ["ledger", "show"], ["data", "info", "d.sotto", "--json"], ["account", "gaussian", "--noise", "2", "--curve"]):
    done = subprocess.run([sotto, *words], stdout=closed(), stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "Broken pipe" in done.stderr, (words, done)
done = subprocess.run([sotto, "train", "--method", "mlp", "--data", "d.sotto", "--not-private", "--out", "unread"], stdout=subprocess.PIPE, stderr=closed())
assert done.returncode == 0 and os.path.exists("unread/result.json"), done
PYTHON

# With --json a failure is one document on stdout, with the exit status that it goes with.
failure() {
  wanted=$1 status=$2
  shift 2
  code=0
  "$SOTTO" "$@" > failure.json 2> failure.err || code=$?
  [ "$code" -eq "$wanted" ] || fail "$*: exit status $code"
  python3 - "$status" "$wanted" << 'PYTHON' || fail "$*: $(cat failure.json)"
import json, sys
error = json.load(open("failure.json"))["error"]
assert error["status"] == sys.argv[1] and error["exit"] == int(sys.argv[2]), error
assert "sotto: " + error["message"] + "\n" == open("failure.err").read(), error
PYTHON
}
failure 1 NOT_FOUND data info nothing --json
failure 2 USAGE account gaussian --epsilon x --json
failure 2 USAGE train --method nope --json
failure 1 NOT_FOUND predict nothing --json
