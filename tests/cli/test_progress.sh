#!/bin/sh
# Progress of every verb that runs long: on terminals of 40, 80 and 200 columns one line that is drawn over, that fits and says
# what time is left; elsewhere plain lines, few of them.
. "$(dirname "$0")/common.sh"
drawn() { python3 -B "$(dirname "$0")/progress.py" "$@" || fail "$*"; }

scale=8 shapes=300 # work that is not over too soon to have time left
[ "${SOTTO_SANITIZE:-OFF}" != ON ] || scale=1 shapes=110
"$SOTTO" data generate sbm --nodes 400 --out g.sotto > /dev/null
"$SOTTO" data part g.sotto --data-out a.sotto --label-out b.sotto
awk 'BEGIN { for (i = 0; i < 400000; i++) print int(i / 3) "," (i * 7919) % 200000 }' > some.csv
for i in $(seq 20); do cat some.csv; done > edges.csv # lists are read at 50 to 100 MB/s: 120 MB have time left to say
seq 1 $((9000 * scale)) > ids1
seq 3000 $((12000 * scale)) > ids2
mkdir shapes
awk -v shapes=$shapes 'BEGIN { node = 0
  for (g = 1; g <= shapes; g++) { size = 12 + g % 9; first = node + 1
    for (v = 1; v <= size; v++) { node++; print g > "shapes/shapes_graph_indicator.txt"
      if (v > 1) { to = g % 2 ? node - 1 : first
        print node ", " to > "shapes/shapes_A.txt"; print to ", " node > "shapes/shapes_A.txt" } }
    print g % 2 > "shapes/shapes_graph_labels.txt" } }'
cat > tiny.yaml << 'END'
seeds: 2
epsilons: [inf]
levels: [edge]
options: {hidden: 4, encoder-epochs: 40}
datasets: {made: {sbm: {nodes: 200, classes: 2, features: 4}}}
methods: {mlp: {levels: {none: }, seconds: 5}}
END
printf 'method: vesper\nepsilon: 8\nlayers: 1\nencoder-epochs: 200\nclasses: 4\n' > party.yaml

train() { out=$1; shift; drawn "$@" "$SOTTO" train --method mlp --data g.sotto --not-private --encoder-epochs 500 --out "$out"; }
train t80 80 encoder
train resized 200,40 encoder
train told 40 encoder --env
drawn 40 "reading" "$SOTTO" data import edges.csv edges.sotto
drawn 40 trainings "$SOTTO_BUILD/sotto-bench" utility tiny.yaml --out results
drawn 40 pairs "$SOTTO" compare shapes --threads 1 --out t.npz
drawn 40 "t-SNE" "$SOTTO" compare plot t.npz --out t.svg
drawn 40 "first input" "$SOTTO" audit mechanism release --layers 2 --trials $((20000 * scale))
drawn 40 "their ids" "$SOTTO" align --ids ids1 --peer-ids ids2 --out aligned
loopback="--insecure-loopback --threads 1"
"$SOTTO" run party.yaml --role data --data a.sotto $loopback --listen "$host:7443" --peer partner --out dp > dp.log 2>&1 &
drawn 40 encoder "$SOTTO" run party.yaml --role label --data b.sotto $loopback --peer "bank=$host:7443" --out lp
wait $! || { cat dp.log >&2; fail "the data party failed"; }

# Elsewhere nothing is drawn over, and a short run says a line a stage.
"$SOTTO" train --method mlp --data g.sotto --not-private --encoder-epochs 300 --out plain > /dev/null 2> plain.log
[ "$(cat plain.log)" = "encoder done (300)" ] || { cat plain.log >&2; fail "other lines than one for the stage"; }
for log in plain.log dp.log; do
  if grep -q "$(printf '[\r\033]')" "$log"; then fail "$log is drawn over"; fi
done

# stopped COMMAND...: Ctrl-C after a moment ends it with 130.
stopped() {
  "$@" > stopped.out 2> stopped.log &
  pid=$!
  await_or_end "$pid" "$* does not begin" catches "$pid"
  moment 10
  kill -INT "$pid" 2> /dev/null || { cat stopped.log >&2; fail "$*: was over at once"; }
  code=0
  wait "$pid" || code=$?
  [ "$code" -eq 130 ] || { cat stopped.log >&2; fail "$*: ended with $code after Ctrl-C"; }
}
stopped "$SOTTO" train --method mlp --data g.sotto --not-private --encoder-epochs 900000 --out stopped
grep -q "stopped on request" stopped.log || fail "a stopped training does not say so"
# timeout(1) signals the process, and then its group: one request.
python3 - "$SOTTO" << 'END' || fail "two signals at once are not one request to stop"
import re, subprocess, sys, time
def catches(run):
    return re.search("^SigCgt:.*[2367abef]$", open(f"/proc/{run.pid}/status").read(), re.M)
for pause in (0, 0.0005, 0.002):
    run = subprocess.Popen([sys.argv[1], "train", "--method", "mlp", "--data", "g.sotto", "--not-private", "--encoder-epochs",
                            "900000", "--out", f"twice-{pause}"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while not catches(run):
        time.sleep(0.005)
    for _ in range(2):
        run.send_signal(2)
        time.sleep(pause)
    said = run.communicate()[1]
    assert run.returncode == 130 and "stopped on request" in said, (pause, run.returncode, said)
END
stopped "$SOTTO" compare shapes --starts 60 --solver proximal --out stopped.npz
stopped "$SOTTO" audit mechanism release --layers 3 --trials 8000000
# A search for noise, in a run and in the training of an estimate, which is a process of its own.
many="--method mlp --adjacency node --data g.sotto --epsilon 200 --steps 1000000 --batch-rate 0.001"
# shellcheck disable=SC2086
stopped "$SOTTO" train $many --out searched
# shellcheck disable=SC2086
TMPDIR=$PWD stopped "$SOTTO" plan $many --trainings
grep -q "stopped on request" stopped.log || fail "a stopped estimate does not say so"
[ -z "$(ls -d sotto-estimate-* 2> /dev/null)" ] || fail "a stopped estimate left its folder"
stopped "$SOTTO" run party.yaml --role data --data a.sotto $loopback --listen "$host:7444" --peer nobody --out waited
stopped "$SOTTO" run check party.yaml --role label --data b.sotto $loopback --peer "nobody=$host:7445"
grep -q "stopped on request" stopped.log || fail "a stopped check does not say so"
stopped "$SOTTO" data generate powerlaw --nodes 100000 --edges 20000000 --features 1 --out big.sotto
[ ! -e big.sotto ] || fail "a generator that was stopped left a file"

# So it does in an import.
awk 'BEGIN { for (i = 0; i < 3000000; i++) print i "," i + 1 }' > long.csv
# An import is short. It gives way to this script, and one that was over before the signal came is begun again.
code=0
for _ in 1 2 3 4 5; do
  [ "$code" -eq 0 ] || break
  rm -f long.sotto
  nice -n 19 "$SOTTO" data import long.csv long.sotto > /dev/null 2> import.log &
  pid=$!
  await_or_end "$pid" "the import does not begin" catches "$pid"
  kill -INT "$pid" 2> /dev/null || true
  wait "$pid" || code=$?
done
[ "$code" -eq 130 ] || { cat import.log >&2; fail "Ctrl-C in an import ended with $code"; }
[ ! -e long.sotto ] || fail "a stopped import left a file"
