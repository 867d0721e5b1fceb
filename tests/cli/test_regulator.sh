#!/bin/sh
# The folder for offices: records that fit the registry's schema, answers with their source, digests that hold, and no number
# that is the owner's unless the owner asks for it.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 400 --classes 2 --features 8 --out g.sotto > /dev/null
"$SOTTO" train --data g.sotto --method best --epsilon 4 --anyway --out best > /dev/null 2>&1
"$SOTTO" train --data g.sotto --method vesper --epsilon 4 --anyway --out vesper > /dev/null 2>&1
"$SOTTO" train --data g.sotto --method mlp --adjacency node --epsilon 4 --out node > /dev/null 2>&1
"$SOTTO" train --data g.sotto --method fedavg --clients 3 --adjacency client --epsilon 8 --out client > /dev/null 2>&1
"$SOTTO" train --data g.sotto --method vfgnn --holders 2 --epsilon 4 --anyway --epochs 3 --encoder-epochs 3 --out holders > /dev/null 2>&1
shapes 60 6 4
"$SOTTO" train --data shapes --method gwldp --epsilon 4 --classes 2 --out graphs > /dev/null 2>&1
"$SOTTO" train --data g.sotto --method gnn --not-private --out gnn > /dev/null 2>&1
"$SOTTO" audit best --attack canary > /dev/null 2>&1
mkdir g.csv.d
awk 'BEGIN { print "source,target"; for (i = 0; i < 300; i++) print i "," (i * 7 + 1) % 300 }' > 'g.csv.d/<b>_x_*.csv'
awk 'BEGIN { print "id,a,label"; for (i = 0; i < 300; i++) print i "," i % 5 "," i % 2 }' > 'g.csv.d/<b>_x_*.nodes.csv'
"$SOTTO" identity init --name bank --dir bank > /dev/null

for run in best vesper node client holders graphs; do
  expect 0 "questions; the others a person must answer" "$SOTTO" report $run --for regulator --sign bank
  grep -q "record  .*2[45] of 2[89] fields; the others a person must fill" output || fail "$run: $(cat output)"
  (cd $run/regulator && sha256sum --quiet -c SHA256SUMS) || fail "$run: the digests do not hold"
  expect 0 "the signature holds" "$SOTTO" report verify $run/regulator/SHA256SUMS --key bank/own.crt
done
# A rare class comes before accuracy, which is high there for almost any model.
"$SOTTO" data generate transactions --nodes 600 --share 0.05 --seed 2 --out fraud.sotto > /dev/null
"$SOTTO" train --data fraud.sotto --method best --epsilon 4 --hidden 8 --encoder-epochs 5 --epochs 5 --anyway --out rare > /dev/null 2>&1
expect 0 "the others a person must answer" "$SOTTO" report rare --for regulator
grep -q "on the test part: class 1 has .* of the labels: average precision .*, recall .* alerts; the threshold finds .* accuracy" rare/regulator/model-card.md ||
  fail "a rare class does not come first: $(cat rare/regulator/model-card.md)"
"$SOTTO" data generate payments --nodes 600 --seed 2 --out paid.sotto > /dev/null
"$SOTTO" train --data paid.sotto --method best --epsilon 4 --hidden 8 --encoder-epochs 5 --epochs 5 --anyway --out paid > /dev/null 2>&1
expect 0 "the others a person must answer" "$SOTTO" report paid --for regulator
for file in paid/statement.json paid/regulator/answers.json; do
  grep -q "one undirected edge is there or not: all transfers between two nodes" $file || fail "$file: the level of transfers"
