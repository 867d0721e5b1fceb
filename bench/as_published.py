#!/usr/bin/env python3
"""Runs with --as-published of all five papers, between processes and audited, beside the papers' figures.

usage: bench/as_published.py --data FOLDER [--build build] [--work /tmp/sotto-as-published] [--only vesper,vfgnn,...]
                             [--out docs/results/as-published.csv]

FOLDER has planetoid/, npz/ and tu/, as published; what is not there is skipped, aloud. Runs that the work folder has are taken as
they are, so the same command goes on after a stop. The rows go to --out; docs/reproduction.md is made from them (bench/verdicts.py).

Each party is a process of its own, over loopback (bench/loopback.py). `caribou` has one owner, who is one process. The row without edges and
the audit are of the same training in one process: two parties may not train without edges as published, and an audit draws releases
again with the data of all. That both ways train one model is tested (tests/cli/test_party_as_published.sh).

A difference is between our figure and the paper's. Where a paper's data are not here, both are gains over the network without
edges, so that the data's own difficulty is not counted. An experiment is the same run with one thing changed. It explains the
difference if it removes at least half of it; of several the one that removes most is named. Else it is unexplained. There is no
difference within two deviations: the paper's, or ours where it has none.
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import zipfile

import loopback

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ("run", "parties", "claimed", "charged", "published", "where", "figure", "seeds", "mean", "deviation", "accuracy", "without_edges", "audit", "audit_holds",
           "difference")

# method; data, and the words that read them; words of the training; what is compared (accuracy; gain, over the row without edges; svm, of a
# table of distances); what the paper has (a figure; ABOVE: a gain above 0, without a figure; None: nothing), its deviation or None, where;
# seeds; words of the audit; experiments: (what is changed, words of a run).
ABOVE = "above"
CASES = [
    ("vesper", "planetoid:cora", [], [], "gain", 10.21, None, "table 1, GIN at epsilon 4: 71.27 on ogbn-products, MLP 61.06", 3,
     ["--attack", "release,canary", "--trials", "1000"], [("no noise (epsilon inf)", ["--epsilon", "inf"]), ("one layer (layers 1)", ["--layers", "1"])]),
    ("vesper", "planetoid:cora", [], ["--aggregator", "gcn"], "gain", 5.67, None, "table 3, GCN with concat at epsilon 4: 66.73 on ogbn-products, MLP 61.06", 3,
     ["--attack", "release,canary", "--trials", "20000"], [("no noise (epsilon inf)", ["--epsilon", "inf"]), ("one layer (layers 1)", ["--layers", "1"])]),
    ("vfgnn", "planetoid:cora", [], ["--split", "planetoid", "--combine", "mean", "--epsilon", "inf"], "accuracy", 80.9, None,
     "table 2, cora, VFGNN_M, no noise", 3, ["--attack", "link-stealing"],
     [("one holder of all columns and edges (holders 1, initial individually)", ["--holders", "1", "--initial", "individually"])]),
    ("vfgnn", "planetoid:cora", [], ["--split", "planetoid", "--combine", "mean", "--epsilon", "4"], "accuracy", None, None,
     "figure 5 is a curve without numbers", 3, ["--attack", "canary", "--trials", "1000"], []),
    ("caribou", "planetoid:cora", [], ["--epsilon", "1"], "gain", ABOVE, None, "table III: above MLP; the text at hand has no number", 5,
     ["--attack", "canary", "--trials", "1000"],
     [("no noise (epsilon inf)", ["--epsilon", "inf"]), ("no noise and no residual (epsilon inf, beta 0)", ["--epsilon", "inf", "--beta", "0"])]),
    ("feddep", "planetoid:cora", [], ["--degree-floor", "10"], "accuracy", None, None, "the appendix has no figure", 1, ["--attack", "link-stealing"], []),
    ("gwldp", "tu/MUTAG", ["--classes", "2"], [], "svm", 79.57, 6.73, "table 1, MUTAG, GW_H* of GCN", 5, ["--attack", "canary,release"],
     [("no noise (epsilon inf)", ["--adjacency", "none", "--epsilon", "inf"])]),
]
CLIENTS = 10


class Case:
    def __init__(self, row):
        (self.method, self.data, self.read, self.words, self.kind, self.published, self.spread, self.where, self.seeds, self.audit,
         self.experiments) = row


class Runs:
    def __init__(self, args):
        self.args, self.work = args, pathlib.Path(args.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.program = str(pathlib.Path(args.build).resolve() / "sotto")
        self.env = {**os.environ, "SOTTO_LEDGER": str(self.work / "ledger.db"), "OPENBLAS_NUM_THREADS": "1"}
        if not (self.work / "ledger.db").exists():
            self.sotto("ledger", "init")

    def sotto(self, *words, failing=False):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.args.data, text=True, capture_output=True, env=self.env)
        if done.returncode != 0 and not failing:
            sys.exit(f"sotto {' '.join(map(str, words))}\n{done.stderr}")
        return done

    def named(self, case, words, last):
        return self.work / "-".join([case.method, *words, last]).replace("/", "_").replace("--", "")

    def train(self, case, words, seeds):
        """In one process: result, the line of a run as published, the run folder."""
        out = self.named(case, words, str(seeds))
        if not (out / "said.json").exists():
            shutil.rmtree(out, ignore_errors=True)
            done = self.sotto("train", "--method", case.method, "--as-published", "--data", case.data, *case.read, *words, "--seeds", seeds, "--threads", 1, "--out", out, "--json")
            line = [line for line in done.stderr.splitlines() if line.startswith("as published: ")][0]
            (out / "said.json").write_text(json.dumps({"result": json.loads(done.stdout.splitlines()[-1]), "line": line}))
        said = json.loads((out / "said.json").read_text())
        return said["result"], said["line"], out

    def parties(self, case, folder):
        """(role, its own words) of each party, the data split among them, and words for all; None: one owner."""
        whole = str(pathlib.Path(self.args.data).resolve() / case.data) if case.data[:10] != "planetoid:" else str(pathlib.Path(self.args.data).resolve()) + "/" + case.data
        if case.method == "vesper":
            at = loopback.address()
            return [("data", ["--data", whole, "--listen", at, "--peer", "label"]), ("label", ["--data", whole, "--peer", f"data={at}"])], []
        if case.method == "vfgnn":
            self.sotto("data", "split", case.data, "--vertical", "--holders", 2, "--partition", "5:5", "--features", "--edges", "--out", folder / "part")
            hub, other = loopback.address(), loopback.address()
            return [("server", ["--listen", hub, "--peer", "holder1", "--peer", "holder2"]),
                    ("holder1", ["--data", "part-1.sotto", "--listen", other, "--peer", f"server={hub}", "--peer", "holder2"]),
                    ("holder2", ["--data", "part-2.sotto", "--peer", f"server={hub}", "--peer", f"holder1={other}"])], []
        if case.method == "caribou":
            return None, []
        nodes = case.method == "feddep"
        self.sotto("data", "split", case.data, "--horizontal", "--clients", CLIENTS, "--parts", *self.divided(case), "--out", folder / "part")
        words = ["--split", "planetoid", "--secure-aggregation"] if nodes else case.read
        return loopback.server_and(*((f"client{i}", ["--data", f"part-{i}.sotto"]) for i in range(1, CLIENTS + 1))), words

    def divided(self, case):
        """How the run in one process divides nodes or graphs among clients, and what it trains on."""
        _, _, out = self.train(case, case.words, 1)
        lines = dict(line.split(": ", 1) for line in (out / "run.yaml").read_text().splitlines() if ": " in line)
        return [word for key in ("partition", "train-share", "validation-share") for word in (f"--{key}", lines[key].strip("'"))]

    def between(self, case):
        """Of a run between processes: how many there are, and the figures of its seeds, in per cent."""
        folder = self.named(case, case.words, "parties")
        said = folder / "said.json"
        if not said.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            parties, own = self.parties(case, folder)
            if parties is None:
                return 1, self.accuracies(self.train(case, case.words, case.seeds)[0], "test")
            clients = f"clients: {CLIENTS}\n" if "client1" in dict(parties) else ""
            (folder / "run.yaml").write_text(f"method: {case.method}\n{clients}seeds: {case.seeds}\n")
            loopback.run(self.program, folder, "run", parties, ["--method", case.method, "--as-published", *case.words, *own, "--threads", "1"], self.env)
            said.write_text(json.dumps([len(parties), self.measured(case, folder)]))
        return json.loads(said.read_text())

    def measured(self, case, folder):
        if case.kind == "svm":
            labels = [label for i in range(1, CLIENTS + 1) for label in self.labels(folder / f"part-{i}.sotto")]
            return [self.svm([folder / f"run-server/seed-{seed}"], folder / f"distances-{seed}.npz", labels) for seed in range(1, case.seeds + 1)]
        role = {"vesper": "label", "vfgnn": "holder1", "feddep": "server"}[case.method]
        return self.accuracies(json.loads((folder / f"run-{role}/result.json").read_text()), "test")

    @staticmethod
    def accuracies(result, of):
        return [100 * run for run in result[of]["accuracy"]["runs"]]

    def labels(self, part):
        table = part.with_suffix(".size.npz")
        self.sotto("compare", part, "--by", "size", "--out", table)
        content = zipfile.ZipFile(table).read("labels.npy")
        at = 10 + struct.unpack("<H", content[8:10])[0]
        return [label for label, in struct.iter_unpack("<i", content[at:])]

    def svm(self, graphs, table, labels=None):
        """Accuracy of the SVM on distances of embeddings, its folds over all graphs: the model saw the labels of most. The server's table has no
        labels: they are put in."""
        table.unlink(missing_ok=True)
        self.sotto("compare", *graphs, "--by", "embeddings", "--starts", 1, "--out", table)
        if labels is not None:
            with zipfile.ZipFile(table) as read:
                arrays = {name: read.read(name) for name in read.namelist()}
            bare = arrays["labels.npy"]
            arrays["labels.npy"] = bare[:len(bare) - 4 * len(labels)] + struct.pack(f"<{len(labels)}i", *labels)
            with zipfile.ZipFile(table, "w") as write:
                for name, content in arrays.items():
                    write.writestr(name, content)
        return 100 * json.loads(self.sotto("compare", "classify", table, "--json").stdout)["svm"]

    def tried(self, case, more):
        """Mean of the figure with one thing changed, in one process."""
        kept = [word for at, word in enumerate(case.words) if not {word, case.words[at - 1]} & set(more[::2])]
        result, _, out = self.train(case, [*kept, *more], case.seeds)
        if case.kind == "svm":
            return statistics.mean(self.svm([case.data, "--embeddings", out / f"seed-{seed}/embeddings.npz"], out / f"distances-{seed}.npz") for seed in range(1, case.seeds + 1))
        gain = statistics.mean(self.accuracies(result, "baseline")) if case.kind == "gain" else 0
        return statistics.mean(self.accuracies(result, "test")) - gain

    def audited(self, case, out):
        """What the attacks find, and whether what decides holds."""
        if not (out / "owner-only/audit.json").exists():
            self.sotto("audit", out, *case.audit, "--threads", 1, failing=True)
        findings = json.loads((out / "owner-only/audit.json").read_text())["findings"]
        return "; ".join(found(findings)), all(finding["holds"] for finding in findings)


def found(findings):
    """The best of each attack that has an area, and all others."""
    best = {}
    for finding in findings:
        name = finding["attack"]
        if "auc" in finding and "alone" not in finding["variant"] and finding["auc"] > best.get(name, {"auc": 0})["auc"]:
            best[name] = finding
    for name, finding in best.items():
        yield f"{name} ({finding['variant']}): AUC {finding['auc']:.3f} of edges"
    for finding in findings:
        if finding["attack"] == "canary":
            noise = "" if finding["noise"]["holds"] else "not "
            yield f"canary: epsilon at least {finding['epsilon_lower_bound']:.2f}, {finding['stated_epsilon']:g} claimed; noise {noise}as stated"
        elif finding["attack"] == "release":
            noise = "" if finding["holds"] else "not "
            yield f"release: {finding['compared']} of {finding['releases']} compared, noise {noise}as stated"


def is_there(folder, data):
    path = f"planetoid/ind.{data[10:]}.graph" if data.startswith("planetoid:") else data
    return (pathlib.Path(folder) / path).exists()


def explain(published, deviation, ours, tried):
    """The experiment that removes most of the difference. ours: mean and deviation; tried makes the experiments."""
    ours, spread = ours
    if published is None:
        return "nothing to compare"
    if published == ABOVE:
        above = [] if ours > 0 else [f"explained by {what}: {value:.2f}" for what, value in tried() if value > 0]
        return "none: it is above" if ours > 0 else above[0] if above else "unexplained"
    if abs(published - ours) <= 2 * (spread if deviation is None else deviation):
        return "none: within two deviations"
    left = [(abs(published - value), what, value) for what, value in tried()]
    if left and 2 * min(left)[0] <= abs(published - ours):
        return "explained by {1}: {2:.2f}".format(*min(left))
    return "unexplained" + "".join(f"; {what}: {value:.2f}" for _, what, value in left)


def row(runs, case):
    parties, values = runs.between(case)
    result, line, out = runs.train(case, case.words, 1)
    bare = runs.accuracies(runs.train(case, case.words, case.seeds)[0], "baseline") if case.kind == "gain" else None
    shown = [a - b for a, b in zip(values, bare)] if bare else values
    mean, spread = statistics.mean(shown), statistics.stdev(shown) if len(shown) > 1 else 0.0
    claimed, _, charged = line[len("as published: "):].split(" claims ", 1)[1].split(", since ", 1)[0].partition("; charged")
    audit, holds = runs.audited(case, out)
    difference = explain(case.published, case.spread, (mean, spread), lambda: [(what, runs.tried(case, more)) for what, more in case.experiments])
    accuracy = statistics.mean(runs.accuracies(result, "test")) if case.kind == "svm" else statistics.mean(values)
    return dict(zip(COLUMNS, (
        " ".join(["--method", case.method, "--as-published --data", case.data.rsplit("/", 1)[-1], *case.read, *case.words, "--seeds", str(case.seeds)]), parties, claimed,
        charged.rpartition(": ")[2], case.published if isinstance(case.published, float) else "", case.where, case.kind, case.seeds, f"{mean:.2f}", f"{spread:.2f}",
        f"{accuracy:.2f}", f"{statistics.mean(bare):.2f}" if bare else "", audit, "yes" if holds else "no", difference)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--work", default="/tmp/sotto-as-published")
    parser.add_argument("--only", default=",".join(case[0] for case in CASES))
    parser.add_argument("--out", default=str(ROOT / "docs/results/as-published.csv"))
    args = parser.parse_args()
    runs, rows = Runs(args), []
    for case in map(Case, CASES):
        if case.method not in args.only.split(","):
            continue
        if not is_there(args.data, case.data):
            print(f"SKIPPED: {case.method}: {args.data} has no {case.data}")
            continue
        rows.append(row(runs, case))
        print(f"seeds 1 to {case.seeds}: {json.dumps(rows[-1])}", flush=True)
    with open(args.out, "w", newline="", encoding="utf-8") as lines:
        table = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
