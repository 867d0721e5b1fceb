#!/bin/sh
# Noise halved, a row without noise, the same noise again, a hop after the noise: the audit of all methods plants each and is blind to none.
. "$(dirname "$0")/common.sh"

# judged PROGRAM [METHOD]: one line for each canary of the registry's methods, in the file found. A sound program is objected to
# with a probability of at most 1e-9.
judged() {
  set +e
  "$1" audit --self --attack canary --confidence 0.999999999 --trials 2000 ${2:+--method "$2"} --json > answer 2> errors
  set -e
  tr '{' '\n' < answer | grep '"attack":"canary"' > found || { cat answer errors >&2; fail "no canary"; }
}

# all_but PATTERN: canaries that do not match.
all_but() {
  grep -v -c "$1" found || true
}

blind() {
  [ "$(all_but '"noise_holds":false\|"holds":false')" -eq 0 ] ||
    { grep -v '"noise_holds":false\|"holds":false' found >&2; fail "a canary is blind to: $1"; }
  [ "$(grep -c . found)" -eq "$canaries" ] || { cat answer errors >&2; fail "not every canary was drawn under: $1"; }
}

# Without sanitizers where there is such a build: the honest program draws all of its noise.
plain=$SOTTO
[ -x "$SOTTO_PLAIN" ] && plain=$SOTTO_PLAIN
judged "$plain"
canaries=$(grep -c . found)
with_hops=$(sed -n '/"hops":true/s/.*"method":"\([^"]*\)".*/\1/p' found | sort -u)
[ -n "$with_hops" ] || fail "no canary has hops"
[ "$(all_but '"noise_holds":true')" -eq 0 ] || { cat found >&2; fail "the program objects to its own noise, or a canary does not test it"; }
# Every private variant of the registry has a canary, or a release that is drawn again; others add no noise.
sed 's/.*"passed_over"://' answer | tr '{' '\n' | grep '"why"' | grep -v 'adds no noise' > passed || true
sed 's/"method":"\([^"]*\)","variant":"\([^"]*\)","adjacency":"\([^"]*\)".*/\1 "variant":"\2","adjacency":"\3"/' passed > without
while read -r method variant; do
  "$plain" audit --self --attack release --method "$method" --json > answer 2> errors || { cat answer errors >&2; fail "$method"; }
  grep -q "$variant,\"attack\":\"release\"" answer || { cat answer >&2; fail "$method $variant has noise that nothing tests"; }
done < without
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
for method in $with_hops; do
  judged "$SOTTO_UNNOISED" "$method"
  grep '"hops":true' found > hops || fail "no canary has hops"
  [ "$(grep -v -c '"holds":false' hops || true)" -eq 0 ] || { cat hops >&2; fail "a canary of layers is blind to a hop"; }
done
unset SOTTO_FAULT