done
grep -q "one undirected edge is there or not\"" best/statement.json || fail "edges without transfers have other words"
# Names are words, not marks of the page that shows them.
(cd g.csv.d && "$SOTTO" data import '<b>_x_*.csv' ../named.sotto > /dev/null) || fail "the named data"
"$SOTTO" train --data named.sotto --method mlp --adjacency node --epsilon 4 --anyway --out named > log 2>&1 || fail "$(cat log)"
expect 0 "the others a person must answer" "$SOTTO" report named --for regulator
grep -q '^# Model card: \\<b\\>\\_x\\_\\\* by mlp' named/regulator/model-card.md || fail "a name is Markdown: $(grep Model named/regulator/model-card.md)"
grep -qF '"name": "Model of \\<b\\>\\_x\\_\\* by mlp"' named/regulator/registry-record.json || fail "a name is Markdown: $(grep '"name"' named/regulator/registry-record.json)"
if grep -q "<b>" named/regulator/answers.html; then fail "a name is HTML"; fi
expect 1 "best/regulator: is not empty" "$SOTTO" report best --for regulator
expect 1 "gnn: the run, or a later release in its folder, has no guarantee of differential privacy" "$SOTTO" report gnn --for regulator
[ ! -e gnn/regulator ] || fail "a refused folder is there"
expect 2 "is not regulator" "$SOTTO" report best --for anybody
expect 2 "name one run" "$SOTTO" report best vesper --for regulator
expect 2 "takes --owner" "$SOTTO" report best --for regulator --data g.sotto
expect 0 '"signed":false' "$SOTTO" report best --for regulator --owner --json
expect 0 "out" "$SOTTO" report best --for regulator --out out
if grep -q "epsilon at least" best/regulator/answers.json; then fail "numbers of audits without --owner"; fi
grep -q "epsilon at least" best/owner-only/regulator/answers.json || fail "no numbers of audits with --owner"
# Releases for predictions count: the filed epsilon is of the run and of them.
"$SOTTO" data generate sbm --nodes 300 --classes 2 --features 8 --seed 5 --out other.sotto > /dev/null
cp -r best later
"$SOTTO" predict later other.sotto --epsilon 1 > /dev/null 2>&1 || fail "predict"
"$SOTTO" predict later other.sotto --epsilon 2 > /dev/null 2>&1 || fail "predict again"
expect 0 "the others a person must answer" "$SOTTO" report later --for regulator --out later-filed
python3 - << 'PYTHON' || fail "later releases"
import json
record = json.load(open("later-filed/registry-record.json"))["deployment"]
assert record["privacy_loss"]["privacy_parameters"] == {"epsilon": 7.0}, record["privacy_loss"]
assert record["deployment_model"]["release_type"] == "Many releases"
answers = {a["key"]: a["answer"] for p in json.load(open("later-filed/answers.json"))["parts"] for a in p["answers"]}
assert answers["epsilon"].startswith("epsilon 7 at delta 0 (pure)") and "and 2 later releases" in answers["epsilon"], answers["epsilon"]
assert "with 2 later releases for predictions together: epsilon 7 at" in answers["verdict"], answers["verdict"]
assert "together: epsilon 7 at" in open("later-filed/model-card.md").read()
PYTHON
# Of two parties, the one of labels has seen no charge, and the one of the graph no measure: neither number is made up.
printf 'method: vesper\nhidden: 8\nencoder-epochs: 4\nepochs: 4\nepsilon: 4\ngrace: 20\n' > two.yaml
"$SOTTO" identity init --name partner --dir partner > /dev/null
"$SOTTO" identity trust partner/own.crt --dir bank > /dev/null
"$SOTTO" identity trust bank/own.crt --dir partner > /dev/null
"$SOTTO" run two.yaml --role data --data g.sotto --dir bank --peer partner --listen "$host:7001" --anyway --out two-data > d.out 2>&1 &
"$SOTTO" run two.yaml --role label --data g.sotto --dir partner --peer "bank=$host:7001" --anyway --out two-label > l.out 2>&1 || fail "$(cat l.out)"
wait $! || fail "$(cat d.out)"
for run in two-data two-label; do
  expect 0 "the others a person must answer" "$SOTTO" report $run --for regulator
done
python3 - << 'PYTHON' || fail "what two parties file"
import json
def answers(run):
    parts = json.load(open(run + "/regulator/answers.json"))["parts"]
    return {a["key"]: a for part in parts for a in part["answers"]}
data, label, alone = answers("two-data"), answers("two-label"), answers("vesper")
for each in (data, label):
    assert not any("nan" in (a["answer"] or "").replace(",", " ").split() for a in each.values())
assert "over 1 charge and 1 training; charged to a ledger" in data["composition"]["answer"]
assert "over 1 training; charged to the ledger of the party that releases" in label["composition"]["answer"]
assert "are in its records alone" in label["epsilon"]["answer"] and "records alone" not in data["epsilon"]["answer"]
assert "1 of 1 releases charged" in data["algorithms"]["answer"] and "1 release planned" in label["algorithms"]["answer"]
assert data["utility"]["from"] == "person" and "accuracy" in label["utility"]["answer"], data["utility"]
assert " steps" in answers("node")["algorithms"]["answer"] and " steps" not in alone["algorithms"]["answer"]
PYTHON
# A name of many characters of two bytes: every document has it, cut between characters, and so has the account of labels.
long=$(python3 -c "print('x' + '\u00e9' * 62)")
printf 'from,to\n' > "$long.csv"
printf 'id,age,label\n' > "$long.nodes.csv"
i=0
while [ $i -lt 60 ]; do
  echo "$i,$(((i * 7 + 3) % 60))" >> "$long.csv"
  echo "$i,$((i % 9)).5,$((i % 2))" >> "$long.nodes.csv"
  i=$((i + 1))
