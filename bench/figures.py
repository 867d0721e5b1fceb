#!/usr/bin/python3
"""Figures 2, 3 and 5 of Jin and Chen 2022, as SVG in docs/results, with figures.csv of what they show. What was made before in
the work folder is taken as it is.

usage: bench/figures.py [--build build] [--data ../shared/data] [--work /tmp/sotto-figures] [--out docs/results]
                        [--epsilons 0.1,1,10,100,inf] [--rounds 200] [--counts 500,100] [--figures 2,3,5] [--seeds 5]

Figure 2: subgraphs around nodes of citeseer and cora (--counts: of one hop, of two), t-SNE of the Gromov-Wasserstein
distances of their embeddings, coloured by the label of the centre and by k-means around barycentres, for each epsilon
(of a graph). The model (GCN, 2 layers of 16, ten clients) is trained to predict the label of the centre.
Figure 3: kNN with 5 and 20 neighbours on MUTAG, on the graphs that the model did not see, the first --seeds of
five folds.
Figure 5: the mean distance of the subgraphs of figure 2. `bench_chart` (target `benches`) draws.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys

CLASSES = {"citeseer": 6, "cora": 7}
FOLDS = 5


class Maker:
    def __init__(self, args):
        self.args = args
        self.points = []
        os.makedirs(args.work, exist_ok=True)
        if not os.path.exists(f"{args.work}/ledger.db"):
            self.run("ledger", "init")

    def run(self, *words, program="sotto", text=None):
        words = [f"{self.args.build}/{program}", *map(str, words)]
        done = subprocess.run(words, text=True, capture_output=True, input=text,
                              env={**os.environ, "SOTTO_LEDGER": f"{self.args.work}/ledger.db"})
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        return done.stdout

    def train(self, name, data, epsilon, *words):
        out = f"{self.args.work}/{name}-{epsilon}"
        if not os.path.exists(f"{out}/done"):
            subprocess.run(["rm", "-rf", out], check=True)
            self.run("train", "--method", "gwldp", "--publication", "multibit", "--data", data,
                     "--rounds", self.args.rounds, "--epsilon", epsilon,
                     *(["--adjacency", "none"] if epsilon == "inf" else []), "--secure-aggregation", "--out", out, *words)
            open(f"{out}/done", "w").close()
        return out

    def compare(self, name, data, run, seed, starts):
        """The table and the mean of its distances."""
        table = f"{self.args.work}/{name}-{seed}.npz"
        if not os.path.exists(f"{table}.json"):
            said = self.run("compare", data, "--by", "embeddings", "--embeddings", f"{run}/seed-{seed}/embeddings.npz",
                            "--starts", starts, "--out", table, "--json")
            with open(f"{table}.json", "w") as out:
                out.write(said)
        return table, json.load(open(f"{table}.json"))["mean"]

    def add(self, figure, series, epsilon, value, spread=0):
        self.points.append((figure, series, epsilon, value, spread))
        print(figure, series, epsilon, value, spread, flush=True)

    def subgraphs(self, name, hops):
        data = f"{self.args.work}/{name}-{hops}.sotto"
        if not os.path.exists(data):
            self.run("data", "split", f"{self.args.data}/planetoid:{name}", "--ego", hops, "--count", self.args.counts.split(",")[hops - 1], "--out",
                     data)
        for epsilon in self.args.epsilons.split(","):
            key = f"{name}-{hops}"
            run = self.train(key, data, epsilon)
            starts = 6 if hops == 1 else 2
            table, mean = self.compare(f"{key}-{epsilon}-t", data, run, 1, starts)
            self.add("figure5", f"{name}, {hops} hop{'s' if hops > 1 else ''}", epsilon, mean)
            clusters = f"{self.args.work}/{key}-{epsilon}-c.csv"
            if not os.path.exists(f"{clusters}.json"):
                said = self.run("compare", "cluster", data, "--clusters", CLASSES[name], "--by", "embeddings",
                                "--embeddings", f"{run}/seed-1/embeddings.npz", "--starts", 2, "--rounds", 5, "--out",
                                clusters, "--json")
                with open(f"{clusters}.json", "w") as out:
                    out.write(said)
            self.add("figure2", f"{name}, {hops} hop{'s' if hops > 1 else ''}: adjusted Rand index", epsilon,
                     json.load(open(f"{clusters}.json"))["rand_index"])
            if epsilon not in self.args.drawn.split(","):
                continue
            stem = f"{self.args.out}/figure2-{key}-{epsilon}"
            self.run("compare", "plot", table, "--out", f"{stem}-labels.svg")
            self.run("compare", "plot", table, "--colours", clusters, "--out", f"{stem}-clusters.svg")

    def neighbours(self):
        data = f"{self.args.data}/tu/MUTAG"
        for k in (5, 20):
            for epsilon in self.args.epsilons.split(","):
                run = self.train("mutag", data, epsilon, "--classes", 2, "--split", "kfold", "--folds", FOLDS, "--seeds",
                                 self.args.seeds)
                got = []
                for seed in range(1, self.args.seeds + 1):
                    table, _ = self.compare(f"mutag-{epsilon}-t", data, run, seed, 6)
                    got.append(100 * json.loads(self.run("compare", "classify", table, "--parts",
                                                         f"{run}/seed-{seed}/owner-only/parts.csv", "--neighbours", k,
                                                         "--json"))["knn"])
                self.add("figure3", f"k = {k}", epsilon, statistics.mean(got), statistics.stdev(got) if len(got) > 1 else 0)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=f"{here}/../build")
    parser.add_argument("--data", default=f"{os.environ.get('SOTTO_SHARED', here + '/../../shared')}/data")
    parser.add_argument("--work", default="/tmp/sotto-figures")
    parser.add_argument("--out", default=f"{here}/../docs/results")
    parser.add_argument("--epsilons", default="0.1,1,10,100,inf")
    parser.add_argument("--drawn", default="inf,1", help="epsilons that get a plot of figure 2")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--counts", default="500,100")
    parser.add_argument("--figures", default="2,3,5")
    parser.add_argument("--seeds", type=int, default=FOLDS)
    args = parser.parse_args()
    if not os.path.isdir(args.data):
        print(f"SKIPPED: there is no {args.data}")
        return
    maker = Maker(args)
    if "2" in args.figures or "5" in args.figures:
        for hops in (1, 2):
            for name in CLASSES:
                maker.subgraphs(name, hops)
    if "3" in args.figures:
        maker.neighbours()
    with open(f"{args.out}/figures.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["figure", "series", "epsilon", "value", "spread"])
        writer.writerows(maker.points)
    subprocess.run([f"{here}/plots.py", "--build", args.build, "--out", args.out, "figures"], check=True)


if __name__ == "__main__":
    main()
