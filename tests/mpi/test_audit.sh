#!/bin/sh
# Audits over ranks: the findings of 2 and 3 ranks are those of one process. After a rank is killed, the same command keeps
# the cells that were finished, over another number of ranks, and its findings are those of an audit that was left alone.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 1500 --features 16 --out g.sotto > /dev/null
"$SOTTO" train --method gap --data g.sotto --epsilon 4 --hidden 8 --encoder-epochs 5 --epochs 20 --threads 1 --out run > output 2>&1 ||
  { cat output >&2; fail "the run to be audited"; }
own=run/owner-only

# All findings but their times.
findings() {
  python3 - "$1" <<'END_OF_PYTHON'
import json, sys
found = json.load(open(sys.argv[1]))
for finding in found["findings"]:
    del finding["seconds"]
print(json.dumps(found, sort_keys=True, indent=1))
END_OF_PYTHON
}

# One-run, received and entropy are a cell each; the others have several.
words="audit run --threads 1 --attack lira,one-run,canary,received,linkteller,entropy,node-mia --sample 100 --pairs 300 --shadows 5 --trials 1500"
audit() { # COUNT FILE: with one key of the system; without ranks for 0
  case $1 in
    0) "$SOTTO_RANKS/ranks_keyed" $words --json > "$2" 2> output ;;
    *) ranks "$1" ranks_keyed $words --json > "$2" 2> output ;;
  esac || { cat output >&2; fail "an audit by $1 ranks"; }
  findings "$2" > "$2.found"
}
audit 0 one.json
[ "$(grep -c '"attack"' one.json.found)" -ge 10 ] || fail "not all attacks were made"
for count in 1 2 3; do
  audit "$count" many.json
  diff one.json.found many.json.found >&2 || fail "other findings by $count ranks"
  cmp one.json.found many.json.found
done
[ -z "$(find "$own" -name '*.cells')" ] || fail "a finished audit left its cells"

size() {
  stat -c %s "$1" 2> /dev/null || echo 0
}

# Ends a rank, so that it cannot say anything, as soon as a file has more bytes than that. An audit that was over before is begun
# again, from $from where it is set.
cut_short() { # COUNT VICTIM FILE BYTES PROGRAM WORDS...
  count=$1 victim=$2 file=$3 bytes=$4 program=$5
  shift 5
  grown() { [ "$(size "$file")" -gt "$bytes" ]; }
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    [ "$attempt" -eq 1 ] || [ -z "${from-}" ] || cp -p "$from" "$file"
    mpirun --oversubscribe -n "$count" "$SOTTO_RANKS/$program" "$@" > output 2>&1 &
    launcher=$!
    await_or_end "$launcher" "$file does not grow" grown
    rank=$(pgrep -P "$launcher" | sort -n | sed -n "${victim}p")
    [ -z "$rank" ] || kill -s KILL "$rank" 2> /dev/null || true
    code=0
    wait "$launcher" || code=$?
    [ "$code" -eq 0 ] || [ ! -s "$file" ] || return 0
  done
  cat output >&2
  fail "ten audits were over before the kill"
}

# More than the header, and the keys of a canary: there is a cell.
begun=150
for victim in 1 2; do
  cut_short 2 "$victim" $own/audit-lira.cells $begun ranks_keyed $words --json
  [ "$(stat -c %a $own/audit-lira.cells)" = 600 ] || fail "others may read an audit's cells"
  [ -e $own/audit-whole.cells ] || fail "attacks that were finished are not kept"
  audit 3 again.json
  diff one.json.found again.json.found >&2 || fail "other findings after rank $((victim - 1)) was killed"
  [ -z "$(find "$own" -name '*.cells')" ] || fail "a resumed audit left its cells"
done

# With keys of the system no two trials or trainings are alike: those that are finished stay, byte for byte, and in their order.
stays() { # FILE WORDS...
  file=$own/$1
  shift
  cut_short 2 2 "$file" $begun ranks_sotto "$@"
  cp -p "$file" first
  from=first
  cut_short 3 1 "$file" "$(size first)" ranks_sotto "$@"
  from=
  cmp -n "$(size first)" first "$file" || fail "$file: finished cells were made again"
  "$SOTTO" "$@" > output 2>&1 || { cat output >&2; fail "$* in one process, after ranks"; }
  [ ! -e "$file" ] || fail "a finished audit left $file"
}
stays audit-lira.cells audit run --attack lira --shadows 40
stays audit-canary-0.cells audit run --attack canary --trials 60000

# Cells of other words are of no use, and are replaced; damaged findings are refused.
cut_short 2 2 $own/audit-lira.cells $begun ranks_sotto audit run --attack lira,entropy --shadows 40
ranks 2 ranks_sotto audit run --attack lira,entropy --shadows 4 > output 2>&1 || { cat output >&2; fail "other words"; }
cut_short 2 2 $own/audit-lira.cells $begun ranks_sotto audit run --attack lira,entropy --shadows 40
printf x | dd of=$own/audit-whole.cells bs=1 seek=200 conv=notrunc 2> /dev/null
expect 1 'audit-whole.cells: is damaged' ranks 2 ranks_sotto audit run --attack lira,entropy --shadows 40
