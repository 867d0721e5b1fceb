#!/bin/sh
# Owners that begin at once in a new home share its first ledger: none of them gets an error, and no budget is lost.
. "$(dirname "$0")/common.sh"
unset SOTTO_LEDGER SOTTO_LEDGER_KEY
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
  export HOME="$folder/home$round"
  mkdir "$HOME"
  for owner in 1 2 3 4 5 6 7 8; do "$SOTTO" data generate sbm --nodes 60 --seed "$round$owner" --out "$HOME/$owner.sotto" > /dev/null; done
  for owner in 1 2 3 4 5 6 7 8; do
    "$SOTTO" ledger budget "$HOME/$owner.sotto" --epsilon "$owner" --reason "at once" > "$HOME/$owner.log" 2>&1 &
    eval "pid$owner=\$!"
  done
  for owner in 1 2 3 4 5 6 7 8; do
    eval "wait \$pid$owner" || { cat "$HOME/$owner.log" >&2; fail "owner $owner in home $round"; }
  done
  kept=$("$SOTTO" ledger show | grep -c "at once")
  [ "$kept" -eq 8 ] || fail "home $round has $kept budgets, not 8"
  "$SOTTO" ledger verify > verified || { cat verified >&2; fail "the ledger of home $round does not verify"; }
done
