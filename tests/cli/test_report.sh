#!/bin/sh
# sotto report: a page of each run, of several, of a ledger; for the owner; signed and checked; refusals.
. "$(dirname "$0")/common.sh"
mode() { stat -c %a "$1"; }
# well_formed FILE...: for an XML parser and for one of HTML; nothing is fetched, nothing is run.
well_formed() {
  python3 - "$@" << 'PYTHON'
import html.parser, os, sys, xml.dom.minidom
class Parser(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "img", "iframe", "object", "embed", "base", "form"), tag
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("src", "srcset", "action"), (tag, name)
            assert name != "href" or value.startswith("#"), (tag, value)
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    assert os.path.getsize(path) <= 400000, path
    Parser(convert_charrefs=True).feed(text)
    page = xml.dom.minidom.parseString(text)
    ids = [e.getAttribute("id") for e in page.getElementsByTagName("*") if e.hasAttribute("id")]
    assert len(ids) == len(set(ids)), "an id stands twice in " + path
    for link in page.getElementsByTagName("a"):
        assert link.getAttribute("href")[1:] in ids, link.getAttribute("href") + " leads nowhere in " + path
    for drawing in page.getElementsByTagName("svg"):
        for kind in ("title", "desc"):
            assert drawing.getElementsByTagName(kind)[0].firstChild.data.strip()
    for row in page.getElementsByTagName("tr"):
        assert len(row.getElementsByTagName("th")) + len(row.getElementsByTagName("td")) == len(
            row.parentNode.parentNode.getElementsByTagName("thead")[0].getElementsByTagName("th"))
PYTHON
}

"$SOTTO" data generate sbm --nodes 120 --features 4 --classes 3 --out g.sotto > /dev/null
train() { "$SOTTO" train --data g.sotto --hidden 4 --encoder-epochs 3 --epochs 3 --threads 1 "$@" > said 2>&1 || { cat said; fail "train $*"; }; }
train --method vesper --epsilon 2 --out two
train --method vfgnn --epsilon 2 --out three
train --method best --epsilon 2 --seeds 2 --out best
train --method gap --adjacency node --max-degree 119 --steps 3 --epsilon 4 --delta 1e-5 --out node
train --method gnn --not-private --out open

# Every run leaves its page, for its owner alone to read until it is handed on.
for run in two three best node open; do
  [ "$(mode $run/report.html)" = 600 ] || fail "$run/report.html has mode $(mode $run/report.html)"
  well_formed $run/report.html || fail "$run/report.html"
done
grep -q "whether two given nodes, such as two customers, are linked" two/report.html || fail "edge level in words"
grep -q "is right at most 89 times of 100" two/report.html || fail "epsilon 2 is right at most 89 times of 100" # 88.1
grep -q "which of two versions of a given node" node/report.html || fail "node level in words"
grep -q "There is no proven bound" open/report.html || fail "a run without privacy"
grep -q "of all repeats of the training together" best/report.html || fail "two seeds"

# What may be handed on: no ledger, no key, no path of this machine, nothing of true labels and edges.
key=$(cat best/owner-only/account.key)
for word in "$folder" "$key" "onfusion matrix of" "Calibration:" "Accuracy by" "entries of the ledger were verified"; do
  grep -q -- "$word" best/report.html && fail "best/report.html has '$word'"
done
"$SOTTO" audit best --trials 1000 > said 2>&1 || { cat said; fail "audit"; }
expect 0 "written to  best/owner-only/report.html" "$SOTTO" report best --owner
well_formed best/owner-only/report.html || fail "the owner's page"
for word in "For the owner alone" "onfusion matrix of" "Calibration:" "Accuracy by true class" "Accuracy by number of neighbours" \
  "canary" "entries of the ledger were verified" "epsilon spent over time"; do
  grep -q -- "$word" best/owner-only/report.html || fail "the owner's page lacks '$word'"
done
grep -q "$key" best/owner-only/report.html && fail "the owner's page has the key of the account"
expect 0 "written to" "$SOTTO" report node --owner
grep -q "Calibration:" node/owner-only/report.html || fail "the node-level owner's page has no answers"
"$SOTTO" train --method vesper --data g.sotto --adjacency node --max-degree 119 --epsilon 4 --delta 1e-5 --threads 1 --out silent > said 2>&1 || { cat said; fail "vesper"; }
expect 0 "written to" "$SOTTO" report silent --owner # its models at node level do not answer, and the page says so
grep -q "gave no answers for this page" silent/owner-only/report.html || fail "the page of a model that does not answer"
mv g.sotto moved.sotto
expect 0 "written to" "$SOTTO" report best --owner --data moved.sotto
grep -q "Calibration:" best/owner-only/report.html || fail "data that was moved"
mv moved.sotto g.sotto

# Several runs, and a ledger.
expect 0 "written to  report.html" "$SOTTO" report two best open
well_formed report.html || fail "several runs"
grep -q "The runs side by side" report.html || fail "several runs side by side"
"$SOTTO" ledger budget g.sotto --epsilon 1000 --reason "<b>agreed</b>" > /dev/null
expect 0 '{"report":"book.html","signed":false}' "$SOTTO" report --ledger "$SOTTO_LEDGER" --out book.html --json
well_formed book.html || fail "the page of a ledger"
for word in "entries hold" "&lt;b&gt;agreed&lt;/b&gt;" "What is spent and what is left" "noisy sums"; do
  grep -q -- "$word" book.html || fail "the ledger's page lacks '$word'"
