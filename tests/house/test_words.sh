#!/bin/sh
# Documents, messages and the first comments of files use the field's terms: scripts/words.py finds none of its words. A copy of the
# script, in a folder with planted words, finds each of them at its line.
set -eu
cd "$SOTTO_SOURCE"
python3 -B scripts/words.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/scripts" "$folder/docs" "$folder/src/a"
cp scripts/words.py "$folder/scripts"
printf '# Page\nA gradient tells\nof labels, and `tells of` is code.\n```\nit tells of more\n```\n' > "$folder/docs/a.md"
printf '/* Rows of norm 1. */\n/* a second comment tells of edges */\nconst char *s = "the canary "\n  "told labels";\n' > "$folder/src/a/a.c"
wanted='docs/a.md:2: tells of: write reveals, leaks
src/a/a.c:1: Rows of norm 1: write unit-norm rows, normalised rows
src/a/a.c:4: told labels: write reported label (randomised response)'
found=$(GIT_DIR=/nowhere python3 -B "$folder/scripts/words.py" | sort) || true
[ "$found" = "$wanted" ] || { printf 'found:\n%s\n' "$found" >&2; exit 1; }