done
expect 0 "labels of" "$SOTTO" train --data "$long.csv" --method vesper --classes 2 --epsilon 3 --label-epsilon 2 --encoder-epochs 2 --epochs 2 --anyway --out long
expect 0 "the others a person must answer" "$SOTTO" report long --for regulator
"$SOTTO" ledger show --json > shown.json
python3 - "$long" << 'PYTHON' || fail "a long name"
import json, sys
record = json.load(open("long/regulator/registry-record.json"))
assert record["deployment"]["basic"]["name"].startswith("Model of " + sys.argv[1][:30]), record["deployment"]["basic"]
assert "--" not in record["url_slug"], record["url_slug"]
assert sys.argv[1][:30] in json.load(open("long/regulator/spdx.json"))["name"]
assert any(e["data"].startswith("labels of " + sys.argv[1][:30]) for e in json.load(open("shown.json")))
PYTHON
# Each attack of the program is filed under a question, each question names attacks that there are, and what tests no claim is
# not filed as a claim that holds.
attacks=$("$SOTTO" audit best --attack nosuch 2>&1 | sed 's/.*there are //; s/,//g')
python3 - $attacks << 'PYTHON' || fail "attacks"
import json, sys
finding = lambda name: {"attack": name, "variant": "v", "auc": 0.6, "tpr_at_1_percent": 0.03, "decides": name == "canary", "holds": True}
json.dump({"findings": [finding(name) for name in sys.argv[1:]]}, open("best/owner-only/audit.json", "w"))
json.dump({"findings": []}, open("vesper/owner-only/audit.json", "w"))
PYTHON
"$SOTTO" report best --for regulator --owner --out filed > /dev/null
"$SOTTO" report vesper --for regulator --owner --out unfiled > /dev/null
"$SOTTO" report node --for regulator --owner --out measured > /dev/null
python3 - $attacks << 'PYTHON' || fail "what is filed of attacks"
import json, re, sys
def answers(folder):
    return [a for part in json.load(open(folder + "/answers.json"))["parts"] for a in part["answers"] if a["answer"] is not None]
filed = [a["answer"] for a in answers("filed") if a["from"] == "audit"]
assert len(sys.argv) > 5, sys.argv
for name in sys.argv[1:]:
    each = [line for text in filed for line in re.findall(name + ", v: [^;]*; [^;]*", text)]
    assert each, name
    assert all(line.endswith("no objection" if name == "canary" else "not a test of the stated epsilon") for line in each), each
for text in (a["answer"] for a in answers("unfiled") if a["from"] == "audit"):
    assert set(re.search(r"\((.*)\)", text).group(1).split()) <= set(sys.argv[1:]), text
# What is shown beyond releases is named, as the statement has it.
exposed = json.load(open("vesper/statement.json"))["exposed"]
shown, = (a["answer"] for a in answers("vesper/regulator") if a["key"] == "exposure")
assert exposed and all("`%s` sends `%s`: %s" % (e["party"], e["payload"], e["why"]) in shown for e in exposed), shown
# Private measures are the owner's, and are there where the owner asks.
assert {a["from"] for a in answers("node/regulator") if a["key"] in ("utility", "2-validation")} == {"owner"}
assert all("accuracy 0." in a["answer"] for a in answers("measured") if a["key"] == "utility")
assert "identifier" not in json.load(open("node/regulator/croissant.json"))  # its digest is private
PYTHON
echo "edited" >> vesper/regulator/model-card.md
if (cd vesper/regulator && sha256sum --quiet -c SHA256SUMS > /dev/null 2>&1); then fail "an edited file passes"; fi
sed -i 's/"verdict": "/"verdict": "no /' node/statement.json
if "$SOTTO" report node --for regulator --out edited > /dev/null 2>&1; then fail "an edited statement passes"; fi
[ ! -e edited ] || fail "a folder of an edited statement is there"

python3 - << 'PYTHON' || fail "the documents"
import json, os
import xml.etree.ElementTree as xml

