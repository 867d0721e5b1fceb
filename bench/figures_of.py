"""Our numbers, from the tables of docs/results, by words: FILE, then the words of a row. `a|b` stands for one number of each.

  vfgnn cora vfgnn-cat [edge/4] [SERIES:VALUE]    tables of sotto-bench: dataset, method, level and epsilon [none/inf]
  table1 PROTEINS GW_H (GCN)                      set, row
  figures figure5 0.1 citeseer, 1 hop             figure, epsilon, series
  vesper-paper 5 gin concat 10 1                  figure, aggregator, decoder, value, epsilon
  commands cora.nodes                             name of a command of bench/reproduction.yaml
  audit cora caribou 1 linkteller [fresh]         dataset, method, epsilon, attack: AUC; with fresh noise in each answer
A last word of ~ and a digit prints the mean alone, with so many digits.
"""
import csv
import itertools
import json
import pathlib
import re
import sys

PERCENT = 100


class Results:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.read = {}

    def rows(self, name):
        if name not in self.read:
            with open(self.folder / f"{name}.csv", newline="") as lines:
                self.read[name] = list(csv.DictReader(lines))
        return self.read[name]

    def one(self, name, mean, deviation, scale, wanted):
        found = [row for row in self.rows(name) if all(row[key] == text for key, text in wanted.items())]
        if len(found) != 1:
            sys.exit(f"{self.folder}/{name}.csv has {len(found)} rows of {wanted}: run its part again (bench/reproduction.py --only), or correct the name")
        return scale * float(found[0][mean]), scale * float(found[0][deviation] or 0) if deviation else 0.0

    def number(self, words):
        """Mean and deviation."""
        name, *rest = [word for word in words.split() if not word.startswith("~")]
        if name == "table1":
            return self.one(name, "svm", "svm_std", 1, {"set": rest[0], "row": " ".join(rest[1:])})
        if name == "figures":
            return self.one(name, "value", "spread", 1, {"figure": rest[0], "epsilon": rest[1], "series": " ".join(rest[2:])})
        if name == "vesper-paper":
            return self.one(name, "auc", "deviation", PERCENT, dict(zip(("figure", "aggregator", "decoder", "value", "epsilon"), rest)))
        if name == "audit":
            return self.attack(*rest), 0.0
        if name == "commands":
            return self.one(name, "mean", "deviation", 1, {"name": rest[0]})
        return self.one(name, "mean", "deviation", PERCENT, self.cell(*rest))

    def attack(self, dataset, method, epsilon, attack, fresh=""):
        if "audit" not in self.read:
            self.read["audit"] = [json.loads(line) for line in (self.folder / "audit.jsonl").read_text().splitlines()]
        runs = [run for run in self.read["audit"] if (run["dataset"], run["method"], run["epsilon"], "fresh" if "--fresh" in run["options"] else "") == (dataset, method, epsilon, fresh)]
        found = [PERCENT * finding["auc"] for run in runs for finding in run["audit"]["findings"] if finding["attack"] == attack and "auc" in finding]
        if not found:
            sys.exit(f"{self.folder}/audit.jsonl has no {attack} of {method} on {dataset} at epsilon {epsilon}: run bench/audit.sh, or correct the name")
        return found[0]

    @staticmethod
    def cell(dataset, method, *more):
        wanted = {"dataset": dataset, "method": method, "level": "none", "epsilon": "inf", "series": "", "value": ""}
        for word in more:
            if "/" in word:
                wanted["level"], wanted["epsilon"] = word.split("/")
            else:
                wanted["series"], wanted["value"] = word.split(":")
        return wanted

    @staticmethod
    def each(words):
        choices = [word.split("|") for word in words.split()]
        return [" ".join(chosen) for chosen in itertools.product(*choices)]

    def shown(self, words):
        digits = re.search(r"~(\d)", words)
        out = []
        for mean, deviation in map(self.number, self.each(words)):
            text = f"{mean:,.{digits[1]}f}" if digits else f"{mean:.2f}"
            out.append(text if digits or not deviation else f"{text} ± {deviation:.2f}")
        return ", ".join(out)

    def means(self, words):
        means = [self.number(one)[0] for one in self.each(words)]
        return means if "|" in words else means[0]

    def ranked(self, method, level, rivals, place, epsilons="1 2 4 8 16 32"):
        """Cells of bench/utility.yaml in which so many or fewer rivals are above: count, and all cells. A rival that reads no edge has one figure at edge level."""
        graphs, count, cases = ("cora", "citeseer", "photo", "computers", "facebook"), 0, 0
        for data, epsilon in itertools.product(graphs, epsilons.split()):
            own, others = self.found(data, method, level, epsilon), [self.found(data, rival, level, epsilon) for rival in rivals.split()]
            others = [other for other in others if other is not None]
            if own is not None and others:
                cases += 1
                count += sum(other > own for other in others) < place
        return count, cases

    def found(self, data, method, level, epsilon):
        for at in ((level, epsilon), ("none", "inf")) if level == "edge" and method == "mlp" else ((level, epsilon),):
            wanted = self.cell(data, method, "/".join(at))
            for row in self.rows("utility"):
                if all(row[key] == text for key, text in wanted.items()):
                    return float(row["mean"])
        return None
