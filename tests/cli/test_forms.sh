#!/bin/sh
# Every form of data, read, and broken in two ways each: what the program says is what docs/data.md shows.
. "$(dirname "$0")/common.sh"

python3 -B "$SOTTO_SOURCE/tests/cli/forms.py" > said 2> problems || { cat problems >&2; fail "a form was not read, or a broken one was"; }
awk '/^## Examples of all forms/ { on = 1 } on && /^```/ { inside = !inside; next } on && inside' "$SOTTO_SOURCE/docs/data.md" > shown
cmp -s said shown || { diff shown said >&2; fail "docs/data.md shows something else (see above: < is what it shows)"; }
[ "$(grep -c '^  read: ' said)" -eq 24 ] || fail "there are not 24 forms"
