#!/usr/bin/env python3
"""Pins the behaviour of the program: models, predictions and figures of privacy of many small runs.

  pin.py --work FOLDER --out RESULTS [--only REGEX] [--noise-seed 7] [--jobs 2]   make the runs of runs.txt
  pin.py --compare GOLDEN --results RESULTS [--expected FILE]                     compare results with a golden file

The program is $SOTTO. Each run has a fixed seed of noise (--insecure-seed), so its model repeats bit for bit. A second
run of the same configuration has no fixed seed: such a run is private, so only its statement is pinned.

A model depends on the kernels, the C library and OpenBLAS. All runs here use the plain kernels (SOTTO_ISA), with which
builds by gcc and clang agree bit for bit, and one set of kernels of OpenBLAS. The first line of a results file has a
description of the machine and probes, the values of two small models. Where either equals that of the golden file,
digests must be equal. Otherwise only figures are compared, and accuracy within a few points.

expected.txt lists differences that are meant, each with its reason: the golden file stays that of the program before.
To begin anew, write golden.jsonl with --out, empty expected.txt, and say in the commit what changed.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import machine
from compare import compare
from figures import measures_of, models_of, short, statement_of

HERE = pathlib.Path(__file__).resolve().parent
TIME_LIMIT = 300  # seconds for one process
KERNELS = {"SOTTO_ISA": "plain", "OPENBLAS_CORETYPE": "Prescott"}  # the same on most processors and for all compilers

# ---------------------------------------------------------------- runs.txt


def options_of(words):
    """The words `--key value --switch` as a dictionary; a switch has the value None."""
    options, key = {}, None
    for word in words:
        if word.startswith("--"):
            key = word[2:]
            options[key] = None
        elif key is None:
            raise SystemExit(f"runs.txt: '{word}' has no option before it")
        else:
            options[key] = word
            key = None
    return options


def read_runs(path):
    """A list of (name, data, placement, options)."""
    runs, section, data, common = [], None, None, {}
    for line in path.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0].startswith("["):
            section, data, common = words[0].strip("[]"), words[1], options_of(words[2:])
            continue
        options = {**common, **options_of(words[2:])}
        for place in words[1].split("+"):
            name = f"{section}.{words[0]}" + ("" if place == "one" else f"@{place}")
            runs.append((name, data, place, options))
    names = [name for name, *_ in runs]
    if len(set(names)) != len(names):
        raise SystemExit("runs.txt: two runs have one name")
    return runs


# ---------------------------------------------------------------- the program


class Failed(Exception):
    """A run that did not end well."""


def words_of(options):
    """Every command line is made here."""
    words = []
    for key, value in options.items():
        words += [f"--{key}"] if value is None else [f"--{key}", value]
    return words


def start(arguments, folder, name):
    """Starts $SOTTO in a folder, with a ledger of its own."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1", **KERNELS,
                   "SOTTO_LEDGER": str(folder / f"{name}.db"), "SOTTO_LEDGER_KEY": str(folder / "owner.key")}
    if arguments[0] in ("train", "run"):
        subprocess.run([os.environ["SOTTO"], "ledger", "init"], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL)
    with open(folder / f"{name}.out", "wb") as out, open(folder / f"{name}.log", "wb") as log:
        return subprocess.Popen([os.environ["SOTTO"], *arguments], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, stdout=out, stderr=log)


def finish(processes, folder):
    """Waits for {name: process}. When one fails the others are ended."""
    end, running = time.monotonic() + TIME_LIMIT, dict(processes)
    try:
        while running:
            for name, process in list(running.items()):
                status = process.poll()
                if status is None:
                    continue
                del running[name]
                if status != 0:
                    raise Failed(f"{name} ended with {status}: {tail(folder / f'{name}.log')}")
            if time.monotonic() > end:
                raise Failed(f"{', '.join(running)} did not end in {TIME_LIMIT} seconds")
            time.sleep(0.005)
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def tail(path):
    lines = path.read_text(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:])


def call(arguments, folder, name):
    """Runs $SOTTO to its end and returns the last line on stdout."""
    finish({name: start(arguments, folder, name)}, folder)
    lines = (folder / f"{name}.out").read_text().strip().splitlines()
    return lines[-1] if lines else ""


ports = itertools.count(7001)


