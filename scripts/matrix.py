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
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/matrix.md"
BEGIN, END = "<!-- matrix: from scripts/matrix.py -->\n", "<!-- end of matrix -->\n"
PLACES = {"one-process": "One process", "parties": "Several processes, one for each party", "ranks": "Ranks of MPI"}
STATES = ["yes", "partly", "no", "not-meant"]
# What shows the cells of a step: at any topology, or of a topology.
TESTS = {
    "one-process": {"train": ["methods.conformance_matrix"], "resume": ["methods.conformance_resume"],
                    "predict-own": ["methods.conformance_matrix", "cli.node_answers"], "predict-new": ["methods.conformance_matrix", "cli.node_answers"],
                    "serve": ["methods.conformance_matrix", "cli.serve", "cli.graph_answers", "cli.node_answers"], "audit": ["methods.conformance_matrix"],
                    "report": ["cli.report"]},
    "parties": {"train": ["methods.conformance_party_matrix", "cli.party_vfgnn_apart"], "resume": ["methods.conformance_party_deaths"],
                "predict-own": ["methods.conformance_party_matrix", "cli.party_predict_numbers", "cli.party_fed_node"], "predict-new": ["methods.conformance_party_matrix", "cli.party_predict_numbers", "cli.party_next_day_bare", "cli.party_holders_next_day", "cli.party_fed_node"],
                "serve": ["cli.serve_party", "cli.serve_holders", "cli.party_predict_numbers", "cli.party_fed_predict"], "audit": ["methods.conformance_party_matrix"], "report": ["cli.party_fed_predict", "cli.party_vfgnn_predict"]},
    "ranks": {"train": ["mpi.ranks"], "resume": ["mpi.killed_rank"], "audit": ["mpi.audit"]}}


def cells():
    """The cells, in the order of the program."""
    program = os.environ.get("SOTTO", str(ROOT / "build/sotto"))
    done = subprocess.run([program, "methods", "--matrix", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["matrix"]


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
        lines.append(f"| `{method}` | " + " | ".join("-" if c["there"] == "not-meant" else c["there"] for c in row) + " |\n")
    for step in steps:
        for method in methods:
            cell = at[method, step]
            if cell["there"] in ("no", "partly"):
                reasons.setdefault((step, cell["reason"]), []).append(method)
    head = "| method | " + " | ".join(steps) + " |\n" + "|---" * (len(steps) + 1) + "|\n"
    tests = "| tests | " + " | ".join("<br>".join(f"`{name}`" for name in TESTS[place].get(step, [])) or "-" for step in steps) + " |\n"
    return [head, *lines, tests], reasons


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


def missing_tests(found):
    """Sentences about cells without a test, and tests that are not there."""
    wrong = set()
    for cell in found:
        names = TESTS[cell["place"]].get(cell["step"], [])
        if cell["there"] != "not-meant" and not names:
            wrong.add(f"{cell['place']}, {cell['step']}: no test is named in scripts/matrix.py")
        for name in names:
            room, _, stem = name.partition(".")
            if not any((ROOT / "tests" / room / f"test_{stem}{end}").exists() for end in (".c", ".sh")):
                wrong.add(f"{name}: scripts/matrix.py names it, and tests/{room} has no such test")
    return sorted(wrong)


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
