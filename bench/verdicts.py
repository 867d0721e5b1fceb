#!/usr/bin/env python3
"""Verdicts of docs/reproduction.md, from the numbers of the papers and of docs/results, by one rule.

usage: bench/verdicts.py [--check] [--results docs/results]

Writes RESULTS/verdicts.md. With --check it fails, and says which line, where that page is not what the results give. No network,
no data: the numbers of the papers stand here, ours are read from the tables of docs/results.

The rule. A published number is *within* if it is at most two deviations from ours: the published deviation, or ours where the paper
has none; a count has to be the same. A number that was not run is not within. The *finding* is what the paper says of the table or
figure, as inequalities between our figures; all have to hold.
  reproduced      the finding holds, and at least half of the numbers are within (a figure without numbers: the finding holds)
  finding alone   the finding holds, and fewer numbers are within
  not reproduced  the finding does not hold
"""
import argparse
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMBINES = ("cat", "mean", "regression")
GRAPHS = ("cora", "citeseer", "photo", "computers", "facebook")
EPSILONS = (1, 2, 4, 8, 16, 32)


class Results:
    """Our tables, each read once."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.read = {}

    def rows(self, name):
        if name not in self.read:
            with open(self.folder / f"{name}.csv", newline="") as lines:
                self.read[name] = list(csv.DictReader(lines))
        return self.read[name]

    def of(self, name, **wanted):
        found = [row for row in self.rows(name) if all(row[key] == value for key, value in wanted.items())]
        if len(found) != 1:
            sys.exit(f"{name}.csv: {len(found)} rows of {wanted}")
        return found[0]

    def accuracy(self, name, dataset, method, level="none", epsilon="inf", series="", value=""):
        """Mean and deviation in per cent; None where it was not run."""
        wanted = {"dataset": dataset, "method": method, "level": level, "epsilon": str(epsilon), "series": series, "value": str(value)}
        found = [row for row in self.rows(name) if all(row[key] == text for key, text in wanted.items())]
        return (100 * float(found[0]["mean"]), 100 * float(found[0]["deviation"])) if found else None


class Verdict:
    def __init__(self, paper, what, finding, holds, numbers=()):
        self.paper, self.what, self.finding = paper, what, finding
        self.holds, self.numbers = holds, list(numbers)

    def within(self):
        return sum(is_within(*number) for number in self.numbers)

    def word(self):
        if not self.holds:
            return "not reproduced"
        return "reproduced" if 2 * self.within() >= len(self.numbers) else "finding alone"

    def line(self):
        share = f"{self.within()} of {len(self.numbers)}" if self.numbers else "none"
        return f"| {self.paper} | {self.what} | {share} | {self.finding} | {'yes' if self.holds else 'no'} | {self.word()} |"


def is_within(published, deviation, ours):
    """deviation: the published one, or None. ours: mean and deviation, or None where it was not run."""
    return ours is not None and abs(published - ours[0]) <= 2 * (ours[1] if deviation is None else deviation) + 1e-9


def falls(values):
    return all(later < earlier for earlier, later in zip(values, values[1:]))


def vfgnn(r):
    paper = "Zhou et al. 2021"
    joint = {d: [r.accuracy("vfgnn", d, f"vfgnn-{c}") for c in COMBINES] for d in ("cora", "citeseer")}
    clear = {d: r.accuracy("vfgnn", d, "clear") for d in joint}
    # docs/reproduction.md has the commands of one holder alone.
    alone = {"cora": [(67.56, 2.41), (65.80, 0.90)], "citeseer": [(57.72, 2.76), (54.46, 0.58)]}
    published = {"cora": ([79.0, 80.9, 80.2], 81.5, [61.1, 60.6]), "citeseer": ([68.5, 69.5, 69.3], 70.01, [54.1, 45.7]),
                 "pubmed": ([77.4, 78.1, 78.2], 79.1, [67.2, 70.3])}
    numbers = []
    for data, (together, owner, holders) in published.items():
        numbers += zip(together, [None] * 3, joint.get(data, [None] * 3))
        numbers.append((owner, None, clear.get(data)))
        numbers += zip(holders, [None] * 2, alone.get(data, [None] * 2))
    yield Verdict(paper, "Table 2", "each combination is above each holder alone",
                  all(min(c[0] for c in joint[d]) > max(h[0] for h in alone[d]) for d in joint), numbers)
    shares = ("9-1", "8-2", "7-3")
    uneven = {c: [r.accuracy("vfgnn", "cora", f"{c}-{s}") for s in shares] for c in COMBINES}
    printed = {"cat": [80.85, 80.15, 79.25], "mean": [80.5, 79.6, 79.25], "regression": [80.9, 80.7, 80.3]}
    yield Verdict(paper, "Table 3", "the more even the shares, the lower the accuracy (9:1 above 7:3)",
                  all(uneven[c][0][0] > uneven[c][2][0] for c in COMBINES),
                  [(p, None, o) for c in COMBINES for p, o in zip(printed[c], uneven[c])])
    holders = {c: [joint["cora"][i]] + [r.accuracy("vfgnn", "cora", f"{c}-of-{n}") for n in (3, 4)] for i, c in enumerate(COMBINES)}
    printed = {"cat": [79.0, 74.9, 71.2], "mean": [80.9, 77.4, 73.3], "regression": [80.2, 76.0, 72.2]}
    yield Verdict(paper, "Table 4", "accuracy falls with the number of holders", all(falls([v[0] for v in holders[c]]) for c in COMBINES),
                  [(p, None, o) for c in COMBINES for p, o in zip(printed[c], holders[c])])
    steps = EPSILONS + (64,)
    curves = {e: [r.accuracy("vfgnn-epsilon", "cora", f"paper-{e}", "edge", step)[0] for step in steps] for e in ("gaussian", "james-stein")}
    yield Verdict(paper, "Figure 5", "accuracy rises with epsilon, and James-Stein is above Gaussian noise at each",
                  all(falls(curve[::-1]) for curve in curves.values())
                  and all(j > g for j, g in zip(curves["james-stein"], curves["gaussian"])))


def cells(r, level, others):
    """Of caribou: cells of data and epsilon, those where it is best of `others`, and its place in each."""
    places = []
    for data in GRAPHS:
        for epsilon in EPSILONS:
            own = r.accuracy("utility", data, "caribou", level, epsilon)
            rest = [r.accuracy("utility", data, m, level if m != "mlp" or level == "node" else "none", epsilon if m != "mlp" or level == "node" else "inf")
                    for m in others]
            rest = [other for other in rest if other is not None]
            if own is not None and rest:
                places.append(1 + sum(other[0] > own[0] for other in rest))
    return places


def caribou(r):
    paper = "Zheng et al. 2026"
    rivals = {"edge": ("gap", "dpdgc", "pertgraph", "mlp"), "node": ("gap", "dpdgc", "pertgraph", "mlp")}
    for level, others in rivals.items():
        places = cells(r, level, others)
        best = sum(place == 1 for place in places)
        yield Verdict(paper, f"Table III, {level} level",
                      f"best of its baselines in most cases (here {best} of {len(places)})", 2 * best > len(places))
        both = cells(r, level, ("gap", "dpdgc"))
        ahead = sum(place == 1 for place in both)
        small = cells_small(r, level)
        yield Verdict(paper, f"Table III, {level} level, graph methods",
                      f"best of gap and dpdgc in most cases (here {ahead} of {len(both)}; at epsilon 1 and 2 {small[0]} of {small[1]})",
                      2 * ahead > len(both))
        second = sum(place <= 2 for place in places)
        yield Verdict(paper, f"Table XIII, {level} level", f"first or second in all cases (here {second} of {len(places)})", second == len(places))
    chains = ("chain-s", "chain-m", "chain-l")
    ours = {m: [r.accuracy("reproduction", c, m, "edge", 32)[0] for c in chains] for m in ("caribou-paper", "gap")}
    yield Verdict(paper, "Figures 5, 9", "caribou is above gap on chains (K the length of a chain, epsilon 32)",
                  all(a > b for a, b in zip(ours["caribou-paper"], ours["gap"])))
    rising = [[r.accuracy("reproduction", c, "caribou-paper", "edge", e)[0] for e in (1, 4, 32)] for c in chains]
    yield Verdict(paper, "Figure 10", "accuracy of caribou on chains rises with epsilon", all(falls(curve[::-1]) for curve in rising))
    weak, strong = [[r.accuracy("reproduction", "cora", "caribou-paper", "edge", e, f"contraction-{e}", v)[0] for v in (0.1, 0.5, 0.9)]
                    for e in (32, 1)]
    yield Verdict(paper, "Figure 11", "the larger the contraction, the higher the accuracy at epsilon 32, and the lower at 1",
                  falls(weak[::-1]) and falls(strong))


def cells_small(r, level):
    ahead = [(r.accuracy("utility", d, "caribou", level, e), [r.accuracy("utility", d, m, level, e) for m in ("gap", "dpdgc")])
             for d in GRAPHS for e in (1, 2)]
    ahead = [(own, rest) for own, rest in ahead if own is not None and None not in rest]
    return sum(own[0] > max(other[0] for other in rest) for own, rest in ahead), len(ahead)


def gwldp(r):
    paper = "Jin and Chen 2022"
    table = [row for row in r.rows("table1") if row["paper"]]
    numbers = [(float(row["paper"]), float(row["paper_std"]), (float(row["svm"]), float(row["svm_std"]))) for row in table]

    def ours(data, row):
        return float(r.of("table1", set=data, row=row)["svm"])
    raw = {"MUTAG": "fused GW", "PROTEINS": "fused GW", "IMDB-BINARY": "GW on paths"}
    yield Verdict(paper, "Table 1", "GIN's embeddings are above raw data on all three, and noise costs at most two points",
                  all(ours(d, "GW_H (GIN)") > ours(d, raw[d]) and ours(d, f"GW_H* ({n})") >= ours(d, f"GW_H ({n})") - 2
                      for d in raw for n in ("GCN", "GIN")), numbers)

    def figure(name, series, epsilon):
        return float(r.of("figures", figure=name, series=series, epsilon=str(epsilon))["value"])
    yield Verdict(paper, "Figure 3", "a small epsilon (0.1) is within two points of none, and 100 is below 0.1",
                  all(abs(figure("figure3", k, 0.1) - figure("figure3", k, "inf")) <= 2
                      and figure("figure3", k, 100) < figure("figure3", k, 0.1) for k in ("k = 5", "k = 20")))
    graphs = [f"{d}, {h}" for d in ("citeseer", "cora") for h in ("1 hop", "2 hops")]
    yield Verdict(paper, "Figures 5, 8, 9", "the mean distance is larger at epsilon 100 than at 0.1, and at 0.1 smaller than without noise",
                  all(figure("figure5", g, 100) > figure("figure5", g, 0.1) and figure("figure5", g, 0.1) < figure("figure5", g, "inf")
                      for g in graphs))


HEAD = """# Verdicts
From the papers' numbers and the tables of this folder, by `bench/verdicts.py`. [reproduction.md](../reproduction.md#verdicts) has the rule. Numbers
within two deviations, of all that the table has; then the finding as it is tested, and whether it holds here.

| paper | table, figure | numbers within | finding, as tested | holds | verdict |
|---|---|---|---|---|---|
"""


def page(results):
    r = Results(results)
    return HEAD + "".join(v.line() + "\n" for part in (vfgnn, caribou, gwldp) for v in part(r))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", default=ROOT / "docs/results")
    args = parser.parse_args()
    path, text = pathlib.Path(args.results) / "verdicts.md", page(args.results)
    if not args.check:
        path.write_text(text)
        return
    stated = path.read_text().splitlines()
    wrong = [line for line in text.splitlines() if line not in stated] + [line for line in stated if line not in text.splitlines()]
    for line in wrong:
        print(f"{path}: the results give another line: {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
