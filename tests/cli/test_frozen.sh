#!/bin/sh
# Files that a released version made are read by this one: data, a ledger and its owner's key, a run folder with statement,
# evidence and model, and predictions. `test_frozen.sh make FILE.tar.gz` packs those of the version at hand, when it is released.
. "$(dirname "$0")/common.sh"

if [ "${1:-}" = make ]; then
  out=$(cd "$OLDPWD" && realpath "$2")
  "$SOTTO" data generate sbm --nodes 120 --classes 2 --features 4 --signal 2 --seed 1 --out g.sotto > /dev/null
  "$SOTTO" ledger budget g.sotto --epsilon 8 --reason "agreed in May" > /dev/null
  "$SOTTO" train --data g.sotto --method gap --epsilon 4 --hidden 4 --epochs 3 --encoder-epochs 3 --anyway --out run > /dev/null
  "$SOTTO" predict run g.sotto --out wanted.csv > /dev/null 2>&1
  tar -czf "$out" --owner=0 --group=0 --exclude=output --exclude='*-journal' .
  exit 0
fi

for packed in "$source"/tests/cli/frozen/*.tar.gz; do
  version=$(basename "$packed" .tar.gz)
  rm -rf ./* && tar -xzf "$packed" # in the place of this test's own ledger
  chmod -R go-rwx .
  expect 0 "nodes  *120" "$SOTTO" data info g.sotto
  expect 0 "all 4 entries hold" "$SOTTO" ledger verify
  expect 0 "1 charges, epsilon 4 at delta 1e-06; budget 8" "$SOTTO" ledger show g.sotto
  expect 0 "signature  *holds" "$SOTTO" statement verify run
  grep -q "files  *hold" output && grep -q "charges  *hold" output || { cat output; fail "$version: files or charges of the run"; }
  expect 0 "written to" "$SOTTO" report run --out page.html
  grep -q "epsilon 4, a guess is right at most 99 times of 100" page.html || fail "$version: the page has no verdict"
  expect 0 "of 120 labelled nodes" "$SOTTO" predict run g.sotto --out found.csv
  # Kernels of other processors round otherwise.
  paste -d , wanted.csv found.csv | awk -F , 'NR > 1 && ($4 - $9 > 1e-3 || $9 - $4 > 1e-3) { exit 1 } END { exit NR != 121 }' ||
    fail "$version: other predictions"
  printf 'x' | dd of=run/model.safetensors bs=1 seek=1400 conv=notrunc 2> /dev/null
  expect 1 "" "$SOTTO" statement verify run # what was planted is found
done
