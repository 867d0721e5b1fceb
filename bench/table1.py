#!/usr/bin/python3
"""Table 1 of paper 004, graph classification: writes docs/results/table1.csv and .md. What was made before in the
work folder is taken as it is, so the same command goes on after a stop.

usage: bench/table1.py [--build build] [--data ../shared/data/tu] [--work /tmp/sotto-table1] [--out docs/results]
                       [--sets MUTAG,PROTEINS,IMDB-BINARY] [--folds 5] [--tested 5]

Protocol, the same for every row: --folds parts of all graphs (`--split kfold`); for each, a model is trained by ten
clients (labels dealt by a Dirichlet distribution) on all parts but two, kept by its validation on one, and never sees
the labels of the last. C, gamma and k are chosen on the validation part, after learning from the training part; then
the SVM and kNN learn from both and answer for the test part. Figures are means and sample deviations over the
first --tested folds.
The column "all folds" is what comes out when the SVM's folds are dealt over all graphs (5 outer, 2 inner), so that the
model behind the embeddings was trained on the labels of most graphs that are tested.
"""
import argparse
import json
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: the table needs Debian's python3-numpy ({missing})")
    sys.exit(0)

PAPER = {  # SPK, GCN, GW_A or FGW_AX, GW_H(GCN), GW_H*(GCN), GW_H(GIN), GW_H*(GIN)
    "PROTEINS": ["", "69.03 3.59", "74.55 2.74", "72.31 4.61", "71.19 3.92", "75.53 2.01", "76.89 3.90"],
    "MUTAG": ["82.95 8.19", "80.05 3.21", "83.26 10.3", "80.3 9.75", "79.57 6.73", "93.08 3.35", "91.17 4.21"],
    "IMDB-BINARY": ["55.80 2.93", "", "63.8 3.49", "53.69 4.31", "54.01 4.90", "74.4 1.11", "73.6 3.23"],
}
# graphs that are compared (the models learn from all), the largest of them, starts of a pair
SETS = {"MUTAG": (188, 10000, 6), "PROTEINS": (150, 80, 2), "IMDB-BINARY": (300, 10000, 2)}
ROUNDS, DIRICHLET = 60, 1


class Table:
    def __init__(self, args, name):
        self.args, self.name = args, name
        self.data = f"{args.data}/{name}"
        self.folder = f"{args.work}/{name}"
        self.sotto = f"{args.build}/sotto"
        os.makedirs(self.folder, exist_ok=True)
        indicator = np.loadtxt(f"{self.data}/{name}_graph_indicator.txt", dtype=int) - 1
        self.sizes = np.bincount(indicator)
        self.choose(indicator)

    def run(self, *words):
        words = [self.sotto, *map(str, words)]
        done = subprocess.run(words, text=True, capture_output=True,
                              env={**os.environ, "SOTTO_LEDGER": f"{self.folder}/ledger.db"})
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        return done.stdout

    def choose(self, indicator):
        """Which graphs are compared, drawn once, and the data of these alone."""
        count, largest, self.starts = SETS[self.name]
        fits = np.flatnonzero(self.sizes <= largest)
        self.chosen = np.sort(np.random.default_rng(1).permutation(fits)[:count])
        self.rows = np.isin(indicator, self.chosen)
        self.part = self.data
        if len(self.chosen) == len(self.sizes):
            return
        self.part = f"{self.folder}/part-1.sotto"
        if not os.path.exists(self.part):
            mine = np.full(len(self.sizes), 2)
            mine[self.chosen] = 1
            np.savetxt(f"{self.folder}/part.txt", mine, fmt="%d")
            self.run("data", "split", self.data, "--horizontal", "--list", f"{self.folder}/part.txt", "--out",
                     f"{self.folder}/part")

    def train(self, method, aggregator, clients, epsilon):
        """The folder of a run of all folds."""
        out = f"{self.folder}/{method}-{aggregator}-{clients}-{epsilon or 'each'}"
        if not os.path.exists(f"{out}/done"):
            words = ["train", "--method", method, "--aggregator", aggregator, "--data", self.data, "--split", "kfold",
                     "--folds", self.args.folds, "--seeds", self.args.folds, "--clients", clients, "--rounds", ROUNDS,
                     "--out", out]
            words += ["--dirichlet", DIRICHLET, "--secure-aggregation"] if clients > 2 else []
            words += ["--epsilon", epsilon, "--adjacency", "none"] if epsilon else []
            subprocess.run(["rm", "-rf", out], check=True)
            self.run(*words)
            open(f"{out}/done", "w").close()
        return out

    def parts(self, run, fold):
        """parts.csv of the graphs that are compared alone."""
        lines = open(f"{run}/seed-{fold}/parts.csv").read().split("\n")[1:]
        path = f"{self.folder}/parts-{fold}.csv"
        with open(path, "w") as out:
            out.write("item,client,part\n")
            out.writelines(f"{k},{lines[g].split(',', 1)[1]}\n" for k, g in enumerate(self.chosen))
        return path

    def compare(self, name, *words):
        table = f"{self.folder}/{name}.npz"
        if not os.path.exists(table):
            self.run("compare", self.part, *words, "--starts", self.starts, "--out", table)
        return table

    def embeddings(self, run, fold):
        path = f"{run}/seed-{fold}/chosen.npz"
        np.savez(path, embeddings=np.load(f"{run}/seed-{fold}/embeddings.npz")["embeddings"][self.rows])
        return path

    def classify(self, table, *words):
        return json.loads(self.run("compare", "classify", table, "--json", *words))

    def judge(self, tables, parts):
        """SVM and kNN over the folds, and the SVM with folds over all graphs."""
        got = [self.classify(t, "--parts", p) for t, p in zip(tables, parts)]
        free = [self.classify(t, "--folds", 5, "--inner", 2) for t in (tables if len(set(tables)) > 1 else tables[:1])]
        svm, knn = ([100 * x[k] for x in got] for k in ("svm", "knn"))
        return {"svm": np.mean(svm), "svm_std": np.std(svm, ddof=1), "knn": np.mean(knn),
                "knn_std": np.std(knn, ddof=1), "all_folds": 100 * np.mean([x["svm"] for x in free])}

    def rows_of_the_table(self):
        folds = range(1, self.args.tested + 1)
        runs = {(a, e): self.train("gwldp", a, 10, e) for a in ("gcn", "gin") for e in ("inf", "")}
        parts = [self.parts(runs["gcn", "inf"], f) for f in folds]
        paper = PAPER[self.name]
        yield "SPK", paper[0], self.judge([self.compare("kernel", "--by", "kernel")] * len(folds), parts)
        central = self.train("fedavg", "gcn", 2, "")
        accuracy = [100 * json.load(open(f"{central}/seed-{f}/result.json"))["test"]["accuracy"] for f in folds]
        yield "GCN, mean pooling", paper[1], {"svm": np.mean(accuracy), "svm_std": np.std(accuracy, ddof=1)}
        by = "paths" if self.name == "IMDB-BINARY" else "fused"
        yield ("GW on paths" if by == "paths" else "fused GW"), paper[2], self.judge(
            [self.compare(by, "--by", by)] * len(folds), parts)
        for k, (aggregator, epsilon) in enumerate(runs):
            run = runs[aggregator, epsilon]
            tables = [self.compare(f"{aggregator}-{epsilon or 'each'}-{f}", "--by", "embeddings", "--embeddings",
                                   self.embeddings(run, f)) for f in folds]
            yield f"GW_H{'' if epsilon else '*'} ({aggregator.upper()})", paper[3 + k], self.judge(tables, parts)
        yield "size alone (control)", "", self.judge([self.compare("size", "--by", "size")] * len(folds), parts)


