#!/bin/sh
# What edges are expected to add is said before a charge, follows from no edge, and is asked where it is nothing.
. "$(dirname "$0")/common.sh"

# Trainings without sanitizers where there is such a build: questions and what refuses them have them.
plain=$SOTTO
[ -x "$SOTTO_PLAIN" ] && plain=$SOTTO_PLAIN
"$SOTTO" data generate transactions --nodes 10000 --share 0.033 --out fraud.sotto > /dev/null 2>&1
"$SOTTO" data generate mines --nodes 4000 --out mines.sotto > /dev/null 2>&1
private="--epsilon 4 --delta 1e-6"

# Nothing is gained: the holder of the graph is asked, and the ledger stays as it is.
"$SOTTO" ledger show --json > before
expect 3 "edges are expected to add 0\.[0-9] points of AUC to" "$SOTTO" train --method vesper --data fraud.sotto $private --out asked
grep -q "nothing was charged" output || fail "the question does not say that nothing was charged"
"$SOTTO" ledger show --json > after
[ "$(charges fraud.sotto)" -eq 0 ] || fail "the ledger was charged before the question"
python3 - before after << 'END' || fail "the question changed the ledger"
import json, sys
def charges(path):
    found = []
    def walk(x):
        if isinstance(x, dict):
            found.extend(v for k, v in x.items() if k == "charges")
            for v in x.values(): walk(v)
        if isinstance(x, list):
            for v in x: walk(v)
    walk(json.load(open(path)))
    return [x for x in found if x]
assert charges(sys.argv[1]) == charges(sys.argv[2])
END
[ -z "$(find asked -name 'counts-*' -o -name 'pilots-*')" ] || fail "something was released before the question"

# The answer is an option of the run, which run.yaml keeps.
expect 0 "edges are expected to add 0\.[0-9] points" "$plain" train --method vesper --data fraud.sotto $private --anyway --out answered
grep -q "^anyway: gain$" answered/run.yaml || fail "run.yaml does not have the answer"
[ "$(charges fraud.sotto)" -gt 0 ] || fail "the run that was answered charged nothing"

# The folder that the question left goes on with the answer alone. With another option, or after a charge, it holds a run already.
expect 1 "asked holds a run already" "$SOTTO" train --method vesper --data fraud.sotto $private --out asked
expect 1 "asked holds a run already" "$SOTTO" train --method vesper --data fraud.sotto --epsilon 5 --delta 1e-6 --anyway --out asked
cp -r asked drawn
touch drawn/seed-1/counts-1.sotto.made
expect 1 "drawn holds a run already" "$SOTTO" train --method vesper --data fraud.sotto $private --anyway --out drawn
grep -q "^anyway: gain" asked/run.yaml && fail "an answer was kept that nobody gave"
had=$(charges fraud.sotto)
expect 0 "edges are expected to add" "$plain" train --method vesper --data fraud.sotto $private --anyway --out asked
grep -q "edges add  .* points of AUC, reached" output || fail "the table's word of the measure: $(cat output)"
grep -q "expected to add .* points of AUC" asked/report.html || fail "the page's word of the measure"
grep -q "^anyway: gain$" asked/run.yaml || fail "the answer is not in run.yaml: $(cat asked/run.yaml)"
[ "$(charges fraud.sotto)" -gt "$had" ] || fail "the run that went on charged nothing"

# Two processes. The holder of the graph is asked, without a terminal; the other party ends at once, and says why.
for name in bank partner; do "$SOTTO" identity init --name $name --dir $name > /dev/null; done
"$SOTTO" identity trust partner/own.crt --dir bank > /dev/null
"$SOTTO" identity trust bank/own.crt --dir partner > /dev/null
printf 'method: vesper\nepsilon: 4\ndelta: 1e-6\nselect-by: auc\ngrace: 60\n' > run.yaml
program=$SOTTO
data() { "$program" run run.yaml --role data --data fraud.sotto --dir bank --peer partner --listen "$host:7031" --out "$@" < /dev/null; }
label() { "$program" run run.yaml --role label --data fraud.sotto --dir partner --peer "bank=$host:7031" --out "$@" < /dev/null; }
had=$(charges fraud.sotto)
label lp > l.log 2>&1 & label_pid=$!
data dp > d.log 2>&1 && fail "the holder of the graph was not asked"
began=$(date +%s)
wait $label_pid && fail "the label party ended well"
[ $(($(date +%s) - began)) -lt 20 ] || fail "the label party waited for a party that had refused"
grep -q "nothing was charged" d.log || { cat d.log >&2; fail "the data party does not say that nothing was charged"; }
grep -q "bank gave the run up: it is not known that edges add anything, and their holder was asked" l.log ||
  { cat l.log >&2; fail "the label party does not hear why"; }
