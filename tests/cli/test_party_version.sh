#!/bin/sh
# Parties with other versions of the program: with the same protocol they train; with another one both sides refuse, and
# each names both versions and both protocols.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
this=$("$SOTTO" --version | cut -d' ' -f2)
protocol=$(sed -n 's/^# The protocol between parties, version \([0-9]*\)$/\1/p' "$SOTTO_SOURCE/docs/protocol.md")
[ -n "$protocol" ] || fail "docs/protocol.md does not say which protocol this is"
other() { SOTTO=$SOTTO_OTHER_VERSION; label "$@"; }

data d > d.log 2>&1 &
pid=$!
(other l) > l.log 2>&1 || { cat l.log >&2; fail "another version with the same protocol does not train"; }
wait "$pid" || { cat d.log >&2; fail "the data party failed"; }
grep -q "partner: connected .*runs sotto 9.9.9, terms agree" d.log || { cat d.log >&2; fail "the version is not named"; }

for number in $((protocol - 1)) $((protocol + 1)); do
  export SOTTO_OTHER_PROTOCOL=$number
  data "d$number" > d.log 2>&1 &
  pid=$!
  if (other "l$number") > l.log 2>&1; then fail "protocol $number was taken by the label party"; fi
  if wait "$pid"; then fail "protocol $number was taken by the data party"; fi
  grep -q "partner runs sotto 9.9.9, which speaks protocol $number, and this program is sotto $this, which speaks protocol $protocol" \
    d.log || { cat d.log >&2; fail "the data party does not name both versions"; }
  grep -q "bank runs sotto $this, which speaks protocol $protocol" l.log ||
    { cat l.log >&2; fail "the label party does not name both versions"; }
  [ ! -e "d$number/model.safetensors" ] || fail "there is a model"
done

# An option that one side sets otherwise is named with both versions.
unset SOTTO_OTHER_PROTOCOL
data d9 > d.log 2>&1 &
pid=$!
if (other l9 --hidden 8) > l.log 2>&1; then fail "another run file was taken"; fi
if wait "$pid"; then fail "the data party took another run file"; fi
grep -q "'hidden' is .*(sotto $this here, 9.9.9 there)" d.log || { cat d.log >&2; fail "terms: versions are not named"; }
