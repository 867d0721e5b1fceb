#!/usr/bin/env python3
"""The figures of docs/methods.md on graphs as firms have them, each beside its goal: neighbours' features, transfers with a dial, a rare class; and public graphs.

  bench/firm_graphs.py SOTTO [--seeds 10] [--jobs 1] [--only "mines;payments"] [--public FOLDER]

Graphs are made, one a seed, and runs have noise from a fixed seed, so that a row can be repeated. FOLDER has the public graphs, of which three seeds are run: planetoid/ind.cora.* and npz/NAME.npz
(amazon_electronics_*, and minesweeper and tolokers of Platonov et al. 2023). A row whose graph is absent is skipped, and says so. Transfers are protected three ways: `edges` is the same file without its
transfers, `relations` all transfers between two nodes together, `transfers` each by itself. `planes` is a graph where sums of neighbours' features tell the class, and no cluster of features does.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import random
import statistics
import subprocess
import tempfile
import zipfile

RANKS = ("--feature-scale", "standard", "--select-by", "auc")
MADE = {"mines": ("mines", "--nodes", "10000"),
        "fraud": ("transactions", "--nodes", "10000", "--share", "0.033"),
        "payments, dial 0": ("payments", "--nodes", "10000", "--dial", "0"),
        "payments, dial 1": ("payments", "--nodes", "10000", "--dial", "1")}
PUBLIC = {"minesweeper": "npz/minesweeper.npz", "tolokers": "npz/tolokers.npz", "cora": "planetoid:cora", "photo": "npz/amazon_electronics_photo.npz",
          "computers": "npz/amazon_electronics_computers.npz"}
PLANES = {"planes, 8": (8, 32), "planes, 30": (30, 32), "planes, wide": (12, 40)}  # mean number of neighbours, columns
# Accuracy in the table of README.md, and its deviation, at epsilon 1 and 4.
TABLE = {"cora": ((80.24, 1.36), (86.54, 0.76)), "photo": ((95.20, 0.51), (95.87, 0.42)), "computers": ((90.89, 0.53), (91.82, 0.41))}


@dataclasses.dataclass(frozen=True)
class Row:
    graph: str
    method: str
    variant: str
    measure: str
    words: tuple[str, ...]
    goal: float | None = None  # at least, in per cent

    @property
    def name(self) -> str:
        return f"{self.graph}, {self.method}, {self.variant}"


def call(sotto: str, folder: str, *words: str) -> str:
    env = {**os.environ, "SOTTO_LEDGER": os.path.join(folder, "ledger.db"), "SOTTO_LEDGER_KEY": os.path.join(folder, "owner.key"), "HOME": folder}
    done = subprocess.run([sotto, *words], env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def without_transfers(sotto: str, folder: str, data: str) -> str:
    """The same nodes and edges; the published split of the export is left out too, so that both files are split alike."""
    whole, less, out = (os.path.join(folder, name) for name in ("whole.npz", "less.npz", "edges.sotto"))
    call(sotto, folder, "data", "export", data, whole)
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(less, "w") as copy:
        for name in archive.namelist():
            if not name.startswith("transfer_") and name != "split.npy":
                copy.writestr(name, archive.read(name))
    call(sotto, folder, "data", "import", less, out)
    return out


def planes(sotto: str, folder: str, degree: int, columns: int, seed: int) -> str:
    """10,000 nodes with so many normal features and so many neighbours on the average, drawn by chance. A node's class is the side of a plane on which the sum of its neighbours' features lies, with noise."""
    nodes = 10000
    draw = random.Random(seed)
    normal = lambda: [draw.gauss(0, 1) for _ in range(columns)]
    rows, side = [normal() for _ in range(nodes)], normal()
    length = sum(value * value for value in side) ** 0.5
    seen = [sum(a * b for a, b in zip(row, side)) / length for row in rows]
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < nodes * degree // 2:
        a, b = draw.randrange(nodes), draw.randrange(nodes)
        if a != b:
            pairs.add((min(a, b), max(a, b)))
    sums = [0.5 * degree ** 0.5 * draw.gauss(0, 1) for _ in range(nodes)]
    for a, b in pairs:
        sums[a] += seen[b]
        sums[b] += seen[a]
    edges, table, out = (os.path.join(folder, name) for name in ("planes.csv", "planes.nodes.csv", "planes.sotto"))
    with open(edges, "w", encoding="utf-8") as file:
        file.write("source,target\n" + "".join(f"{a},{b}\n" for a, b in sorted(pairs)))
    with open(table, "w", encoding="utf-8") as file:
        file.write("id," + ",".join(f"x{j}" for j in range(columns)) + ",label\n")
        for v, row in enumerate(rows):
            file.write(f"{v}," + ",".join(f"{value:.5f}" for value in row) + f",{'above' if sums[v] > 0 else 'below'}\n")
    call(sotto, folder, "data", "import", edges, out, "--nodes", table, "--label", "label")
    return out


def data_of(sotto: str, folder: str, row: Row, seed: int, public: str) -> str:
    data = os.path.join(folder, "data.sotto")
    if row.graph in PLANES:
        return planes(sotto, folder, *PLANES[row.graph], seed)
    if row.graph in MADE:
        call(sotto, folder, "data", "generate", *MADE[row.graph], "--seed", str(seed), "--out", data)
        return without_transfers(sotto, folder, data) if row.variant == "edges" else data
    kind, _, name = PUBLIC[row.graph].partition(":")
    call(sotto, folder, "data", "import", os.path.join(public, f"{kind}:{name}" if name else kind), data)
    return data


def measure(sotto: str, row: Row, seed: int, public: str) -> tuple[float, float]:
    """What a run reaches, and features alone (nan without edges in the method), in per cent."""
    with tempfile.TemporaryDirectory() as folder:
        call(sotto, folder, "ledger", "init")
        data, out = data_of(sotto, folder, row, seed, public), os.path.join(folder, "run")
        call(sotto, folder, "train", "--data", data, "--method", row.method, "--seed", str(seed), "--insecure-seed", "1", "--out", out, *row.words)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            found = json.load(file)
    if row.measure == "average_precision":
        return 100 * found["rare"]["seeds"][0]["test"]["average_precision"], float("nan")
    alone = found.get("baseline")
    return 100 * found["test"][row.measure]["mean"], 100 * alone[row.measure]["mean"] if alone else float("nan")


def noisy(epsilon: int, *more: str) -> tuple[str, ...]:
    return ("--epsilon", str(epsilon), "--delta", "1e-6", "--anyway", *more)


def rows() -> list[Row]:
    out = [Row("mines", method, f"epsilon {epsilon}", "auc", noisy(epsilon), goal) for method in ("best", "vesper") for epsilon, goal in ((4, 80), (8, 84))]
    out += [Row("minesweeper", method, f"epsilon {epsilon}", "auc", noisy(epsilon), goal) for method in ("best", "vesper") for epsilon, goal in ((4, 80), (8, 84))]
    out += [Row("tolokers", "best", "epsilon 4", "auc", noisy(4), 78.5), Row("tolokers", "vesper", "epsilon 4", "auc", noisy(4), 77)]
    for dial in (1, 0):
        for method in ("best", "vesper"):
            out += [Row(f"payments, dial {dial}", method, variant, "auc", noisy(4, *RANKS, *(("--adjacency", "transfer") if variant == "transfers" else ())))
                    for variant in ("edges", "relations", "transfers")]
    out += [Row("payments, dial 1", method, "no privacy", "auc", ("--adjacency", "none", *more, *RANKS)) for method, more in (("best", ()), ("vesper", ("--publication", "counts")))]
    out += [Row("fraud", method, "epsilon 4", "average_precision", noisy(4)) for method in ("best", "vesper")]
    out += [Row("fraud", "mlp", "features alone", "average_precision", ())]
    out += [Row(graph, method, f"epsilon {epsilon}", "auc", noisy(epsilon)) for graph in PLANES for epsilon in (4, 8, 16) for method in ("best", "gap")]
    return out + [Row(graph, "best", f"epsilon {epsilon}", "accuracy", noisy(epsilon), TABLE[graph][at][0] - TABLE[graph][at][1])
                  for graph in TABLE for at, epsilon in enumerate((1, 4))]


# What one row has over another, in points, and the goal.
DIFFERENCES = [(f"payments, dial 1, {method}, relations", f"payments, dial 1, {method}, edges", 4.0) for method in ("best", "vesper")]
DIFFERENCES += [(f"payments, dial 1, {method}, relations", f"payments, dial 1, {method}, no privacy", -3.0) for method in ("best", "vesper")]
DIFFERENCES += [(f"payments, dial 1, {method}, transfers", f"payments, dial 1, {method}, relations", 1.0) for method in ("best", "vesper")]
DIFFERENCES += [(f"payments, dial 0, {method}, {level}", f"payments, dial 0, {method}, edges", -0.3) for method in ("best", "vesper") for level in ("relations", "transfers")]
DIFFERENCES += [(f"fraud, {method}, epsilon 4", "fraud, mlp, features alone", None) for method in ("best", "vesper")]  # the goal is a deviation
DIFFERENCES += [(f"{graph}, best, epsilon {epsilon}", f"{graph}, gap, epsilon {epsilon}", 0.0) for graph in PLANES for epsilon in (4, 8, 16)]


def spread(values: list[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0


def verdict(value: float, goal: float | None) -> str:
    return " | " if goal is None else f"{goal:.2f} | {'met' if value >= goal else 'missed'}"


def print_differences(reached: dict[str, list[float]]) -> None:
    print("\n| over | points | goal | |\n|---|---|---|---|")
    for name, other, goal in DIFFERENCES:
        if name not in reached or other not in reached:
            continue
        over = [a - b for a, b in zip(reached[name], reached[other])]
        wanted = spread(reached[name]) if goal is None else goal
        print(f"| {name}, over {other} | {statistics.mean(over):+.2f} +- {spread(over):.2f} | {verdict(statistics.mean(over), wanted)} |")


def is_there(row: Row, public: str) -> bool:
    if row.graph not in PUBLIC:
        return True
    name = PUBLIC[row.graph].replace("planetoid:cora", "planetoid/ind.cora.x")
    there = bool(public) and os.path.exists(os.path.join(public, name))
    if not there:
        print(f"| {row.name} | skipped: {name} is not in {public or 'a folder that --public names'} | | | | | |", flush=True)
    return there


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--seeds", type=int, default=10, help="of made graphs")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--only", default="", help="names of rows, or their beginnings: 'payments, dial 0, best;mines'")
    parser.add_argument("--public", default="")
    given = parser.parse_args()
    wanted = [word for word in given.only.split(";") if word]
    reached: dict[str, list[float]] = {}
    print("| data, method, variant | measure | seeds | features alone | reached | at least | |\n|---|---|---|---|---|---|---|")
    for row in rows():
        if (wanted and not any(row.name.startswith(word) for word in wanted)) or not is_there(row, given.public):
            continue
        seeds = range(given.first, given.first + (min(given.seeds, 3) if row.graph in PUBLIC else given.seeds))
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            found = list(pool.map(lambda seed, row=row: measure(os.path.abspath(given.sotto), row, seed, given.public), seeds))
        reached[row.name] = [value for value, _ in found]
        mean = statistics.mean(reached[row.name])
        print(f"| {row.name} | {row.measure} | {len(found)} | {statistics.mean(alone for _, alone in found):.2f} | {mean:.2f} +- {spread(reached[row.name]):.2f} | {verdict(mean, row.goal)} |", flush=True)
    print_differences(reached)


if __name__ == "__main__":
    main()
