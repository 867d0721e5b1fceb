#!/usr/bin/env python3
"""The table of expected and reached gains in docs/methods.md: what edges add, before the charge and after training.

  bench/expected.py SOTTO [--seeds 3] [--only "fraud;mines"]

Graphs are made by the program, one a seed. Every run has a ledger of its own and trains in any case.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

GRAPHS = {"fraud": ["transactions", "--nodes", "10000", "--share", "0.033"],
          "mines": ["mines", "--nodes", "10000"],
          "payments, dial 1": ["payments", "--nodes", "10000", "--dial", "1"],
          "payments, dial 0": ["payments", "--nodes", "10000", "--dial", "0"],
          "payments, 3.3%, dial 1": ["payments", "--nodes", "10000", "--share", "0.033", "--dial", "1"],
          "payments, 3.3%, dial 0": ["payments", "--nodes", "10000", "--share", "0.033", "--dial", "0"],
          "sbm, dense": ["sbm", "--nodes", "11000", "--classes", "2", "--inside", "50", "--outside", "38", "--signal", "0.8"],
          "sbm": ["sbm", "--nodes", "2000"]}


def run(sotto: str, folder: str, method: str, graph: str, seed: int) -> dict:
    ledger = os.path.join(folder, "ledger.db")
    env = {**os.environ, "SOTTO_LEDGER": ledger, "SOTTO_LEDGER_KEY": os.path.join(folder, "owner.key"), "HOME": folder}
    call = lambda *words: subprocess.run([sotto, *words], env=env, capture_output=True, text=True, check=True).stdout
    data = os.path.join(folder, "data.sotto")
    call("ledger", "init")
    call("data", "generate", *GRAPHS[graph], "--seed", str(seed), "--out", data)
    out = call("train", "--method", method, "--data", data, "--epsilon", "4", "--delta", "1e-6", "--seed", str(seed), "--anyway", "--out",
               os.path.join(folder, "run"), "--json")
    return json.loads(out)["expected"]


def row(sotto: str, method: str, graph: str, seeds: int) -> str:
    found = []
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            found.append(run(sotto, folder, method, graph, seed))
    mean = lambda key: f"{100 * statistics.mean(e[key] for e in found):.1f}"
    least = 0.01 if found[0]["measure"] == "auc" else 0.002
    asked = sum(max(e["by_class"], e["by_others"]) < least for e in found)
    spread = statistics.stdev(100 * e["reached"] for e in found) if seeds > 1 else 0
    return (f"| {graph}, `{method}` | {found[0]['measure']} | {mean('alone')} | {mean('by_class')} | {mean('by_others')} | {mean('by_transfers')} | "
            f"{mean('reached')} +- {spread:.1f} | {asked} of {seeds} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print("| data, method | measure | features alone | expected by class | by features or transfers | by transfers as at dial 1 | reached | asked |")
    print("|---|---|---|---|---|---|---|---|")
    for graph in GRAPHS:
        if given.only and graph not in given.only.split(";"):
            continue
        for method in ("best", "vesper"):
            print(row(os.path.abspath(given.sotto), method, graph, given.seeds), flush=True)


if __name__ == "__main__":
    main()
