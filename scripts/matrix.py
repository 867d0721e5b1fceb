#!/usr/bin/env python3
"""docs/matrix.md: what can be done with a run of each method, and where, from `sotto methods --matrix --json`.

  scripts/matrix.py            writes the tables
  scripts/matrix.py --check    compares them, and fails where a cell has no test, or a named test is not there
  scripts/matrix.py --count    counts cells by state

The program is $SOTTO, else build/sotto.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/matrix.md"
BEGIN, END = "<!-- matrix: from scripts/matrix.py -->\n", "<!-- end of matrix -->\n"
PLACES = {"one-process": "One process", "parties": "Several processes, one for each party", "ranks": "Ranks of MPI"}
STATES = ["yes", "partly", "no", "not-meant"]
# Which test shows which cells: a place, its steps, the test, and the methods that it goes over. EVERY: all of the registry, so
# that a method that is added is among them.
EVERY = None
HERE, APART, RANKS = "one-process", "parties", "ranks"
TESTS = [
    (HERE, "train predict-own predict-new serve audit", "methods.conformance_matrix", EVERY),
    (HERE, "resume", "methods.conformance_resume", EVERY),
    (HERE, "report", "cli.report_methods", EVERY),
    (HERE, "serve", "cli.serve", "best gap"),
    (HERE, "serve", "cli.serve_rows", "best lpgnet"),
    (HERE, "serve", "cli.graph_answers", "fedavg"),
    (HERE, "predict-own predict-new serve", "cli.node_answers", "mlp best gap progap caribou dpdgc lpgnet pertgraph sage fedavg"),
    (APART, "train predict-own predict-new audit", "methods.conformance_party_matrix", EVERY),
    (APART, "resume", "methods.conformance_party_deaths", EVERY),
    (APART, "report", "cli.report_methods", EVERY),
    (APART, "train", "cli.party_vfgnn_apart", "vfgnn"),
    (APART, "train resume predict-own predict-new", "cli.party_vesper_holders", "vesper"),
    (APART, "predict-own predict-new", "cli.party_predict_numbers", "vesper mlp"),
    (APART, "predict-own", "cli.party_vfgnn_predict", "vfgnn securegnn"),
    (APART, "predict-new", "cli.party_holders_next_day", "vfgnn"),
    (APART, "predict-own predict-new", "cli.party_fed_node", "fedavg"),
    (APART, "serve", "methods.conformance_party_matrix", "feddep fedsage+ fedsage fedavg gwldp"),
    (APART, "serve", "cli.serve_party", "vesper"),
    (APART, "serve", "cli.party_predict_numbers", "vesper mlp"),
    (APART, "serve", "cli.serve_holders", "vfgnn securegnn"),
    (APART, "serve", "cli.serve_label_party", "vesper"),
    (RANKS, "train resume audit", "mpi.cells", EVERY),
    (RANKS, "train", "mpi.ranks", "vesper mlp best gap caribou"),
    (RANKS, "resume", "mpi.killed_rank", "vesper gap"),
    (RANKS, "predict-own predict-new", "mpi.predict", "vesper mlp best gap caribou"),
    (RANKS, "audit", "mpi.audit", "gap"),
]
# In a test that goes over every method: how it takes them from the registry, or from the program's list of them.
OVER_ALL = ("check_cases(", "methods --json", "methods --matrix --json")


def tests_of(cell):
    """Names of the tests of a cell."""
    if cell["there"] == "not-meant":
        return []
    return [test for place, steps, test, methods in TESTS
            if place == cell["place"] and cell["step"] in steps.split() and (methods is EVERY or cell["method"] in methods.split())]


def cells():
    """The cells, in the order of the program."""
    program = os.environ.get("SOTTO", str(ROOT / "build/sotto"))
    done = subprocess.run([program, "methods", "--matrix", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["matrix"]


def shown(cell):
    """A cell of the page: its state, and the tests that show it."""
    if cell["there"] == "not-meant":
        return "-"
    return "<br>".join([cell["there"], *(f"`{test}`" for test in tests_of(cell))])


def rows_of(found, place):
    """Lines of the table of a place, and its reasons: (step, reason) -> methods."""
    steps = list(dict.fromkeys(cell["step"] for cell in found))
    methods = list(dict.fromkeys(cell["method"] for cell in found))
    at = {(cell["method"], cell["step"]): cell for cell in found if cell["place"] == place}
    lines, reasons = [], collections.OrderedDict()
    for method in methods:
        row = [at[method, step] for step in steps]
        if all(cell["there"] == "not-meant" for cell in row):
            continue
        lines.append(f"| `{method}` | " + " | ".join(shown(cell) for cell in row) + " |\n")
    for step in steps:
        for method in methods:
            cell = at[method, step]
            if cell["there"] in ("no", "partly"):
                reasons.setdefault((step, cell["reason"]), []).append(method)
    head = "| method | " + " | ".join(steps) + " |\n" + "|---" * (len(steps) + 1) + "|\n"
    return [head, *lines], reasons


def tables(found):
    """The part of the page between its marks."""
    out = []
    for place, title in PLACES.items():
        lines, reasons = rows_of(found, place)
        out += [f"## {title}\n", *lines, "\n"]
        if reasons:
            out.append("| step | methods | why it is not there |\n|---|---|---|\n")
            out += [f"| {step} | {', '.join(f'`{m}`' for m in methods)} | {reason} |\n" for (step, reason), methods in reasons.items()]
            out.append("\n")
    return "".join(out)


def source_of(test):
    """The text of a test, and of what a script reads in its folder; None where there is no such test."""
    room, _, stem = test.partition(".")
    for end in (".c", ".sh"):
        path = ROOT / "tests" / room / f"test_{stem}{end}"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            parts = re.findall(r'^\. "\$\(dirname "\$0"\)/([\w.]+)"', text, re.M)
            return text + "".join((path.parent / part).read_text(encoding="utf-8") for part in parts)
    return None


def names(text, method):
    """Does a test name a method: as a word, and not as the beginning of another one's name?"""
    return re.search(r"(?<![\w+-])" + re.escape(method) + r"(?![\w+])", text) is not None