try:
    import yaml
except ImportError:
    yaml = None
# What the registry's schema asks for and allows (opendp/deployments-registry-data, schemas/deployments-schema.yaml).
sections = {
    "basic": {"name", "data_curators", "intended_use", "data_product_type", "data_product_region", "description", "publication_date",
              "data_product_sector"},
    "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "privacy_loss": {"privacy_unit", "privacy_unit_details", "privacy_parameters", "privacy_parameters_details"},
    "deployment_model": {"model_name", "model_name_details", "actors", "release_type", "release_type_details", "data_source_type",
                         "data_source_type_details", "access_type", "access_type_details"},
    "accounting": {"post_processing", "composition"},
    "implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"},
    "administrative": {"sources", "notes", "registry_authors"}}
words = {("dp_variant", "variant_name"): {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
         ("deployment_model", "model_name"): {"Local", "Central", "Shuffle", "Federated", "Varies"},
         ("deployment_model", "release_type"): {"One release", "Many releases"},
         ("deployment_model", "data_source_type"): {"Static", "Dynamic"},
         ("deployment_model", "access_type"): {"Interactive", "Non-interactive"},
         ("basic", "data_product_type"): {"Machine learning model"}}
for run, epsilon in (("best", 4), ("vesper", 4), ("node", 4), ("client", 8), ("holders", 4), ("graphs", 4)):
    folder = run + "/regulator/"
    record = json.load(open(folder + "registry-record.json"))
    assert set(record) == {"url_slug", "status", "tier", "deployment"} and record["status"] == "Draft" and record["tier"] in (1, 2, 3)
    deployment = record["deployment"]
    assert set(deployment) <= set(sections) and {"basic", "administrative"} <= set(deployment)
    for section, members in deployment.items():
        assert set(members) <= sections[section], (section, members)
    assert sections["basic"] - set(deployment["basic"]) == {"data_product_sector"}
    assert len(deployment["basic"]["publication_date"]) == 10 and deployment["administrative"]["registry_authors"]
    for (section, key), allowed in words.items():
        assert deployment[section][key] in allowed, (section, key)
    statement = json.load(open(run + "/statement.json")) if run != "node" else None
    parameters = deployment["privacy_loss"]["privacy_parameters"]
    assert set(parameters) <= {"epsilon", "delta"} and abs(parameters["epsilon"] - epsilon) < 0.1, parameters
    if statement is not None:
        assert parameters["epsilon"] == statement["total_epsilon"] and parameters.get("delta", 0) == statement["delta"]
    answers = json.load(open(folder + "answers.json"))
    assert [p["key"] for p in answers["parts"]] == ["nist-sp-800-226", "edpb-28-2024", "ai-act-annex-iv", "dpia"]
    for name in os.listdir(folder):  # nothing is said of a number that is private or not there
        if name.endswith((".json", ".md")):
            said = open(folder + name).read().split()
            assert not {"nan", "inf", "-nan", "(null)"} & {word.strip('",;:') for word in said}, (run, name)
    each = [a for p in answers["parts"] for a in p["answers"]]
    assert answers["asked"] == len(each) and answers["answered"] == sum(a["from"] not in ("person", "owner") for a in each)
    assert all((a["answer"] is None) == (a["from"] == "person") for a in each) and answers["answered"] >= 30, answers["answered"]
    page = open(folder + "answers.html").read()
    xml.fromstring(page[page.index("<html"):])
    spdx = json.load(open(folder + "spdx.json"))
    assert spdx["spdxVersion"] == "SPDX-2.3" and {p["SPDXID"] for p in spdx["packages"]} == {"SPDXRef-model", "SPDXRef-data", "SPDXRef-sotto"}
    assert json.load(open(folder + "croissant.json"))["conformsTo"].startswith("http://mlcommons.org/croissant/")
    assert "## Privacy\n" in open(folder + "model-card.md").read()
    if os.path.exists(folder + "answers.pdf"):
        assert open(folder + "answers.pdf", "rb").read(5) == b"%PDF-"
    if yaml is not None:
        for name in ("registry-record", "answers", "croissant", "spdx"):
            assert yaml.safe_load(open(folder + name + ".yaml")) == json.load(open(folder + name + ".json")), name
owner = json.load(open("best/owner-only/regulator/answers.json"))
print("answered by the program:", answers["answered"], "of", answers["asked"], "; with audits", owner["answered"])
PYTHON
