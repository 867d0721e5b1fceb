#!/usr/bin/python3
"""Pictures of docs/results, drawn again from the tables and lines that are there: nothing is trained or measured.

usage: bench/plots.py [--build build] [--out docs/results] [--format svg|png] [NAME...]     names: audit, benches, figures, nights, release-scale,
                                                                        homophily, vfgnn-noise [all]

The scripts that measure call it for their own. `bench_chart` (target `benches`) and `sotto-bench utility --plots` draw.
audit-DATASET.svg: area under the curve of linkteller (a release made anew for each answer) and of link stealing (the
perceptron that knows every second edge) against epsilon, a line a method. audit-canary.svg: lower bounds on mu, as
shares of the stated one, for every dataset together: above 1 would be FAILED."""
import argparse
import csv
import json
import math
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
BENCHES = ("feddep", "feddep-series", "situations", "transactions", "utility", "vesper", "vfgnn", "vfgnn-epsilon")
ATTACKS = {"linkteller": "linkteller", "link-stealing": "stealing"}


class Artist:
    def __init__(self, build, out, form):
        self.build, self.out, self.form = build, out, form

    def rows(self, name):
        with open(f"{self.out}/{name}", encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    def draw(self, name, title, x_label, y_label, series, *flags):
        """series: (name, [(x, y, spread)])"""
        text = "".join(f"{x} {y} {spread} {name}\n" for name, points in series for x, y, spread in points)
        subprocess.run([f"{self.build}/bench/bench_chart", *flags, title, x_label, y_label, f"{self.out}/{name}.{self.form}"],
                       input=text, text=True, check=True)

    def benches(self):
        for name in BENCHES:
            subprocess.run([f"{self.build}/sotto-bench", "utility", f"{HERE}/{name}.yaml", "--plots", "--format", self.form, "--out", self.out],
                           check=True)

    def audit(self):
        with open(f"{self.out}/audit.jsonl", encoding="utf-8") as lines:
            curves, canaries = audited([json.loads(line) for line in lines])
        for dataset in sorted({key[0] for key in curves}):
            series = [(f"{ATTACKS[attack]}, {method}", sorted(points))
                      for (at, attack, method), points in curves.items() if at == dataset]
            self.draw(f"audit-{dataset}", f"{dataset}: attacks on edges, area under the curve against epsilon", "epsilon (inf: without noise)",
                      "area under the curve", series[:12], "note=Bands and bars: 95% interval. 0.5 is guessing.")
        series = [(f"{method}, {dataset}", [(x, y, 0) for x, y in sorted(points.items())])
                  for (method, dataset), points in canaries.items()]
        self.draw("audit-canary", "Canary audit: lower bound on mu as a share of the stated mu", "epsilon", "lower bound / stated mu",
                  series[:12], "note=95% lower bounds. Above 1 the statement would be wrong.")

    def figures(self):
        points = self.rows("figures.csv")
        for name, title, label, note in (
                ("figure3", "kNN on MUTAG, graphs that the model did not see", "accuracy, per cent",
                 "Means of five folds; bands and bars: standard deviation."),
                ("figure5", "Mean Gromov-Wasserstein distance of subgraphs", "mean distance", "Subgraphs: 500 of one hop, "
                 "100 of two.")):
            mine = [row for row in points if row["figure"] == name]
            series = {}
            for row in mine:
                series.setdefault(row["series"], []).append((row["epsilon"], row["value"], row["spread"]))
            self.draw(name, title, "epsilon of a graph (inf: without noise)", label, list(series.items()), f"note={note}")

    def homophily(self):
        """The made graphs of feddep-series.csv, sbm-H, as one series over H."""
        series = {}
        for row in self.rows("feddep-series.csv"):
            if row["dataset"].startswith("sbm-") and not row["series"]:
                series.setdefault(row["method"], []).append(
                    (float(row["dataset"][4:]) / 100, 100 * float(row["mean"]), 100 * float(row["deviation"])))
        self.draw("feddep-series-homophily", "Made graphs, 10 clients, a tenth of the nodes labelled",
                  "share of edges inside classes", "test accuracy, per cent",
                  [(name, sorted(points)) for name, points in series.items()], "linear-x",
                  "note=Means of three seeds; bands: standard deviation.")

    def nights(self):
        rows = self.rows("nights.csv")
        names = {"without noise": "without noise", "epsilon 8": "epsilon 8 a year", "features alone": "features alone"}
        self.draw("nights", "Transactions that grow by 0.3% a night", "night", "AUC, per cent",
                  [(said, [(row["night"], row[name], 0) for row in rows]) for name, said in names.items()], "linear-x")

    def release_scale(self):
        rows = [(float(r["entries"]), float(r["seconds"]), float(r["floor_seconds"])) for r in self.rows("release-scale.csv")]
        xs, ys = [math.log10(r[0]) for r in rows], [math.log10(r[1]) for r in rows]
        middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
        slope = sum((x - middle) * (y - height) for x, y in zip(xs, ys)) / sum((x - middle)**2 for x in xs)
        start = height - slope * middle
        self.draw("release-scale", f"A release of two layers, 64 columns: seconds grow as entries^{slope:.2f}",
                  "entries of the graph (twice its edges)", "seconds",
                  [("release", [(x, y, 0) for x, y, _ in rows]),
                   (f"{10**start:.3g} entries^{slope:.3f}", [(x, 10**start * x**slope, 0) for x, *_ in rows]),
                   ("reading each row once", [(x, z, 0) for x, _, z in rows])], "round-x", "log-y",
                  "note=Fastest of three. Reading: each entry's row once a layer, the least that a release has to do.")

    def vfgnn_noise(self):
        columns = {"gaussian": "Gaussian", "james_stein": "James-Stein", "positive_part": "positive part"}
        series = [(f"{by}, {said}", [(r["epsilon"], r[name], 0) for r in self.rows("vfgnn-noise.csv") if r["accounting"] == by])
                  for by in ("sound", "paper") for name, said in columns.items()]
        self.draw("vfgnn-noise", "vfgnn on cora: noise of published rows, 64 columns", "epsilon, delta 1e-4",
                  "mean squared error of a row", series, "log-y", "note=Rows of norm 1.")


def audited(entries):
    """(dataset, attack, method) -> [(epsilon, auc, half of the 95% interval)], and canaries by method."""
    curves, canaries = {}, {}
    for entry in entries:
        epsilon, method = entry["epsilon"], entry["method"]
        for found in entry["audit"]["findings"]:
            if found["attack"] == "canary" and found.get("stated_mu"):
                share = found["mu_lower_bound"] / found["stated_mu"]
                at = canaries.setdefault((method, entry["dataset"]), {})
                at[float(epsilon)] = max(at.get(float(epsilon), 0), share)
            if found["attack"] not in ATTACKS or (found["attack"] == "link-stealing") != (found["variant"] == "known-half"):
                continue
            if found["attack"] == "linkteller" and epsilon != "inf" and "--fresh" not in entry["options"]:
                continue  # the kept release: 0.5 exactly
            low, high = found["auc_interval"]
            curves.setdefault((entry["dataset"], found["attack"], method), []).append(
                (float(epsilon), found["auc"], (high - low) / 2))
    return curves, canaries


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=f"{HERE}/../build")
    parser.add_argument("--out", default=f"{HERE}/../docs/results")
    parser.add_argument("--format", choices=("svg", "png"), default="svg")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    artist = Artist(args.build, args.out, args.format)
    every = {"audit": artist.audit, "benches": artist.benches, "figures": artist.figures, "homophily": artist.homophily, "nights": artist.nights,
             "release-scale": artist.release_scale, "vfgnn-noise": artist.vfgnn_noise}
    for name in args.names or every:
        if name not in every:
            parser.error(f"{name} is none of {', '.join(every)}")
        every[name]()


if __name__ == "__main__":
    main()
