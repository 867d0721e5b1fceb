#!/bin/sh
# Pictures of docs/results, and one with a cut name, which has to be found.
set -eu
here=$(dirname "$0")
python3 -B "$here/pictures.py"
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
sed 's/>vesper, cora</>vesper on a graph whose name is far too long for the column</' "$SOTTO_SOURCE/docs/results/audit-canary.svg" > "$bad"
if python3 -B "$here/pictures.py" "$bad" 2> "$bad.said"; then
  echo "a name that is cut off is not found" >&2
  exit 1
fi
grep -q "is cut off" "$bad.said" && rm -f "$bad.said"
sed "s/viewBox='0 0 400/viewBox='0 0 800/" "$SOTTO_SOURCE/docs/pictures/two-parties.svg" > "$bad"
python3 -B "$here/pictures.py" --telephone "$bad" 2> "$bad.said" && { echo "letters that are too small are not found" >&2; exit 1; }
grep -q "letters of" "$bad.said" && rm -f "$bad.said"
