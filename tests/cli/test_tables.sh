#!/bin/sh
# Small tables that go wrong in practice: what is decided of each, or the refusal and its way out, is what docs/tables.md shows.
. "$(dirname "$0")/common.sh"

python3 -B "$SOTTO_SOURCE/tests/cli/tables.py" > said 2> problems || { cat problems >&2; fail "docs/tables.md is not what the program says"; }
