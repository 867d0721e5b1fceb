#!/usr/bin/env python3
"""The table of edges between banks in docs/federated.md: each bank alone, a federation that loses or counts these edges, one owner.

  bench/banks.py SOTTO [--first 11] [--seeds 10] [--epsilon 4] [--train-share 0.1]

A graph is made for each seed, three banks with 30% of all edges between them. Each bank alone and the one owner train `best`, the
federations `fedavg` for 100 rounds, all at edge level. Accuracy of test nodes in per cent; of each bank alone the mean of the three.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile


def accuracies(sotto: str, seed: int, given: argparse.Namespace) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder}
        call = lambda *words: subprocess.run([sotto, *words], env=env, cwd=folder, capture_output=True, text=True, check=True).stdout
        common = ["--adjacency", "edge", "--epsilon", str(given.epsilon), "--delta", "1e-6", "--train-share", str(given.train_share),
                  "--seed", str(seed), "--json"]

        def train(name: str, *words: str) -> float:
            return 100 * json.loads(call("train", *words, *common, "--out", name))["test"]["accuracy"]["mean"]

        call("data", "generate", "banks", "--seed", str(seed), "--out", "banks.sotto")
        call("data", "split", "banks.sotto", "--horizontal", "--partition", "file:banks.sotto.banks.txt", "--out", "bank")
        rounds = ["--data", "banks.sotto", "--method", "fedavg", "--clients", "3", "--rounds", "100"]
        return {"each bank alone": statistics.mean(train(f"own-{b}", "--method", "best", "--data", f"bank-{b}.sotto") for b in (1, 2, 3)),
                "federation, edges between lost": train("lost", *rounds, "--partition", "file:banks.sotto.banks.txt"),
                "federation, edges between counted": train("linked", *rounds, "--partition", "linked:file:banks.sotto.banks.txt"),
                "one owner of all": train("pooled", "--method", "best", "--data", "banks.sotto")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--first", type=int, default=11)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=4)
    parser.add_argument("--train-share", type=float, default=0.1)
    given = parser.parse_args()
    found = [accuracies(os.path.abspath(given.sotto), seed, given) for seed in range(given.first, given.first + given.seeds)]
    print("| | accuracy | compared with one owner, pairs of seeds |\n|---|---|---|")
    for name in found[0]:
        values, apart = [f[name] for f in found], [f[name] - f["one owner of all"] for f in found]
        spread = lambda list: statistics.stdev(list) if len(list) > 1 else 0
        error = spread(apart) / len(apart) ** 0.5
        print(f"| {name} | {statistics.mean(values):.1f} ± {spread(values):.1f} | {statistics.mean(apart):+.1f} ± {error:.1f} |")


if __name__ == "__main__":
    main()
