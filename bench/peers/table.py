#!/usr/bin/env python3
"""The lines of bench/peers/run.py: which are refused, and the table and plots that are made of them.

usage: bench/peers/table.py [--build build] [--lines docs/results/peers.jsonl] [--skipped FILE] [--out docs/results]

Makes docs/results/peers.md and its plots again from lines that are there; the file of --skipped has a JSON object, what and why."""
import argparse
import json
import math
import os
import statistics
import subprocess

import reasons

# Of a line that is written: who and what, then figures. The first eight and the times are always there.
HEAD = {"task": str, "dataset": str, "peer": str, "method": str, "options": dict, "seed": int, "selection": bool, "version": str}
FIGURES = ("wall_s", "cpu_s", "peak_mb", "accuracy", "auc", "macro_f1", "validation", "sent_bytes", "epsilon_theirs", "epsilon_ours",
           "items", "value")
KEYS = (*HEAD, *FIGURES, "releases")
SHARES = ("accuracy", "auc", "macro_f1", "validation")


class Refused(Exception):
    """A line that cannot be merged."""


def checked(line):
    if not isinstance(line, dict):
        raise Refused("a line is no object")
    for key, kind in HEAD.items():
        if not isinstance(line.get(key), kind):
            raise Refused(f"'{key}' is missing or no {kind.__name__}")
    for key in set(line) - set(KEYS):
        raise Refused(f"'{key}' is not a key of a line")
    for key in ("wall_s", "cpu_s"):
        if key not in line:
            raise Refused(f"'{key}' is missing")
    for key in FIGURES:
        value = line.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            raise Refused(f"'{key}' is {value!r}, which is no figure")
        if key in SHARES and value > 1:
            raise Refused(f"'{key}' is {value}, and it is a share of 1")
    return line


def read(file):
    for number, text in enumerate(file, 1):
        try:
            yield checked(json.loads(text))
        except (json.JSONDecodeError, Refused) as why:
            raise SystemExit(f"line {number}: {why}; remove it, and the run is made again") from None


NAMES = {"gap": "GAP's loop, re-implemented", "progap": "ProGAP's loop, re-implemented", "caribou": "CARIBOU's loop, re-implemented",
         "lpgnet": "LPGNet's loop, re-implemented", "pyg": "PyTorch Geometric", "opacus": "Opacus", "progap_program": "GAP's and ProGAP's own program", "openfgl": "OpenFGL", "flower": "Flower's FedAvg, in one process",
         "pot": "POT", "dp_accounting": "dp-accounting", "crypten": "CrypTen", "wl": "WL kernel, scikit-learn's SVM",
         "openmined_psi": "OpenMined PSI", "secretflow_psi": "SecretFlow PSI", "sotto": "sotto"}


class Row:
    """The runs of one program in one task, the selection left out."""

    def __init__(self, lines):
        self.lines = sorted(lines, key=lambda line: line["seed"])
        self.peer, self.method, self.options, self.version = (lines[0][key] for key in ("peer", "method", "options", "version"))

    def values(self, key):
        return [line[key] for line in self.lines if key in line]

    def mean(self, key):
        found = self.values(key)
        return statistics.mean(found) if found else None

    def spread(self, key):
        found = self.values(key)
        return statistics.stdev(found) if len(found) > 1 else 0.0

    def each(self, key="cpu_s"):
        """A seed's time of one item."""
        return {line["seed"]: line[key] / line.get("items", 1) for line in self.lines}

    def name(self):
        return f"{NAMES.get(self.peer, self.peer)}: {self.method}"


def grouped(lines):
    """(task, dataset): rows, in the order of the lines."""
    runs = {}
    for line in lines:
        if not line["selection"]:
            point = json.dumps(line["options"], sort_keys=True)
            runs.setdefault((line["task"], line["dataset"]), {}).setdefault((line["peer"], line["method"], point), []).append(line)
    return {key: [Row(found) for found in rows.values()] for key, rows in runs.items()}


OURS = {("openfgl", "fedavg"): "fedsage", ("openfgl", "fedsage_plus"): "fedsage+"}


def counterpart(row, rows):
    """Our row that a peer's is compared with: of the same method or aggregator, or the only one."""
    mine = [other for other in rows if other.peer == "sotto"]
    method = OURS.get((row.peer, row.method), row.method)
    same = [other for other in mine if method in (other.method, other.options.get("aggregator"))]
    return same[0] if same else mine[0] if len(mine) == 1 else None


def ratio(row, ours):
    """How many times our processor time a peer takes: the median over runs in turn."""
    theirs, own = row.each(), ours.each()
    both = [theirs[seed] / own[seed] for seed in theirs if seed in own and own[seed] > 0]
    return statistics.median(both) if both else None


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}"


def percent(row, key):
    return "" if row.mean(key) is None else f"{100 * row.mean(key):.2f} ± {100 * row.spread(key):.2f}"


def cells(row, rows):
    ours = None if row.peer == "sotto" else counterpart(row, rows)
    times = None if ours is None else ratio(row, ours)
    options = ", ".join(f"{key} {value}" for key, value in row.options.items() if key not in ("releases",))
    per = statistics.mean(row.each().values())
    return [row.name(), options, str(len(row.lines)), percent(row, "accuracy"), percent(row, "auc"), percent(row, "macro_f1"), number(row.mean("value"), 5),
            number(row.mean("cpu_s")), number(row.mean("wall_s")), f"{1e3 * per:.3g} ms" if row.mean("items") else "",
            "" if times is None else f"{times:.2f}", number(row.mean("peak_mb")), number(row.mean("sent_bytes"), 4),
            number(row.mean("epsilon_theirs"), 6), number(row.mean("epsilon_ours"), 6)]


