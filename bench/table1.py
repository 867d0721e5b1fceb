#!/usr/bin/python3
"""Table 1 of Jin and Chen 2022, graph classification: writes docs/results/table1.csv and .md. What was made before in the
work folder is taken as it is, so the same command goes on after a stop.

usage: bench/table1.py [--build build] [--data ../shared/data/tu] [--work /tmp/sotto-table1] [--out docs/results]
                       [--sets MUTAG,IMDB-BINARY,PROTEINS]

Protocol, the same for every row: ten parts of all graphs (`--split kfold`); for each, a model is trained by ten
clients (labels dealt by a Dirichlet distribution, five local epochs, no dropout) on all parts but two, kept by its
validation on one, and never sees the labels of the last. C, gamma and k are chosen on the validation part, after
learning from the training part; then the SVM and kNN learn from both and answer for the test part. Figures are means
and sample deviations over the folds, all ten or, where SETS says so, the first five.
The column "all folds" is what comes out when the SVM's folds are dealt over all graphs (5 outer, 2 inner), so that the
model behind the embeddings was trained on the labels of most graphs that are tested.
"""
import argparse
import json
import os
import shutil
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
# starts of a pair; folds that are tested; of these, with hops and H together; models behind "folds over all graphs"
SETS = {"MUTAG": (6, 10, 10, 5), "IMDB-BINARY": (6, 10, 5, 5), "PROTEINS": (2, 5, 0, 1)}
FOLDS = 10
ROUNDS = {"gcn": 200, "gin": 60}


class Table:
    def __init__(self, args, name):
        self.args, self.name = args, name
        self.folder = f"{args.work}/{name}"
        self.data = f"{self.folder}/data/{name}"
        self.sotto = f"{args.build}/sotto"
        self.starts, self.tested, self.fused, self.free = SETS[name]
        os.makedirs(self.folder, exist_ok=True)
        # A run notes its ledger beside its data: what is given stays as it is.
        shutil.copytree(f"{args.data}/{name}", self.data, dirs_exist_ok=True)
        if not os.path.exists(f"{self.folder}/ledger.db"):
            self.run("ledger", "init")

    def run(self, *words):
        words = [self.sotto, *map(str, words)]
        done = subprocess.run(words, text=True, capture_output=True,
                              env={**os.environ, "SOTTO_LEDGER": f"{self.folder}/ledger.db"})
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        return done.stdout

    def train(self, method, aggregator, clients, epsilon):
        """The folder of a run of all folds."""
        out = f"{self.folder}/{method}-{aggregator}-{clients}-{epsilon or 'each'}"
        if not os.path.exists(f"{out}/done"):
            words = ["train", "--method", method, *(["--publication", "multibit"] if method == "gwldp" else []), "--aggregator", aggregator,
                     "--data", self.data, "--classes", 2, "--split", "kfold",
                     "--folds", FOLDS, "--seeds", self.tested, "--clients", clients, "--rounds", ROUNDS[aggregator],
                     "--epochs", 5, "--optimiser", "adam", "--dropout", 0, "--out", out]
            words += ["--partition", "dirichlet:1", "--secure-aggregation"] if clients > 2 else []
            words += ["--epsilon", epsilon, "--adjacency", "none"] if epsilon else []
            subprocess.run(["rm", "-rf", out], check=True)
            self.run(*words)
            open(f"{out}/done", "w").close()
        return out

    def compare(self, name, *words):
        table = f"{self.folder}/{name}.npz"
        if not os.path.exists(table):
            self.run("compare", self.data, *words, "--starts", self.starts, "--out", table)
        return table

    def classify(self, table, name, *words):
        path = f"{table}.{name}.json"
        if not os.path.exists(path):
            said = self.run("compare", "classify", table, "--json", *words)
            with open(path, "w") as out:
                out.write(said)
        return json.load(open(path))

    def judge(self, tables, parts):
        """SVM and kNN over the folds, and the SVM with folds over all graphs."""
        got = [self.classify(t, f"fold-{f}", "--parts", p) for f, (t, p) in enumerate(zip(tables, parts), 1)]
        free = [self.classify(t, "folds", "--folds", 5, "--inner", 2) for t in list(dict.fromkeys(tables))[:self.free]]
        svm, knn = ([100 * x[k] for x in got] for k in ("svm", "knn"))
        return {"svm": np.mean(svm), "svm_std": np.std(svm, ddof=1), "knn": np.mean(knn),
                "knn_std": np.std(knn, ddof=1), "all_folds": 100 * np.mean([x["svm"] for x in free])}

    def rows_of_the_table(self):
        folds = range(1, self.tested + 1)
        runs = {(a, e): self.train("gwldp", a, 10, e) for a in ("gcn", "gin") for e in ("inf", "")}
        parts = [f"{runs['gcn', 'inf']}/seed-{f}/owner-only/parts.csv" for f in folds]
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
                                   f"{run}/seed-{f}/embeddings.npz") for f in folds]
            yield f"GW_H{'' if epsilon else '*'} ({aggregator.upper()})", paper[3 + k], self.judge(tables, parts)
        for aggregator, epsilon in (("gin", "inf"), ("gin", "")):
            tables = [self.compare(f"fused-{aggregator}-{epsilon or 'each'}-{f}", "--by", "fused", "--embeddings",
                                   f"{runs[aggregator, epsilon]}/seed-{f}/embeddings.npz")
                      for f in range(1, self.fused + 1)]
            if tables:
                yield (f"fused GW of hops and H{'' if epsilon else '*'} ({aggregator.upper()}), not private", "",
                       self.judge(tables, parts))
        yield "size alone (control)", "", self.judge([self.compare("size", "--by", "size")] * len(folds), parts)


def write(args, results):
    with open(f"{args.out}/table1.csv", "w") as out:
        out.write("set,row,svm,svm_std,knn,knn_std,all_folds,paper,paper_std,deviations\n")
        for name, row, paper, got in results:
            mean, std = paper.split() if paper else ("", "")
            off = f"{abs(got['svm'] - float(mean)) / float(std):.1f}" if paper else ""
            figures = ",".join(f"{got[k]:.2f}" if k in got else ""
                               for k in ("svm", "svm_std", "knn", "knn_std", "all_folds"))
            out.write(f"{name},{row.replace(',', '')},{figures},{mean},{std},{off}\n")
    with open(f"{args.out}/table1.md", "w") as out:
        out.write("# Table 1 of Jin and Chen 2022: accuracy on graphs, per cent\n\nMade by `bench/table1.py`, which says how in "
                  "its first lines. Deviations are those of the paper between its figure and\nours; what is more than "
                  "two off is explained in [README.md](README.md#table-1-of-jin-and-chen-2022).\n")
        for name in dict.fromkeys(r[0] for r in results):
            starts, tested, *_ = SETS[name]
            mine = [r for r in results if r[0] == name]
            out.write(f"\n## {name}\nAll graphs, {starts} starts a pair, {tested} of {FOLDS} folds tested.\n\n"
                      "| row | SVM | kNN | SVM, folds over all graphs | paper | its deviations |\n|---|---|---|---|---|---|\n")
            for _, row, paper, got in mine:
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
    parser.add_argument("--sets", default=",".join(SETS))
    args = parser.parse_args()
    if not os.path.isdir(args.data):
        print(f"SKIPPED: there is no {args.data}")
        return
    results = []
    for name in args.sets.split(","):
        table = Table(args, name)
        for row, paper, got in table.rows_of_the_table():
            results.append((name, row, paper, got))
            print(name, row, got, flush=True)
        write(args, results)


if __name__ == "__main__":
    main()
