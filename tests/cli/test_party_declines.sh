#!/bin/sh
# A party whose ledger refuses the run says so: the other one hears it at once, not when `grace` ends, and nothing of the numbers. Whoever is there first.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i 's/^grace.*/grace: 60/; s/^seeds: .*/seeds: 1/; /insecure-seed/d; s/^publication.*/publication: counts/' run.yaml
fixed=""

# hundredths: a clock, in hundredths of a second.
hundredths() { awk '{ printf "%d", $1 * 100 }' /proc/uptime; }

# heard FIRST WORDS REASON: the label party ends before `grace`, and says REASON; the data party says WORDS.
heard() {
  first=$1 words=$2 reason=$3
  rm -rf da la
  if [ "$first" = label ]; then
    label la > l.log 2>&1 & label_pid=$!
    logs=l.log await "the label party does not wait" grep -q "waiting for bank" l.log
    data da > d.log 2>&1 && fail "the data party was not refused: $words"
    began=$(hundredths)
  else
    data da > d.log 2>&1 & data_pid=$!
    began=$(hundredths)
    label la > l.log 2>&1 & label_pid=$!
  fi
  wait $label_pid && fail "the label party ended well: $words"
  took=$(($(hundredths) - began))
  [ "$first" = label ] || { wait $data_pid && fail "the data party ended well" || true; }
  grep -q "$words" d.log || { cat d.log >&2; fail "the data party does not say '$words'"; }
  grep -q "data takes no part, since $reason: its own terminal says why" l.log || { cat l.log >&2; fail "the label party does not hear '$reason'"; }
  grep -q "$words" l.log && fail "the label party hears more than the reason: $words"
  [ $took -le 2000 ] || fail "the label party waited $took hundredths of a second, which only grace ends"
  echo "$reason: heard after $took hundredths of a second"
}
"$SOTTO" ledger budget g.sotto --epsilon 1 > /dev/null
for first in label data; do heard $first "would be spent\|budget is 1\|over its budget" "its ledger refuses the run"; done
[ "$(charges g.sotto)" -eq 0 ] || fail "a refused run was charged"


# A prediction about other data, which the ledger refuses.
"$SOTTO" ledger budget g.sotto --epsilon 5 > /dev/null
rm -rf da la
label la > l.log 2>&1 & label_pid=$!
data da > d.log 2>&1 || { cat d.log >&2; fail "the training"; }
wait $label_pid || { cat l.log >&2; fail "the training at the label party"; }
"$SOTTO" run predict la --role label --dir partner --peer "bank=$host:$port" --data g.sotto --epsilon 2 > l.log 2>&1 & label_pid=$!
logs=l.log await "the label party does not wait for a prediction" grep -q "waiting for bank" l.log
expect 3 "budget" "$SOTTO" run predict da --role data --dir bank --peer partner --listen "$host:$port" --data g.sotto --epsilon 2
began=$(hundredths)
wait $label_pid && fail "the label party got answers that the ledger refuses"
[ $(($(hundredths) - began)) -le 2000 ] || fail "the label party waited for a prediction that was refused"
grep -q "data takes no part, since its ledger refuses the run" l.log || { cat l.log >&2; fail "the label party does not hear of the ledger"; }
[ "$(charges g.sotto)" -eq 1 ] || fail "a refused prediction was charged"
echo "the other party hears at once of a refusal by the ledger"
