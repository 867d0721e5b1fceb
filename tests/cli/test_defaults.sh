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
  "$SOTTO" train --method $method --help all | sed -E ':a;N;$!ba;s/\n {7,}/ /g' > help
  for option in layers epochs rounds batch-size read-share; do
    own=$(sed -n "s/^  --$option .*\[\([^]]*\)\]$/\1/p" help)
    seen="$seen$own"
    [ -z "$own" ] || defaults $option | grep -F "$own" | grep -qw $method ||
      fail "the man page lacks the default of $method: --$option [$own]"
  done
done
[ -n "$seen" ] || fail "no default was seen"

# One name for one thing: over all methods.
: > keys
# The help of a method is a page, and says how many options it leaves out.
for method in $("$SOTTO" methods --json | grep -oE '"name":"[^"]*"' | cut -d'"' -f4); do
  "$SOTTO" train --method "$method" --help > page
  "$SOTTO" train --method "$method" --help all > whole
  grep -oE '^  --[a-z-]+' whole >> keys
  [ "$(wc -l < page)" -le 40 ] || fail "the help of $method has $(wc -l < page) lines"
  more=$(sed -n "s/^\([0-9]*\) more options, and .* --method $method --help all$/\1/p" page)
  # --memory, --rank-parts, --json, and four of watching
  [ "$(grep -c '^  --' whole)" -eq $(($(grep -c '^  --' page) + more + 7)) ] || fail "the help of $method leaves out $more options?"
done
# How tables are read is said by the same fifteen for all methods, and for data, predict and party too.
tables=' amount decimal direction header kind label missing missing-words nodes schema source target task time types '
sort -u keys | sed 's/^ *--//' > names
while read -r name; do case $tables in *" $name "*) echo "$name" >> reading ;; *) echo "$name" >> own ;; esac; done < names
[ "$(wc -l < reading)" -eq 15 ] || fail "options on tables are $(tr '\n' ' ' < reading)"
[ "$(wc -l < own)" -le 96 ] || fail "there are $(wc -l < own) options beside those on tables"