def own_address():
    """An address of this process alone, another one with every call."""
    pid = os.getpid()
    return f"127.{1 + pid // 62500 % 126}.{pid // 250 % 250}.{1 + pid % 250}:{next(ports)}"


# ---------------------------------------------------------------- data


def make_data(folder):
    """The datasets that sections name."""
    call(["data", "generate", "sbm", "--nodes", "240", "--features", "12", "--signal", "3", "--out",
          "sbm.sotto"], folder, "sbm")
    call(["data", "generate", "sbm", "--nodes", "120", "--features", "6", "--classes", "2", "--inside", "3",
          "--outside", "1", "--out", "sparse.sotto"], folder, "sparse")
    call(["data", "split", "sparse.sotto", "--ego", "1", "--count", "36", "--out", "ego.sotto"], folder, "ego")


# ---------------------------------------------------------------- placements


def roles_of(options):
    """Who takes part, by method: roles, and which of them listen. A later role calls an earlier one."""
    method = options["method"]
    if method in ("vesper", "mlp"):
        return "two", ["data", "label"]
    if method in ("vfgnn", "securegnn"):
        return "mesh", ["server"] + [f"holder{i + 1}" for i in range(int(options.get("holders", "2")))]
    return "star", ["server"] + [f"client{i + 1}" for i in range(int(options["clients"]))]


def split_data(shape, roles, data, options, folder):
    """The file of each role."""
    if shape == "two":
        split = {key: value for key, value in options.items() if key in ("label-features", "label-edges")}
        call(["data", "part", str(data), "--data-out", "data.sotto", "--label-out", "label.sotto", *words_of(split)],
             folder, "split")
        return {"data": "data.sotto", "label": "label.sotto"}
    if shape == "mesh":
        call(["data", "split", str(data), "--vertical", "--holders", str(len(roles) - 1), "--features", "--edges",
              "--label-holder", options.get("label-holder", "1"), "--out", "part"], folder, "split")
    else:
        parts = ["--partition", "communities"] if options["method"] in ("fedsage", "fedsage+", "feddep") else []
        call(["data", "split", str(data), "--horizontal", "--clients", str(len(roles) - 1), "--parts", *parts, "--out",
              "part"], folder, "split")
    return {role: f"part-{i}.sotto" for i, role in enumerate(roles) if i > 0}


def run_parties(data, options, folder):
    """One process for each role. Returns {role: run folder}."""
    shape, roles = roles_of(options)
    files = split_data(shape, roles, data, options, folder)
    options = {**options, "grace": "60"}
    if shape == "star":
        options["split"] = "planetoid"  # clients bring the parts that --parts wrote
    (folder / "run.yaml").write_text(f"method: {options['method']}\n")
    listeners = roles[:1] if shape == "star" else roles[:-1]
    address = {role: own_address() for role in listeners}
    processes = {}
    for i, role in enumerate(roles):
        peers = [other for other in roles if other != role and (shape != "star" or "server" in (role, other))]
        words = ["run", "run.yaml", *words_of(options), "--role", role, "--insecure-loopback", "--out", role, "--json"]
        if role in files:
            words += ["--data", files[role]]
        if role in address:
            words += ["--listen", address[role]]
        for other in peers:
            calls = roles.index(other) < i
            words += ["--peer", f"{other}={address[other]}" if calls else other]
        processes[role] = start(words, folder, role)
    finish(processes, folder)
    return {role: folder / role for role in roles}


def own_copy(data, folder):
    """Data of a folder's own: it remembers the ledger that it is charged to."""
    shutil.copyfile(data, folder / data.name)
    return str(folder / data.name)


def run_one(data, options, folder):
    """All roles in one process."""
    call(["train", *words_of(options), "--data", own_copy(data, folder), "--out", "run", "--json"], folder, "one")
    return {"one": folder / "run"}


# ---------------------------------------------------------------- one configuration


def with_tabs(csv):
    """Rows of predictions in the form that golden.jsonl digests: node or graph, class, probabilities; tabs, no header."""
    header, *rows = [line.split(",") for line in csv.splitlines()]
    if header[:4] not in (["node", "class", "probability", "p0"], ["graph", "class", "probability", "p0"]):
        raise ValueError(f"predictions.csv begins with {header[:4]}")
    return "".join("\t".join(row[:2] + row[3:]) + "\n" for row in rows)