done
# Two accounts of one name differ by their keys; one bar that dwarfs the others makes the axis logarithmic.
mkdir twin
"$SOTTO" data generate sbm --nodes 100 --features 4 --classes 3 --seed 5 --out twin/g.sotto > /dev/null
"$SOTTO" train --data twin/g.sotto --method vesper --epsilon 1108 --hidden 4 --encoder-epochs 3 --epochs 3 --threads 1 --out twin/run > said 2>&1 ||
  { cat said; fail "the twin"; }
expect 0 "book.html" "$SOTTO" report --ledger "$SOTTO_LEDGER" --out book.html
"$SOTTO" ledger account list --json | python3 -c '
import json, sys
page = open("book.html", encoding="utf-8").read()
keys = [a["key"] for a in json.load(sys.stdin) if a["name"] == "sbm"]
assert len(keys) == 2, keys
for key in keys:
    assert "sbm " + key[:8] + ", edge level" in page, key
    assert key not in page
assert "Logarithmic scale" in page' || fail "two accounts called sbm"
grep -q "Logarithmic scale" owner.html best/report.html two/report.html 2> /dev/null && fail "a logarithmic axis where nothing is dwarfed"
grep -q "$("$SOTTO" ledger verify --json | sed 's/.*"head":"\([0-9a-f]*\)".*/\1/')" book.html || fail "the last digest"

# A name that is no name.
sed 's/"name": "sbm"/"name": "<script>alert(1)<\/script>\\"\x27\&\\u202e"/' two/statement.json > said && cp said two/statement.json
expect 1 "dataset.name is" "$SOTTO" report two
rm two/evidence.json two/result.json # with which the name does not fit
expect 0 "written to" "$SOTTO" report two
grep -q "NOT SIGNED. Whoever has the run folder" two/report.html || fail "a page without evidence is not called unsigned"
well_formed two/report.html || fail "a hostile name"
grep -q "<script" two/report.html && fail "a script in the page"
grep -q "&lt;script&gt;alert(1)" two/report.html || fail "the hostile name is not shown"

# Signed, checked, changed.
"$SOTTO" identity init --name bank --dir bank > /dev/null
"$SOTTO" identity init --name other --dir other > /dev/null
expect 0 "signed      best/report.html.sig" "$SOTTO" report best --sign bank
expect 0 "signed by    'bank'" "$SOTTO" report verify best/report.html --key bank/own.crt
expect 0 '"by":"bank"' "$SOTTO" report verify best/report.html --key bank/own.crt --json
expect 0 '"signed":true' "$SOTTO" report best --out best.html --sign bank/key.pem --json
expect 1 "not by the key of 'other'" "$SOTTO" report verify best/report.html --key other/own.crt
if command -v openssl > /dev/null; then # any program with Ed25519 can check it
  printf 'sotto report 1 %s' "$(sha256sum < best/report.html | cut -d' ' -f1)" > signed
  python3 -c 'import json; open("raw", "wb").write(bytes.fromhex(json.load(open("best/report.html.sig"))["signature"]))'
  openssl x509 -in bank/own.crt -pubkey -noout > public.pem
  openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in signed -sigfile raw > said || fail "openssl refuses the signature"
fi
sed -i 's/99/98/' best/report.html && echo >> best/report.html
expect 1 "the file or its signature was changed" "$SOTTO" report verify best/report.html --key bank/own.crt
echo '{"form":1,"signature":"zz"}' > best/report.html.sig
expect 1 "is no signature of a page" "$SOTTO" report verify best/report.html --key bank/own.crt
expect 1 "there is no signature of two/report.html" "$SOTTO" report verify two/report.html --key bank/own.crt # nobody signed it

# Where a class is rare, AUC is on the first screen: accuracy is high whatever was learnt.
"$SOTTO" data generate transactions --nodes 2000 --share 0.05 --seed 3 --out rare.sotto > /dev/null
"$SOTTO" train --method mlp --data rare.sotto --encoder-epochs 4 --out rare > said 2>&1 || { cat said; fail "a rare class"; }
grep -q "AUC on the test part" rare/report.html || fail "AUC of a rare class is not on the first screen"
! grep -q "Accuracy on the test part" rare/report.html || fail "accuracy of a rare class is on the first screen"
grep -q "Accuracy on the test part" two/report.html || fail "accuracy is not on the first screen"

# Refusals.
expect 1 "has no statement.json" "$SOTTO" report bank
expect 2 "name a run folder" "$SOTTO" report
expect 2 "name one run" "$SOTTO" report two best --owner
expect 2 "goes with --owner" "$SOTTO" report two --data g.sotto
expect 2 "not with --ledger" "$SOTTO" report --ledger --owner
expect 2 "goes with verify" "$SOTTO" report two --key bank/own.crt
expect 2 "FILE --key CERT" "$SOTTO" report verify two/report.html
expect 1 "there is no ledger" "$SOTTO" report --ledger no.db

# A page that cannot be written does not undo the run.
mkdir -p late/report.html
train --method gnn --not-private --out late
grep -q "report.html was not written" said || fail "the page that could not be written is not said aloud"
grep -q "run       late" said || fail "the run is not done"
[ -z "$(find . -name '*.partial.*')" ] || fail "a partial file was left"

# A ledger that was changed has no page.
LC_ALL=C sed -i 's/<b>agreed/<b>argued/' "$SOTTO_LEDGER"
expect 1 "changed" "$SOTTO" report --ledger --out bad.html
[ ! -e bad.html ] || fail "a damaged ledger left a page"
