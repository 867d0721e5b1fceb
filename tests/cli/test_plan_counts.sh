#!/bin/sh
# sotto plan of methods that count neighbours, and of securegnn: memory within 20 % of a run, or above it where that is said
# below, and bytes between parties within 2 % of those that the run exchanged.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate powerlaw --nodes 50000 --edges 500000 --features 48 --classes 5 --out g.sotto > /dev/null
"$SOTTO" data generate powerlaw --nodes 4000 --edges 20000 --features 48 --classes 5 --out small.sotto > /dev/null
"$SOTTO" plan --measure --threads 1 > machine.json || fail "nothing was measured"

counts="--data g.sotto --epsilon 4 --delta 1e-6 --encoder-epochs 4"
compare() { # METHOD FLAGS
  method=$1
  shift
  set -- --method "$method" --threads 1 --patience 0 "$@"
  "$SOTTO" plan "$@" --machine machine.json --json > planned.json || fail "no plan of $method"
  "$SOTTO" train "$@" --insecure-seed 1 --anyway --json > ran.json || fail "$method did not train"
  python3 - "$method" "$@" << 'PYTHON' || fail "$method: $(cat planned.json)"
import json, sys
plan, run = json.load(open("planned.json"))["plan"]["points"][0], json.load(open("ran.json"))
wire = sum(side[kind] for side in (run["wire"] or {}).values() if isinstance(side, dict) for kind in side)
memory = run["peak_rss_mb"] * 1e6
print(f"{sys.argv[1]}: {memory / 1e6:.0f} MB, planned {plan['memory_bytes'] / 1e6:.0f}; {wire} bytes sent, planned {plan['wire_bytes']:.0f}")
# Estimates by which a run refuses to begin are meant to be high. Without shares vfgnn's has tables that its holders do not
# need. securegnn's has the peaks of all parties at one time, and 250 MB for the program, which a small run does not need.
planned = plan["memory_bytes"] - (250e6 if sys.argv[1] == "securegnn" else 0)
high = 3 if sys.argv[1] == "securegnn" else 1.5 if "individually" in sys.argv else 1.2
assert 0.8 < planned / memory < high
assert (plan["wire_bytes"] == 0) == (sys.argv[1] == "best")
assert wire == 0 or abs(plan["wire_bytes"] / wire - 1) < 0.02
PYTHON
}
compare best $counts --epochs 4
compare vesper $counts --epochs 4
compare vfgnn $counts
compare vfgnn $counts --initial individually
compare vfgnn $counts --holders 3 --label-holder 4 --layers 2
secure="--data small.sotto --epochs 2 --hidden 16"
compare securegnn $secure --edges-per-node 5
compare securegnn $secure --edges-per-node 3 --layers 3
compare securegnn $secure --edges-per-node 3 --layers 1 --holders 3
