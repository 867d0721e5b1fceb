#!/bin/sh
# --split time: trained on what was known when the test part begins. Later transfers that tell every label change no number of the run.
. "$(dirname "$0")/common.sh"
python3 - <<'PY'
import random
random.seed(4)
label = ["bad" if random.random() < 0.3 else "ok" for _ in range(600)]
day = lambda k: f"2024-{1 + k // 28:02d}-{1 + k % 28:02d}"
with open("a.nodes.csv", "w") as out:
    out.write("id,size,joined,label\n")
    for v in range(600):
        out.write(f"n{v},{random.gauss(label[v] == 'bad', 1):.3f},{day(v // 2)},{label[v]}\n")
rows = [f"n{random.randrange(600)},n{random.randrange(600)},{random.randrange(1, 99)},{day(random.randrange(190))}" for _ in range(2000)]
rows = [row for row in rows if row.split(",")[0] != row.split(",")[1]]
leak = [f"n{v},n{random.choice([u for u in range(600) if label[u] == label[v] and u != v])},500,{day(290)}" for v in range(600)]
for name, lines in (("a", rows), ("b", rows + leak)):
    with open(name + ".csv", "w") as out:
        out.write("\n".join(["source,target,amount,day", *lines]) + "\n")
PY
cp a.nodes.csv b.nodes.csv
for name in a b; do "$SOTTO" data import $name.csv $name.sotto > /dev/null; done
cp b.sotto later.sotto
mkdir one two
train() { # NAME OPTION...
  name=$1
  shift
  "$SOTTO" train --method best --epsilon 8 --delta 1e-6 --epochs 30 --encoder-epochs 20 --insecure-seed 3 --anyway "$@" --out "$name" > "$name.log" 2>&1 || { cat "$name.log" >&2; fail "$name"; }
}
train past --data a.sotto --split time
train leaked --data b.sotto --split time
for file in model.safetensors seed-*/counts-0.sotto; do
  (cd past && cmp -s $file "../leaked/$(cd ../leaked && echo $file)") || fail "later transfers change $file"
done
train drawn --data a.sotto
train drawn-leak --data b.sotto
cmp -s drawn/seed-*/counts-0.sotto drawn-leak/seed-*/counts-0.sotto && fail "the planted leak shows nowhere, so that the test is blind"

# Answers about the run's own nodes are from the counts of the past, whatever their file holds now; later transfers are a release of their own.
"$SOTTO" predict leaked --out own.csv > own.log 2>&1 || { cat own.log >&2; fail "no answers about the run's own nodes"; }
"$SOTTO" predict leaked later.sotto --out later.csv > /dev/null 2>&1 || fail "no answers about the same nodes in another file"
cmp -s own.csv later.csv || fail "answers from the past depend on the file"
before=$(charges b.sotto)
"$SOTTO" predict leaked later.sotto --epsilon 8 --out new.csv > new.log 2>&1 || { cat new.log >&2; fail "no answers from later transfers"; }
[ "$(charges b.sotto)" -gt "$before" ] || [ "$(charges later.sotto)" -gt 0 ] || fail "later transfers were read without a charge"
cmp -s own.csv new.csv && fail "later transfers change no answer"
"$SOTTO" audit leaked --attack release > audit.log 2>&1 || { cat audit.log >&2; fail "the audit objects"; }

expect 2 "which node level protects" "$SOTTO" train --method mlp --adjacency node --epsilon 4 --delta 1e-6 --data a.sotto --split time --out refused
expect 2 "divides the nodes among clients" "$SOTTO" train --method fedavg --adjacency none --clients 3 --data a.sotto --split time --out refused
"$SOTTO" data generate sbm --nodes 200 --out plain.sotto > /dev/null
expect 1 "no column of dates" "$SOTTO" train --method mlp --adjacency none --data plain.sotto --split time --out refused
