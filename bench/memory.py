#!/usr/bin/env python3
"""Peak memory and time of five methods on a made graph, against a bound; and under a limit.

usage: bench/memory.py PROGRAM [--nodes 2000000] [--degree 20] [--features 32] [--epochs 3] [--limit SHARE] [--words] [--out FILE]

The bound is 1.5 times the graph, its features and one release of 64 columns. Peak memory is what the system says of the
process (the largest resident set). With --limit a method runs under `ulimit -v`, or in a memory cgroup of its own where
one can be made (as root): of that share of the graph's file, whose pages are not in memory before. Then own memory is what cannot
be dropped: all but pages of files. --program-before names another build to compare with. --words: seven methods on a graph of 18,000 nodes with bags of words
(words_graph.py) in the place of the large one, three runs each, of which the one with the median peak counts.
Results are appended to FILE as JSON lines; a table in Markdown is printed.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import words_graph

METHODS = ["gap", "best", "vesper", "caribou", "mlp"]
WORDS_METHODS = ["gap", "best", "mlp", "caribou", "vesper", "feddep", "gnn"]
HIDDEN = 64
CGROUP = pathlib.Path("/sys/fs/cgroup/memory")


def words_of(method, data, epochs, out):
    words = ["train", "--method", method, "--data", data, "--insecure-seed", "7", "--out", out, "--json"]
    names = {"mlp": ["--encoder-epochs"], "feddep": ["--rounds"], "gnn": ["--epochs"]}.get(method, ["--encoder-epochs", "--epochs"])
    return words + [word for name in names for word in (name, str(epochs))]


def own_group():
    """The memory cgroup (version 1) of this process, or None."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory" and (CGROUP / path.lstrip("/")).is_dir():
            return CGROUP / path.lstrip("/")
    return None


class Group:
    """A memory cgroup below the own one, so that its limit adds to those that hold already."""

    def __init__(self, limit):
        self.path = None
        parent = own_group()
        if parent is None or not os.access(parent, os.W_OK):
            return
        self.path = parent / f"sotto-memory-{os.getpid()}"
        self.path.mkdir()
        (self.path / "memory.limit_in_bytes").write_text(str(limit))

    def enter(self):
        (self.path / "cgroup.procs").write_text("0")

    def remove(self):
        if self.path is not None:
            for line in (self.path / "cgroup.procs").read_text().split():  # trainings of an estimate that was killed
                os.kill(int(line), signal.SIGKILL)
            for _ in range(50):
                try:
                    self.path.rmdir()
                    return
                except OSError:
                    time.sleep(0.1)


