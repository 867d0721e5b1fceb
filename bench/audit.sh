#!/bin/sh
# Attacks on every method at every epsilon: OUT/audit.jsonl, a line a run and attack, OUT/audit.md and, where bench_chart is
# built (target `benches`), OUT/audit-*.svg.
# usage: SOTTO=build/sotto SHARED=../shared OUT=docs/results bench/audit.sh [DATASET ...]
# Runs that are in OUT/audit.jsonl already are passed over. EPSILONS, METHODS and CLEAR choose less.
set -eu
: "${SOTTO:=build/sotto}" "${SHARED:=../shared}" "${OUT:=docs/results}" "${EPSILONS:=1 4 32}"
: "${METHODS:=gap caribou vesper}" "${CLEAR:=gcn sage gap caribou}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$OUT"
"$SOTTO" ledger init "$work/ledger.db" > /dev/null
touch "$OUT/audit.jsonl"

# A copy of a dataset, beside which a run may note its ledger: what is given stays as it is.
copy_of() {
  case $1 in
  cora | citeseer) from=planetoid name=planetoid:$1 ;;
  photo | computers) from=npz/amazon_electronics_$1.npz name=amazon_electronics_$1.npz ;;
  facebook) from=facebook100/UConn91.mat name=UConn91.mat ;;
  *) echo "no dataset is named $1: cora, citeseer, photo, computers, facebook" >&2; return 2 ;;
  esac
  mkdir -p "$work/data"
  [ -e "$work/data/${from##*/}" ] || cp -r "$SHARED/data/$from" "$work/data/" || return 2
  echo "$work/data/$name"
}

# one DATASET METHOD EPSILON ATTACKS MORE...: trains, attacks, adds a line.
one() {
  dataset=$1 method=$2 epsilon=$3 attacks=$4
  shift 4
  tag="\"dataset\":\"$dataset\",\"method\":\"$method\",\"epsilon\":\"$epsilon\",\"attacks\":\"$attacks\""
  grep -qF "$tag" "$OUT/audit.jsonl" && return 0
  run="$work/$dataset-$method-$epsilon"
  case $method in
  gcn) options="--method gnn --aggregator gcn --adjacency none" ;;
  sage) options="--method sage --adjacency none" ;;
  vesper) options="--method vesper --publication layers --epsilon $epsilon" ;;
  *) options="--method $method --epsilon $epsilon" ;;
  esac
  # shellcheck disable=SC2086
  [ -d "$run" ] || "$SOTTO" train $options --data "$data" --ledger "$work/ledger.db" \
    --out "$run" > /dev/null 2> "$work/log" || { cat "$work/log" >&2; return 1; }
  found=$("$SOTTO" audit "$run" --attack "$attacks" --json "$@" 2> "$work/log") || [ -n "$found" ] ||
    { cat "$work/log" >&2; return 1; }
  echo "{$tag,\"options\":\"$*\",\"audit\":$found}" >> "$OUT/audit.jsonl"
}

[ $# -gt 0 ] || set -- cora photo computers facebook
for dataset in "$@"; do
  data=$(copy_of "$dataset")
  for method in $CLEAR; do
    one "$dataset" "$method" inf linkteller,link-stealing
    [ "$dataset" != cora ] || one "$dataset" "$method" inf node-mia,entropy
  done
  for method in $METHODS; do
    for epsilon in $EPSILONS; do
      one "$dataset" "$method" "$epsilon" linkteller,link-stealing,canary
      one "$dataset" "$method" "$epsilon" linkteller --fresh
      [ "$dataset" != cora ] || one "$dataset" "$method" "$epsilon" node-mia,entropy
    done
  done
done
python3 "$(dirname "$0")/audit_table.py" "$OUT/audit.jsonl" > "$OUT/audit.md"
build=$(dirname "$SOTTO")
[ ! -x "$build/bench/bench_chart" ] || "$(dirname "$0")/plots.py" --build "$build" --out "$OUT" audit
