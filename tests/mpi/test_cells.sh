#!/bin/sh
# Every method over two ranks, as the matrix of `sotto methods` says: a training that is shared ends well and goes on, another one is refused
# with the way out, and an audit says what one process says.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 120 --classes 3 --features 8 --out g.sotto > /dev/null
"$SOTTO" methods --matrix --json > matrix.json
# list: each method with what the matrix says of training, resuming and audits over ranks.
python3 - > list << 'END'
import json
cells = {}
for cell in json.load(open("matrix.json"))["matrix"]:
    if cell["place"] == "ranks":
        cells.setdefault(cell["method"], {})[cell["step"]] = cell["there"]
for method, steps in cells.items():
    print(method, steps["train"], steps["resume"], steps["audit"])
END
[ "$(wc -l < list)" -ge 20 ] || fail "the list of methods is short"
# attacks FILE: which attacks an audit made, or the reason that it gives.
attacks() { sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p; /no attack fits/s/.*no attack/no attack/p' "$1"; }
flags_of() { case $1 in gwldp) echo "--publication multibit --adjacency none --epsilon inf" ;; *) echo "--anyway" ;; esac; }
while read -r method train resume audit <&3; do
  flags="--method $method --data g.sotto $(flags_of "$method") --threads 1 --insecure-seed 7"
  "$SOTTO" train $flags --out "$method" > output 2>&1 || { cat output >&2; fail "$method in one process"; }
  if [ "$train" = no ]; then
    expect 1 "start it without mpirun" ranks 2 ranks_sotto train $flags --out "$method-two"
    [ ! -e "$method-two/model.safetensors" ] || fail "$method: a refused run left a model"
  else
    expect 0 "" ranks 2 ranks_sotto train $flags --out "$method-two"
    cmp "$method/model.safetensors" "$method-two/model.safetensors" || fail "$method: two ranks trained another model"
  fi
  # An audit by two ranks makes the attacks that one process makes; where none fits, both say so.
  one=0 two=0
  "$SOTTO" audit "$method" --attack link-stealing,release,canary --trials 200 --threads 1 > one.out 2>&1 || one=$?
  ranks 2 ranks_sotto audit "$method" --attack link-stealing,release,canary --trials 200 --threads 1 > two.out 2>&1 || two=$?
  [ "$one" -eq "$two" ] || { cat one.out two.out >&2; fail "$method: an audit ends with $one in one process and with $two over ranks"; }
  attacks one.out > one.attacks
  attacks two.out | diff one.attacks - >&2 || fail "$method: an audit over ranks makes other attacks"
  # A run without its results goes on from what its seed left, or is refused as the training is.
  [ "$resume" = no ] && code=1 words="start it without mpirun" || code=0 words=
  rm -f "$method/result.json" "$method/seed-1/result.json"
  expect "$code" "$words" ranks 2 ranks_sotto train --resume --threads 1 --out "$method"
  [ "$code" -ne 0 ] || cmp "$method/model.safetensors" "$method-two/model.safetensors" || fail "$method: another model after it went on"
done 3< list
echo "each of $(wc -l < list) methods is over ranks what the matrix says"
