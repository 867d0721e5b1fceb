#!/usr/bin/env python3
"""Makes docs/reproduction.md: runs the parts of bench/reproduction.yaml that are not kept, and writes tables, verdicts and page.

usage: bench/reproduction.py [--data ../shared/data] [--build build] [--work /tmp/sotto-reproduction] [--only PART,PAPER,...] [--quick]
                             [--results docs/results]

--only commands/NAME takes the commands whose names begin so, and leaves the other numbers of commands.csv as they are.
A part's results are kept in the work folder, in a folder named by a digest of the program, the command and its bench file: what is
kept there is not run again, and a part that was stopped goes on. Without --only every part is run; `--only none` writes the page from
the tables that the results folder has. Another work folder makes everything from nothing.
--quick has fewer seeds, where a part has such a form, and leaves docs/ as it is: results and page are in WORK/quick.
Verdicts of two results folders are compared by bench/verdicts.py --same.
"""
import argparse
import csv
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import rows_of

ROOT = pathlib.Path(__file__).resolve().parent.parent


def digest(args, part):
    """Of what decides a part's results: the programs, the command, its files. A command of its own is known by its words."""
    programs = ["BUILD/sotto", *[word for word in part["run"].split() if word.startswith("BUILD/")]]
    found = hashlib.sha256(b"".join(pathlib.Path(word.replace("BUILD", str(args.build))).read_bytes() for word in programs))
    found.update(command(args, part).encode())
    for word in part["run"].split():
        if word.startswith("bench/"):
            found.update((ROOT / word).read_bytes())
    return found.hexdigest()[:16]


def command(args, part):
    return part["run"] + (" " + part["quick"] if args.quick and part["quick"] else "")


def words_of(text, places):
    for name, value in places.items():
        text = text.replace(name, str(value))
    return text.split()


def call(words, **more):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, **more)
    if done.returncode != 0:
        sys.exit(f"bench/reproduction.py: {' '.join(words)}: exit status {done.returncode}. What it had made is kept: correct the cause and start again.")
    return done.stdout


def copied(args, out):
    """The data of a part: a run notes its ledger beside what it reads, and each part has a ledger of its own."""
    data = out / "data"
    if not data.exists():
        shutil.copytree(args.data, out / "data.new", ignore=shutil.ignore_patterns("*.ledger"), dirs_exist_ok=True)
        for path in [out / "data.new", *(out / "data.new").rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)
        (out / "data.new").rename(data)
    return data


class Commands:
    """Numbers that one command prints. What was printed is taken as it is."""

    def __init__(self, args, out):
        self.args, self.out, self.said = args, out, {}
        kept = out / "said.json"
        if kept.exists():
            self.said = json.loads(kept.read_text())
        self.env = {**os.environ, "PATH": f"{args.build}:{ROOT / 'bench'}:{os.environ['PATH']}", "SOTTO_LEDGER": str(out / "ledger.db")}

    def printed(self, run, seed):
        """The JSON that the last of the steps prints; None where it refuses."""
        key = f"{run} {seed}"
        if key not in self.said:
            with tempfile.TemporaryDirectory() as folder:
                for step in run.split(" && "):
                    words = [str(seed) if word == "K" else word.replace("OUT", folder) for word in step.split()]
                    done = subprocess.run(words, cwd=copied(self.args, self.out), env=self.env, text=True, stdout=subprocess.PIPE)
            self.said[key] = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
            (self.out / "said.json").write_text(json.dumps(self.said))
        return self.said[key]

    def values(self, entry):
        seeds = min(int(entry.get("seeds", 1)), 1 if self.args.quick else 100)
        for seed in range(1, seeds + 1):
            said = self.printed(entry["run"], seed)
            if said is None and "refused" not in entry:
                sys.exit(f"bench/reproduction.py: {entry['run']}: the command failed, and {entry['name']} has no number for that")
            yield float(entry["refused"]) if said is None else float(eval(entry["take"], {"__builtins__": {}}, said))

    def write(self, entries, results):
        """commands.csv; of commands that were not chosen, the row that the results folder has."""
        if not (self.out / "ledger.db").exists():
            call([str(self.args.build / "sotto"), "ledger", "init"], env=self.env)
        with open(results / "commands.csv", newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        for entry in entries:
            if self.args.chosen is not None and not any(f"commands/{entry['name']}".startswith(word) for word in self.args.chosen):
                continue
            values = list(self.values(entry))
            spread = statistics.stdev(values) if len(values) > 1 else 0
            rows[entry["name"]] = {"name": entry["name"], "mean": f"{statistics.mean(values):.10g}", "deviation": f"{spread:.6g}" if spread else "", "seeds": len(values)}
        with open(self.out / "commands.csv", "w", newline="") as file:
            table = csv.DictWriter(file, ["name", "mean", "deviation", "seeds"], lineterminator="\n")
            table.writeheader()
            table.writerows(rows[entry["name"]] for entry in entries)


def make(args, part, commands):
    """The folder that has the part's results."""
    out = args.work / f"{part['name']}-{digest(args, part)}"
    out.mkdir(parents=True, exist_ok=True)
    print(f"{part['name']}: {'kept in ' if (out / 'done').exists() else ''}{out}", flush=True)
    if part["name"] == "commands":
        Commands(args, out).write(commands, args.results)
        shutil.rmtree(out / "data", ignore_errors=True)
    elif not (out / "done").exists():
        said = call(words_of(command(args, part), {"BUILD": args.build, "DATA": copied(args, out), "OUT": out}), cwd=ROOT)
        if part.get("prints"):
            (out / part["prints"]).write_text(said)
        shutil.rmtree(out / "data")
        (out / "done").touch()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--work", type=pathlib.Path, default="/tmp/sotto-reproduction")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "docs/results")
    parser.add_argument("--only", default="all")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    args.data, args.build, args.work = (path.resolve() for path in (args.data, args.build, args.work))
    source = rows_of.read(ROOT / "bench/reproduction.yaml")
    args.chosen = None if args.only == "all" else set(args.only.split(","))
    page = ROOT / "docs/reproduction.md"
    if args.quick:
        kept, args.results = args.results, args.work / "quick"
        page = args.results / "reproduction.md"
        args.results.mkdir(parents=True, exist_ok=True)
        for table in [*kept.glob("*.csv"), kept / "audit.jsonl"]:
            if not (args.results / table.name).exists():
                shutil.copy(table, args.results)
    for part in source["parts"]:
        if args.quick and "quick" not in part:
            continue
        if args.chosen is None or {word.partition("/")[0] for word in args.chosen} & {part["name"], part["paper"]}:
            for table in make(args, part, source["commands"]).glob(f"{part['name']}.*"):
                if table.suffix in (".csv", ".md", ".svg") or part["name"] == "audit":
                    shutil.copy(table, args.results)
    call([sys.executable, str(ROOT / "bench/verdicts.py"), "--results", str(args.results), "--page", str(page)])
    print(f"{page}, {args.results / 'verdicts.md'}")


if __name__ == "__main__":
    main()
