#!/bin/sh
# Noise halved, a row without noise, the same noise again, a hop after the noise: the audit of all methods plants each and is blind to none.
. "$(dirname "$0")/common.sh"

# judged PROGRAM: how many canaries of the registry's methods there are, and how many object by their noise.
judged() {
  set +e
  "$1" audit --self --pairs 0 --trials 1000 > found 2>&1
  set -e
  canaries=$(grep -c ' canary  ' found || true)
  objecting=$(grep -c 'FAILED: its noise' found || true)
  [ "$canaries" -ge 22 ] || { cat found >&2; fail "only $canaries canaries"; }
}

blind() {
  [ "$objecting" -eq "$canaries" ] || { grep ' canary  ' found | grep -v 'its noise' >&2; fail "a canary is blind to: $1"; }
}

# Without sanitizers where there is such a build: the honest program draws all of its noise.
plain=$SOTTO
[ -x "$SOTTO_PLAIN" ] && plain=$SOTTO_PLAIN
judged "$plain"
[ "$objecting" -eq 0 ] || { cat found >&2; fail "the program objects to its own noise"; }
judged "$SOTTO_HALF_NOISE"
blind "noise halved"
for fault in row again; do
  SOTTO_FAULT=$fault
  export SOTTO_FAULT
  judged "$SOTTO_UNNOISED"
  blind "$fault"
done
# A hop after the noise: layers have one, counts do not. Either the noise objects or the bound.
SOTTO_FAULT=hop
judged "$SOTTO_UNNOISED"
[ "$(grep -c ' canary .*FAILED' found)" -ge 11 ] || { grep ' canary  ' found >&2; fail "a canary of layers is blind to a hop"; }
unset SOTTO_FAULT
