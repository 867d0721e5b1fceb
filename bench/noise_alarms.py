#!/usr/bin/env python3
"""False alarms of the noise test over honest runs, and planted faults that it catches, for every method of
`sotto audit --self`. Writes a table.

usage: bench/noise_alarms.py [--build build] [--honest 200] [--faulty 10] [--method NAME] [--out FILE]
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
        command = [program, "audit", "--self", "--pairs", "0", "--trials", "100", "--json"]
        done = subprocess.run(command + (["--method", method] if method else []), env=env, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{program}: {done.stderr}")
    return {(a["method"], a["variant"], a["adjacency"], a["sees"]): (a["noise_holds"], a["noise_draws"])
            for a in json.loads(done.stdout)["audits"] if "noise_draws" in a}


def series(pool, program, fault, times, method):
    return list(pool.map(lambda _: once(program, fault, method), range(times)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--honest", type=int, default=200)
    parser.add_argument("--faulty", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--method")
    parser.add_argument("--out", default="docs/results/noise-alarms.md")
    asked = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        honest = series(pool, asked.build + "/sotto", None, asked.honest, asked.method)
        caught = [series(pool, f"{asked.build}/tests/{program}", fault, asked.faulty, asked.method)
                  for _, program, fault in FAULTS]
    lines = ["# False alarms and planted faults of the noise test",
             f"Made by `bench/noise_alarms.py`: {asked.honest} audits of the program as it is, {asked.faulty} of each "
             "program with a fault in its noise.",
             "In brackets: the most draws until the test stopped; an honest test ends after 512.", "",
             "| method | adjacency | canary | false alarms | " + " | ".join(name for name, _, _ in FAULTS) + " |",
             "|---|---|---|---|" + "---|" * len(FAULTS)]
    blind = False
    for key in honest[0]:
        method, variant, adjacency, sees = key
        cells = [f"{sum(not run[key][0] for run in honest)} of {len(honest)}"]
        for runs in caught:
            found = sum(not run[key][0] for run in runs)
            blind = blind or found < len(runs)
            cells.append(f"{found} of {len(runs)} ({max(run[key][1] for run in runs)})")
        lines.append(f"| {' '.join(filter(None, (method, variant)))} | {adjacency} | {sees} | " + " | ".join(cells) + " |")
    with open(asked.out, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    if blind:
        raise SystemExit(f"{asked.out}: a fault was not caught in every run")


if __name__ == "__main__":
    main()
