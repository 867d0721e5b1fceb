#!/bin/sh
# The page of defaults, and the man page, have what help says.
. "$(dirname "$0")/common.sh"
python3 "$SOTTO_SOURCE/scripts/defaults.py" "$SOTTO" --check || fail "docs/defaults.md"
python3 "$SOTTO_SOURCE/scripts/manual.py" "$SOTTO" manual
# defaults OPTION: the brackets of the option in the man page, one a line.
defaults() {
  sed 's/\\-/-/g' manual/sotto-train.1 | grep -x -A 1 "\.B --$1" | tail -n 1 | grep -o '\[[^]]*\]'
}
seen=
for method in best vesper vfgnn locsage; do
  "$SOTTO" train --method $method --help | sed -E ':a;N;$!ba;s/\n {7,}/ /g' > help
  for option in layers epochs rounds batch-size read-share; do
    own=$(sed -n "s/^  --$option .*\[\([^]]*\)\]$/\1/p" help)
    seen="$seen$own"
    [ -z "$own" ] || defaults $option | grep -F "$own" | grep -qw $method ||
      fail "the man page lacks the default of $method: --$option [$own]"
  done
done
[ -n "$seen" ] || fail "no default was seen"
