#!/bin/sh
# The section of docs/start.md on two machines, to the letter, in two folders with two shells: lines `bank$` in one, `partner$`
# in the other. The bank's run goes on beside what follows.
. "$(dirname "$0")/common.sh"
mkdir bin bank partner
ln -s "$SOTTO" bin/sotto
PATH="$folder/bin:$PATH"
sed -n '/^## Two machines/,/^## Distances/p' "$SOTTO_SOURCE/docs/start.md" | grep -E '^(bank|partner)\$ ' > lines
[ "$(grep -c 'sotto run run.yaml' lines)" -eq 2 ] || fail "docs/start.md does not run two parties"
background=
while read -r who line; do
  where=${who%?}
  case "$who $line" in
  "bank$ sotto run run.yaml"*)
    (cd "$where" && eval "$line") > bank.log 2>&1 &
    background=$! ;;
  "partner$ sotto run "[rc]*) # what a reader sees when the bank is not up yet: try again
    (cd "$where" && eval "$line") > partner.log 2>&1 || { cat bank.log partner.log >&2; fail "$line"; } ;;
  *) (cd "$where" && eval "$line") > log 2>&1 || { cat log >&2; fail "$line"; } ;;
  esac
  case $line in *check*) grep -q "peer *ok" partner.log || fail "the check did not reach the peer" ;; esac
done < lines
wait "$background" || { cat bank.log >&2; fail "the bank's run failed"; }
grep -q "without edges" partner.log || fail "the partner sees no measures"
[ -s bank/runs/run-data/model.safetensors ] || fail "the bank has no model"
[ -s partner/runs/run-label/model.safetensors ] || fail "the partner has no model"
[ "$(charges bank/graph.sotto)" -eq 1 ] || fail "not one charge"
