#!/usr/bin/env python3
"""Every kernel against the machine's limit and against peers, in one session.

usage: bench/performance.py [--build build] [--peers-python build-peers/bin/python] [--data-dir DIR] [--rounds 2]
                            [--out docs/results] [--table] [--check] [--trainings] [--quick]

Runs the programs of bench/run.py and bench_products, the whole runs of bench/performance_runs.py, and the peers that
bench/performance_peers.py finds; for those: python3 -m venv build-peers && build-peers/bin/pip install numpy scipy torch
torch_geometric POT dp-accounting. What is missing is left out, aloud. For each row below its goal bench/performance_limits.py
measures what stands in the way. Writes performance.jsonl, performance.md and performance.svg. --table makes the last two again
from performance.jsonl, without measuring. --check says whether performance.md is what performance.jsonl
makes. --trainings measures gcn and gin again, puts them into performance.jsonl, and the table says when. --quick takes small
graphs and sets: to see whether the script runs, no figures.
"""
import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import performance_limits
import performance_runs
import run
import words_graph

HERE = os.path.dirname(os.path.abspath(__file__))
# A figure and what is asked of it; bench/performance_limits.py measures what stands in the way where that is not met.
# ("share", s): its bound's value, or time, over its own is at least s. ("times", t): at most t times its bound.
# ("at least", v), ("at most", v): by itself. ("peer", p): p times as fast as the fastest peer.
GOALS = {
    "release, 64 columns": ("times", 1.3),
    "two large products": ("share", 0.8),
    "noise, rows of 16": ("at least", 150e6),
    "DP-SGD, cora": ("times", 2.5),
    "DP-SGD, computers": ("times", 2.5),
    "DP-SGD, dense": ("times", 2.5),
    "secure sum, 50 clients, 12 neighbours": ("at most", 0.5),
    "ring product": ("share", 0.8),
    "alignment": ("at least", 100000),
    "memory of an alignment, 10,000,000 ids, by the line through these": ("at most", 500),
    "reading a CSV of edges": ("at least", 300),
    "memory of reading a CSV of 100,000,000 edges, by the line through these": ("times", 2),
    "memory of reading a CSV of edges": ("times", 2),
    # An archive is inflated first: zlib, or the goal of other tables, whichever is nearer.
    "reading npz, computers": ("share", 1),
    "reading npz, bag of words": ("share", 1),
    "reading Planetoid, cora": ("at least", 300),
    "start of sotto --help": ("at most", 5),
    "start of sotto account": ("at most", 5),
    "memory of sotto --help": ("at most", 10),
    "gcn, 200 epochs": ("at most", 4),
    "gin, 200 epochs": ("at most", 4),
    "gap, whole run, computers": ("peer", 4),
    "gap, whole run, bag of words": ("peer", 4),
    # One start: at an objective no higher than POT's. Six: at the lower one that they find.
    "Gromov-Wasserstein, one start, MUTAG": ("peer", 25),
    "Gromov-Wasserstein, six starts, MUTAG": ("peer", 8),
    "Gromov-Wasserstein, one start, PROTEINS, 30 to 60 nodes": ("peer", 25),
    "Gromov-Wasserstein, six starts, PROTEINS, 30 to 60 nodes": ("peer", 8),
    "Gromov-Wasserstein, one start, IMDB-BINARY, 30 to 60 nodes": ("peer", 25),
    "Gromov-Wasserstein, six starts, IMDB-BINARY, 30 to 60 nodes": ("peer", 8),
    "pld epsilon, 10,000 sampled steps": ("peer", 1),
}
PRODUCTS = ("share", 0.85)
LOWER = {"ms", "s", "MB"}
# Parts of experiments, which stand in the sentences of others.
PARTS = ("GraphBLAS, ", "in order: ")


def measure(args, folder):
    found = {}
    graphs = run.make_graphs(args, folder)
    programs = [p for p in run.PROGRAMS if p[0] not in ("wire", "checked_sum") and (not args.quick or p[0] not in ("secure_sum", "accountant"))]
    for number in range(args.rounds):
        for program in programs + ([["products"] + (["0.05"] if args.quick else [])] if number == 0 else []):
            print(f"== {program[0]}", flush=True)
            run.take(found, run.figures(program, args.build, graphs, False))
        if number == 0:
            print("== whole runs", flush=True)
            words_graph.write(f"{folder}/words.npz")
            run.take(found, performance_runs.whole_runs(args, f"{folder}/words.npz", folder))
    run.join_bounds(found)
    return found


