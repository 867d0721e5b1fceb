#!/usr/bin/env python3
"""The estimate of `sotto plan --trainings` compared with the run: time, peak memory, run folder.

usage: bench/estimates.py PROGRAM [--data-dir DIR] [--threads N]

Made data always; with --data-dir also the public graphs that lie there. Prints a table in Markdown.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

METHODS = ["vesper", "mlp", "best", "gap", "progap", "caribou", "dpdgc", "lpgnet", "pertgraph", "gnn", "vfgnn", "feddep", "fedsage", "fedavg"]


def made(program, folder, env):
    files = {"sbm 3,000": ["sbm", "--nodes", "3000", "--features", "64"],
             "transactions 20,000": ["transactions", "--nodes", "20000"],
             "power law 200,000": ["powerlaw", "--nodes", "200000", "--edges", "2000000", "--features", "64"]}
    out = {}
    for name, words in files.items():
        path = folder / (name.split()[0] + words[0] + ".sotto")
        subprocess.run([program, "data", "generate", *words, "--out", path], check=True, env=env, capture_output=True)
        out[name] = str(path)
    return out


def measured(program, words, folder, env):
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    begin = time.monotonic()
    process = subprocess.Popen([program, "train", *words, "--out", run], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, state, used = os.wait4(process.pid, 0)
    process.returncode = state
    if state != 0:
        return None
    disk = sum(f.stat().st_size for f in run.rglob("*") if f.is_file())
    return time.monotonic() - begin, used.ru_maxrss * 1024, disk


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--data-dir")
    parser.add_argument("--threads", default="1")
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    folder = pathlib.Path(tempfile.mkdtemp())
    env = dict(os.environ, HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    env.pop("SOTTO_LEDGER", None)
    env.pop("SOTTO_LEDGER_KEY", None)
    data = made(program, folder, env)
    runs = [(m, "sbm 3,000") for m in METHODS] + [(m, "transactions 20,000") for m in ("best", "vesper")]
    runs += [(m, "power law 200,000") for m in ("gap", "best", "vesper")]
    if asked.data_dir:  # a run notes its ledger beside its data: what is given stays as it is
        asked.data_dir = shutil.copytree(asked.data_dir, folder / "data")
        data["computers"] = os.path.join(asked.data_dir, "npz/amazon_electronics_computers.npz")
        data["MUTAG"] = os.path.join(asked.data_dir, "tu/MUTAG")
        runs += [("gap", "computers"), ("vesper", "computers"), ("gwldp", "MUTAG")]
    errors = []
    print("| method | data | time, s: said | was | memory, MB: said | was | folder, MB: said | was |\n|---|---|---|---|---|---|---|---|")
    for method, name in runs:
        words = ["--method", method, "--data", data[name], "--threads", asked.threads]
        words += ["--classes", "2"] if name == "MUTAG" else []
        said = subprocess.run([program, "plan", *words, "--trainings", "--json"], env=env, capture_output=True, text=True)
        got = measured(program, words, folder, env)
        if said.returncode != 0 or got is None:
            print(f"| {method} | {name} | failed: {said.stdout.strip()[:90]} |")
            continue
        e = json.loads(said.stdout)["estimate"]
        pairs = [(e["seconds"], got[0]), (e["memory_bytes"] / 1e6, got[1] / 1e6), (e["disk_bytes"] / 1e6, got[2] / 1e6)]
        errors.append([abs(a / b - 1) for a, b in pairs])
        print(f"| {method} | {name} | " + " | ".join(f"{a:.1f} | {b:.1f}" for a, b in pairs) + " |", flush=True)
    for i, what in enumerate(("time", "memory", "folder")):
        column = [e[i] for e in errors]
        print(f"\n{what}: median error {100 * statistics.median(column):.0f}%, {sum(c <= 0.25 for c in column)} of {len(column)} within 25%", end="")
    print()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
