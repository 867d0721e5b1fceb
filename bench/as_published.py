#!/usr/bin/env python3
"""The five runs with --as-published beside the papers' figures, and for each difference the experiment that explains it.

usage: bench/as_published.py --data FOLDER [--build build] [--work /tmp/sotto-as-published] [--seeds 2] [--only vesper,vfgnn,...]
                             [--out docs/results/as-published.md]

FOLDER has planetoid/, npz/ and tu/, as published; what is not there is skipped, aloud. Runs that the work folder has are taken as
they are, so the same command goes on after a stop. The table goes to --out; docs/reproduction.md is made from it (bench/verdicts.py).

A difference is between our figure and the paper's. Where a paper's data are not here, both are gains over the network without
edges, so that the data's own difficulty is not counted. An experiment is the same run with one thing changed. It explains the
difference if it removes at least half of it; of several the one that removes most is named. Else it is unexplained. There is no
difference within two deviations: the paper's, or ours where it has none.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# Runs as published
The five runs with `--as-published` beside the papers, by `bench/as_published.py` ([reproduction.md](../reproduction.md#five-runs-as-published)).

| run | claimed / charged | published | ours | the difference |
|---|---|---|---|---|
"""

# method, data and its words, what is compared (accuracy; gain, over the row without edges; svm, of a table of distances), what the
# paper has (a figure; ABOVE: a gain above 0, without a figure; None: nothing), its deviation or None, where, and experiments: (what is
# changed, words of a run).
ABOVE = "above"
CASES = [
    ("vesper", "npz/amazon_electronics_computers.npz", [], "gain", 10.21, None, "table 1, GIN at epsilon 4: 71.27 on ogbn-products, MLP 61.06",
     [("no noise (epsilon inf)", ["--epsilon", "inf"]), ("one layer (layers 1)", ["--layers", "1"])]),
    ("vfgnn", "planetoid:cora", ["--split", "planetoid", "--combine", "mean", "--epsilon", "inf"], "accuracy", 80.9, None, "table 2, cora, VFGNN_M, no noise",
     [("two hops and width 128 (layers 2, hidden 128)", ["--layers", "2", "--hidden", "128"]),
      ("one holder of all columns and edges (holders 1, initial individually)", ["--holders", "1", "--initial", "individually"])]),
    ("caribou", "planetoid:cora", ["--epsilon", "1"], "gain", ABOVE, None, "table III: above MLP; the text at hand has no number",
     [("no noise (epsilon inf)", ["--epsilon", "inf"]), ("no noise and no residual (epsilon inf, beta 0)", ["--epsilon", "inf", "--beta", "0"])]),
    ("feddep", "planetoid:cora", ["--least-degree", "10"], "accuracy", None, None, "the appendix has no figure", []),
    ("gwldp", "tu/MUTAG", ["--classes", "2"], "svm", 79.57, 6.73, "table 1, MUTAG, GW_H* of GCN",
     [("no noise (epsilon inf)", ["--adjacency", "none", "--epsilon", "inf"])]),
]


class Runs:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.program = str(pathlib.Path(args.build).resolve() / "sotto")
        if not (self.work / "ledger.db").exists():
            self.sotto("ledger", "init")

    def sotto(self, *words):
        done = subprocess.run([self.program, *words], cwd=self.args.data, text=True, capture_output=True,
                              env={**os.environ, "SOTTO_LEDGER": str(self.work / "ledger.db")})
        if done.returncode != 0:
            sys.exit(f"sotto {' '.join(words)}\n{done.stderr}")
        return done

    def train(self, method, data, words, seeds):
        """Result, and the line of the run as published."""
        out = self.work / "-".join([method, *words, str(seeds)]).replace("/", "_").replace("--", "")
        if not (out / "said.json").exists():
            shutil.rmtree(out, ignore_errors=True)
            done = self.sotto("train", "--method", method, "--as-published", "--data", data, *words, "--seeds", str(seeds), "--out", str(out), "--json")
            line = [line for line in done.stderr.splitlines() if line.startswith("as published: ")][0]
            (out / "said.json").write_text(json.dumps({"result": json.loads(done.stdout.splitlines()[-1]), "line": line}))
        said = json.loads((out / "said.json").read_text())
        return said["result"], said["line"], out

    def svm(self, data, out, seeds):
        """Accuracy of the SVM on distances of embeddings, its folds over all graphs: the model saw the labels of most."""
        got = []
        for seed in range(1, seeds + 1):
            table = self.work / f"{out.name}-distances-{seed}.npz"
            table.unlink(missing_ok=True)
            self.sotto("compare", data, "--by", "embeddings", "--embeddings", str(out / f"seed-{seed}/embeddings.npz"), "--starts", "1", "--out", str(table))
            got.append(100 * json.loads(self.sotto("compare", "classify", str(table), "--json").stdout)["svm"])
        return got

    def figure(self, kind, method, data, words, seeds):
        """Mean and deviation of what is compared, accuracy and accuracy without edges, the line."""
        result, line, out = self.train(method, data, words, seeds)
        test = [100 * run for run in result["test"]["accuracy"]["runs"]]
        bare = [100 * run for run in result["baseline"]["accuracy"]["runs"]] if result.get("baseline") and result["baseline"]["accuracy"]["mean"] is not None else None
        values = {"accuracy": lambda: test, "gain": lambda: [a - b for a, b in zip(test, bare)], "svm": lambda: self.svm(data, out, seeds)}[kind]()
        return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0, statistics.mean(test), statistics.mean(bare) if bare else None, line


