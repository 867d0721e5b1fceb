#!/usr/bin/env python3
"""Peers and sotto in one harness: one line of JSON a run, in build-peers/lines.jsonl, and docs/results/peers.md from all lines.

usage: bench/peers/run.py [--build build] [--data-dir DIR] [--out docs/results] [--environments build-peers] [--quick] [--python PYTHON]
                          [--no-install] [TASK...]

Each folder here is a peer: run.py and requirements.txt, whose first line names its environment. Environments are made under
--environments with packages from PyPI; --python names an environment that is there, --no-install makes none. What cannot run is skipped
aloud, with the reason. Without --data-dir, or where it lacks a dataset, generated ones are in its place.
Choice of hyper-parameters: each program has a grid of at most two points, and the one with the better validation accuracy of one run
with seed 1000 is run with the seeds. Programs of a task run in turn, one run each, with one thread. Lines that are there are not run again:
remove lines.jsonl to begin anew. TASK: a name, as 'edge level', or with a dataset, 'edge level/cora'."""
import argparse
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import environments  # noqa: E402
import ours  # noqa: E402
import table  # noqa: E402
import tasks  # noqa: E402

SELECTION_SEED = 1000


def key(line):
    return (line["task"], line["dataset"], line["peer"], line["method"], json.dumps(line["options"], sort_keys=True), line["seed"])


def seeds_of(task, entry):
    return entry.get("seeds", task["seeds"])


class Runner:
    def __init__(self, args, work):
        self.args, self.work = args, work
        self.path = f"{args.environments}/{'quick' if args.quick else 'lines'}.jsonl"
        self.places = environments.Environments(HERE, args)
        self.program = ours.Program(args.build, work)
        self.lines = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in table.read(file):
                    self.lines[key(line)] = line
        self.skipped = {}

    def skip(self, what, why):
        if what not in self.skipped:
            print(f"SKIPPED: {what}: {why}", flush=True)
        self.skipped[what] = why

    def measure(self, task, entry, options, seed):
        head = {"task": task["name"], "dataset": task["dataset"], "peer": entry["peer"], "method": entry["method"],
                "options": options, "seed": seed, "selection": seed == SELECTION_SEED}
        known = self.lines.get(key(head))
        if known is not None:
            return known
        if entry["peer"] == "sotto":
            said = self.program.run(task, entry, options, seed)
        else:
            job = {"data": self.program.exported(task, seed), "seed": seed, "options": options, "method": entry["method"],
                   **task["job"], **(entry.get("job", {}))}
            said = self.places.run(entry["peer"], job)
        for word in said.pop("compose", []):
            said.setdefault("releases", []).append(word)
        if said.get("releases"):
            said["epsilon_ours"] = self.program.account(said["releases"], task["job"]["delta"])
        line = table.checked({**head, **{k: said[k] for k in table.KEYS if k in said}})
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.lines[key(line)] = line
        print(f"{task['name']}, {task['dataset']}, {entry['peer']} {entry['method']} {options} seed {seed}: "
              f"accuracy {line.get('accuracy', float('nan')):.4f}, {line['cpu_s']:.2f} s", flush=True)
        return line

    def choose(self, task, entry):
        """The point of the grid with the best validation accuracy, the first of several."""
        grid = entry["grid"]
        if len(grid) == 1:
            return grid[0]
        return max(grid, key=lambda point: self.measure(task, entry, point, SELECTION_SEED)["validation"])

    def task(self, task):
        able = []
        for entry in task["entries"]:
            try:
                able.append((entry, self.choose(task, entry)))
            except (environments.Missing, ours.Failed) as why:
                self.skip(f"{entry['peer']} ({task['name']}, {task['dataset']})", str(why))
        for seed in sorted({seed for entry, _ in able for seed in seeds_of(task, entry)}):
            for entry, point in able:
                if seed not in seeds_of(task, entry):
                    continue
                try:
                    self.measure(task, entry, point, seed)
                except (environments.Missing, ours.Failed) as why:
                    self.skip(f"{entry['peer']} ({task['name']}, {task['dataset']})", str(why))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{HERE}/../../build")
    parser.add_argument("--data-dir")
    parser.add_argument("--out", default=f"{HERE}/../../docs/results")
    parser.add_argument("--environments", default=f"{HERE}/../../build-peers")
    parser.add_argument("--python")
    parser.add_argument("--no-install", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("names", nargs="*", metavar="TASK")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    os.makedirs(args.environments, exist_ok=True)
    with ours.folder() as work:
        if args.data_dir:  # a run notes its ledger beside its data: what is given stays as it is
            args.data_dir = shutil.copytree(args.data_dir, f"{work}/data")
        runner = Runner(args, work)
        for task in tasks.tasks(args, runner):
            if not args.names or task["name"] in args.names or f"{task['name']}/{task['dataset']}" in args.names:
                runner.task(task)
        # What only tries the harness does not replace results.
        out = args.environments if args.quick else args.out
        table.write(list(runner.lines.values()), runner.skipped, args.build, out)


if __name__ == "__main__":
    main()