def measure_peers(args, folder):
    if not os.path.exists(args.peers_python):
        print(f"left out: peers, since there is no {args.peers_python}")
        return []
    words = [args.peers_python, f"{HERE}/performance_peers.py", "--build", args.build, "--words", f"{folder}/words.npz"]
    print("== peers", flush=True)
    done = subprocess.run(words + (["--data-dir", args.data_dir] if args.data_dir else []), capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        if "skipped" in line:
            print(f"left out: {line['skipped']}: {line['why']}")
    return [line for line in lines if "kernel" in line]


def best(figure):
    """The best value, and the best bound of the same run."""
    lower = figure["unit"] in LOWER
    pick = min if lower else max
    return pick(figure["values"]), pick(figure["bounds"]) if figure["bounds"] else None


def rows(found, peers, args, folder):
    """One row a kernel, for the file and the table."""
    for line in peers:
        if line["peer"] == "sotto":
            run.take(found, [{"name": line["kernel"], "value": line["value"], "unit": line["unit"]}])
    limits = performance_limits.Limits({name: best(figure)[0] for name, figure in found.items()}, args, folder)
    for name, figure in found.items():
        if name.startswith(PARTS):
            continue
        value, bound = best(figure)
        others = [line for line in peers if line["kernel"] == name and line["peer"] != "sotto"]
        theirs = found.get("GraphBLAS, " + name.partition("floats, ")[2])
        if "floats, " in name and theirs:
            others.append({"peer": "GraphBLAS", "value": best(theirs)[0]})
        row = {"kernel": name, "value": value, "unit": figure["unit"], "peers": {o["peer"]: o["value"] for o in others}}
        if bound is not None:
            row.update(bound=bound, against=figure["against"])
        judge(row)
        if row.get("met") is False:
            print(f"== what limits {name}", flush=True)
            row["limit"] = limits.say(row) or "what limits it was not examined"
        yield row


def train_again(args, folder, head, lines):
    """Rows of trainings anew, beside the others."""
    found = {figure["name"]: figure["value"] for figure in performance_runs.trainings(f"{args.build}/sotto", folder)}
    limits = performance_limits.Limits({row["kernel"]: row["value"] for row in lines}, args, folder)
    for row in lines:
        if row["kernel"] in found:
            row.update(value=found[row["kernel"]])
            row.pop("limit", None)
            if judge(row).get("met") is False:
                row["limit"] = limits.say(row)
    head["trainings"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def share(row):
    """Of what the bound allows, 1 is all."""
    return row["bound"] / row["value"] if row["unit"] in LOWER else row["value"] / row["bound"]


def speed(row, value):
    """How many times as fast ours is as a peer that has this value."""
    return value / row["value"] if row["unit"] in LOWER else row["value"] / value


def judge(row):
    """Puts goal and met into a row that has a goal and what it needs."""
    goal = PRODUCTS if row["kernel"].startswith("sparse product") else GOALS.get(row["kernel"])
    if goal is None:
        return row
    kind, number = goal
    peers = [value for peer, value in row["peers"].items() if "another optimum" not in peer]
    if kind in ("share", "times") and "bound" not in row or kind == "peer" and not peers:
        return row
    got = {"share": lambda: share(row) >= number, "times": lambda: 1 / share(row) <= number,
           "at least": lambda: row["value"] >= number, "at most": lambda: row["value"] <= number,
           "peer": lambda: min(speed(row, value) for value in peers) >= number}[kind]()
    said = {"share": f"{100 * number:.0f} % of the bound", "times": f"{number:g} times the bound",
            "at least": f"at least {figure_text(number, row['unit'])}", "at most": f"at most {number:g} {row['unit']}",
            "peer": f"{number:g} times the peer"}[kind]
    row.update(goal=said, met=got)
    return row


def figure_text(value, unit):
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def table(head, lines):
    machine, versions = head["machine"], head["versions"]
    yield "# Kernels against the machine's limit"
    yield ""
    yield (f"Measured by `bench/performance.py` at {head['session']}: {machine['processor']} with "
           f"{machine['vectors']}, {machine['cores']} cores, "
           f"{versions['sotto']}. One thread, but for releases and figures that say otherwise; load of the machine {head['load']:.1f} before and "
           f"{head['load_after']:.1f} after. A bound was measured in the same run. *Of the bound*: 100 % is all that it allows."
           + (f" gcn and gin were measured again at {head['trainings']}." if "trainings" in head else ""))
    yield ""
    yield "| kernel | figure | bound | of the bound | peers | goal | |"
    yield "|---|---|---|---|---|---|---|"
    for row in lines:
        bound = f"{figure_text(row['bound'], row['unit'])}, {row['against']}" if "bound" in row else ""
        part = f"{100 * share(row):.0f} %" if "bound" in row else ""
        peers = "; ".join(f"{peer}: {figure_text(value, row['unit'])} ({speed(row, value):.1f} times)"
                          for peer, value in row["peers"].items())
        met = "" if "goal" not in row else "met" if row["met"] else f"not met: {row.get('limit', 'what limits it was not examined')}"
        yield (f"| {row['kernel']} | {figure_text(row['value'], row['unit'])} | {bound} | {part} | {peers} | "
               f"{row.get('goal', '')} | {met} |")


def draw(args, lines):
    chosen = [row for row in lines if "bound" in row and row["unit"] != "MB" and not row["kernel"].startswith("start of")]
    text = "".join(f"{100 * share(row):.1f} {'nan' if 'goal' not in row or '%' not in row['goal'] else row['goal'].split()[0]} "
                   f"{row['kernel'][:62]}\n" for row in chosen)
    subprocess.run([f"{args.build}/bench/bench_chart", "bars", "Kernels: share of what the bound allows", " %", "goal",
                    f"{args.out}/performance.svg"], input=text, text=True, check=True)


def write(path, lines):
    with open(path + ".new", "w") as file:
        file.writelines(line + "\n" for line in lines)
    os.replace(path + ".new", path)


@contextlib.contextmanager
def own_folder(args):
    """A folder with a ledger's place and a copy of the data, since a run notes its ledger beside its data."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, SOTTO_LEDGER=f"{folder}/ledger.db", SOTTO_LEDGER_KEY=f"{folder}/owner.key")
        if args.data_dir:
            args.data_dir = shutil.copytree(args.data_dir, f"{folder}/data")
        yield folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{HERE}/../build")
    parser.add_argument("--peers-python", default=f"{HERE}/../build-peers/bin/python")
    parser.add_argument("--data-dir")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", default=f"{HERE}/../docs/results")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--trainings", action="store_true")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    path = f"{args.out}/performance.jsonl"
    if args.table or args.check or args.trainings:
        with open(path) as file:
            head, *lines = map(json.loads, file)
        lines = [judge({k: v for k, v in row.items() if k not in ("goal", "met")}) for row in lines]
        if args.check:
            with open(f"{args.out}/performance.md") as file:
                if file.read() != "".join(line + "\n" for line in table(head, lines)):
                    raise SystemExit("docs/results/performance.md is not what performance.jsonl makes: run bench/performance.py --table")
            return 0
        if args.trainings:
            os.environ["OPENBLAS_NUM_THREADS"] = "1"
            with own_folder(args) as folder:
                subprocess.run([f"{args.build}/sotto", "ledger", "init"], stdout=subprocess.DEVNULL, check=True)
                train_again(args, folder, head, lines)
    else:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        begun = time.time()
        head = {"session": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": run.machine(),
                "versions": run.versions(args.build), "load": os.getloadavg()[0]}
        with own_folder(args) as folder:
            found = measure(args, folder)
            lines = list(rows(found, measure_peers(args, folder), args, folder))
        head.update(load_after=os.getloadavg()[0], seconds=round(time.time() - begun))
    write(path, [json.dumps(line) for line in [head, *lines]])
    write(f"{args.out}/performance.md", table(head, lines))
    draw(args, lines)
    print("\n".join(table(head, lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
