#!/bin/sh
# Noise halved, a row without noise, the same noise again: the audit of all methods objects to each by its noise.
. "$(dirname "$0")/common.sh"

# judged METHOD CANARIES PROGRAM: every canary of the method objects.
judged() {
  set +e
  "$3" audit --self --method "$1" --trials 100 --pairs 64 > found 2>&1
  set -e
  [ "$(grep -c 'FAILED: its noise' found)" -eq "$2" ] || { cat found >&2; fail "$1: not every canary objects"; }
}

for method in "progap 2" "caribou 3"; do
  # shellcheck disable=SC2086 # a method and its canaries
  judged $method "$SOTTO_HALF_NOISE"
  for fault in row again; do
    export SOTTO_FAULT=$fault
    # shellcheck disable=SC2086
    judged $method "$SOTTO_UNNOISED"
  done
  unset SOTTO_FAULT
  judged "${method% *}" 0 "$SOTTO"
done