COLUMNS = ("program", "options", "runs", "accuracy, %", "AUC, %", "macro F1, %", "value", "processor s", "wall s", "of one item", "times ours",
           "peak MB", "bytes sent", "epsilon, their accountant", "epsilon, ours")


def table(rows):
    body = [cells(row, rows) for row in rows]
    used = [i for i in range(len(COLUMNS)) if any(line[i] for line in body)]
    yield "| " + " | ".join(COLUMNS[i] for i in used) + " |"
    yield "|" + "---|" * len(used)
    for line in body:
        yield "| " + " | ".join(line[i] for i in used) + " |"


def behind(task, dataset, rows):
    """A sentence for each peer that is better than our row beyond a deviation, faster, or needs less memory or fewer bytes."""
    for row in rows:
        ours = None if row.peer == "sotto" else counterpart(row, rows)
        if ours is None:
            continue
        if row.mean("accuracy") is not None and ours.mean("accuracy") is not None:
            gap = row.mean("accuracy") - ours.mean("accuracy")
            if gap > max(row.spread("accuracy"), ours.spread("accuracy")):
                yield (f"- {task}, {dataset}: `{ours.method}` is {100 * gap:.2f} points below {row.name()}: "
                       f"{reasons.why('accuracy', task, dataset, row.peer, row.method)}.")
        times = ratio(row, ours)
        if times is not None and times < 1:
            yield (f"- {task}, {dataset}: {row.name()} takes {times:.2f} times our processor time: "
                   f"{reasons.why('time', task, dataset, row.peer, row.method)}.")
        for key, what in (("peak_mb", "memory"), ("sent_bytes", "bytes")):
            if row.mean(key) and ours.mean(key) and row.mean(key) < ours.mean(key):
                yield (f"- {task}, {dataset}: {row.name()} needs {row.mean(key) / ours.mean(key):.2f} times our {what}: "
                       f"{reasons.why(what, task, dataset, row.peer, row.method)}.")


def draw(groups, build, out):
    chart = f"{build}/bench/bench_chart"
    if not os.path.exists(chart):
        return []
    bars = {"peers-accuracy": [], "peers-time": []}
    for (task, dataset), rows in groups.items():
        for row in rows:
            if task in ("edge level", "node level"):
                who = {"sotto": f"sotto {row.method}", "progap_program": f"{row.method}'s program"}.get(row.peer, f"{row.peer}'s loop")
                bars["peers-accuracy"].append((100 * row.mean("accuracy"), f"{dataset}, {task.split()[0]}: {who}"))
            ours = None if row.peer == "sotto" else counterpart(row, rows)
            times = None if ours is None or task == "accounting" else ratio(row, ours)
            if times is not None:
                bars["peers-time"].append((times, f"{dataset}: {row.peer} {row.method}"))
    titles = {"peers-accuracy": ("Accuracy of test nodes: edge level at epsilon 1, node level at 8, delta 1e-6", "per cent"),
              "peers-time": ("Processor time of peers, as a multiple of sotto's in turn", "times ours")}
    drawn = []
    for name, found in bars.items():
        if found:
            subprocess.run([chart, "bars", *titles[name], "", f"{out}/{name}.svg"], text=True, check=True,
                           input="".join(f"{value} nan {text[:60]}\n" for value, text in found))
            drawn.append(f"![{titles[name][0]}]({name}.svg)")
    return drawn


def written(path, text):
    with open(f"{path}.tmp", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.tmp", path)


def write(lines, skipped, build, out):
    groups = grouped(lines)
    os.makedirs(out, exist_ok=True)
    text = [reasons.INTRODUCTION.format(versions="; ".join(sorted({line["version"] for line in lines}))), ""]
    text += [*draw(groups, build, out), ""]
    for (task, dataset), rows in groups.items():
        text += [f"## {task[0].upper()}{task[1:]}: {dataset}", *filter(None, [reasons.NOTES.get(task)]), "", *table(rows), ""]
    found = [sentence for (task, dataset), rows in groups.items() for sentence in behind(task, dataset, rows)]
    text += ["## Where sotto is behind", *found, *reasons.ELSEWHERE, "", "## Skipped",
             *([f"- {what}: {why}" for what, why in sorted(skipped.items())] or ["Nothing."])]
    written(f"{out}/peers.md", "\n".join(text) + "\n")
    written(f"{out}/peers.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{here}/../../build")
    parser.add_argument("--lines", default=f"{here}/../../docs/results/peers.jsonl")
    parser.add_argument("--skipped")
    parser.add_argument("--out", default=f"{here}/../../docs/results")
    args = parser.parse_args()
    with open(args.lines, encoding="utf-8") as file:
        lines = list(read(file))
    skipped = {}
    if args.skipped:
        with open(args.skipped, encoding="utf-8") as file:
            skipped = json.load(file)
    write(lines, skipped, args.build, args.out)


if __name__ == "__main__":
    main()
