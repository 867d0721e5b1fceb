#!/bin/sh
# A fault at each call of a noise function in src: `sotto audit RUN` and `sotto audit --self` say FAILED. The calls are found by
# a search of src, and docs/audit.md names each. `noise_sites.py PROGRAM` alone tries every fault, and programs without one.
. "$(dirname "$0")/common.sh"

command -v python3 > /dev/null || { echo "python3 is not there"; exit 77; }
[ -d /dev/shm ] && export TMPDIR=/dev/shm
seed=7
[ "${SOTTO_TEST_SEED:-}" != random ] || seed=$$
echo "which fault is planted at a call: seed $seed"
python3 "$SOTTO_SOURCE/tests/faults/noise_sites.py" --brief --seed $seed "$SOTTO_SITES_PROGRAM" > log 2>&1 ||
  { cat log >&2; fail "a fault at a call of a noise function is missed"; }
[ "$(grep -c ': audit_' log)" -gt 50 ] || { cat log >&2; fail "few calls were found"; }
