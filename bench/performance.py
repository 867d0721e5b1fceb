#!/usr/bin/env python3
"""Every kernel against the machine's limit and against peers, in one session.

usage: bench/performance.py [--build build] [--peers-python build-peers/bin/python] [--data-dir DIR] [--rounds 2]
                            [--out docs/results] [--table]

Runs the programs of bench/run.py and bench_products, a training, the reading of a CSV file, and the peers that
bench/performance_peers.py finds; for those: python3 -m venv build-peers && build-peers/bin/pip install numpy scipy torch
torch_geometric POT dp-accounting. What is missing is left out, aloud. Writes performance.jsonl, performance.md and
performance.svg. --table makes the last two again from performance.jsonl, without measuring.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import run

HERE = os.path.dirname(os.path.abspath(__file__))
# A figure, what is asked of it, and what was measured to stand in the way where that is not met, if anything was.
# ("share", s): its bound's value, or time, over its own is at least s. ("times", t): at most t times its bound.
# ("at least", v), ("at most", v): by itself. ("peer", p): p times as fast as the fastest peer.
GOALS = {
    "release, 64 columns": (("times", 1.3), ""),
    "two large products": (("share", 0.8), ""),
    "noise, rows of 16": (("at least", 150e6), "the key stream: see the bound"),
    "DP-SGD, dense": (("times", 2.5), ""),
    "secure sum, 50 clients, 12 neighbours": (("at most", 0.5), "the stream of the masks, by itself slower than the goal: see "
                                              "the bound"),
    "ring product": (("share", 0.8), ""),
    "alignment": (("at least", 100000), "scalar multiplications, by themselves slower than the goal: see the bound"),
    "reading a CSV of edges": (("at least", 300), ""),
    "start of sotto --help": (("at most", 5), ""),
    "start of sotto account": (("at most", 5), ""),
    "gcn, 200 epochs": (("at most", 4), ""),
    "Gromov-Wasserstein, MUTAG": (("peer", 25), ""),
    "pld epsilon, 10,000 sampled steps": (("peer", 1), ""),
}
PRODUCTS = (("share", 0.85), "")
LOWER = {"ms", "s", "MB"}


def csv_file(path, edges):
    draw = random.Random(1)
    with open(path, "w") as file:
        file.write("source,target\n")
        file.writelines(f"{draw.randrange(1000000)},{draw.randrange(1000000)}\n" for _ in range(edges))
    return os.path.getsize(path)


def processor_seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, state, used = os.wait4(child.pid, 0)
    if state != 0:
        raise SystemExit(f"bench/performance.py: {' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


def whole_runs(build, folder):
    """A GCN on a graph of the size of computers, and the reading of two million edges; processor seconds."""
    sotto = f"{build}/sotto"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    subprocess.run([sotto, "ledger", "init"], **quiet)
    data, table = f"{folder}/g.sotto", f"{folder}/edges.csv"
    subprocess.run([sotto, "data", "generate", "powerlaw", "--nodes", "13752", "--edges", "245861", "--features", "767",
                    "--classes", "10", "--out", data], **quiet)
    train = [sotto, "train", "--method", "gnn", "--aggregator", "gcn", "--data", data, "--hidden", "64", "--threads", "1",
             "--patience", "0", "--epochs"]
    short, long = (processor_seconds([*train, str(epochs), "--out", f"{folder}/run{epochs}"]) for epochs in (5, 45))
    yield {"name": "gcn, 200 epochs", "value": (long - short) * 200 / 40, "unit": "s"}
    size = csv_file(table, 2000000)
    seconds = processor_seconds([sotto, "data", "import", table, f"{folder}/e.sotto"])
    yield {"name": "reading a CSV of edges", "value": size / 1e6 / seconds, "unit": "MB/s"}


def measure(args, folder):
    found = {}
    graphs = run.make_graphs(args, folder)
    programs = [p for p in run.PROGRAMS if p[0] not in ("wire", "checked_sum")]
    for number in range(args.rounds):
        for program in programs + ([["products"]] if number == 0 else []):
            print(f"== {program[0]}", flush=True)
            run.take(found, run.figures(program, args.build, graphs, False))
        if number == 0:
            print("== whole runs", flush=True)
            run.take(found, whole_runs(args.build, folder))
    run.join_bounds(found)
    return found


def measure_peers(args):
    if not os.path.exists(args.peers_python):
        print(f"left out: peers, since there is no {args.peers_python}")
        return []
    words = [args.peers_python, f"{HERE}/performance_peers.py", "--build", args.build]
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


def rows(found, peers):
    """One row a kernel, for the file and the table."""
    for line in peers:
        if line["peer"] == "sotto":
            run.take(found, [{"name": line["kernel"], "value": line["value"], "unit": line["unit"]}])
    for name, figure in found.items():
        if name.startswith("GraphBLAS, "):
            continue
        value, bound = best(figure)
        others = [line for line in peers if line["kernel"] == name and line["peer"] != "sotto"]
        theirs = found.get("GraphBLAS, " + name.partition("floats, ")[2])
        if "floats, " in name and theirs:
            others.append({"peer": "GraphBLAS", "value": best(theirs)[0]})
        row = {"kernel": name, "value": value, "unit": figure["unit"], "peers": {o["peer"]: o["value"] for o in others}}
        if bound is not None:
            row.update(bound=bound, against=figure["against"])
        yield judge(row)


def share(row):
    """Of what the bound allows, 1 is all."""
    return row["bound"] / row["value"] if row["unit"] in LOWER else row["value"] / row["bound"]


def speed(row, value):
    """How many times as fast ours is as a peer that has this value."""
    return value / row["value"] if row["unit"] in LOWER else row["value"] / value


def judge(row):
    goal, limit = PRODUCTS if row["kernel"].startswith("sparse product") else GOALS.get(row["kernel"], (None, ""))
    if goal is None:
        return row
    kind, number = goal
    if kind in ("share", "times") and "bound" not in row or kind == "peer" and not row["peers"]:
        return row
    got = {"share": lambda: share(row) >= number, "times": lambda: 1 / share(row) <= number,
           "at least": lambda: row["value"] >= number, "at most": lambda: row["value"] <= number,
           "peer": lambda: min(speed(row, value) for value in row["peers"].values()) >= number}[kind]()
    said = {"share": f"{100 * number:.0f} % of the bound", "times": f"{number:g} times the bound",
            "at least": f"at least {figure_text(number, row['unit'])}", "at most": f"at most {number:g} {row['unit']}",
            "peer": f"{number:g} times the peer"}[kind]
    row.update(goal=said, met=got)
    if not got:
        row["limit"] = limit or "what limits it was not examined"
    return row


def figure_text(value, unit):
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def table(head, lines):
    machine, versions = head["machine"], head["versions"]
    yield "# Kernels against the machine's limit"
    yield ""
    yield (f"Measured by `bench/performance.py` at {head['session']}: {machine['processor']}, {machine['cores']} cores, "
           f"{versions['sotto']}. One thread, but for figures that say otherwise; load of the machine {head['load']:.1f} before and "
           f"{head['load_after']:.1f} after. A bound was measured in the same run. *Of the bound*: 100 % is all that it allows.")
    yield ""
    yield "| kernel | figure | bound | of the bound | peers | goal | |"
    yield "|---|---|---|---|---|---|---|"
    for row in lines:
        bound = f"{figure_text(row['bound'], row['unit'])}, {row['against']}" if "bound" in row else ""
        part = f"{100 * share(row):.0f} %" if "bound" in row else ""
        peers = "; ".join(f"{peer}: {figure_text(value, row['unit'])} ({speed(row, value):.1f} times)"
                          for peer, value in row["peers"].items())
        met = "" if "goal" not in row else "met" if row["met"] else f"not met: {row['limit']}"
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{HERE}/../build")
    parser.add_argument("--peers-python", default=f"{HERE}/../build-peers/bin/python")
    parser.add_argument("--data-dir")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", default=f"{HERE}/../docs/results")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    path = f"{args.out}/performance.jsonl"
    if args.table:
        with open(path) as file:
            head, *lines = map(json.loads, file)
        lines = [judge({k: v for k, v in row.items() if k not in ("goal", "met", "limit")}) for row in lines]
    else:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        begun = time.time()
        head = {"session": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": run.machine(),
                "versions": run.versions(args.build), "load": os.getloadavg()[0]}
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(HOME=folder, SOTTO_LEDGER=f"{folder}/ledger.db", SOTTO_LEDGER_KEY=f"{folder}/owner.key")
            lines = list(rows(measure(args, folder), measure_peers(args)))
        head.update(load_after=os.getloadavg()[0], seconds=round(time.time() - begun))
    write(path, [json.dumps(line) for line in [head, *lines]])
    write(f"{args.out}/performance.md", table(head, lines))
    draw(args, lines)
    print("\n".join(table(head, lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
