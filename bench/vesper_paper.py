#!/usr/bin/env python3
"""Figures 5 to 14 of Wu et al. 2023 on made transactions: AUC of vesper with noise as published against epsilon, by the cap of
neighbours, the least degree and the batch size, as CSV on standard output.

usage: bench/vesper_paper.py PROGRAM [--seeds 5] [--epsilons 1,4,32]
"""
import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FIGURES = {"5": ("gin", "concat"), "6": ("gcn", "concat"), "7": ("gcn", "gru"), "8": ("gin", "gru"), "9": ("gcn", "concat"),
           "10": ("gcn", "gru"), "11": ("gin", "concat"), "12": ("gcn", "concat"), "13": ("gin", "gru"), "14": ("gcn", "gru")}
VARIED = {"fan-out": ("5678", [10, 20]), "degree-floor": (("9", "10"), [3, 5]), "batch-size": (("11", "12", "13", "14"), [32, 128, 512])}
FIXED = {"fan-out": 10, "degree-floor": 5, "batch-size": 32}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilons", default="1,4,32")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = {**os.environ, "HOME": name, "SOTTO_LEDGER": f"{name}/ledger.db", "SOTTO_LEDGER_KEY": f"{name}/ledger.key"}

        def sotto(*words):
            done = subprocess.run([args.program, *map(str, words)], text=True, capture_output=True, env=env)
            if done.returncode != 0:
                sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
            return done.stdout

        sotto("ledger", "init")
        data = folder / "transactions.sotto"
        sotto("data", "generate", "transactions", "--nodes", 20000, "--seed", 11, "--out", data)
        print("figure,aggregator,decoder,option,value,epsilon,seeds,auc,deviation")
        for option, (figures, values) in VARIED.items():
            for figure, value, epsilon in itertools.product(figures, values, args.epsilons.split(",")):
                aggregator, decoder = FIGURES[figure]
                chosen = {**FIXED, option: value}
                if aggregator == "gin":
                    del chosen["degree-floor"]
                words = itertools.chain(*((f"--{key}", number) for key, number in chosen.items()))
                out = folder / f"{figure}-{value}-{epsilon}"
                said = sotto("train", "--method", "vesper", "--data", data, "--feature-scale", "standard", "--accounting", "paper",
                             "--epsilon", epsilon, "--delta", "1e-6", "--layers", 1, "--aggregator", aggregator, "--combine", decoder.replace("concat", "cat"),
                             "--epochs", 2, "--seeds", args.seeds, "--threads", 1, "--out", out, "--json", *words)
                auc = json.loads(said.splitlines()[-1])["test"]["auc"]
                print(f"{figure},{aggregator},{decoder},{option},{value},{epsilon},{args.seeds},{auc['mean']:.6f},{auc['std']:.6f}", flush=True)


main()
