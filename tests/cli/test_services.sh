#!/bin/sh
# The services may do little: systemd's own measure stays under 2.0, and each names the folder that it may see. Options that
# they give exist.
. "$(dirname "$0")/common.sh"
units=$SOTTO_SOURCE/packaging/systemd
for unit in "$units"/sotto-*@.service; do
  for line in NoNewPrivileges=yes CapabilityBoundingSet= ProtectSystem=strict User=sotto UMask=0077; do
    grep -qx "$line" "$unit" || fail "$unit has no line $line"
  done
  verb=$(sed -n 's/^ExecStart=\/usr\/bin\/sotto \([a-z]*\) .*/\1/p' "$unit")
  case $unit in *"sotto-$verb@.service") ;; *) fail "$unit runs 'sotto $verb'" ;; esac
done
command -v systemd-analyze > /dev/null || { echo "skipped: no systemd-analyze"; exit 77; }
for unit in "$units"/sotto-*@.service; do
  systemd-analyze security --offline=true --no-pager --threshold=20 "$unit" > output 2>&1 ||
    { grep Overall output >&2; fail "$unit is exposed to 2.0 or more"; }
done