[ "$(charges fraud.sotto)" -eq "$had" ] || fail "a run that was refused was charged"
program=$plain
label lp > l.log 2>&1 & label_pid=$!
data dp --anyway > d.log 2>&1 || { cat d.log >&2; fail "the data party does not go on"; }
wait $label_pid || { cat l.log >&2; fail "the label party does not go on"; }
[ "$(charges fraud.sotto)" -gt "$had" ] || fail "the two parties charged nothing"

# With labels at hand, and where neighbours' features may tell the class, there is something to gain.
expect 0 "edges are expected to add" "$plain" train --method best --data fraud.sotto $private --out best
expect 0 "and up to [0-9.]* where features of neighbours" "$plain" train --method vesper --data mines.sotto $private --out mines
python3 - best mines << 'END' || fail "result.json: $(cat best/result.json)"
import json, sys
for run in sys.argv[1:]:
    result = json.load(open(run + "/result.json"))
    e = result["expected"]
    assert e["measure"] == "auc" and 0.4 < e["alone"] < 0.9 and max(e["by_class"], e["by_others"]) >= 0.01, e
    gain = result["test"]["auc"]["mean"] - result["baseline"]["auc"]["mean"]
    assert abs(e["reached"] - gain) < 1e-6, (e, gain)
END
grep -q "edges add" output || fail "the terminal does not compare expected and reached"

# Two worlds: other edges over the same nodes, and none of the first ones. What is said stays as it is.
python3 - << 'END'
import random
random.seed(3)
nodes = 2000
with open("nodes.csv", "w") as f:
    f.write("id,a,b,c,label\n")
    for v in range(nodes):
        y = random.random() < 0.3
        f.write("%d,%f,%f,%f,%d\n" % (v, random.gauss(0.3 * y, 1), random.gauss(0, 1), random.gauss(0, 1), y))
for name, times in (("one.csv", 4000), ("two.csv", 9000)):
    edges = {tuple(sorted(random.sample(range(nodes), 2))) for _ in range(times)}
    with open(name, "w") as f:
        f.write("source,target\n" + "".join("%d,%d\n" % e for e in sorted(edges)))
END
for world in one two; do
  for method in best vesper; do
    "$plain" train --method $method --data $world.csv --nodes nodes.csv --label label $private --anyway --out $method-$world > said 2>&1 ||
      { cat said >&2; fail "$method in world $world"; }
    grep "edges are expected to add" said > $method-$world.line || { cat said >&2; fail "nothing was said"; }
  done
done
cmp best-one.line best-two.line && cmp vesper-one.line vesper-two.line || fail "what is said follows from edges"

# Rare mules: whether transfers tell them is not known before a charge. The question says so, and it is the same at both dials.
for dial in 0 1; do
  "$SOTTO" data generate payments --nodes 10000 --share 0.033 --seed 2 --dial $dial --out rare-$dial.sotto > /dev/null 2>&1
  cp rare-$dial.sotto rare.sotto
  expect 3 "not known before a charge: as in made payments at dial 1 they would add [12][0-9]\.[0-9] points" \
    "$plain" train --method vesper --data rare.sotto $private --feature-scale standard --out rare-$dial
  [ "$(charges rare.sotto)" -eq 0 ] || fail "the ledger was charged before the question about transfers"
  grep "nothing was charged" output > rare-$dial.line
done
cmp rare-0.line rare-1.line || fail "the question follows from transfers"
grep -q "edges are expected to add" rare-0.line && fail "edges are said to add nothing where transfers may"
expect 0 "and up to [12][0-9]\.[0-9] where transfers tell it as in made payments at dial 1" \
  "$plain" train --method vesper --data rare.sotto $private --feature-scale standard --insecure-seed 1 --anyway --out rare
python3 - << 'END' || fail "result.json: $(cat rare/result.json)"
import json
e = json.load(open("rare/result.json"))["expected"]
assert e["by_class"] < 0.01 and e["by_others"] < 0.01 and 0.1 < e["by_transfers"] < 0.3, e
assert e["reached"] > 0.08, e
END

# Without noise nothing is said, and what an option means is checked.
"$plain" train --method best --data mines.sotto --adjacency none --epochs 5 --out open > said 2>&1 || fail "no privacy"
grep -q "are expected" said && fail "something is expected of edges that cost nothing"
expect 2 "anyway" "$SOTTO" train --method best --data mines.sotto $private --anyway=yes --out no
exit 0
