#!/usr/bin/env python3
"""The figures of docs/methods.md on graphs as firms have them: neighbours' features, transfers with a dial, a rare class; and on public graphs.

  bench/firm_graphs.py SOTTO [--seeds 10] [--only "mines;payments"] [--public FOLDER]

Graphs are made by the program, one a seed, and runs have noise from a fixed seed, so that a row can be repeated. FOLDER has the public graphs: planetoid/ind.cora.* and npz/amazon_electronics_*.npz.
Transfers are protected three ways: `edges` is the same file without its transfers, `relations` all transfers between two nodes together, `transfers` each by itself.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import zipfile

RANKS = ["--feature-scale", "standard", "--select-by", "auc"]
MADE = {"mines": ["mines", "--nodes", "10000"],
        "fraud": ["transactions", "--nodes", "10000", "--share", "0.033"],
        "payments, dial 0": ["payments", "--nodes", "10000", "--dial", "0"],
        "payments, dial 1": ["payments", "--nodes", "10000", "--dial", "1"]}
PUBLIC = {"cora": "planetoid:cora", "photo": "npz/amazon_electronics_photo.npz", "computers": "npz/amazon_electronics_computers.npz"}


def call(sotto: str, folder: str, *words: str) -> str:
    env = {**os.environ, "SOTTO_LEDGER": os.path.join(folder, "ledger.db"), "SOTTO_LEDGER_KEY": os.path.join(folder, "owner.key"), "HOME": folder}
    return subprocess.run([sotto, *words], env=env, capture_output=True, text=True, check=True).stdout


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


def measure(sotto: str, graph: str, seed: int, words: list[str], what: str, edges: bool, public: str) -> tuple[float, float]:
    """What a run reaches, and features alone (nan without edges in the method), in per cent."""
    with tempfile.TemporaryDirectory() as folder:
        call(sotto, folder, "ledger", "init")
        data = os.path.join(folder, "data.sotto")
        if graph in MADE:
            call(sotto, folder, "data", "generate", *MADE[graph], "--seed", str(seed), "--out", data)
            data = without_transfers(sotto, folder, data) if edges else data
        else:
            kind, _, name = PUBLIC[graph].partition(":")
            data = os.path.join(public, f"{kind}:{name}" if name else kind)
        out = os.path.join(folder, "run")
        call(sotto, folder, "train", "--data", data, "--delta", "1e-6", "--seed", str(seed), "--insecure-seed", "1", "--out", out, *words)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            found = json.load(file)
    if what == "average_precision":
        return 100 * found["rare"]["seeds"][0]["test"]["average_precision"], float("nan")
    alone = found.get("baseline")
    return 100 * found["test"][what]["mean"], 100 * alone[what]["mean"] if alone else float("nan")


def rows() -> list[tuple]:
    """Graph, method, variant, words of the command, measure."""
    noisy = lambda method, epsilon="4", *more: ["--method", method, "--epsilon", epsilon, "--anyway", *more]
    out = [("mines", method, f"epsilon {epsilon}", noisy(method, epsilon), "auc") for method in ("best", "vesper") for epsilon in ("4", "8")]
    for dial in ("0", "1"):
        for method in ("best", "vesper"):
            out += [(f"payments, dial {dial}", method, variant, noisy(method, "4", *RANKS, *(["--adjacency", "transfer"] if variant == "transfers" else [])), "auc")
                    for variant in ("edges", "relations", "transfers")]
    out += [("fraud", "best", "epsilon 4", noisy("best"), "average_precision"), ("fraud", "mlp", "features alone", ["--method", "mlp"], "average_precision")]
    return out + [(graph, "best", f"epsilon {epsilon}", noisy("best", epsilon), "accuracy") for graph in PUBLIC for epsilon in ("1", "4")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", default="", help="names of rows, or their beginnings: 'payments, dial 0, best;mines'")
    parser.add_argument("--public", default="")
    given = parser.parse_args()
    wanted = [word for word in given.only.split(";") if word]
    print("| data, method, variant | measure | features alone | reached |\n|---|---|---|---|")
    for graph, method, variant, words, what in rows():
        name = f"{graph}, {method}, {variant}"
        if (wanted and not any(name.startswith(word) for word in wanted)) or (graph in PUBLIC and not given.public):
            continue
        found = [measure(os.path.abspath(given.sotto), graph, seed, words, what, variant == "edges", given.public)
                 for seed in range(given.first, given.first + given.seeds)]
        reached = [value for value, _ in found]
        spread = statistics.stdev(reached) if len(reached) > 1 else 0
        print(f"| {name} | {what} | {statistics.mean(alone for _, alone in found):.2f} | {statistics.mean(reached):.2f} +- {spread:.2f} |", flush=True)


if __name__ == "__main__":
    main()
