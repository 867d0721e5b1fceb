#!/usr/bin/env python3
"""False alarms of the noise test over honest runs, and planted faults that it catches, for every method of
`sotto audit --self`. Writes a table.

usage: bench/noise_alarms.py [--build build] [--honest 200] [--faulty 10] [--out FILE]
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import tempfile

FAULTS = [("half noise", "sotto_half_noise", None), ("row without noise", "sotto_unnoised", "row"),
          ("same draws", "sotto_unnoised", "again")]


def once(program, fault, method):
    """A run: whether each canary's noise holds, and after how many draws."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "SOTTO_LEDGER": home + "/ledger.db"}
        if fault:
            env["SOTTO_FAULT"] = fault
        command = [program, "audit", "--self", "--attack", "canary,release", "--trials", "100", "--json"]
        done = subprocess.run(command + (["--method", method] if method else []), env=env, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{program}: {done.stderr}")
    return {(a["method"], a["variant"], a["adjacency"], a["sees"]): (a["noise_holds"], a["noise_draws"])
            for a in json.loads(done.stdout)["audits"] if "noise_draws" in a}


def series(pool, program, fault, times, methods):
    """So many runs of each method: a list of what all of them found, run by run."""
    runs = pool.map(lambda method: once(program, fault, method), [m for _ in range(times) for m in methods])
    found = {}
    for run in runs:
        for key, result in run.items():
            found.setdefault(key, []).append(result)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--honest", type=int, default=200)
    parser.add_argument("--faulty", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", default="docs/results/noise-alarms.md")
    asked = parser.parse_args()
    order = list(once(asked.build + "/sotto", None, None))
    methods = list(dict.fromkeys(key[0] for key in order))
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        honest = series(pool, asked.build + "/sotto", None, asked.honest, methods)
        caught = [series(pool, f"{asked.build}/tests/{program}", fault, asked.faulty, methods)
                  for _, program, fault in FAULTS]
    lines = ["# False alarms and planted faults of the noise test",
             f"Made by `bench/noise_alarms.py`: {asked.honest} audits of the program as it is, {asked.faulty} of "
             "each program with a fault in its noise.",
             "In brackets: the most draws until the test stopped; an honest test ends after 512.", "",
             "| method | adjacency | canary | false alarms | " + " | ".join(name for name, _, _ in FAULTS) + " |",
             "|---|---|---|---|" + "---|" * len(FAULTS)]
    blind = False
    for key in order:
        method, variant, adjacency, sees = key
        cells = [f"{sum(not holds for holds, _ in honest[key])} of {len(honest[key])}"]
        for found in caught:
            count = sum(not holds for holds, _ in found.get(key, []))
            blind = blind or count < asked.faulty
            cells.append(f"{count} of {asked.faulty} ({max(draws for _, draws in found.get(key, [(True, 0)]))})")
        lines.append(f"| {' '.join(filter(None, (method, variant)))} | {adjacency} | {sees} | " + " | ".join(cells) + " |")
    with open(asked.out, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    if blind:
        raise SystemExit(f"{asked.out}: a fault was not caught in every run")


if __name__ == "__main__":
    main()