def predictions_of(data, folder):
    """Digest of the class probabilities of all nodes, None where the method does not answer queries."""
    try:
        call(["predict", "run", str(folder / data.name), "--out", "predictions.csv"], folder, "predict")
    except Failed:
        return None
    return short(hashlib.sha256(with_tabs((folder / "predictions.csv").read_text()).encode()))


def ledger_of(folder, name):
    """How many charges the ledger of a process has, their mu composed, and the sum of their epsilons."""
    if not (folder / f"{name}.db").exists():
        return {"charges": 0}
    charges = json.loads(call(["ledger", "show", "--ledger", f"{name}.db", "--json"], folder, f"{name}-ledger") or "[]")
    if not charges:
        return {"charges": 0}
    mu = sum(charge.get("mu", 0) ** 2 for charge in charges) ** 0.5
    epsilon = sum(charge.get("epsilon", 0) for charge in charges)
    return {"charges": len(charges), "mu": float(f"{mu:.9g}"), "epsilon": float(f"{epsilon:.9g}")}


def train(data, place, options, folder):
    """Trains once. Returns what is read of each role."""
    folder.mkdir(parents=True)
    runs = run_one(data, options, folder) if place == "one" else run_parties(data, options, folder)
    out = {}
    for role, run in runs.items():
        lines = (folder / f"{role}.out").read_text().strip().splitlines()
        out[role] = {"models": models_of(run), "test": measures_of(lines[-1] if lines else ""),
                     "statement": statement_of(run), "ledger": ledger_of(folder, role)}
    return out


def again(data, place, options, folder):
    """As train; once more after a failure, since another program may have taken a port."""
    try:
        return train(data, place, options, folder)
    except Failed:
        if place == "one":
            raise
        shutil.rmtree(folder)
        return train(data, place, options, folder)


def pin(run, work, noise_seed):
    """The line of one configuration."""
    name, data, place, options = run
    data = work / f"{data}.sotto"
    options = {**options, "threads": "1"}
    folder = work / name
    try:
        fixed = again(data, place, {**options, "insecure-seed": noise_seed}, folder / "fixed")
        fresh = again(data, place, options, folder / "fresh")
        line = {"name": name,
                "models": {role: read["models"] for role, read in fixed.items() if read["models"]},
                "predictions": predictions_of(data, folder / "fixed") if place == "one" else None,
                "test": {role: read["test"] for role, read in fixed.items() if read["test"]},
                "fixed": {role: [read["statement"], read["ledger"]] for role, read in fixed.items()},
                "fresh": {role: [read["statement"], read["ledger"]] for role, read in fresh.items()}}
    except (Failed, OSError, ValueError, KeyError) as error:
        line = {"name": name, "failed": f"{type(error).__name__}: {error}"}
    if folder.exists() and "failed" not in line:
        shutil.rmtree(folder)
    return line


def make(arguments):
    work = pathlib.Path(arguments.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    make_data(work)
    runs = read_runs(HERE / "runs.txt")
    probes = [pin(run, work, "7") for run in runs if run[0].startswith("probe.")]
    if any("failed" in probe for probe in probes):
        raise SystemExit(f"a probe failed: {probes}")
    wanted = [run for run in runs if re.search(arguments.only, run[0])]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        lines = list(pool.map(lambda run: pin(run, work, arguments.noise_seed), wanted))
    with open(arguments.out, "w", encoding="utf-8") as out:
        values = [probe["models"]["one"]["model.safetensors"].split(":")[1] for probe in probes]
        head = {"probes": values, "machine": machine.describe()}
        for line in [head, *lines]:
            out.write(json.dumps(line) + "\n")
    failed = [line for line in lines if "failed" in line]
    for line in failed:
        print(f"{line['name']}: {line['failed']}", file=sys.stderr)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", help="a folder for data and runs")
    parser.add_argument("--out", help="the results file to write")
    parser.add_argument("--only", default="", help="runs whose name has a match of this expression")
    parser.add_argument("--noise-seed", default="7")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--compare", metavar="GOLDEN")
    parser.add_argument("--results")
    parser.add_argument("--expected", default=str(HERE / "expected.txt"), help="differences that are meant")
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(arguments)
    if not arguments.work or not arguments.out:
        parser.error("give --work and --out, or --compare and --results")
    return make(arguments)


if __name__ == "__main__":
    sys.exit(main())
