#!/bin/sh
# Files that --out names: standard output for "-", or a clear refusal; never a file of that name. What a PNG needs.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 80 --classes 2 --features 4 --out d.sotto > /dev/null
"$SOTTO" train --method mlp --data d.sotto --adjacency none --out run > /dev/null 2>&1 || fail "no run"
. "$(dirname "$0")/drawn.sh"
printf 'a\nb\n' > ids

# prints FIRST COMMAND...: writes to standard output alone, and its first bytes are FIRST.
prints() {
  first=$1
  shift
  "$@" > printed 2> said || { cat said >&2; fail "$*: failed"; }
  [ "$(head -c "${#first}" printed | tr -d '\0')" = "$first" ] || fail "$*: begins with $(head -c 40 printed)"
  code=0
  "$@" > /dev/full 2> said || code=$?
  [ "$code" -eq 1 ] || fail "$*: ended with $code on a full disk"
  grep -q "standard output" said || { cat said >&2; fail "$*: does not say that standard output is full"; }
}
prints "node,class" "$SOTTO" predict run --out -
prints "node,e0" "$SOTTO" predict run --embeddings - --out p.csv
prints "<!DOCTYPE html" "$SOTTO" report run --out -
prints "<!DOCTYPE html" "$SOTTO" report --ledger --out -
prints "graph,label" "$SOTTO" compare cluster shapes --out -
prints "<svg" "$SOTTO" compare plot t.npz --out -
prints "<svg" "$SOTTO" account gaussian --noise 2 --plot -
[ "$("$SOTTO" predict run --out - | wc -l)" -eq 81 ] || fail "predictions on standard output are followed by something else"

# What cannot be written so is refused as wrong usage.
refused() {
  words=$1
  shift
  expect 2 "$words" "$@"
}
refused "is a folder" "$SOTTO" train --method mlp --data d.sotto --out -
refused "is a folder" "$SOTTO" align --ids ids --peer-ids ids --out -
refused "is a folder" "$SOTTO_BUILD/sotto-bench" utility bench.yaml --out -
refused "first of two files" "$SOTTO" compare shapes --out -
refused "is a dataset" "$SOTTO" data generate sbm --nodes 80 --out -
refused "is a dataset" "$SOTTO" data import d.sotto -
refused "is an archive" "$SOTTO" data export d.sotto -
refused "is a dataset" "$SOTTO" data part d.sotto --data-out - --label-out b.sotto
refused "is a dataset" "$SOTTO" data part d.sotto --data-out a.sotto --label-out -
refused "is a dataset" "$SOTTO" data split d.sotto --ego 1 --count 4 --out -
refused "stem of several files" "$SOTTO" data split d.sotto --vertical --out -
refused "stem of several files" "$SOTTO" data split d.sotto --horizontal --clients 2 --out -
refused "a page to sign" "$SOTTO" report run --sign key --out -
refused "both write to standard output" "$SOTTO" predict run --out - --json
refused "both write to standard output" "$SOTTO" predict run --out - --embeddings -
refused "both write to standard output" "$SOTTO" report run --out - --json
refused "both write to standard output" "$SOTTO" compare cluster shapes --out - --json
refused "both write to standard output" "$SOTTO" account gaussian --noise 2 --plot - --curve
printf 'method: vesper\nlayers: 1\nepsilon: 4\n' > party.yaml
refused "both write to standard output" "$SOTTO" run predict run --role data --peer x --listen "$host:7443" --out - --json
refused "is a folder" "$SOTTO" run party.yaml --role data --data d.sotto --listen "$host:7443" --peer x --out -
[ ! -e - ] && [ ! -e ./-.svg ] || fail "a file is called -"

# Every flag of the program that names a file to write is in the lists above.
for verb in train run "run predict" data ledger account align predict serve audit report compare; do
  # shellcheck disable=SC2086
  for flag in $("$SOTTO" $verb --help | grep -oE -- '--(out|plot|data-out|label-out|[a-z]+-out) [A-Z]' | cut -d' ' -f1 | sort -u); do
    grep -qE "\"\\\$SOTTO\" $verb.* $flag -" "$0" || fail "$verb $flag - is not tested"
  done
done

# What a file is called is what an error names, not what it was written to before its rename.
expect 1 "nowhere/p.csv: could not create it" "$SOTTO" predict run --out nowhere/p.csv
expect 1 "nowhere/d.sotto: could not create it" "$SOTTO" data generate sbm --nodes 80 --out nowhere/d.sotto
if grep -q partial output; then fail "an error names a temporary file: $(cat output)"; fi

# A file is replaced by one of its own kind alone, and no name is empty.
printf 'mine\n' > notes
: > unused
"$SOTTO" data generate sbm --nodes 80 --out unused > /dev/null || fail "an empty file is not replaced"
expect 0 "replaces the dataset in unused" "$SOTTO" data generate sbm --nodes 80 --out unused
cp unused other.svg
for command in "data generate sbm --nodes 80 --out" "data split d.sotto --ego 1 --count 4 --out" "data import d.sotto" "report run --out"; do
  # shellcheck disable=SC2086
  refused "notes is another file, and this writes a" "$SOTTO" $command notes
done
refused "is a dataset, and this writes a picture" "$SOTTO" compare plot t.npz --out other.svg
refused "is a dataset, and this writes a page" "$SOTTO" report run --out unused
refused "is a dataset, and this writes text" "$SOTTO" predict run --out unused
"$SOTTO" report run --out page.html > /dev/null || fail "no page"
refused "is a page, and this writes a dataset" "$SOTTO" data import d.sotto page.html
refused "is a page, and this writes text" "$SOTTO" predict run --out page.html
"$SOTTO" report run --out page.html > /dev/null || fail "a page is not replaced by a page"
[ "$(cat notes)" = mine ] || fail "another file was replaced"
for command in "data generate sbm --nodes 80 --out" "train --method mlp --data d.sotto --adjacency none --out" "predict run --out" "report run --out" "compare cluster shapes --out" \
  "data import d.sotto" "data split d.sotto --horizontal --clients 2 --out" "align --ids ids --peer-ids ids --out" \
  "run party.yaml --role data --data d.sotto --out" "ledger export"; do
  # shellcheck disable=SC2086
  refused "its name is empty" "$SOTTO" $command ""
done

# Pictures.
refused "ends in .svg or .png" "$SOTTO" compare plot t.npz --out x.pdf
refused "ends in .svg or .png" "$SOTTO" compare plot t.npz --out x
refused "ends in .svg or .png" "$SOTTO" account gaussian --noise 2 --plot curve.jpeg
refused "does not agree" "$SOTTO" compare plot t.npz --out x.svg --format png
refused "is not svg or png" "$SOTTO" compare plot t.npz --out - --format gif
refused "is not svg or png" "$SOTTO_BUILD/sotto-bench" utility bench.yaml --format gif --out results
mkdir empty
expect 1 "x.png: a PNG needs the program rsvg-convert; install librsvg2-bin" env PATH="$PWD/empty" "$SOTTO" compare plot t.npz --out x.png
printf '#!/bin/sh\necho "out of ink" >&2\nexit 7\n' > empty/rsvg-convert
chmod +x empty/rsvg-convert
expect 1 "x.png: rsvg-convert ended with status 7: out of ink" env PATH="$PWD/empty:$PATH" "$SOTTO" compare plot t.npz --out x.png
[ ! -e x.png ] || fail "a picture that failed is there"
[ "$(find . -name '*.partial.*' | wc -l)" -eq 0 ] || fail "unfinished files are left"