def write(args, results):
    with open(f"{args.out}/table1.csv", "w") as out:
        out.write("set,graphs,row,svm,svm_std,knn,knn_std,all_folds,paper,paper_std,deviations\n")
        for name, count, row, paper, got in results:
            mean, std = paper.split() if paper else ("", "")
            off = f"{abs(got['svm'] - float(mean)) / float(std):.1f}" if paper else ""
            figures = ",".join(f"{got[k]:.2f}" if k in got else ""
                               for k in ("svm", "svm_std", "knn", "knn_std", "all_folds"))
            out.write(f"{name},{count},{row.replace(',', '')},{figures},{mean},{std},{off}\n")
    with open(f"{args.out}/table1.md", "w") as out:
        out.write("# Table 1 of paper 004: accuracy on graphs, per cent\n\nMade by `bench/table1.py`, which says how in "
                  "its first lines. Deviations are those of the paper between its figure and\nours; what is more than "
                  "two off is explained in [README.md](README.md#table-1-of-paper-004).\n")
        for name in dict.fromkeys(r[0] for r in results):
            count, largest, starts = SETS[name]
            limit = f" of at most {largest} nodes" if largest < 10000 else ""
            mine = [r for r in results if r[0] == name]
            out.write(f"\n## {name}\n{mine[0][1]} graphs{limit}, {starts} starts a pair, {args.tested} of {args.folds} folds "
                      "tested; models learn from all graphs.\n\n"
                      "| row | SVM | kNN | SVM, folds over all graphs | paper | its deviations |\n|---|---|---|---|---|---|\n")
            for _, _, row, paper, got in mine:
                knn = f"{got['knn']:.2f} +- {got['knn_std']:.2f}" if "knn" in got else ""
                free = f"{got['all_folds']:.2f}" if "all_folds" in got else ""
                off = f"{abs(got['svm'] - float(paper.split()[0])) / float(paper.split()[1]):.1f}" if paper else ""
                out.write(f"| {row} | {got['svm']:.2f} +- {got['svm_std']:.2f} | {knn} | {free} | "
                          f"{paper.replace(' ', ' +- ')} | {off} |\n")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=f"{here}/../build")
    parser.add_argument("--data", default=f"{os.environ.get('SOTTO_SHARED', here + '/../../shared')}/data/tu")
    parser.add_argument("--work", default="/tmp/sotto-table1")
    parser.add_argument("--out", default=f"{here}/../docs/results")
    parser.add_argument("--sets", default="MUTAG,PROTEINS,IMDB-BINARY")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--tested", type=int, default=5)
    args = parser.parse_args()
    if not os.path.isdir(args.data):
        print(f"SKIPPED: there is no {args.data}")
        return
    results = []
    for name in args.sets.split(","):
        table = Table(args, name)
        for row, paper, got in table.rows_of_the_table():
            results.append((name, len(table.chosen), row, paper, got))
            print(name, row, got, flush=True)
    write(args, results)


if __name__ == "__main__":
    main()
