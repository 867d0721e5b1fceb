#!/bin/sh
# Audits by one training: alarms of honest runs, faults that are caught, the share of mu or epsilon that is reached.
# usage: SOTTO=build/sotto HALF=build/tests/sotto_half_noise OUT=docs/results/one-run.md bench/one_run.sh
# HONEST and FAULTY are how many runs of each.
set -eu
: "${SOTTO:=build/sotto}" "${HALF:=build/tests/sotto_half_noise}" "${OUT:=docs/results/one-run.md}" "${HONEST:=200}" "${FAULTY:=10}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOTTO_LEDGER=$work/ledger.db
export SOTTO_LEDGER
"$SOTTO" ledger init "$SOTTO_LEDGER" > /dev/null
"$SOTTO" data generate sbm --nodes 4000 --classes 3 --features 8 --seed 3 --out "$work/sbm.sotto" > /dev/null 2>&1

# trained NAME OPTIONS...
trained() {
  name=$1
  shift
  "$SOTTO" train --out "$work/$name" --data "$work/sbm.sotto" --hidden 8 --epochs 3 --encoder-epochs 3 --delta 1e-6 "$@" > /dev/null 2>&1
}

# alarms PROGRAM RUN ATTACK TIMES
alarms() {
  count=0
  for _ in $(seq "$4"); do
    "$1" audit "$work/$2" --attack "$3" --trials 6000 > "$work/found" 2> /dev/null || count=$((count + 1))
  done
  echo "$count of $4"
}

trained gap --method gap --epsilon 3
trained best --method best --epsilon 3
{
  echo "# Audits by one training"
  echo "Made by \`bench/one_run.sh\`: 4000 nodes (\`sotto data generate sbm\`, seed 3), 5000 canaries, epsilon 3 at delta 1e-6, 95%."
  echo
  echo "| program | method | attack | FAILED |"
  echo "|---|---|---|---|"
  for method in gap best; do
    echo "| as it is | $method | one-run | $(alarms "$SOTTO" $method one-run $((HONEST / 2))) |"
    for attack in one-run canary; do
      echo "| noise halved | $method | $attack | $(alarms "$HALF" $method $attack "$FAULTY") |"
    done
  done
  echo
  echo "Share of what is stated, of every method and view (\`sotto audit --self\`):"
  echo
  echo "\`\`\`"
  "$SOTTO" audit --self | sed '/passed over/,/^$/d'
  echo "\`\`\`"
} > "$work/page"
mv "$work/page" "$OUT"
