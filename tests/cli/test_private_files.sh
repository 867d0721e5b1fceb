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

# What may be handed on names no path of this machine: neither of data, tables, parts, ledger and run folder, nor of later answers.
# The owner's commands find them all the same, also from another folder; others hear what lacks.
mkdir unspoken-folder elsewhere
"$SOTTO" data generate sbm --nodes 60 --features 4 --seed 2 --out unspoken-folder/today.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 60 --features 4 --seed 3 --out unspoken-folder/later.sotto > /dev/null
"$SOTTO" ledger init unspoken-folder/own.db > /dev/null
awk 'BEGIN { for (v = 0; v < 60; v++) print v % 3 + 1 }' > unspoken-folder/parts
few="--data unspoken-folder/today.sotto --ledger $folder/unspoken-folder/own.db --hidden 4 --threads 1"
# spoken RUN: files of the run that may be handed on and name the folder.
spoken() { grep -rl --exclude-dir=owner-only "unspoken-folder" "$1"; }
for words in "vesper --encoder-epochs 2 --epochs 2" "best --encoder-epochs 2 --epochs 2" "gap --encoder-epochs 2 --epochs 2" \
  "fedavg --rounds 2 --clients 3 --partition file:$folder/unspoken-folder/parts" "vfgnn --epochs 2 --encoder-epochs 2 --adjacency edge"; do
  out=unspoken-folder/${words%% *}
  # shellcheck disable=SC2086
  "$SOTTO" train --method $words $few --out "$folder/$out/" > said 2>&1 || { cat said; fail "no run of $words"; }
  "$SOTTO" report "$out" > /dev/null 2>&1 || fail "$words: no page"
  ! spoken "$out" || fail "$words: a file that may be handed on names a path of this machine"
  grep -q "^data: '$folder/unspoken-folder/today.sotto'$" "$out/owner-only/paths.yaml" || fail "$words: the owner's path is not kept"
  grep -q "^data: '.../today.sotto'$" "$out/run.yaml" || fail "$words: the dataset has no name"
  (cd elsewhere && "$SOTTO" train --resume --out "../$out" > /dev/null 2>&1) || fail "$words: the run does not go on"
done
out=unspoken-folder/gap
(cd elsewhere && "$SOTTO" predict "../$out" > /dev/null 2>&1) || fail "the run's own data are not found"
"$SOTTO" predict $out unspoken-folder/later.sotto --epsilon 1 > /dev/null 2>&1 || fail "no answers about other data"
"$SOTTO" predict unspoken-folder/best unspoken-folder/today.sotto --nightly --epsilon 40 --nights 2 --out night.csv > said 2>&1 || { cat said; fail "no night"; }
! spoken unspoken-folder/best && ! spoken "$out" || fail "an answer names a path of this machine"
cp -r $out given && rm -r given/owner-only
expect 1 "was handed on without owner-only/" "$SOTTO" predict given
expect 0 "written to" "$SOTTO" predict given unspoken-folder/today.sotto
expect 0 "hold: " "$SOTTO" statement verify given
echo 'epsilon: 40' >> $out/owner-only/paths.yaml
expect 1 "'epsilon' is no path" "$SOTTO" predict $out

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
