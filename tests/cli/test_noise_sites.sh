#!/bin/sh
# A fault at each call of a noise function in src: `sotto audit RUN` and `sotto audit --self` say FAILED, and say nothing
# where there is no fault. The calls are found by a search of src. `noise_sites.py PROGRAM` alone runs every audit.
. "$(dirname "$0")/common.sh"

command -v python3 > /dev/null || { echo "python3 is not there"; exit 77; }
[ -d /dev/shm ] && export TMPDIR=/dev/shm
python3 "$SOTTO_SOURCE/tests/faults/noise_sites.py" --brief "$SOTTO_SITES_PROGRAM" > table 2> log ||
  { cat log table >&2; fail "a fault at a call of a noise function is missed, or a sound program is objected to"; }
# docs/audit.md names each of these calls.
sed -n 's/^| \(`[^|]*\) | `[^|]*` | none .*/\1/p' table | sort -u > calls
[ -s calls ] || fail "no call was found"
while read -r call; do
  grep -qF "| $call |" "$SOTTO_SOURCE/docs/audit.md" || fail "docs/audit.md does not have $call; put in the table that noise_sites.py prints"
done < calls
