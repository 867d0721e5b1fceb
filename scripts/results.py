#!/usr/bin/env python3
"""Writes the tables of README.md and docs/methods.md, and the picture of accuracy against epsilon, from the measured results.

The figures are in docs/results/headline.jsonl (one line each) and docs/results/situations.csv. A table stands between
`<!-- results: NAME -->` and `<!-- end of results -->`.

  results.py                       write the tables
  results.py --chart bench_chart   and docs/pictures/epsilon.svg, with that program of the build
  results.py --check [...]         write nothing; say which file differs, and exit with 1"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/pictures/epsilon.svg"
SITUATIONS = {"one-owner": "one owner", "labels-shared": "labels shared", "two-parties": "two parties", "holders": "holders",
              "branches": "branches", "features-alone": "features alone"}


class Figures:
    """Means and deviations by what was measured."""

    def __init__(self, lines):
        self.all = [json.loads(line) for line in lines]

    def find(self, data, method, level="edge", epsilon=None, clusters=False, **more):
        """The one figure that fits; None: there is none."""
        found = [f for f in self.all if (f["data"], f["method"], f["level"], f["epsilon"]) == (data, method, level, epsilon)
                 and f["options"].startswith("--clusters") == clusters and all(f.get(key) == more.get(key) for key in ("part", "build"))]
        if len(found) > 1:
            sys.exit(f"docs/results/headline.jsonl has {len(found)} figures of {method} on {data} at epsilon {epsilon}")
        return found[0] if found else None


def cell(figure, sign="+-"):
    return f"{figure['mean']:.2f} {sign} {figure['deviation']:.2f}" if figure else ""


def rows_of(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def edge(f):
    """README: two parties and one owner on one dataset, compared with the same without edges."""
    data, rows = "computers", []
    parties, owner, open_graph = f.find(data, "vesper", part="without edges"), f.find(data, "mlp"), f.find(data, "gnn", "none")
    for name, method, clusters, without, gin in [
            ("two parties: `vesper`", "vesper", False, parties, open_graph),
            ("two parties: `vesper --clusters labels`", "vesper", True, parties, open_graph),
            ("one owner: `best`", "best", False, owner, None), ("one owner: `gap`", "gap", False, owner, None)]:
        rows.append([name] + [cell(x, "±") for x in (without, f.find(data, method, epsilon=1, clusters=clusters),
                                                     f.find(data, method, epsilon=4, clusters=clusters), gin)])
    return rows_of(["method", "without edges", "epsilon 1", "epsilon 4", "without privacy: `gnn`, five seeds"], rows)


def node(f):
    """README: node level, one owner."""
    rows = [[name] + [cell(f.find(data, method, "node", 8), "±") for data in ("computers", "photo", "UConn91")]
            for name, method in [("`best`", "best"), ("`mlp`, without edges", "mlp")]]
    return rows_of(["method", "computers", "photo", "UConn91, year"], rows)


def owners(f):
    """docs/methods.md: one owner at edge level."""
    rows = []
    for data in ("computers", "photo", "cora", "UConn91"):
        for e in (1, 4):
            best, gap = f.find(data, "best", epsilon=e), f.find(data, "gap", epsilon=e)
            name = f"{data}, {e}" if data != "UConn91" else "the same, 4" if e == 4 else (
                "UConn91, year, classes of 1000 and more, 1 (`best`: five seeds)")
            rows.append([name, cell(best), cell(gap), cell(f.find(data, "mlp")) if e == 1 else "", f"{best['mean'] - gap['mean']:+.2f}"])
    return rows_of(["data, epsilon", "`best`", "`gap`", "`mlp`", "best - gap"], rows)


def owners_node(f):
    """docs/methods.md: one owner at node level."""
    rows = []
    for data, name in [("UConn91", "UConn91, year"), ("computers", "computers, 60/20/20"), ("photo", "photo, 60/20/20")]:
        mlp, best = f.find(data, "mlp", "node", 8), f.find(data, "best", "node", 8)
        options = best["options"].removesuffix(" --degree-cut")
        rows.append([f"{name} (`{options}`)", f"{mlp['seeds']}, {best['seeds']}", cell(mlp), cell(best)])
    return rows_of(["data", "seeds", "`mlp`", "`best`"], rows)


def two_parties(f):
    """docs/methods.md: counts between two parties."""
    rows = []
    for data, e, name in [("computers", 1, ""), ("computers", 4, ""), ("cora", 4, ""), ("transactions", 4, " (`--select-by auc`)")]:
        rows.append([f"{data}, {e}{name}", cell(f.find(data, "vesper", epsilon=e)), cell(f.find(data, "vesper", epsilon=e, clusters=True)),
                     cell(f.find(data, "vesper", part="without edges")), cell(f.find(data, "vesper", epsilon=e, build="an earlier one"))])
    return rows_of(["data, epsilon", "clusters from predictions", "clusters from training labels", "without edges, the same runs",
                    "noisy layers, 70/10/20, an earlier build"], rows)


TABLES = {"README.md": {"edge": edge, "node": node},
          "docs/methods.md": {"owners": owners, "owners-node": owners_node, "two-parties": two_parties}}


def with_tables(path, tables, figures):
    """The text of a document with its tables as they follow from the figures."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for name, make in tables.items():
        marked = re.compile(rf"(<!-- results: {name} -->\n).*?(<!-- end of results -->)", re.S)
        text, count = marked.subn(lambda m, make=make: m[1] + make(figures) + m[2], text)
        if count != 1:
            sys.exit(f"{path}: {count} tables are marked as `results: {name}`, and there should be one")
    return text


def picture(chart, out):
    """Accuracy on cora against epsilon; methods without edges are drawn at each epsilon."""
    with open(ROOT / "docs/results/situations.csv", encoding="utf-8") as lines:
        cells = list(csv.DictReader(lines))
    epsilons = sorted({float(c["epsilon"]) for c in cells} - {float("inf")})
    points = []
    for method, name in SITUATIONS.items():
        mine = {float(c["epsilon"]): c for c in cells if c["method"] == method}
        for e in sorted(set(epsilons + list(mine))):
            c = mine.get(e, mine.get(float("inf")))
            points.append(f"{e} {100 * float(c['mean']):.4f} {100 * float(c['deviation']):.4f} {name}\n")
    subprocess.run([chart, "narrow", "note=Bands and bars are one standard deviation over three seeds.", "Accuracy on cora against epsilon, edge level", "epsilon",
                    "test accuracy, per cent", out], input="".join(points), text=True, check=True)
    return pathlib.Path(out).read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--chart", metavar="PROGRAM")
    options = parser.parse_args()
    figures = Figures((ROOT / "docs/results/headline.jsonl").read_text(encoding="utf-8").splitlines())
    made = {ROOT / path: with_tables(path, tables, figures) for path, tables in TABLES.items()}
    if options.chart:
        with tempfile.TemporaryDirectory() as folder:
            made[PICTURE] = picture(options.chart, f"{folder}/epsilon.svg")
    differing = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in differing:
        if options.check:
            print(f"{path.relative_to(ROOT)} is not what follows from docs/results: run scripts/results.py --chart build/bench/bench_chart")
        else:
            path.write_text(made[path], encoding="utf-8")
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
