#!/bin/sh
# What parties say of their traffic: a check says the bytes, and two checks at the same time measure the line; the run says both,
# within 2 % of what it sends, and measures nothing again where all is done.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: 2/seeds: 1/' run.yaml
check() { # ROLE DIR WORDS...
  role=$1 dir=$2
  shift 2
  "$SOTTO" run check run.yaml --role "$role" --data g.sotto --dir "$dir" "$@" --out "$role-check" $fixed --grace 20
}

check data bank --peer partner --listen "$host:$port" > data.check 2>&1 &
pid=$!
check label partner --peer "bank=$host:$port" > label.check 2>&1 || { cat label.check >&2; fail "the check of the label party failed"; }
wait "$pid" || { cat data.check >&2; fail "the check of the data party failed"; }
for side in data label; do
  grep -q '^  traffic  *ok  *[0-9.]* MB in [0-9]* round trips: [0-9.]* MB to the label party and [0-9.]* MB to the data party$' \
    "$side.check" || { cat "$side.check" >&2; fail "the $side party's check does not say its traffic"; }
  grep -q "^  line  *ok  *a training's traffic takes [0-9].* at [0-9a-z.]*.*bit/s to the label party, .*bit/s to the data party and [0-9.]* ms a round trip$" "$side.check" ||
    { cat "$side.check" >&2; fail "the $side party's check did not measure the line"; }
done
sed 's/  */ /g' data.check | grep '^ line' > a
sed 's/  */ /g' label.check | grep '^ line' | sed 's/takes .* at /takes T at /' > b
sed -i 's/takes .* at /takes T at /' a
cmp a b || { cat a b >&2; fail "the sides have other numbers of one line"; }

# A check against a run that waits measures nothing; the run says its traffic.
data d > d.log 2>&1 &
pid=$!
check label partner --peer "bank=$host:$port" > label.check 2>&1 || { cat label.check >&2; fail "a check of a waiting run failed"; }
grep -q '^  line' label.check && fail "a check measured the line of a run that waits"
label l > l.log 2>&1 || { cat l.log >&2; fail "the label party failed"; }
wait "$pid" || { cat d.log >&2; fail "the data party failed"; }
for side in d l; do
  grep -q 'this training exchanges [0-9.]* MB in .*; on the network that takes [0-9].* ms a round trip' "$side.log" ||
    { cat "$side.log" >&2; fail "the run of $side does not say its traffic"; }
done

# Done: nothing is exchanged, and nothing is said of it.
data d > d2.log 2>&1 || { cat d2.log >&2; fail "the data party does not show its run"; }
grep -q 'this training exchanges' d2.log && fail "a run that is done says what it will exchange"
exit 0
