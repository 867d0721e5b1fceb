#!/bin/sh
# The degraded worlds are not blind: a program that draws its releases again after a restart (tests/faults/forgetful.c) is
# found out by its charges.
[ "$(uname)" = Linux ] || { echo "skipped: network namespaces and preloaded libraries are tried on Linux alone"; exit 77; }
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
said=$(SOTTO=$SOTTO_FORGETFUL ONLY=vfgnn FAULT=killed ROUNDS=6 SOTTO_TEST_SEED=114 "$(dirname "$0")/test_worlds.sh")
status=$?
echo "$said" | tail -n 12
if [ "$status" -ne 1 ] || ! echo "$said" | grep -q "p[23] has [0-9]* charges, and 10 in an undisturbed run"; then
  echo "FAILED: charges that were made twice were not found (status $status)" >&2
  exit 1
fi
