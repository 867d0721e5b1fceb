#!/bin/sh
# Bounds of an agreed run file against a holder's own data. A holder whose data is outside of them says so to its owner and
# connects to nobody: its peers print and return what they do when it is never started.
GRACE=1 EPOCHS=2
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"

# Of what a peer prints: no times, no port that the system chose, and not which of the holders it still waited for when its grace
# ended: on a busy machine holder2 may be late as well.
plain() {
  sed -e 's/^[0-9T:. -]*//' -e 's/[0-9.]* s\b/N s/g' -e 's/127\.[0-9.]*:[0-9]*/HOST/g' -e 's/no connection with [a-z]*/no connection/' "$1" |
    sort -u
}

# without NAME FLAGS...: the server and holder2 without holder1.
without() {
  of=$1
  shift
  server "s-$of" "$@" > "s-$of.log" 2>&1 & server_pid=$!
  holder2 "b-$of" "$@" > "b-$of.log" 2>&1 & shop_pid=$!
  code=0; wait "$shop_pid" || code=$?
  echo "holder2 $code" > "$of.rc"
  code=0; wait "$server_pid" || code=$?
  echo "server $code" >> "$of.rc"
}

# refused NAME WORDS FLAGS...: holder1 is outside of the bounds; the peers notice no more than that it does not come.
refused() {
  name=$1 words=$2
  shift 2
  without "$name-alone" "$@"
  holder1 "a-$name" "$@" > "a-$name.log" 2>&1 & bank_pid=$!
  without "$name" "$@"
  wait "$bank_pid" && fail "$name: holder1 ended well outside of its bounds"
  grep -q "$words" "a-$name.log" || { cat "a-$name.log" >&2; fail "$name: holder1's owner is not told '$words'"; }
  cmp "$name-alone.rc" "$name.rc" >&2 || fail "$name: the peers end otherwise when holder1 is outside of its bounds"
  for who in s b; do
    grep -q "gave the run up\|is connected" "$who-$name.log" && fail "$name: $who heard of holder1"
    plain "$who-$name-alone.log" > one; plain "$who-$name.log" > two
    diff one two >&2 || fail "$name: $who prints something else when holder1 is outside of its bounds"
  done
}
refused degree "max-degree: node [0-9]* has" --max-degree 3
printf 'method: securegnn\nhidden: 4\nepochs: 2\nlabel-holder: 2\ninsecure-seed: 3\ngrace: 1\n' > secure.yaml
run_file=secure.yaml own="--method securegnn --insecure-seed 3"
refused secure "beyond the bound" --feature-bound 0.001
refused edges "edges-per-node: holder 1 has" --edges-per-node 0.001

# A check at the holder names the bound before the run.
expect 13 "own bounds *FAILED edges-per-node: holder 1 has" $last "$SOTTO" run check "$run_file" --role holder1 --data part-1.sotto --dir bank --listen "$bank_address" \
  --peer "hub=$hub_address" --peer shop --out checked $own --edges-per-node 0.001
