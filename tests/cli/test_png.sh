#!/bin/sh
# Pictures as PNG: by the ending of a name, by --format, and to standard output.
. "$(dirname "$0")/common.sh"
command -v rsvg-convert > /dev/null || { echo "SKIPPED: there is no rsvg-convert: no PNG is made"; exit 77; }
. "$(dirname "$0")/drawn.sh"

png=$(printf '\211PNG')
expect 0 "x.png" "$SOTTO" compare plot t.npz --out x.png
expect 0 "h.png" "$SOTTO" compare plot t.npz --kind heat --format png --out h.png
"$SOTTO" account gaussian --noise 2 --plot -x.png || fail "a picture whose name begins with - failed"
expect 0 "1 trainings" "$SOTTO_BUILD/sotto-bench" utility bench.yaml --format png --out results
for file in x.png h.png ./-x.png results/bench-made.png; do
  [ "$(head -c 4 "$file")" = "$png" ] || fail "$file is no PNG"
done
"$SOTTO" compare plot t.npz --out - --format png | head -c 4 | grep -qF "$png" || fail "no PNG on standard output"
[ "$(find . -name '*.partial.*' | wc -l)" -eq 0 ] || fail "unfinished files are left"