def leave_no_pages(data):
    """Pages that another group read would not count; the run has to read them itself."""
    with open(data, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measured(program, method, data, epochs, folder, env, limit, extra=()):
    run = folder / "run"
    if limit:
        leave_no_pages(data)
    shutil.rmtree(run, ignore_errors=True)
    group = Group(limit) if limit else None
    enter = group.enter if group is not None and group.path is not None else None
    said, log = open(folder / "said", "w"), open(folder / "log", "w")
    begin = time.monotonic()
    process = subprocess.Popen([program, *words_of(method, data, epochs, str(run)), *extra], env=env, stdout=said, stderr=log, preexec_fn=enter)
    _, state, used = os.wait4(process.pid, 0)
    process.returncode = state
    seconds = time.monotonic() - begin
    if group is not None:
        group.remove()
    line = {"method": method, "seconds": round(seconds, 1), "cpu_seconds": round(used.ru_utime + used.ru_stime, 1), "peak_bytes": used.ru_maxrss * 1024}
    if state != 0:
        tail = (folder / "log").read_text().strip().splitlines()
        line["failed"] = tail[-1] if tail else f"status {state}"
    else:
        result = json.loads((folder / "said").read_text().splitlines()[-1])
        line["accuracy"] = result["test"]["accuracy"]["mean"]
        if "peak_own_mb" in result:
            line["own_peak_bytes"] = round(result["peak_own_mb"] * 1e6)
        line["run_bytes"] = sum(f.stat().st_size for f in run.rglob("*") if f.is_file())
    shutil.rmtree(run, ignore_errors=True)
    return line


def programs_of(asked):
    return [(name, program) for name, program in (("before", asked.program_before), ("now", asked.program)) if program is not None]


def add_line(asked, line):
    if asked.out:
        with open(asked.out, "a") as out:
            out.write(json.dumps(line) + "\n")


def measure_words(asked, folder, env):
    """Peaks on bags of words; True where a run failed."""
    data, failed = folder / "words.npz", False
    words_graph.write(data)
    print("| method | program | peak MB | seconds | processor seconds | accuracy |\n|---|---|---|---|---|---|")
    for method in WORDS_METHODS if asked.methods is None else asked.methods.split(","):
        for name, program in programs_of(asked):
            runs = [measured(program, method, str(data), asked.epochs, folder, env, 0) for _ in range(3)]
            line = sorted(runs, key=lambda run: run["peak_bytes"])[1]
            line.update(program=name, graph="words", nodes=words_graph.NODES, columns=words_graph.COLUMNS, epochs=asked.epochs)
            failed = failed or "failed" in line
            print(f"| {method} | {name} | {line['peak_bytes'] / 1e6:.0f} | {line['seconds']} | {line['cpu_seconds']} "
                  f"| {line.get('accuracy', line.get('failed'))} |", flush=True)
            add_line(asked, line)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--program-before")
    parser.add_argument("--nodes", type=int, default=2000000)
    parser.add_argument("--degree", type=int, default=20)
    parser.add_argument("--features", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--methods", help=f"by default {','.join(METHODS)}")
    parser.add_argument("--words", action="store_true", help="a graph of bags of words")
    parser.add_argument("--limit", type=float, help="share of the graph's file that a process may have")
    parser.add_argument("--work", default=tempfile.gettempdir())
    parser.add_argument("--out")
    asked = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sotto-memory-", dir=asked.work))
    env = dict(os.environ, HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder), OPENBLAS_NUM_THREADS="1")
    data = folder / "graph.sotto"
    inside = asked.degree * 3 // 4
    generate = [asked.program, "data", "generate", "sbm", "--nodes", str(asked.nodes), "--features", str(asked.features),
                "--inside", str(inside), "--outside", str(asked.degree - inside), "--out", str(data)]
    failed = False
    try:
        if asked.words:
            return 1 if measure_words(asked, folder, env) else 0
        subprocess.run(generate, check=True, env=env, capture_output=True)
        size = data.stat().st_size
        release = asked.nodes * HIDDEN * 4
        bound = 1.5 * (size + release)
        limit = int(size * asked.limit) if asked.limit else 0
        print(f"graph and features {size / 1e6:.0f} MB, release {release / 1e6:.0f} MB, bound {bound / 1e6:.0f} MB"
              + (f", limit {limit / 1e6:.0f} MB" if limit else "") + "\n")
        print("| method | program | peak MB | of the bound | seconds | processor seconds | accuracy |\n|---|---|---|---|---|---|---|")
        for method in METHODS if asked.methods is None else asked.methods.split(","):
            for name, program in programs_of(asked):
                extra = ["--memory", str(limit)] if limit and name == "now" else []
                line = measured(program, method, str(data), asked.epochs, folder, env, limit, extra)
                line.update(program=name, nodes=asked.nodes, epochs=asked.epochs, data_bytes=size, release_bytes=release, bound_bytes=round(bound), limit_bytes=limit)
                failed = failed or "failed" in line or (name == "now" and line["peak_bytes"] > bound)
                print(f"| {method} | {name} | {line['peak_bytes'] / 1e6:.0f} | {line['peak_bytes'] / bound:.2f} | {line['seconds']} | {line['cpu_seconds']} "
                      f"| {line.get('accuracy', line.get('failed'))} |", flush=True)
                add_line(asked, line)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