def is_there(folder, data):
    path = f"planetoid/ind.{data[10:]}.graph" if data.startswith("planetoid:") else data
    return (pathlib.Path(folder) / path).exists()


def explain(published, deviation, ours, tried):
    """The experiment that removes most of the difference. ours: mean and deviation."""
    ours, spread = ours
    if published is None:
        return "nothing to compare"
    if published == ABOVE:
        above = [f"explained by {what}: {value:.2f}" for what, value in tried if value > 0]
        return "none: it is above" if ours > 0 else above[0] if above else "unexplained"
    if abs(published - ours) <= 2 * (spread if deviation is None else deviation):
        return "none: within two deviations"
    left = [(abs(published - value), what, value) for what, value in tried]
    best = min(left) if left else None
    if best is not None and 2 * best[0] <= abs(published - ours):
        return f"explained by {best[1]}: {best[2]:.2f}"
    return "unexplained" + (": " + "; ".join(f"{what} {value:.2f}" for what, value in tried) if tried else "")


def row(runs, case):
    method, data, words, kind, published, deviation, where, experiments = case
    seeds = 1 if method == "vesper" else runs.args.seeds  # minutes each
    mean, spread, test, bare, line = runs.figure(kind, method, data, words, seeds)
    tried = [(what, runs.figure(kind, method, data, [*[w for w in words if not replaced(w, words, more)], *more], seeds)[0]) for what, more in experiments]
    claim = line[len("as published: "):].split(" claims ", 1)[1].split(", since ", 1)[0]
    claim = claim.replace("; charged for a seed: ", " / ").replace("; charged: ", " / ").split("; not the paper's")[0]
    what = " ".join(["sotto train --method", method, "--as-published --data", data.rsplit("/", 1)[-1], *words, "--seeds", str(seeds)])
    without = f"{bare:.2f}" if bare is not None else "-"
    around = f" ± {spread:.2f}" if seeds > 1 else ""
    name = {"gain": "gain over no edges", "accuracy": "accuracy", "svm": "accuracy of the SVM"}[kind]
    paper = f"{published:.2f} ({where})" if isinstance(published, float) else where
    return f"| `{what}` | {claim} | {paper} | {name} {mean:.2f}{around}; accuracy {test:.2f}, without edges {without} | {explain(published, deviation, (mean, spread), tried)} |\n"


def replaced(word, words, more):
    """Is this word an option, or the value of one, that the experiment gives anew?"""
    at = words.index(word)
    option = word if word.startswith("--") else words[at - 1]
    return option in more


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default="/tmp/sotto-as-published")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default=",".join(case[0] for case in CASES))
    parser.add_argument("--out", default=str(ROOT / "docs/results/as-published.md"))
    args = parser.parse_args()
    runs, text = Runs(args), ""
    for case in CASES:
        if case[0] not in args.only.split(","):
            continue
        if not is_there(args.data, case[1]):
            print(f"SKIPPED: {case[0]}: {args.data} has no {case[1]}")
            continue
        text += row(runs, case)
        print(text.splitlines()[-1], flush=True)
    pathlib.Path(args.out).write_text(HEAD + text)


if __name__ == "__main__":
    main()
