#!/bin/sh
# Run folders are private whatever the umask, a link in the way of a file is not followed, and no name that comes with data
# reaches the terminal with control characters.
. "$(dirname "$0")/common.sh"
umask 000
"$SOTTO" data generate sbm --nodes 60 --features 4 --out g.sotto > /dev/null
train() { "$SOTTO" train --data g.sotto --hidden 4 --encoder-epochs 2 --epochs 2 "$@" > /dev/null 2>&1; }
train --out runs/one || fail "a run failed"
open_to_others=$(find runs g.sotto ledger.db* -perm /077)
[ -z "$open_to_others" ] || fail "others may read: $open_to_others"

# A folder that is there already is made private before anything is in it, and links in it are not followed.
mkdir two && chmod 777 two
echo precious > victim
ln -s "$folder/victim" two/metrics.jsonl
train --out two || true
[ "$(stat -c %a two)" = 700 ] || fail "a folder that was there stayed open"
[ "$(cat victim)" = precious ] || fail "a link in a run folder was followed"

# A dataset that is named with escapes: on the terminal, in errors, in tables.
escape=$(printf '\033]0;owned\007\033[31m')
printf 'source,target\na,b\nb,c\n' > "x$escape.csv"
"$SOTTO" data info "x$escape.csv" > output 2>&1 || fail "a strange name is not read"
"$SOTTO" train --data "x$escape.csv" --method "no$escape" >> output 2>&1 && fail "an unknown method ran"
"$SOTTO" train --data g.sotto "--no$escape" 1 >> output 2>&1 && fail "an unknown option passed"
"$SOTTO" data info "absent$escape" >> output 2>&1 && fail "an absent file was read"
"$SOTTO" "verb$escape" >> output 2>&1 && fail "an unknown verb passed"
printf 'source,target\na\033[31m,b\nb\n' > bad.csv
"$SOTTO" data info bad.csv >> output 2>&1 && fail "a broken table was read"
"$SOTTO" ledger budget "x$escape.csv" --epsilon 9 >> output 2>&1
"$SOTTO" ledger show >> output 2>&1
"$SOTTO" train --data "x$escape.csv" --epsilon 1 --out three > /dev/null 2>&1 || true
"$SOTTO" ledger show >> output 2>&1
! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" output || { cat -v output >&2; fail "control characters reach the terminal"; }
grep -q 'name  *x?\]0;owned??\[31m' output || { cat -v output >&2; fail "the names are not there: the test is blind"; }
