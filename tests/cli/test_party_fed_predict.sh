#!/bin/sh
# Every client of a federation has the model: its folder answers about its own nodes, as one process with all clients
# answers about them.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"

for flags in "" "--adjacency edge --epsilon 4" "--method fedsage --adjacency edge --epsilon 4" \
  "--method feddep --generator-epochs 3" "--method fedsage+ --generator-epochs 3"; do
  rm -rf s-x c?-x whole
  case $flags in *feddep*) "$SOTTO" data split g.sotto --horizontal --clients 4 --partition communities --parts --out part > /dev/null ;; esac
  $last "$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole $own $flags > /dev/null 2> log || { cat log >&2; fail "$flags"; }
  all_five x $flags
  before=$(charges part-1.sotto)
  expect 0 "accuracy         [01][.][0-9]* of [0-9]* test nodes" "$SOTTO" predict whole
  for number in 1 2 3 4; do
    expect 0 "accuracy         [01][.][0-9]* of [0-9]* labelled nodes" "$SOTTO" predict "c$number-x"
    # parts.csv says who has which node; a client's nodes are in the order of the whole.
    awk -F, -v client="$number" 'NR == FNR { owner[FNR] = $2; next } FNR > 1 && owner[FNR] == client' \
      whole/seed-1/owner-only/parts.csv whole/predictions.csv | cut -d, -f2- > wanted
    tail -n +2 "c$number-x/predictions.csv" | cut -d, -f2- > got
    [ "$(wc -l < wanted)" -eq "$(wc -l < got)" ] || { head -3 whole/seed-1/owner-only/parts.csv >&2; fail "client $number has other nodes in parts.csv"; }
    cmp wanted got || fail "$flags: client $number answers otherwise than one process"
  done
  [ "$(charges part-1.sotto)" -eq "$before" ] || fail "$flags: answers were charged"
  [ -n "$flags" ] && continue
  # Other data in one process are answered as a client's own.
  expect 0 "nodes            " "$SOTTO" predict whole part-2.sotto --out other.csv
  cmp other.csv c2-x/predictions.csv || fail "one process answers about other data otherwise than their client"
done

# A client's folder is reported, and served like one of `sotto train`: the answers are those of `sotto predict`. The server's
# folder is reported too, and has no answers.
script=$SOTTO_SOURCE/tests/cli/serve.py
for party in s c1; do expect 0 "written to" "$SOTTO" report "$party-x" --out "$party.html"; done
"$SOTTO" predict c1-x --out served.csv > /dev/null
"$SOTTO" serve c1-x --listen "$host:7301" > serve.log 2>&1 & serve_pid=$!
python3 "$script" "$host:7301" until /ready '"ready":true' || { kill "$serve_pid"; cat serve.log >&2; fail "a client's folder is not served"; }
python3 "$script" "$host:7301" same /predict served.csv || { kill "$serve_pid"; fail "a service answers otherwise than sotto predict"; }
kill -TERM "$serve_pid"
wait "$serve_pid" || { cat serve.log >&2; fail "the service did not end well"; }
expect 1 "of a party that does not answer queries" "$SOTTO" serve s-x --listen "$host:7301"
expect 1 "could not open\|not of\|as far as can be seen" "$SOTTO" predict c1-x part-2.sotto
# Where models read what was generated or exchanged, answers are the scores that the training ended with.
accuracy=$(sed 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/' whole/result.json | awk '{ printf "%.4f", $1 }')
expect 0 "accuracy         $accuracy of [0-9]* test nodes" "$SOTTO" predict whole
mv c1-x/seed-1/owner-only kept
expect 1 "is not there: the folder lacks" "$SOTTO" predict c1-x
mv kept c1-x/seed-1/owner-only

# The folder of one of two parties says what to do.
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: .*/seeds: 1/' run.yaml
data da > /dev/null 2>&1 &
label la > /dev/null 2>&1
wait
expect 1 "which has half of the model; the two answer together, by .sotto party predict" "$SOTTO" predict da
expect 1 "which has half of the model" "$SOTTO" predict la
expect 1 "which has half of the model" "$SOTTO" serve la --listen "$host:7301"
for party in da la; do expect 0 "written to" "$SOTTO" report "$party" --out "$party.html"; done
