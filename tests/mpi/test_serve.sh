#!/bin/sh
# A service of what ranks trained: one process answers from the run folders as `sotto predict` does.
. "$(dirname "$0")/common.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
at=$host:7203
methods="gap caribou best vesper mlp"
"$SOTTO" data generate sbm --nodes 300 --classes 3 --features 16 --out g.sotto > /dev/null
for method in $methods; do
  case $method in mlp) noise= ;; *) noise="--epsilon 8 --layers 1 --epochs 20 --anyway" ;; esac
  ranks 2 ranks_sotto train --method "$method" --data g.sotto $noise --encoder-epochs 5 --threads 1 --out "$method" > output 2>&1 ||
    { cat output >&2; fail "$method did not train"; }
  "$SOTTO" predict "$method" --out "$method.csv" > /dev/null
done
"$SOTTO" serve $(for method in $methods; do echo "$method=$method"; done) --listen "$at" > serve.out 2> serve.log &
pid=$!
trap 'kill "$pid" 2> /dev/null || true; rm -rf "$folder"' EXIT
python3 "$script" "$at" until /ready '"ready":true'
for method in $methods; do
  python3 "$script" "$at" same "/predict/$method" "$method.csv" || { cat serve.log >&2; fail "$method: other answers than those of predict"; }
done
kill -TERM "$pid"
wait "$pid" || { cat serve.log >&2; fail "it did not end well"; }
