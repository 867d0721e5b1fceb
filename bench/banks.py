#!/usr/bin/env python3
"""The table of edges between banks in docs/federated.md: each bank alone, a federation that loses or counts these edges, one owner.

  bench/banks.py SOTTO [--first 11] [--seeds 10] [--epsilon 4] [--train-share 0.1] [--processes] [--statements]

A graph is made for each seed, three banks with 30% of all edges between them. Each bank alone and the one owner train `best`, the
federations `fedavg` for 100 rounds, all at edge level. Accuracy of test nodes in per cent; of each bank alone the mean of the three.
With --processes each federation is a server and three banks in processes of their own, with a file each. With --statements the verdicts
of the last seed follow the table, of the first bank where each has its own.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import loopback


def as_parties(sotto: str, folder: str, env: dict, name: str, partition: str, seed: int, given: argparse.Namespace) -> float:
    """A server and three banks, over this machine's loopback: the accuracy over all banks' test nodes, which the server has from a secure sum."""
    own = ["--method", "fedavg", "--adjacency", "edge", "--epsilon", str(given.epsilon), "--delta", "1e-6",
           "--split", "planetoid", "--partition", partition, "--secure-aggregation"]
    Path(folder, "run.yaml").write_text(f"method: fedavg\nclients: 3\nrounds: 100\nseed: {seed}\nadjacency: edge\nepsilon: {given.epsilon}\ndelta: 1e-6\n")
    parties = loopback.server_and(*((f"client{b}", ["--data", f"{name}-{b}.sotto"]) for b in (1, 2, 3)))
    loopback.run(sotto, folder, name, parties, own, env)
    return 100 * json.loads(Path(folder, f"{name}-server/result.json").read_text())["test"]["accuracy"]["mean"]


def verdicts(folder: str, run: str) -> str:
    return "; ".join(v["text"] for v in json.loads(Path(folder, run, "statement.json").read_text())["verdicts"])


def accuracies(sotto: str, seed: int, given: argparse.Namespace) -> tuple[dict, dict]:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder}
        call = lambda *words: subprocess.run([sotto, *words], env=env, cwd=folder, capture_output=True, text=True, check=True).stdout
        common = ["--adjacency", "edge", "--epsilon", str(given.epsilon), "--delta", "1e-6", "--train-share", str(given.train_share),
                  "--seed", str(seed), "--json"]

        def train(name: str, *words: str) -> float:
            return 100 * json.loads(call("train", *words, *common, "--out", name))["test"]["accuracy"]["mean"]

        call("data", "generate", "banks", "--seed", str(seed), "--out", "banks.sotto")
        shares = ["--train-share", str(given.train_share), "--seed", str(seed)]

        def split(name: str, partition: str, *words: str) -> None:
            call("data", "split", "banks.sotto", "--horizontal", "--partition", partition, "--out", name, *words)

        def federation(name: str, partition: str, party: str) -> float:
            if not given.processes:
                return train(name, "--data", "banks.sotto", "--method", "fedavg", "--clients", "3", "--rounds", "100", "--partition", partition)
            split(name, partition, "--parts", *shares)
            return as_parties(sotto, folder, env, name, party, seed, given)

        banks = "file:banks.sotto.banks.txt"
        split("bank", banks)
        found = {"each bank alone": statistics.mean(train(f"own-{b}", "--method", "best", "--data", f"bank-{b}.sotto") for b in (1, 2, 3)),
                 "federation, edges between lost": federation("lost", banks, "alike"),
                 "federation, edges between counted": federation("linked", f"linked:{banks}", "linked:alike"),
                 "one owner of all": train("pooled", "--method", "best", "--data", "banks.sotto")}
        of_party = "-client1" if given.processes else ""
        runs = ["own-1", f"lost{of_party}", f"linked{of_party}", "pooled"]
        return found, {name: verdicts(folder, run) for name, run in zip(found, runs)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--first", type=int, default=11)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=4)
    parser.add_argument("--train-share", type=float, default=0.1)
    parser.add_argument("--processes", action="store_true", help="each party of a federation is a process")
    parser.add_argument("--statements", action="store_true", help="also the verdicts of the last seed")
    given = parser.parse_args()
    both = [accuracies(os.path.abspath(given.sotto), seed, given) for seed in range(given.first, given.first + given.seeds)]
    found = [f for f, _ in both]
    print("| | accuracy | compared with one owner, pairs of seeds |\n|---|---|---|")
    for name in found[0]:
        values, apart = [f[name] for f in found], [f[name] - f["one owner of all"] for f in found]
        spread = lambda list: statistics.stdev(list) if len(list) > 1 else 0
        error = spread(apart) / len(apart) ** 0.5
        print(f"| {name} | {statistics.mean(values):.1f} ± {spread(values):.1f} | {statistics.mean(apart):+.1f} ± {error:.1f} |")
    if given.statements:
        print("\n| | verdicts |\n|---|---|")
        for name, text in both[-1][1].items():
            print(f"| {name} | {text} |")


if __name__ == "__main__":
    main()
