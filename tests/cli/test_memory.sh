#!/bin/sh
# Trainings under a limit of memory: the same release and model, nothing without noise left behind, and a refusal
# before a charge. SOTTO_MEMORY, which short trainings of an estimate have, is a limit without the estimate.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 6000 --features 12 --inside 6 --outside 2 --out g.sotto > /dev/null
few="--data ../g.sotto --insecure-seed 7 --hidden 24 --encoder-epochs 2"

# train FOLDER METHOD: a run of that name, so that what names it is the same.
train() {
  mkdir -p "$1"
  # shellcheck disable=SC2086
  (cd "$1" && "$SOTTO" train --method "$2" $few $(epochs "$2") --out "$2") > /dev/null 2>&1 || fail "$2: no run in $1"
}
epochs() { case $1 in mlp) ;; *) echo "--epochs 2" ;; esac; }
same() { cmp -s "whole/$1" "limited/$1" || fail "$1 is not the same under a limit"; }

for method in gap caribou best vesper mlp; do
  train whole "$method"
  SOTTO_MEMORY=600000 train limited "$method"
  same "$method/model.safetensors"
  grep -q '"peak_own_mb"' "limited/$method/owner-only/memory.json" || fail "$method: it does not say what memory it held"
  grep -q '"peak_own_mb"' "whole/$method/owner-only/memory.json" && fail "$method: it says so without a limit"
done
same gap/seed-1/release.bin
same caribou/seed-1/release.bin
same best/seed-1/counts-0.sotto
[ -z "$(find limited -name '.spill*')" ] || fail "a spill file has a name"

expect 1 "the program alone needs 8 MB, and --memory allows 1e-06 MB" "$SOTTO" train --method gap --data g.sotto --memory 1 --out none
[ ! -e none ] || fail "a refused run has a folder"

# Killed at any time: the folder has no file that a whole run has not, and the run goes on to the same bytes.
mkdir -p killed
for pause in 3 10 20 40; do
  rm -rf killed/gap
  # shellcheck disable=SC2086
  (cd killed && SOTTO_MEMORY=600000 exec "$SOTTO" train --method gap $few --epochs 2 --out gap) > /dev/null 2>&1 &
  child=$!
  moment "$pause"
  kill -9 "$child" 2> /dev/null || :
  wait "$child" 2> /dev/null || :
  [ -d killed/gap ] || continue
  (cd killed/gap && find . -type f ! -name '*.partial.*' ! -name 'checkpoint*' ! -name '*.point*' | sort) > left
  (cd whole/gap && find . -type f | sort) > whole.names
  [ -z "$(comm -23 left whole.names | grep -v -e '/encoder' -e '/decoder' -e '/owner-')" ] ||
    fail "a killed run left $(comm -23 left whole.names)"
  [ -f killed/gap/run.yaml ] || continue
  (cd killed && SOTTO_MEMORY=600000 "$SOTTO" train --resume --out gap) > said 2>&1 || fail "no resumed run: $(cat said)"
  cmp -s whole/gap/seed-1/release.bin killed/gap/seed-1/release.bin || fail "a resumed run has another release"
  cmp -s whole/gap/model.safetensors killed/gap/model.safetensors || fail "a resumed run has another model"
done

# A limit that is too small even so is refused before anything is charged.
before=$("$SOTTO" ledger show --json | cksum)
# shellcheck disable=SC2086
(cd whole && expect 1 "--memory allows 3 MB" "$SOTTO" train --method gap $few --epochs 2 --memory 3M --out refused)
[ ! -e whole/refused ] || fail "a run that was refused left a folder"
[ "$("$SOTTO" ledger show --json | cksum)" = "$before" ] || fail "a run that was refused was charged"