def missing_tests(found):
    """Sentences about cells without a test, and about tests that are not there or do not go over their methods."""
    wrong = [f"{cell['place']}, {cell['step']}, {cell['method']}: no test is named in scripts/matrix.py"
             for cell in found if cell["there"] != "not-meant" and not tests_of(cell)]
    for test, methods in dict.fromkeys((test, methods) for _, _, test, methods in TESTS):
        text = source_of(test)
        if text is None:
            wrong.append(f"{test}: scripts/matrix.py names it, and tests/{test.partition('.')[0]} has no such test")
        elif methods is EVERY and not any(words in text for words in OVER_ALL):
            wrong.append(f"{test}: scripts/matrix.py says that it goes over every method, and it does not")
        elif methods is not EVERY and not any(words in text for words in OVER_ALL):
            wrong += [f"{test}: scripts/matrix.py says that it has {method}, which it does not name"
                      for method in methods.split() if not names(text, method)]
    return sorted(set(wrong))


def main(words):
    found = cells()
    if words == ["--count"]:
        for place in PLACES:
            states = collections.Counter(cell["there"] for cell in found if cell["place"] == place)
            print(f"{place:12}", "  ".join(f"{state} {states[state]:3}" for state in STATES))
        states = collections.Counter(cell["there"] for cell in found)
        print(f"{'all':12}", "  ".join(f"{state} {states[state]:3}" for state in STATES))
        return 0
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    made = head + BEGIN + tables(found) + END + rest.partition(END)[2]
    wrong = missing_tests(found)
    print("".join(f"{line}\n" for line in wrong), end="")
    if words != ["--check"]:
        PAGE.write_text(made, encoding="utf-8")
        return 1 if wrong else 0
    if made != page:
        print("docs/matrix.md: its tables are not those of the program; run scripts/matrix.py")
    return 1 if wrong or made != page else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
